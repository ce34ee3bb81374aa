#include "harness/device/monitor/wait_limit.h"

#include "base/clock.h"

#include <time.h>

static const double TELL_S = 1;
enum { PAUSE_MS = 100 };

bool wait_limit_left(WaitLimit *limit, const char *reason)
{
    if (limit->began_s == 0) {
        limit->began_s = now_s();
        limit->next_s = TELL_S;
    }
    limit->waited_s = now_s() - limit->began_s;
    if (limit->waited_s >= limit->seconds)
        return false;
    if (limit->tell != NULL && limit->waited_s >= limit->next_s) {
        limit->tell(limit->context, reason, limit->waited_s);
        limit->next_s = limit->waited_s + TELL_S;
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return true;
}
