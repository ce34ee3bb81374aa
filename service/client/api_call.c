#include "service/client/api_call.h"

#include "grader/terminal/terminal.h"

#include <curl/curl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    if (status == STATUS_OK)
        status = json_parse(place.data, answer->body.data, answer->body.length, json, why);
    text_free(&place);
    return status;
}

static Status call(const Server *server, const char *method, const ApiPath *path, JsonFile *json, Message *why)
{
    const ApiRequest exchange = {.method = method, .path = path->text};
    Answer answer;
    Status status = exchange_run(server, &exchange, &answer, why);
    if (status == STATUS_OK)
        status = read_json(server, &exchange, &answer, json, why);
    text_free(&answer.body);
    return status;
}

Status api_get(const Server *server, ApiPath path, JsonFile *json, Message *why)
{
    return call(server, "GET", &path, json, why);
}

Status api_delete(const Server *server, ApiPath path, JsonFile *json, Message *why)
{
    return call(server, "DELETE", &path, json, why);
}

Status api_get_text(const Server *server, ApiPath path, Text *text, Message *why)
{
    const ApiRequest exchange = {.method = "GET", .path = path.text};
    Answer answer;
    Status status = exchange_run(server, &exchange, &answer, why);
    if (status == STATUS_OK)
        status = check_success(server, &answer, why);
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
    if (status == STATUS_OK)
        status = read_json(server, &exchange, &answer, json, why);
    text_free(&answer.body);
    text_free(&text);
    return status;
}
