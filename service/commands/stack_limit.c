#include "service/commands/stack_limit.h"

#include <sys/resource.h>
#include <unistd.h>

static const rlim_t WANTED_BYTES = 8 << 20, LEAST_BYTES = 1 << 20;

bool stack_limit_raise(char **argv)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= WANTED_BYTES)
        return true;
    const rlim_t most = limit.rlim_max < WANTED_BYTES ? limit.rlim_max : WANTED_BYTES;
    if (most < LEAST_BYTES)
        return false;
    if (limit.rlim_cur == most)
        return true;
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_STACK, &limit) == 0)
        execv("/proc/self/exe", argv);
    return true;
}
