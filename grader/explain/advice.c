#include "grader/explain/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void advice_say(Advice *advice, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->line = line;
}

void advice_name(Advice *advice, const char *name)
{
    snprintf(advice->name, sizeof advice->name, "%s", name);
}

void advice_sketch(Advice *advice, const char *format, ...)
{
    size_t length = strlen(advice->sketch), room = sizeof advice->sketch - length;
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(advice->sketch + length, room, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added + 1 >= room)
        advice->sketch[length] = '\0';
    else
        strcpy(advice->sketch + length + (size_t)added, "\n");
}
