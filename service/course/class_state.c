#include "service/course/class_state.h"

#include <stddef.h>
#include <string.h>

const char *class_state_folder(const char *class_file, const char *submissions, Arena *arena)
{
    static const char ending[] = ".json";
    const char *from = class_file == NULL ? submissions : class_file;
    size_t length = strlen(from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    if (class_file != NULL && length > sizeof ending && strcmp(from + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    return arena_printf(arena, "%.*s.state", (int)length, from);
}
