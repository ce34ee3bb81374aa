#include "service/commands/exchange.h"

#include "base/clock.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "service/commands/output.h"

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ==== api call ==================================================================================================== */

/* ---- paths ------------------------------------------------------------------------------------------------------- */

ApiPath api_path(const char *format, ...)
{
    static const char base[] = "/api/v1/";
    ApiPath path;
    va_list arguments;
    strcpy(path.text, base);
    va_start(arguments, format);
    vsnprintf(path.text + sizeof base - 1, sizeof path.text - sizeof base + 1, format, arguments);
    va_end(arguments);
    return path;
}

Status api_add_query(ApiPath *path, const char *key, const char *value, Message *why)
{
    size_t length = strlen(path->text), room = sizeof path->text - length;
    if (value == NULL)
        return STATUS_OK;
    char *escaped = curl_easy_escape(NULL, value, 0);
    int added = snprintf(path->text + length, room, "%c%s=%s", strchr(path->text, '?') == NULL ? '?' : '&', key,
                         escaped == NULL ? "" : escaped);
    curl_free(escaped);
    if (added >= 0 && (size_t)added < room)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: %zu bytes are too many for a name", key, strlen(value));
}

Status api_add_number(ApiPath *path, const char *key, int64_t value, Message *why)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    return api_add_query(path, key, digits, why);
}

Status api_person_path(const char *name, const char *rest, ApiPath *path, Message *why)
{
    char *escaped = curl_easy_escape(NULL, name, 0);
    const size_t length = escaped == NULL ? sizeof path->text : strlen(escaped) + strlen(rest);
    const bool fits = length < sizeof path->text - strlen("/api/v1/people//");
    if (fits)
        *path = api_path("people/%s/%s", escaped, rest);
    curl_free(escaped);
    if (fits)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "person: %zu bytes are too many for a name", strlen(name));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static Status status_of(int http_status)
{
    if (http_status >= 500)
        return STATUS_BUSY;
    switch (http_status) {
    case 401:
    case 403: return STATUS_SYSTEM;
    case 404: return STATUS_NOT_FOUND;
    case 409:
    case 429: return STATUS_BUSY;
    default: return STATUS_BAD_INPUT;
    }
}

/* What the user can do, besides what the server says. */
static const char *way_out(const Server *server, int http_status)
{
    if (http_status == 401 && !server->is_socket && server->token[0] == '\0')
        return "; expected a token, in CONVJUDGE_TOKEN or in the file ~/.config/convjudge/token";
    if (http_status == 401 && !server->is_socket)
        return "; the server does not know your token";
    if (http_status == 429 || http_status >= 500)
        return "; try again later";
    return "";
}

/* The sentence of {"error": "one sentence"}; NULL: the answer is something else. */
static const char *error_of(const JsonFile *json)
{
    return json_string(json->root, "error");
}

static Status refuse_without_reason(const Server *server, int status, Message *why)
{
    if (status >= 300 && status < 400)
        return fail(STATUS_SYSTEM, why,
                    "%s: the server answers with status %d, a redirection, which is not followed; expected the address "
                    "to which it leads",
                    server->place, status);
    return fail(status_of(status), why, "%s: the server answers with status %d and no reason, expected ConvJudge%s",
                server->place, status, way_out(server, status));
}

/* Makes one line of an answer that is not a success. */
static Status refuse_answer(const Server *server, const Answer *answer, Message *why)
{
    JsonFile json;
    Message ignored;
    Text line = {0};
    if (json_parse("answer", answer->body.data, answer->body.length, &json, &ignored) != STATUS_OK)
        return refuse_without_reason(server, answer->status, why);
    Status status;
    if (error_of(&json) == NULL) {
        status = refuse_without_reason(server, answer->status, why);
    } else {
        terminal_add_line(&line, error_of(&json));
        status = fail(status_of(answer->status), why, "%s: %.400s (status %d)%s", server->place, line.data,
                      answer->status, way_out(server, answer->status));
    }
    text_free(&line);
    json_free(&json);
    return status;
}

