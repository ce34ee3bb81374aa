/* http.c - streams of events. While a stream has nothing to say, its connection is suspended, and costs no time. */
#include "service/http/http.h"

#include "base/clock.h"
#include "base/hash.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ==== http events ================================================================================================= */

enum { PIECE_BYTES = 4096, LIVE_SECONDS = 15, MOST_PENDING = 65536, MOST_STREAMS = 500 };

struct EventStream {
    EventStream *next, *previous; /* in the ring of all */
    struct MHD_Connection *connection;
    Text pending;
    bool is_suspended, is_closed;
    bool is_gone; /* the client has closed the connection */
    double sent_s;
};

static EventStream ring = {.next = &ring, .previous = &ring};
static size_t most_streams = MOST_STREAMS;

EventStream *http_events_open(void)
{
    EventStream *stream = zeroed(1, sizeof *stream);
    stream->sent_s = now_s();
    stream->next = ring.next;
    stream->previous = &ring;
    ring.next->previous = stream;
    ring.next = stream;
    return stream;
}

bool http_events_have_room(void)
{
    size_t count = 0;
    for (const EventStream *stream = ring.next; stream != &ring; stream = stream->next)
        count++;
    return count < most_streams;
}

static void wake(EventStream *stream)
{
    if (stream->is_suspended && stream->connection != NULL)
        MHD_resume_connection(stream->connection);
    stream->is_suspended = false;
}

static ssize_t read_pending(void *context, uint64_t position, char *buffer, size_t room)
{
    EventStream *stream = context;
    if (stream->pending.length == 0 && stream->is_closed)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->pending.length == 0) {
        stream->is_suspended = true;
        MHD_suspend_connection(stream->connection);
        return 0;
    }
    size_t count = stream->pending.length < room ? stream->pending.length : room;
    memcpy(buffer, stream->pending.data, count);
    memmove(stream->pending.data, stream->pending.data + count, stream->pending.length - count);
    stream->pending.length -= count;
    return (ssize_t)count;
}

static void release(EventStream *stream)
{
    stream->next->previous = stream->previous;
    stream->previous->next = stream->next;
    text_free(&stream->pending);
    free(stream);
}

/* The connection has ended. The owner learns it when it sends next; a stream that he has closed is nobody's. */
static void connection_is_over(void *context)
{
    EventStream *stream = context;
    stream->is_gone = true;
    stream->connection = NULL;
    if (stream->is_closed)
        release(stream);
}

/* The answer whose body the stream is. */
static struct MHD_Response *http_events_response(EventStream *stream, struct MHD_Connection *connection)
{
    stream->connection = connection;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES, read_pending, stream, connection_is_over);
}

/* A reader that does not read while much is sent is given up. */
static bool append(EventStream *stream, const char *text)
{
    if (stream->is_gone || stream->pending.length > MOST_PENDING) {
        http_events_close(stream);
        return false;
    }
    text_add(&stream->pending, text);
    stream->sent_s = now_s();
    wake(stream);
    return true;
}

bool http_events_send(EventStream *stream, const char *event, const char *data)
{
    Text text = {0};
    text_printf(&text, "event: %s\ndata: %s\n\n", event, data);
    const bool is_sent = append(stream, text.data);
    text_free(&text);
    return is_sent;
}

