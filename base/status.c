#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void message_set(Message *why, const char *format, va_list arguments)
{
    if (why == NULL)
        return;
    int length = vsnprintf(why->text, sizeof why->text, format, arguments);
    if (length >= (int)sizeof why->text)
        strcpy(why->text + sizeof why->text - 4, "...");
}

Status fail(Status status, Message *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(why, format, arguments);
    va_end(arguments);
    return status;
}

Status fail_errno(Message *why, const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    message_set(why, format, arguments);
    va_end(arguments);
    if (why != NULL) {
        size_t length = strlen(why->text);
        snprintf(why->text + length, sizeof why->text - length, ": %s", strerror(error));
    }
    return STATUS_SYSTEM;
}