static Status check_success(const Server *server, const Answer *answer, Message *why)
{
    return answer->status >= 200 && answer->status < 300 ? STATUS_OK : refuse_answer(server, answer, why);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static Status read_json(const Server *server, const ApiRequest *exchange, const Answer *answer, JsonFile *json,
                        Message *why)
{
    Text place = {0};
    text_printf(&place, "%s: %s %s", server->place, exchange->method, exchange->path);
    Status status = check_success(server, answer, why);
    THEN(status, json_parse(place.data, answer->body.data, answer->body.length, json, why));
    text_free(&place);
    return status;
}

static Status call(const Server *server, const char *method, const ApiPath *path, const Text *body, JsonFile *json,
                   Message *why)
{
    const ApiRequest exchange = {.method = method, .path = path->text, .body = body};
    Answer answer;
    Status status = exchange_run(server, &exchange, &answer, why);
    THEN(status, read_json(server, &exchange, &answer, json, why));
    text_free(&answer.body);
    return status;
}

Status api_get(const Server *server, ApiPath path, JsonFile *json, Message *why)
{
    return call(server, "GET", &path, NULL, json, why);
}

Status api_delete(const Server *server, ApiPath path, JsonFile *json, Message *why)
{
    return call(server, "DELETE", &path, NULL, json, why);
}

Status api_send(const Server *server, ApiPath path, const cJSON *body, JsonFile *json, Message *why)
{
    Text text = {0};
    json_print(body, &text);
    Status status = call(server, "POST", &path, &text, json, why);
    text_free(&text);
    return status;
}

Status api_get_text(const Server *server, ApiPath path, Text *text, Message *why)
{
    const ApiRequest exchange = {.method = "GET", .path = path.text};
    Answer answer;
    Status status = exchange_run(server, &exchange, &answer, why);
    THEN(status, check_success(server, &answer, why));
    if (status == STATUS_OK)
        text_append(text, answer.body.data, answer.body.length);
    text_free(&answer.body);
    return status;
}

Status api_post(const Server *server, ApiPath path, const cJSON *body, JsonFile *json, ExchangeEnd *end, Message *why)
{
    Text text = {0};
    Answer answer;
    json_print(body, &text);
    const ApiRequest exchange = {.method = "POST", .path = path.text, .body = &text};
    Status status = exchange_repeat(server, &exchange, "handing in", &answer, why);
    *end = answer.end;
    THEN(status, read_json(server, &exchange, &answer, json, why));
    text_free(&answer.body);
    text_free(&text);
    return status;
}

/* ==== exchange ==================================================================================================== */

enum { CONNECT_S = 10 };
static const double FIRST_PAUSE_S = 0.5, LONGEST_PAUSE_S = 8;

typedef struct Transfer {
    const Server *server;
    const ApiRequest *exchange;
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    Text *body; /* of the answer */
    bool too_large, satisfied;
} Transfer;

/* libcurl calls this for each piece of an answer. Anything else than `count` as the result ends the transfer. */
static size_t receive(char *bytes, size_t one, size_t count, void *context)
{
    Transfer *transfer = context;
    const ApiRequest *exchange = transfer->exchange;
    long status = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    if (exchange->take != NULL && status == 200) {
        transfer->satisfied = !exchange->take(exchange->context, bytes, count);
        return transfer->satisfied ? count + 1 : count;
    }
    transfer->too_large = transfer->body->length + count > EXCHANGE_MAX_BYTES;
    if (transfer->too_large)
        return count + 1;
    text_append(transfer->body, bytes, count);
    return count;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

/* A proxy would see what travels unencrypted, so http goes to the server itself. */
static void set_place(const Transfer *transfer)
{
    const Server *server = transfer->server;
    Text url = {0};
    text_printf(&url, "%s%s", server->is_socket ? "http://localhost" : server->place, transfer->exchange->path);
    curl_easy_setopt(transfer->curl, CURLOPT_URL, url.data); /* libcurl keeps a copy */
    text_free(&url);
    curl_easy_setopt(transfer->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(transfer->curl, CURLOPT_FOLLOWLOCATION, 0L);
    if (server->is_socket)
        curl_easy_setopt(transfer->curl, CURLOPT_UNIX_SOCKET_PATH, server->place);
    if (!server->is_encrypted)
        curl_easy_setopt(transfer->curl, CURLOPT_NOPROXY, "*");
    const char *authorities = getenv("SSL_CERT_FILE"); /* libcurl leaves that to its callers */
    if (authorities != NULL && authorities[0] != '\0')
        curl_easy_setopt(transfer->curl, CURLOPT_CAINFO, authorities);
}

static void set_headers(Transfer *transfer)
{
    char bearer[sizeof transfer->server->token + 30];
    snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", transfer->server->token);
    transfer->headers = curl_slist_append(NULL, "Accept: application/json, text/plain, text/event-stream");
    if (transfer->exchange->body != NULL)
        transfer->headers = curl_slist_append(transfer->headers, "Content-Type: application/json");
    if (transfer->server->token[0] != '\0')
        transfer->headers = curl_slist_append(transfer->headers, bearer);
    curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(transfer->curl, CURLOPT_USERAGENT, "convjudge/" CONVJUDGE_VERSION);
}

static void set_limits(const Transfer *transfer)
{
    const long answer_s = (transfer->server->patience_s + 1) / 2;
    curl_easy_setopt(transfer->curl, CURLOPT_CONNECTTIMEOUT, answer_s < CONNECT_S ? answer_s : (long)CONNECT_S);
    if (transfer->exchange->take == NULL) {
        curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT, answer_s);
    } else {
        curl_easy_setopt(transfer->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(transfer->curl, CURLOPT_LOW_SPEED_TIME, answer_s);
    }
}

static void set_bodies(Transfer *transfer)
{
    const ApiRequest *exchange = transfer->exchange;
    curl_easy_setopt(transfer->curl, CURLOPT_CUSTOMREQUEST, exchange->method);
    if (exchange->body != NULL) {
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body->length);
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDS, exchange->body->data);
    }
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEDATA, transfer);
}

