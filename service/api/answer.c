#include "service/api/answer.h"

#include "base/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void answer_json(Visit *visit, int status, cJSON *object)
{
    visit->reply->status = status;
    visit->reply->type = "application/json";
    json_print(object, &visit->reply->body);
    cJSON_Delete(object);
}

void answer_error(Visit *visit, int status, const char *format, ...)
{
    Text text = {0};
    va_list values;
    va_start(values, format);
    text_vprintf(&text, format, values);
    va_end(values);
    if (visit->wants_page) {
        visit->service->show_error(visit, status, text.data);
    } else {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "error", text.data);
        answer_json(visit, status, object);
    }
    text_free(&text);
}

void answer_failure(Visit *visit, Status status, const Message *why)
{
    const int code = status == STATUS_NOT_FOUND ? 404 : status == STATUS_BAD_INPUT ? 400 : 503;
    if (code == 503)
        http_reply_header(visit->reply, "Retry-After", "5");
    answer_error(visit, code, "%s", why->text);
}

void answer_text(Visit *visit, const char *type, const char *text)
{
    visit->reply->type = type;
    text_add(&visit->reply->body, text);
}

void answer_elsewhere(Visit *visit, const char *path)
{
    visit->reply->status = 303;
    http_reply_header(visit->reply, "Location", path);
}

int64_t answer_number(Visit *visit, const char *noun)
{
    char *end;
    const long long number = strtoll(visit->argument, &end, 10);
    if (visit->argument[0] >= '1' && visit->argument[0] <= '9' && *end == '\0' && strlen(visit->argument) < 18)
        return number;
    answer_error(visit, 404, "there is no %s '%s'", noun, visit->argument);
    return 0;
}