/* libmicrohttpd does not look at the connection of a suspended answer. */
bool http_events_have_reader(const EventStream *stream)
{
    char byte;
    if (stream->is_gone || stream->connection == NULL)
        return !stream->is_gone; /* the answer is not under way yet */
    const int socket = MHD_get_connection_info(stream->connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    const ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool http_events_finish(EventStream *stream, const char *text)
{
    if (!append(stream, text))
        return false;
    http_events_close(stream);
    return true;
}

/* A comment now and then shows whether the connection still works, to both sides and to proxies. */
bool http_events_are_open(EventStream *stream)
{
    if (!stream->is_gone && now_s() < stream->sent_s + LIVE_SECONDS)
        return true;
    return append(stream, ": still here\n\n");
}

void http_events_close(EventStream *stream)
{
    stream->is_closed = true;
    if (stream->is_gone)
        release(stream);
    else
        wake(stream);
}

/* Wakes all streams, as libmicrohttpd demands before its end. */
static void http_events_forget_all(void)
{
    for (EventStream *stream = ring.next; stream != &ring; stream = stream->next)
        wake(stream);
}

/* ==== listen ====================================================================================================== */

/* Sockets that listen. */

enum { WAITING = 511 }; /* connections that wait to be accepted */

static Status start(int file, const char *what, int *listening, Message *why)
{
    if (listen(file, WAITING) == 0) {
        *listening = file;
        return STATUS_OK;
    }
    Status status = fail_errno(why, "%s", what);
    close(file);
    return status;
}

/* A socket stays behind when its server is killed. */
static Status remove_dead(const struct sockaddr_un *address, Message *why)
{
    struct stat info;
    if (lstat(address->sun_path, &info) != 0)
        return STATUS_OK;
    if (!S_ISSOCK(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: exists and is not a socket, expected the path of one",
                    address->sun_path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = connect(file, (const struct sockaddr *)address, sizeof *address) == 0;
    close(file);
    if (answers)
        return fail(STATUS_BUSY, why, "%s: another server listens there", address->sun_path);
    return unlink(address->sun_path) == 0 ? STATUS_OK : fail_errno(why, "%s", address->sun_path);
}

/* Opens a Unix socket with these permissions; it replaces one without a listener. */
static MUST_USE Status listen_unix(const char *path, mode_t mode, int *listening, Message *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(STATUS_BAD_INPUT, why, "%s: the name of a socket has at most %zu bytes", path,
                    sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    Status status = remove_dead(&address, why);
    TRY(status);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0 || chmod(path, mode) != 0) {
        status = fail_errno(why, "%s", path);
        if (file >= 0)
            close(file);
        return status;
    }
    return start(file, path, listening, why);
}

/* Splits "[::1]:8080" into "::1" and "8080". */
static Status split(const char *address, char host[100], char port[10], Message *why)
{
    const char *colon = strrchr(address, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - address);
    const bool bracketed = length > 2 && address[0] == '[' && address[length - 1] == ']';
    const char *begin = bracketed ? address + 1 : address;
    length -= bracketed ? 2 : 0;
    if (length == 0 || length >= 100 || strlen(colon + 1) == 0 || strlen(colon + 1) > 5 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return fail(STATUS_BAD_INPUT, why, "%s: not an address, expected one like 127.0.0.1:8080", address);
    snprintf(host, 100, "%.*s", (int)length, begin);
    snprintf(port, 10, "%s", colon + 1);
    return STATUS_OK;
}

static void name_of(int file, char *found, size_t found_bytes)
{
    struct sockaddr_storage place;
    socklen_t size = sizeof place;
    char host[64] = "", port[8] = "";
    getsockname(file, (struct sockaddr *)&place, &size);
    getnameinfo((const struct sockaddr *)&place, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(found, found_bytes, place.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static Status bind_first(const char *address, const struct addrinfo *place, int *file, Message *why)
{
    const int yes = 1;
    *file = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*file < 0)
        return fail_errno(why, "%s", address);
    setsockopt(*file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(*file, place->ai_addr, place->ai_addrlen) == 0)
        return STATUS_OK;
    Status status = errno == EADDRINUSE
                        ? fail(STATUS_BUSY, why, "%s: another program listens there; choose another port with --listen",
                               address)
                        : fail_errno(why, "%s", address);
    close(*file);
    return status;
}

/* "127.0.0.1:8080", "[::1]:8080" or "localhost:0", where 0 takes any free port. `found` becomes the address in numbers. */
static MUST_USE Status listen_address(const char *address, int *listening, char *found, size_t found_bytes,
                                      Message *why)
{
    char host[100], port[10];
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *places;
    int file;
    TRY(split(address, host, port, why));
    if (getaddrinfo(host, port, &wanted, &places) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: unknown host, expected an address like 127.0.0.1:8080", address);
    Status status = bind_first(address, places, &file, why);
    freeaddrinfo(places);
    if (status == STATUS_OK)
        name_of(file, found, found_bytes);
    return status == STATUS_OK ? start(file, address, listening, why) : status;
}

/* ==== http ======================================================================================================== */

typedef struct Listener {
    HttpServer *server;
    HttpDoor kind;
    struct MHD_Daemon *daemon; /* NULL: this door does not exist */
    int epoll;
} Listener;

/* A connection. It is idle, or a request is coming in, until `deadline_s`; while it is answered there is none. */
typedef struct Connection {
    struct Connection *next, *previous;
    int socket;
    uint64_t peer;     /* of a user, or of an address */
    double deadline_s; /* 0: it is being answered, or it is ending */
} Connection;

typedef struct HttpTransaction { /* one request and its answer */
    struct MHD_Connection *connection;
    Text body;
    size_t most_bytes; /* of the body */
    bool too_large;
    bool is_last;   /* the connection ends after the answer */
    double asked_s; /* when the handler was first asked; 0: not yet */
    HttpRequest request;
    HttpReply reply;
    Arena arena; /* of both */
    bool is_prepared;
    struct HttpTransaction *next; /* of those whose connections are suspended */
} HttpTransaction;

typedef struct Reader {
    struct Readers *readers;
    size_t number;
    pthread_t thread;
} Reader;

typedef struct Readers {
    Reader items[MOST_READERS];
    size_t count;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t has_work;
    HttpTransaction *waiting, **last, *prepared;
    bool ends;
    int wake; /* readable when something is prepared */
} Readers;

struct HttpServer {
    HttpOptions options;
    Listener doors[DOORS];
    char address[80];
    char *paths[DOORS];  /* of Unix sockets, removed at the end */
    Connection visitors; /* head of a ring, newest first */
    size_t count, most;
    double swept_s;
    Readers readers;
    HttpTransaction *postponed;
    double asked_again_s;
};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

const char *http_header(const HttpRequest *request, const char *name)
{
    return MHD_lookup_connection_value(request->source, MHD_HEADER_KIND, name);
}

const char *http_query(const HttpRequest *request, const char *name)
{
    return MHD_lookup_connection_value(request->source, MHD_GET_ARGUMENT_KIND, name);
}

const char *http_cookie(const HttpRequest *request, const char *name)
{
    return MHD_lookup_connection_value(request->source, MHD_COOKIE_KIND, name);
}

typedef struct FormField { /* of a form, while it is read */
    const char *name;
    Text value;
    Text file_name;
    bool is_found;
} FormField;

static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *name, const char *file_name,
                                  const char *type, const char *encoding, const char *piece, uint64_t offset,
                                  size_t bytes)
{
    FormField *field = context;
    if (name == NULL || strcmp(name, field->name) != 0)
        return MHD_YES;
    field->is_found = true;
    text_append(&field->value, piece, bytes);
    if (file_name != NULL && field->file_name.length == 0)
        text_add(&field->file_name, file_name);
    return MHD_YES;
}

static void read_field(const HttpRequest *request, FormField *field)
{
    enum { BUFFER_BYTES = 1024 };
    struct MHD_PostProcessor *form = MHD_create_post_processor(request->source, BUFFER_BYTES, take_field, field);
    if (form == NULL)
        return; /* the body is no form */
    MHD_post_process(form, request->body, request->body_bytes);
    MHD_destroy_post_processor(form);
}

static void free_field(FormField *field)
{
    text_free(&field->value);
    text_free(&field->file_name);
}

const char *http_field(const HttpRequest *request, const char *name)
{
    return http_field_bytes(request, name, NULL);
}

const char *http_field_bytes(const HttpRequest *request, const char *name, size_t *bytes)
{
    FormField field = {.name = name};
    const char *value = NULL;
    read_field(request, &field);
    if (field.is_found)
        value = arena_copy(request->arena, field.value.length == 0 ? "" : field.value.data, field.value.length);
    if (bytes != NULL)
        *bytes = field.value.length;
    free_field(&field);
    return value;
}

const char *http_file_name(const HttpRequest *request, const char *name)
{
    FormField field = {.name = name};
    const char *value = NULL;
    read_field(request, &field);
    if (field.file_name.length > 0) {
        const char *last = field.file_name.data;
        for (const char *c = last; *c != '\0'; c++)
            if (*c == '/' || *c == '\\')
                last = c + 1;
        value = arena_string(request->arena, last);
    }
    free_field(&field);
    return value;
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

void http_reply_header(HttpReply *reply, const char *name, const char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return;
    if (reply->header_count < REPLY_HEADERS) {
        reply->headers[reply->header_count].name = name;
        reply->headers[reply->header_count++].value = value;
    }
}

/* Nothing on a page comes from elsewhere, and there is no script but ours. Pictures of outputs are in the pages themselves (data:). */
static void add_headers(struct MHD_Response *response, const HttpReply *reply)
{
    static const char *const always[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src "
         "'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "same-origin"},
    };
    bool is_kept = false;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i][0], always[i][1]);
    for (size_t i = 0; i < reply->header_count; i++) {
        MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
        is_kept = is_kept || strcmp(reply->headers[i].name, "Cache-Control") == 0;
    }
    if (!is_kept)
        MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Content-Type", reply->type);
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, HttpReply *reply)
{
    struct MHD_Response *response;
    if (reply->events != NULL)
        response = http_events_response(reply->events, connection);
    else
        response = MHD_create_response_from_buffer(reply->body.length, reply->body.data == NULL ? "" : reply->body.data,
                                                   MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    add_headers(response, reply);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* What a proxy takes for the end of a request that is refused may be something else here, so nothing that follows is believed. */
static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *text)
{
    HttpReply reply = {.status = status, .type = "application/json"};
    http_reply_header(&reply, "Connection", "close");
    text_printf(&reply.body, "{\"error\": \"%s\"}\n", text);
    enum MHD_Result result = send_reply(connection, &reply);
    text_free(&reply.body);
    return result;
}

/* ---- readers ----------------------------------------------------------------------------------------------------- */

/* While an answer is prepared, its connection is suspended, so that the library does not touch it; the functions of a request only read
 * it. Suspending, resuming and sending are for the caller's thread. */

static void *read_on(void *context)
{
    const Reader *reader = context;
    Readers *readers = reader->readers;
    pthread_mutex_lock(&readers->lock);
    while (!readers->ends) {
        HttpTransaction *exchange = readers->waiting;
        if (exchange == NULL) {
            pthread_cond_wait(&readers->has_work, &readers->lock);
            continue;
        }
        readers->waiting = exchange->next;
        if (exchange->next == NULL)
            readers->last = &readers->waiting;
        pthread_mutex_unlock(&readers->lock);
        exchange->reply.prepare(exchange->reply.work, reader->number);
        pthread_mutex_lock(&readers->lock);
        exchange->next = readers->prepared;
        readers->prepared = exchange;
        eventfd_write(readers->wake, 1);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

/* Signals are for the caller's thread. */
static Status start_readers(Readers *readers, size_t count, Message *why)
{
    sigset_t all, before;
    *readers = (Readers){.last = &readers->waiting, .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->has_work, NULL);
    if (readers->wake < 0)
        return fail_errno(why, "the HTTP server cannot be started");
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int error = 0; readers->count < count && error == 0; readers->count += error == 0) {
        Reader *reader = &readers->items[readers->count];
        *reader = (Reader){.readers = readers, .number = readers->count};
        error = pthread_create(&reader->thread, NULL, read_on, reader);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return readers->count == count ? STATUS_OK
                                   : fail(STATUS_SYSTEM, why, "the HTTP server cannot start %zu threads", count);
}

static void give_to_readers(Readers *readers, HttpTransaction *exchange)
{
    pthread_mutex_lock(&readers->lock);
    exchange->next = NULL;
    *readers->last = exchange;
    readers->last = &exchange->next;
    pthread_cond_signal(&readers->has_work);
    pthread_mutex_unlock(&readers->lock);
}

static void resume_all(HttpTransaction *list, bool are_prepared)
{
    for (HttpTransaction *exchange = list, *next; exchange != NULL; exchange = next) {
        next = exchange->next;
        exchange->is_prepared = are_prepared;
        MHD_resume_connection(exchange->connection);
    }
}

static void send_prepared(Readers *readers)
{
    eventfd_t count;
    if (eventfd_read(readers->wake, &count) != 0)
        return;
    pthread_mutex_lock(&readers->lock);
    HttpTransaction *prepared = readers->prepared;
    readers->prepared = NULL;
    pthread_mutex_unlock(&readers->lock);
    resume_all(prepared, true);
}

/* What nobody has prepared ends with its connection. */
static void stop_readers(Readers *readers)
{
    pthread_mutex_lock(&readers->lock);
    readers->ends = true;
    pthread_cond_broadcast(&readers->has_work);
    pthread_mutex_unlock(&readers->lock);
    for (size_t i = 0; i < readers->count; i++)
        pthread_join(readers->items[i].thread, NULL);
    resume_all(readers->waiting, true);
    resume_all(readers->prepared, true);
    pthread_mutex_destroy(&readers->lock);
    pthread_cond_destroy(&readers->has_work);
    close(readers->wake);
}

/* ---- the course of a request ------------------------------------------------------------------------------------- */

static const double POSTPONED_S = 0.05;

static void ask_postponed_again(HttpServer *server)
{
    HttpTransaction *postponed = server->postponed;
    if (postponed == NULL || now_s() < server->asked_again_s + POSTPONED_S)
        return;
    server->asked_again_s = now_s();
    server->postponed = NULL;
    resume_all(postponed, false);
}

static void free_answer(HttpTransaction *exchange)
{
    text_free(&exchange->reply.body);
    arena_free(&exchange->arena);
}

static Connection *visitor_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static uid_t peer_of(int socket)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return peer.uid;
}

static HttpRequest request_of(const Listener *door, struct MHD_Connection *connection, const char *url,
                              const char *method, Arena *arena)
{
    const Connection *visitor = visitor_of(connection);
    return (HttpRequest){.door = door->kind,
                         .method = method,
                         .path = url,
                         .body = "",
                         .peer = visitor == NULL ? (uid_t)-1 : peer_of(visitor->socket),
                         .source = connection,
                         .arena = arena};
}

static void ask_handler(const Listener *door, const char *url, const char *method, HttpTransaction *exchange)
{
    const HttpOptions *options = &door->server->options;
    exchange->asked_s = exchange->asked_s == 0 ? now_s() : exchange->asked_s;
    exchange->request = request_of(door, exchange->connection, url, method, &exchange->arena);
    exchange->request.waited_s = now_s() - exchange->asked_s;
    exchange->reply = (HttpReply){.status = 200, .type = "text/html; charset=utf-8"};
    if (exchange->body.data != NULL)
        exchange->request.body = exchange->body.data;
    exchange->request.body_bytes = exchange->body.length;
    options->handler(options->context, &exchange->request, &exchange->reply);
}

static enum MHD_Result answer(const Listener *door, const char *url, const char *method, HttpTransaction *exchange)
{
    Connection *visitor = visitor_of(exchange->connection);
    HttpServer *server = door->server;
    if (visitor != NULL)
        visitor->deadline_s = 0;
    if (door->kind == DOOR_PROXY && (visitor == NULL || peer_of(visitor->socket) != server->options.proxy_user))
        return refuse(exchange->connection, 403, "this socket is the reverse proxy's");
    if (!exchange->is_prepared) {
        ask_handler(door, url, method, exchange);
        if (exchange->reply.is_postponed || exchange->reply.prepare != NULL)
            MHD_suspend_connection(exchange->connection);
        if (exchange->reply.is_postponed) {
            free_answer(exchange);
            exchange->next = server->postponed;
            server->postponed = exchange;
            return MHD_YES;
        }
        if (exchange->reply.prepare != NULL) {
            give_to_readers(&server->readers, exchange);
            return MHD_YES;
        }
    }
    if (exchange->is_last)
        http_reply_header(&exchange->reply, "Connection", "close");
    const enum MHD_Result result = send_reply(exchange->connection, &exchange->reply);
    free_answer(exchange);
    return result;
}

/* A body that may be larger may also take longer. */
static void begin_body(const Listener *door, struct MHD_Connection *connection, const char *url, const char *method,
                       HttpTransaction *exchange)
{
    Arena arena = {0};
    Connection *visitor = visitor_of(connection);
    const HttpOptions *options = &door->server->options;
    const HttpRequest request = request_of(door, connection, url, method, &arena);
    const size_t most = options->most_body == NULL ? 0 : options->most_body(options->context, &request);
    exchange->most_bytes = most > BODY_BYTES ? most : BODY_BYTES;
    if (most > BODY_BYTES && visitor != NULL)
        visitor->deadline_s = now_s() + LARGE_BODY_SECONDS;
    arena_free(&arena);
}

/* ---- strictness -------------------------------------------------------------------------------------------------- */

/* What a proxy and this server could understand in different ways.
 * Source   RFC 9112, sections 2.2 (bare CR and LF), 3.2 (Host), 5.1 (names), 5.2 (folded lines), 6.1 (Transfer-Encoding) and 6.3 (both
 *          lengths).  */
typedef struct RequestHead {
    int hosts, lengths, encodings;
    bool is_chunked, is_coded; /* the transfer, and the content */
    bool is_odd;  /* a name or a value has a character that does not belong there, or a line goes on in the next one */
    bool is_bare; /* a line ends with LF alone */
    const char *line_end; /* of the line before */
} RequestHead;

/* libmicrohttpd 0.9 takes a lone LF for the end of a line, and a NUL for that of a value, and copies a folded line elsewhere. But it leaves
 * all lines in one buffer, so what lies between a line's last character and the next line tells: CR and LF alone, as two NULs. Version 1.0
 * refuses all this by itself; there the first byte is a NUL, and spaces, CR and LF may follow. */
static void look_between(RequestHead *head, const char *next)
{
    enum { BUFFER_BYTES = 32768 };
    const uintptr_t gap = (uintptr_t)next - (uintptr_t)head->line_end;
    head->is_bare = head->is_bare || gap < 2;
    head->is_odd = head->is_odd || gap >= BUFFER_BYTES;
    for (uintptr_t i = 1; gap > 2 && gap < BUFFER_BYTES && i < gap; i++)
        head->is_odd = head->is_odd || head->line_end[i] == '\0' || head->line_end[i] > ' ';
}

/* The empty line at the end is the last two bytes of the head, which begins with the method. */
static void look_at_end(RequestHead *head, struct MHD_Connection *connection, const char *method)
{
    const union MHD_ConnectionInfo *size = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    look_between(head, method + size->header_size - 2);
}

static bool has_control(const char *value)
{
    for (; *value != '\0'; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 127)
            return true;
    return false;
}

static enum MHD_Result read_head(void *context, enum MHD_ValueKind kind, const char *name, size_t name_bytes,
                                 const char *value, size_t value_bytes)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    RequestHead *head = context;
    look_between(head, name);
    head->is_odd = head->is_odd || strspn(name, token) != name_bytes || (value != NULL && has_control(value));
    head->line_end = value == NULL ? name + name_bytes : value + value_bytes;
    if (strcasecmp(name, "Host") == 0) {
        head->hosts++;
        const char *end = value == NULL ? "" : value + strcspn(value, " \t,/\\@?#");
        head->is_odd = head->is_odd || end[strspn(end, " \t")] != '\0';
    }
    head->lengths += strcasecmp(name, "Content-Length") == 0;
    if (strcasecmp(name, "Transfer-Encoding") == 0) {
        head->encodings++;
        head->is_chunked = value != NULL && strcasecmp(value, "chunked") == 0;
    }
    if (strcasecmp(name, "Content-Encoding") == 0 && value != NULL && strcasecmp(value, "identity") != 0)
        head->is_coded = true;
    return MHD_YES;
}

/* 0: nothing is wrong with the head. The library also lets LF alone end the size of a chunk and the lines after the last one, which nobody
 * but it sees; so nothing may follow a body in chunks. */
static int fault_of_head(HttpTransaction *exchange, const char *method, const char *version, const char **text)
{
    struct MHD_Connection *connection = exchange->connection;
    RequestHead head = {.line_end = version + strlen(version)};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, read_head, &head);
    look_at_end(&head, connection, method);
    exchange->is_last = head.encodings > 0;
    *text = head.is_bare                             ? "a line that ends with LF alone, expected CR and LF"
            : head.is_odd                            ? "a header with a character that does not belong there"
            : head.hosts > 1                         ? "two hosts, expected one"
            : head.lengths > 1                       ? "two lengths, expected one"
            : head.lengths > 0 && head.encodings > 0 ? "a length and a transfer encoding, expected one of them"
            : head.encodings > 1                     ? "two transfer encodings, expected one"
            : head.encodings > 0 && !head.is_chunked ? "an unknown transfer encoding, expected chunked"
            : head.is_coded                          ? "an encoded body, expected one without Content-Encoding"
                                                     : NULL;
    if (*text == NULL)
        return 0;
    if (head.is_bare || head.is_odd)
        return 400;
    return head.is_coded ? 415 : head.encodings == 1 && !head.is_chunked && head.lengths == 0 ? 501 : 400;
}

/* libmicrohttpd calls this for the head of a request, for each piece of its body, and when it is complete. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *piece, size_t *piece_bytes, void **state)
{
    HttpTransaction *exchange = *state;
    if (exchange == NULL) {
        const char *text;
        *state = exchange = zeroed(1, sizeof *exchange);
        exchange->connection = connection;
        const int fault = fault_of_head(exchange, method, version, &text);
        if (fault != 0)
            return refuse(connection, fault, text);
        begin_body(context, connection, url, method, exchange);
        return MHD_YES;
    }
    if (*piece_bytes > 0) {
        if (exchange->body.length + *piece_bytes > exchange->most_bytes)
            exchange->too_large = true;
        else
            text_append(&exchange->body, piece, *piece_bytes);
        *piece_bytes = 0;
        return MHD_YES;
    }
    if (exchange->too_large)
        return refuse(connection, 413, "the request is too large");
    return answer(context, url, method, exchange);
}

static void request_is_over(void *context, struct MHD_Connection *connection, void **state,
                            enum MHD_RequestTerminationCode code)
{
    HttpTransaction *exchange = *state;
    Connection *visitor = visitor_of(connection);
    if (visitor != NULL)
        visitor->deadline_s = now_s() + REQUEST_SECONDS;
    if (exchange != NULL) {
        text_free(&exchange->body);
        free_answer(exchange);
    }
    free(exchange);
    *state = NULL;
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

static uint64_t peer_at(struct MHD_Connection *connection, int socket)
{
    const struct sockaddr *address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
                                         ->client_addr;
    if (address != NULL && address->sa_family == AF_INET)
        return ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr;
    if (address != NULL && address->sa_family == AF_INET6) /* a customer has a network of 64 bits */
        return fnv_mixed(FNV_BASIS, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 8);
    return peer_of(socket);
}

/* Ends the oldest connection that is not being answered, of the peer that has most of these. Peers of the same remainder count as one. */
static void make_room(HttpServer *server)
{
    enum { PEERS = 4096 };
    const Connection *head = &server->visitors;
    Connection *oldest = NULL;
    size_t *counts = zeroed(PEERS, sizeof *counts), most = 0;
    for (const Connection *visitor = head->next; visitor != head; visitor = visitor->next)
        if (visitor->deadline_s > 0 && ++counts[visitor->peer % PEERS] > most)
            most = counts[visitor->peer % PEERS];
    for (Connection *visitor = head->previous; visitor != head && oldest == NULL; visitor = visitor->previous)
        if (visitor->deadline_s > 0 && counts[visitor->peer % PEERS] == most)
            oldest = visitor;
    if (oldest != NULL) {
        oldest->deadline_s = 0;
        shutdown(oldest->socket, SHUT_RDWR);
    }
    free(counts);
}

static void visitor_changes(void *context, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code)
{
    HttpServer *server = context;
    Connection *head = &server->visitors, *visitor = *socket_context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        if (++server->count > server->most / 4 * 3)
            make_room(server);
        visitor = zeroed(1, sizeof *visitor);
        visitor->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        visitor->peer = peer_at(connection, visitor->socket);
        visitor->deadline_s = now_s() + REQUEST_SECONDS;
        visitor->next = head->next;
        visitor->previous = head;
        head->next->previous = visitor;
        head->next = visitor;
        *socket_context = visitor;
    } else if (visitor != NULL) {
        server->count--;
        visitor->next->previous = visitor->previous;
        visitor->previous->next = visitor->next;
        free(visitor);
        *socket_context = NULL;
    }
}

/* Ends connections whose request does not become complete; the library's own limit counts from the last byte, so one byte
 * now and then would hold a connection for ever. */
static void end_slow_visitors(HttpServer *server)
{
    const double now = now_s();
    if (now < server->swept_s + 1)
        return;
    server->swept_s = now;
    for (Connection *visitor = server->visitors.next; visitor != &server->visitors; visitor = visitor->next)
        if (visitor->deadline_s > 0 && now > visitor->deadline_s)
            shutdown(visitor->socket, SHUT_RDWR);
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

static Status open_door(HttpServer *server, HttpDoor kind, int socket, Message *why)
{
    Listener *door = &server->doors[kind];
    door->server = server;
    door->kind = kind;
    door->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, door,
                                    MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
                                    (unsigned)server->most, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                                    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)60, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                    (size_t)32768, MHD_OPTION_NOTIFY_COMPLETED, request_is_over, server,
                                    MHD_OPTION_NOTIFY_CONNECTION, visitor_changes, server, MHD_OPTION_END);
    if (door->daemon == NULL) {
        close(socket);
        return fail(STATUS_SYSTEM, why, "the HTTP server cannot be started");
    }
    door->epoll = MHD_get_daemon_info(door->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return STATUS_OK;
}

static Status open_unix_door(HttpServer *server, HttpDoor kind, const char *path, mode_t mode, Message *why)
{
    int socket = -1;
    if (path == NULL || path[0] == '\0')
        return STATUS_OK;
    TRY(listen_unix(path, mode, &socket, why));
    server->paths[kind] = allocated(strdup(path));
    return open_door(server, kind, socket, why);
}

static Status open_address_door(HttpServer *server, const char *address, Message *why)
{
    int socket = -1;
    if (address == NULL || address[0] == '\0')
        return STATUS_OK;
    TRY(listen_address(address, &socket, server->address, sizeof server->address, why));
    return open_door(server, DOOR_ADDRESS, socket, why);
}

/* The store, workers, files and logs need descriptors, too. A wait for an answer needs none of ours. */
static size_t connections_possible(void)
{
    enum { SPARE_FILES = 128, CONNECTIONS = 6000, LEAST = 16 };
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 1024 - SPARE_FILES;
    if (files.rlim_cur < CONNECTIONS + SPARE_FILES && files.rlim_cur < files.rlim_max) {
        const rlim_t wanted = CONNECTIONS + SPARE_FILES;
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &files) != 0)
            getrlimit(RLIMIT_NOFILE, &files);
    }
    const size_t possible = files.rlim_cur > SPARE_FILES + LEAST ? (size_t)files.rlim_cur - SPARE_FILES : LEAST;
    return possible < CONNECTIONS ? possible : CONNECTIONS;
}

Status http_start(const HttpOptions *options, HttpServer **server, Message *why)
{
    HttpServer *started = zeroed(1, sizeof *started);
    started->options = *options;
    started->most = connections_possible();
    most_streams = started->most / 2 < MOST_STREAMS ? started->most / 2 : MOST_STREAMS;
    started->visitors.next = started->visitors.previous = &started->visitors;
    Status status = start_readers(&started->readers, options->readers, why);
    THEN(status, open_address_door(started, options->listen, why));
    if (status == STATUS_OK) /* everybody may connect: the kernel says who it is */
        status = open_unix_door(started, DOOR_SOCKET, options->socket, 0666, why);
    THEN(status, open_unix_door(started, DOOR_PROXY, options->proxy_socket, 0666, why));
    *server = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK)
        http_stop(started);
    return status;
}

const char *http_address(const HttpServer *server)
{
    return server->address;
}

static int wait_ms(const HttpServer *server, double seconds)
{
    double wait = seconds < 0 ? 0 : seconds * 1e3;
    for (int i = 0; i < DOORS; i++) {
        MHD_UNSIGNED_LONG_LONG timeout;
        if (server->doors[i].daemon != NULL && MHD_get_timeout(server->doors[i].daemon, &timeout) == MHD_YES &&
            (double)timeout < wait)
            wait = (double)timeout;
    }
    if (server->postponed != NULL && wait > POSTPONED_S * 1e3)
        wait = POSTPONED_S * 1e3;
    return (int)wait;
}

void http_serve(HttpServer *server, double seconds)
{
    struct pollfd ready[DOORS + 1] = {{.fd = server->readers.wake, .events = POLLIN}};
    nfds_t count = 1;
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].daemon != NULL)
            ready[count++] = (struct pollfd){.fd = server->doors[i].epoll, .events = POLLIN};
    poll(ready, count, wait_ms(server, seconds));
    send_prepared(&server->readers);
    ask_postponed_again(server);
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].daemon != NULL)
            MHD_run(server->doors[i].daemon);
    end_slow_visitors(server);
}

void http_stop(HttpServer *server)
{
    if (server == NULL)
        return;
    stop_readers(&server->readers);
    resume_all(server->postponed, true);
    http_events_forget_all();
    for (int i = 0; i < DOORS; i++) {
        if (server->doors[i].daemon != NULL)
            MHD_stop_daemon(server->doors[i].daemon);
        if (server->paths[i] != NULL)
            unlink(server->paths[i]);
        free(server->paths[i]);
    }
    free(server);
}
