/* patience.h - lets a test pass over what its code would wait for: where patience_is_over, poll() soon says that nothing
 * has happened, and the clock has advanced by the time-out. The little that it waits lets a process that was started begin
 * to sleep: while one could run, the judge puts its deadlines off (base/process.h).
 *
 * Both functions stand before those of the C library in the program of the test. Every wait of the judge that has a
 * limit is one of poll(), measured by now_s().  */
#ifndef BASE_TESTS_PATIENCE_H
#define BASE_TESTS_PATIENCE_H

#include <poll.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool patience_is_over;
static double passed_over_s;

static int poll_in_kernel(struct pollfd *files, nfds_t count, int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return ppoll(files, count, milliseconds < 0 ? NULL : &time, NULL);
}

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    if (!patience_is_over || milliseconds <= 0)
        return poll_in_kernel(files, count, milliseconds);
    poll_in_kernel(NULL, 0, milliseconds < 20 ? milliseconds : 20);
    passed_over_s += 1e-3 * milliseconds;
    for (nfds_t i = 0; i < count; i++)
        files[i].revents = 0;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_MONOTONIC)
        now->tv_sec += (time_t)passed_over_s;
    return result;
}

#endif
