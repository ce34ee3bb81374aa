#include "service/spool/spool_contents.h"

#include <string.h>

bool spool_worker_is_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length > 0 && length <= SPOOL_WORKER_BYTES && name[length] == '\0';
}