static Status begin(Transfer *transfer, Message *why)
{
    transfer->multi = curl_multi_init();
    transfer->curl = curl_easy_init();
    if (transfer->multi == NULL || transfer->curl == NULL)
        return fail(STATUS_SYSTEM, why, "libcurl cannot be started");
    set_place(transfer);
    set_headers(transfer);
    set_limits(transfer);
    set_bodies(transfer);
    curl_multi_add_handle(transfer->multi, transfer->curl);
    return STATUS_OK;
}

static void end(Transfer *transfer)
{
    if (transfer->multi != NULL && transfer->curl != NULL)
        curl_multi_remove_handle(transfer->multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_multi_cleanup(transfer->multi);
    curl_slist_free_all(transfer->headers);
}

/* Lets libcurl work until it has ended, or the user interrupts: then the result is CURLE_ABORTED_BY_CALLBACK. */
static CURLcode drive(const Transfer *transfer)
{
    const int interrupt = transfer->server->interrupt;
    struct curl_waitfd wait = {.fd = interrupt, .events = CURL_WAIT_POLLIN};
    int running = 1, left;
    while (curl_multi_perform(transfer->multi, &running) == CURLM_OK && running > 0) {
        if (curl_multi_poll(transfer->multi, &wait, interrupt == INTERRUPT_NONE ? 0 : 1, 1000, NULL) != CURLM_OK)
            break;
        if (wait.revents != 0)
            return CURLE_ABORTED_BY_CALLBACK;
    }
    const CURLMsg *message = curl_multi_info_read(transfer->multi, &left);
    return message == NULL ? CURLE_FAILED_INIT : message->data.result;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static ExchangeEnd end_of(const Transfer *transfer, CURLcode code)
{
    curl_off_t connected_us = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_CONNECT_TIME_T, &connected_us);
    switch (code) {
    case CURLE_OK: return EXCHANGE_ANSWERED;
    case CURLE_WRITE_ERROR: return transfer->satisfied ? EXCHANGE_ANSWERED : EXCHANGE_REFUSED;
    case CURLE_ABORTED_BY_CALLBACK: return EXCHANGE_INTERRUPTED;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return EXCHANGE_UNREACHABLE;
    case CURLE_OPERATION_TIMEDOUT: return connected_us == 0 ? EXCHANGE_UNREACHABLE : EXCHANGE_LOST;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE: return EXCHANGE_LOST;
    default: return EXCHANGE_REFUSED;
    }
}

static Status explain_unreachable(const Transfer *transfer, CURLcode code, Message *why)
{
    const char *place = transfer->server->place;
    long error = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_OS_ERRNO, &error);
    if (error == EACCES || error == EPERM)
        return fail(STATUS_SYSTEM, why, "%s: you may not connect to this server (%s)", place, strerror((int)error));
    return fail(STATUS_BUSY, why, "no server at %s (%s): is `convjudge serve` running? `make grade` judges without one",
                place, error != 0 ? strerror((int)error) : curl_easy_strerror(code));
}

