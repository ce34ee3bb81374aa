#include "service/http/http.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "service/http/listen.h"

#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Door {
    HttpServer *server;
    HttpDoor kind;
    struct MHD_Daemon *daemon; /* NULL: this door does not exist */
    int epoll;
} Door;

/* A connection. It is idle, or a request is coming in, until `deadline_s`; while it is answered there is none. */
typedef struct Visitor {
    struct Visitor *next, *previous;
    int socket;
    double deadline_s; /* 0: it is being answered */
} Visitor;

struct HttpServer {
    HttpOptions options;
    Door doors[DOORS];
    char address[80];
    char *paths[DOORS]; /* of Unix sockets, removed at the end */
    Visitor visitors;   /* head of a ring */
    double swept_s;
};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

typedef struct HttpTransaction { /* one request and its answer */
    Text body;
    bool too_large;
} HttpTransaction;

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
    FormField field = {.name = name};
    const char *value = NULL;
    read_field(request, &field);
    if (field.is_found)
        value = arena_copy(request->arena, field.value.length == 0 ? "" : field.value.data, field.value.length);
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
    if (reply->events != NULL) {
        response = http_events_response(reply->events, connection);
        reply->type = "text/event-stream";
    } else {
        response = MHD_create_response_from_buffer(reply->body.length, reply->body.data == NULL ? "" : reply->body.data,
                                                   MHD_RESPMEM_MUST_COPY);
    }
    if (response == NULL)
        return MHD_NO;
    add_headers(response, reply);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *text)
{
    HttpReply reply = {.status = status, .type = "application/json"};
    text_printf(&reply.body, "{\"error\": \"%s\"}\n", text);
    enum MHD_Result result = send_reply(connection, &reply);
    text_free(&reply.body);
    return result;
}

/* ---- the course of a request ------------------------------------------------------------------------------------- */

static Visitor *visitor_of(struct MHD_Connection *connection)
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

static enum MHD_Result answer(const Door *door, struct MHD_Connection *connection, const char *url, const char *method,
                              HttpTransaction *exchange)
{
    Arena arena = {0};
    Visitor *visitor = visitor_of(connection);
    const HttpRequest request = {.door = door->kind,
                                 .method = method,
                                 .path = url,
                                 .body = exchange->body.data == NULL ? "" : exchange->body.data,
                                 .body_bytes = exchange->body.length,
                                 .peer = visitor == NULL ? (uid_t)-1 : peer_of(visitor->socket),
                                 .source = connection,
                                 .arena = &arena};
    HttpReply reply = {.status = 200, .type = "text/html; charset=utf-8"};
    if (visitor != NULL)
        visitor->deadline_s = 0;
    const HttpOptions *options = &door->server->options;
    if (door->kind == DOOR_PROXY && request.peer != options->proxy_user)
        return refuse(connection, 403, "this socket is the reverse proxy's");
    options->handler(options->context, &request, &reply);
    enum MHD_Result result = send_reply(connection, &reply);
    text_free(&reply.body);
    arena_free(&arena);
    return result;
}

/* libmicrohttpd calls this for the head of a request, for each piece of its body, and when it is complete. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *piece, size_t *piece_bytes, void **state)
{
    HttpTransaction *exchange = *state;
    if (exchange == NULL) {
        *state = zeroed(1, sizeof *exchange);
        return MHD_YES;
    }
    if (*piece_bytes > 0) {
        if (exchange->body.length + *piece_bytes > BODY_BYTES)
            exchange->too_large = true;
        else
            text_append(&exchange->body, piece, *piece_bytes);
        *piece_bytes = 0;
        return MHD_YES;
    }
    if (exchange->too_large)
        return refuse(connection, 413, "the request is too large");
    return answer(context, connection, url, method, exchange);
}

static void request_is_over(void *context, struct MHD_Connection *connection, void **state,
                            enum MHD_RequestTerminationCode code)
{
    HttpTransaction *exchange = *state;
    Visitor *visitor = visitor_of(connection);
    if (visitor != NULL)
        visitor->deadline_s = now_s() + REQUEST_SECONDS;
    if (exchange != NULL)
        text_free(&exchange->body);
    free(exchange);
    *state = NULL;
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

static void visitor_changes(void *context, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code)
{
    Visitor *head = &((HttpServer *)context)->visitors, *visitor = *socket_context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        visitor = zeroed(1, sizeof *visitor);
        visitor->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        visitor->deadline_s = now_s() + REQUEST_SECONDS;
        visitor->next = head->next;
        visitor->previous = head;
        head->next->previous = visitor;
        head->next = visitor;
        *socket_context = visitor;
    } else if (visitor != NULL) {
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
    for (Visitor *visitor = server->visitors.next; visitor != &server->visitors; visitor = visitor->next)
        if (visitor->deadline_s > 0 && now > visitor->deadline_s)
            shutdown(visitor->socket, SHUT_RDWR);
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

static Status open_door(HttpServer *server, HttpDoor kind, int socket, Message *why)
{
    Door *door = &server->doors[kind];
    door->server = server;
    door->kind = kind;
    door->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, door, MHD_OPTION_LISTEN_SOCKET, socket,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)60,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_NOTIFY_COMPLETED, request_is_over, server,
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
    int socket;
    if (path == NULL || path[0] == '\0')
        return STATUS_OK;
    Status status = listen_unix(path, mode, &socket, why);
    if (status != STATUS_OK)
        return status;
    server->paths[kind] = allocated(strdup(path));
    return open_door(server, kind, socket, why);
}

static Status open_address_door(HttpServer *server, const char *address, Message *why)
{
    int socket;
    if (address == NULL || address[0] == '\0')
        return STATUS_OK;
    Status status = listen_address(address, &socket, server->address, sizeof server->address, why);
    return status == STATUS_OK ? open_door(server, DOOR_ADDRESS, socket, why) : status;
}

Status http_start(const HttpOptions *options, HttpServer **server, Message *why)
{
    HttpServer *started = zeroed(1, sizeof *started);
    started->options = *options;
    started->visitors.next = started->visitors.previous = &started->visitors;
    Status status = open_address_door(started, options->listen, why);
    if (status == STATUS_OK) /* everybody may connect: the kernel says who it is */
        status = open_unix_door(started, DOOR_SOCKET, options->socket, 0666, why);
    if (status == STATUS_OK)
        status = open_unix_door(started, DOOR_PROXY, options->proxy_socket, 0666, why);
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
    return (int)wait;
}

void http_serve(HttpServer *server, double seconds)
{
    struct pollfd ready[DOORS];
    nfds_t count = 0;
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].daemon != NULL)
            ready[count++] = (struct pollfd){.fd = server->doors[i].epoll, .events = POLLIN};
    poll(ready, count, wait_ms(server, seconds));
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].daemon != NULL)
            MHD_run(server->doors[i].daemon);
    end_slow_visitors(server);
}

void http_stop(HttpServer *server)
{
    if (server == NULL)
        return;
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
