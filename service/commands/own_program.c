#include "service/commands/own_program.h"

#include <string.h>
#include <unistd.h>

Status own_program(char path[OWN_PROGRAM_BYTES], Message *why)
{
    static const char suffix[] = "-service";
    ssize_t length = readlink("/proc/self/exe", path, OWN_PROGRAM_BYTES - 1);
    if (length < 0)
        return fail_errno(why, "/proc/self/exe");
    path[length] = '\0';
    if (length > (ssize_t)sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0)
        path[length - (ssize_t)(sizeof suffix - 1)] = '\0';
    return access(path, X_OK) == 0 ? STATUS_OK : fail_errno(why, "%s", path);
}
