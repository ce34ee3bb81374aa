#include "harness/device/patience.h"

#include <time.h>

static const double TELL_S = 1;
enum { PAUSE_MS = 100 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool patience_left(Patience *patience, const char *reason)
{
    if (patience->began_s == 0) {
        patience->began_s = now();
        patience->next_s = TELL_S;
    }
    patience->waited_s = now() - patience->began_s;
    if (patience->waited_s >= patience->seconds)
        return false;
    if (patience->tell != NULL && patience->waited_s >= patience->next_s) {
        patience->tell(patience->context, reason, patience->waited_s);
        patience->next_s = patience->waited_s + TELL_S;
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return true;
}
