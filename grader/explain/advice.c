#include "grader/explain/advice.h"

#include <stdarg.h>
#include <stdio.h>

void advice_say(Advice *advice, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->line = line;
}
