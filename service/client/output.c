#include "service/client/output.h"

#include "grader/terminal/json_target.h"

#include <string.h>

cJSON *output_new(void)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", 1);
    return json;
}

/* JSON escapes most control characters by itself; the rest would still move the cursor of a terminal. */
static Status write_json(const char *path, cJSON *json, Message *why)
{
    Text text = {0}, printable = {0};
    json_keep_digits(json);
    json_print(json, &text);
    text_add_printable(&printable, text.data, text.length);
    Status status = json_target_write(path, &printable, why);
    text_free(&printable);
    text_free(&text);
    return status;
}

Status output_write(const Options *options, cJSON *json, const Text *text, Message *why)
{
    Status status = STATUS_OK;
    if (options->json != NULL)
        status = write_json(options->json, json, why);
    if (status == STATUS_OK && text->length > 0 && (options->json == NULL || strcmp(options->json, "-") != 0))
        status = json_target_write("-", text, why);
    cJSON_Delete(json);
    return status;
}