/* One line on why there is no answer. */
static Status explain_end(const Transfer *transfer, ExchangeEnd how, CURLcode code, Message *why)
{
    const char *place = transfer->server->place;
    switch (how) {
    case EXCHANGE_ANSWERED: return STATUS_OK;
    case EXCHANGE_UNREACHABLE: return explain_unreachable(transfer, code, why);
    case EXCHANGE_LOST:
        return fail(STATUS_BUSY, why, "%s: the connection was lost before the answer (%s)", place,
                    curl_easy_strerror(code));
    case EXCHANGE_INTERRUPTED: return fail(STATUS_BUSY, why, "interrupted");
    case EXCHANGE_REFUSED: break;
    }
    if (transfer->too_large)
        return fail(STATUS_BAD_INPUT, why, "%s: the answer has more than %d bytes, which is the limit", place,
                    EXCHANGE_MAX_BYTES);
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return fail(
            STATUS_SYSTEM, why,
            "%s: no authority that is trusted here has signed its certificate; SSL_CERT_FILE may name a file of others",
            place);
    return fail(STATUS_SYSTEM, why, "%s: no answer (%s)", place, curl_easy_strerror(code));
}

static void read_head(const Transfer *transfer, Answer *answer)
{
    long status = 0;
    curl_off_t retry_after_s = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
    text_add(&answer->body, "");
    answer->status = (int)status;
    answer->retry_after_s = (double)retry_after_s;
}

Status exchange_run(const Server *server, const ApiRequest *exchange, Answer *answer, Message *why)
{
    Transfer transfer = {.server = server, .exchange = exchange, .body = &answer->body};
    *answer = (Answer){.end = EXCHANGE_REFUSED};
    Status status = begin(&transfer, why);
    if (status == STATUS_OK) {
        const CURLcode code = drive(&transfer);
        read_head(&transfer, answer);
        answer->end = end_of(&transfer, code);
        status = explain_end(&transfer, answer->end, code, why);
    }
    end(&transfer);
    return status;
}

/* ---- again ------------------------------------------------------------------------------------------------------- */

/* A part of the pause is drawn by lot, so that a class that has lost its server does not come back at one moment. */
static double drawn_pause(double pause_s)
{
    unsigned char lot = 0;
    if (getrandom(&lot, sizeof lot, 0) != sizeof lot)
        lot = 128;
    return pause_s * (0.5 + 0.5 * lot / 255);
}

/* A reverse proxy says 502 or 504 while the server behind it starts. */
static bool asks_for_another(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static bool is_worth_another(const Answer *answer, bool first)
{
    switch (answer->end) {
    case EXCHANGE_ANSWERED: return asks_for_another(answer->status);
    case EXCHANGE_UNREACHABLE: return !first;
    case EXCHANGE_LOST: return true;
    case EXCHANGE_INTERRUPTED:
    case EXCHANGE_REFUSED: break;
    }
    return false;
}

/* How long to wait before the next attempt; negative: there is no time left for one. */
static double next_pause(const Answer *answer, double pause_s, double end_s)
{
    const double wait_s = fmax(drawn_pause(pause_s), answer->retry_after_s);
    return now_s() + wait_s > end_s ? -1 : wait_s;
}

Status exchange_repeat(const Server *server, const ApiRequest *exchange, const char *step, Answer *answer, Message *why)
{
    const double end_s = now_s() + server->patience_s;
    double pause_s = FIRST_PAUSE_S, wait_s;
    bool first = true;
    Progress progress = progress_new(stderr);
    Status status = exchange_run(server, exchange, answer, why);
    while (is_worth_another(answer, first) && (wait_s = next_pause(answer, pause_s, end_s)) >= 0) {
        if (first)
            progress_begin(&progress, step, 0);
        first = false;
        progress_note(&progress, "no answer yet, trying again");
        text_free(&answer->body);
        if (interrupt_sleep(server->interrupt, wait_s)) {
            answer->end = EXCHANGE_INTERRUPTED;
            status = fail(STATUS_BUSY, why, "interrupted");
            break;
        }
        status = exchange_run(server, exchange, answer, why);
        pause_s = fmin(pause_s * 2, LONGEST_PAUSE_S);
    }
    if (!first)
        progress_end(&progress, status != STATUS_OK || is_worth_another(answer, false) ? "given up" : "done");
    return status;
}
