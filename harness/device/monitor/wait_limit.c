#include "harness/device/monitor/wait_limit.h"

#include "base/clock.h"

#include <time.h>

static const double TELL_S = 1;
enum { PAUSE_MS = 100 };

bool wait_limit_left(WaitLimit *patience, const char *reason)
{
    if (patience->began_s == 0) {
        patience->began_s = now_s();
        patience->next_s = TELL_S;
    }
    patience->waited_s = now_s() - patience->began_s;
    if (patience->waited_s >= patience->seconds)
        return false;
    if (patience->tell != NULL && patience->waited_s >= patience->next_s) {
        patience->tell(patience->context, reason, patience->waited_s);
        patience->next_s = patience->waited_s + TELL_S;
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return true;
}
