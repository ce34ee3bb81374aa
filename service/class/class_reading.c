#include "service/class/class_reading.h"

#include <ctype.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 256 };

Status class_read_name(const ClassReading *reading, const cJSON *item, const char **name)
{
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected a string");
    const size_t length = strlen(item->valuestring);
    if (length == 0 || length > MAX_TEXT_BYTES)
        return json_fail(reading->file, item, reading->why, "expected 1 to %d bytes of text, found %zu", MAX_TEXT_BYTES,
                         length);
    for (const char *at = item->valuestring; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return json_fail(reading->file, item, reading->why, "expected no control character");
    *name = arena_string(&reading->class->arena, item->valuestring);
    return STATUS_OK;
}
