#include "harness/control/host_clock.h"

#include <errno.h>
#include <math.h>
#include <sys/socket.h>

bool host_clock_new(int *graders, int *brokers)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *graders = ends[0];
    *brokers = ends[1];
    return true;
}

static bool receive(int socket, void *message, size_t bytes)
{
    ssize_t received;
    do
        received = recv(socket, message, bytes, 0);
    while (received < 0 && errno == EINTR);
    return received == (ssize_t)bytes;
}

static bool is_known(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

bool host_clock_ask(int brokers, HostClock *clock)
{
    const char question = '?';
    return brokers >= 0 && send(brokers, &question, sizeof question, MSG_NOSIGNAL) == sizeof question &&
           receive(brokers, clock, sizeof *clock) && is_known(clock->computed_s) && is_known(clock->used_s) &&
           is_known(clock->delayed_s);
}

bool host_clock_answer(int graders, HostClock clock)
{
    char question;
    return receive(graders, &question, sizeof question) &&
           send(graders, &clock, sizeof clock, MSG_NOSIGNAL) == sizeof clock;
}
