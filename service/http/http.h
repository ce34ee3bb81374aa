/* http.h - an HTTP/1.1 server with several doors: libmicrohttpd, driven by the caller's loop, and threads that prepare answers.
 *
 * Doors    DOOR_SOCKET   a Unix socket that everybody on this host may open; the kernel says who does (SO_PEERCRED)
 *          DOOR_PROXY    a Unix socket for one user alone, the reverse proxy's, whose headers are believed
 *          DOOR_ADDRESS  a TCP address; identity headers are ignored
 * Limits   a request must be complete within REQUEST_SECONDS of its first byte or of the connection, even if
 *          bytes drip in meanwhile; a body has at most BODY_BYTES, unless most_body() allows the caller more, within
 *          LARGE_BODY_SECONDS.
 * Threads  the caller's, and readers. A handler runs to its end before the next request is looked at, so it must not wait for
 *          anything: it can have a reader prepare the answer (HttpReply.prepare), or be asked again (HttpReply.is_postponed). */
#ifndef SERVICE_HTTP_HTTP_H
#define SERVICE_HTTP_HTTP_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== http events ================================================================================================= */

/* Answers that stay open: server-sent events. A stream costs memory and a descriptor alone while nothing is sent. Streams have
 * at most half of the connections, so that pages that wait shut nobody out.
 *
 * Source   HTML Living Standard, section "Server-sent events". */

typedef struct EventStream EventStream;

EventStream *http_events_open(void);
/* False: so many streams are open that whoever asks for another one should ask now and then instead. */
bool http_events_have_room(void);
/* `data` is one line. False: the other side is gone, and the stream must not be used any more. */
bool http_events_send(EventStream *stream, const char *event, const char *data);
/* Whether the other side is still there; if not, the stream must not be used any more. */
bool http_events_are_open(EventStream *stream);
/* Sends what is left and ends the stream. */
void http_events_close(EventStream *stream);

/* An answer that comes late is a stream, too, which has nothing to say until then, and ends with one text. */

/* Whether the other side still waits. The stream may be used further in any case. */
bool http_events_have_reader(const EventStream *stream);
/* Sends the text and ends the stream; false: the other side is gone. The stream must not be used any more. */
bool http_events_finish(EventStream *stream, const char *text);

/* ---- for the server alone ---------------------------------------------------------------------------------------- */

struct MHD_Connection;

/* ==== http ======================================================================================================== */

typedef enum HttpDoor { DOOR_SOCKET, DOOR_PROXY, DOOR_ADDRESS, DOORS } HttpDoor;

/* How many connections there may be follows from the descriptors that the process may have. Before they are used up, the oldest
 * idle connection ends, of the peer that has most of them: a user of this host, or an address. */

enum { REQUEST_SECONDS = 20, BODY_BYTES = 2 << 20, REPLY_HEADERS = 8, LARGE_BODY_SECONDS = 300, MOST_READERS = 4 };

typedef struct HttpRequest {
    HttpDoor door;
    const char *method, *path; /* the path is decoded, without the query */
    const char *body;          /* terminated */
    size_t body_bytes;
    uid_t peer;      /* of the Unix doors */
    double waited_s; /* since the handler was first asked: above 0 after it has postponed its answer */
    void *source;    /* of the header and query functions */
    Arena *arena;    /* lives as long as the request */
} HttpRequest;

/* NULL: there is none. The texts live as long as the request. */
const char *http_header(const HttpRequest *request, const char *name);
const char *http_query(const HttpRequest *request, const char *name);
const char *http_cookie(const HttpRequest *request, const char *name);
/* A field of a form, decoded: application/x-www-form-urlencoded or multipart/form-data. */
const char *http_field(const HttpRequest *request, const char *name);
/* Likewise; the value may hold bytes that are 0. */
const char *http_field_bytes(const HttpRequest *request, const char *name, size_t *bytes);
/* What the browser calls the file of a field, without folders; NULL: the field is no file. */
const char *http_file_name(const HttpRequest *request, const char *name);

typedef struct HttpReply {
    int status;       /* 200 unless set */
    const char *type; /* "text/html; charset=utf-8" unless set */
    Text body;        /* freed by the server */
    struct {
        const char *name, *value;
    } headers[REPLY_HEADERS];
    size_t header_count;
    EventStream *events; /* NULL; else what http_events_open() gave, instead of a body */
    /* NULL; else it fills in the answer on a thread of its own, number `reader`, while others are answered. `work` lives as long as
     * the request. */
    void (*prepare)(void *work, size_t reader);
    void *work;
    bool is_postponed; /* nothing has been done yet: the handler is asked again in a moment */
} HttpReply;

/* The texts must live as long as the request; a value with a control character is left out. */
void http_reply_header(HttpReply *reply, const char *name, const char *value);

typedef void (*HttpHandler)(void *context, const HttpRequest *request, HttpReply *reply);

typedef struct HttpOptions {
    const char *listen; /* "127.0.0.1:8080", "[::1]:0"; "" or NULL: no such door, as for the next ones */
    const char *socket; /* path */
    const char *proxy_socket;
    uid_t proxy_user;
    HttpHandler handler;
    /* How large a body may be, where that is more than BODY_BYTES. The request has none yet. NULL: nowhere. */
    size_t (*most_body)(void *context, const HttpRequest *request);
    void *context;
    size_t readers; /* threads that prepare answers, at most MOST_READERS */
} HttpOptions;

typedef struct HttpServer HttpServer;

/* BAD_INPUT: an address that is none, or that is in use. A socket without a listener is replaced. */
MUST_USE Status http_start(const HttpOptions *options, HttpServer **server, Message *why);
/* Where the door for addresses is, "127.0.0.1:8080"; "" if there is none. */
const char *http_address(const HttpServer *server);
/* Answers what has come in, and waits for more, at most `seconds` in all. */
void http_serve(HttpServer *server, double seconds);
void http_stop(HttpServer *server);

#endif
