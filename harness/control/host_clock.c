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

bool host_clock_ask(int brokers, HostQuestion question, HostClock *clock)
{
    const uint8_t asked = (uint8_t)question;
    return brokers >= 0 && send(brokers, &asked, sizeof asked, MSG_NOSIGNAL) == sizeof asked &&
           receive(brokers, clock, sizeof *clock) && (question == HOST_ALL || is_known(clock->computed_s)) &&
           is_known(clock->used_s) && is_known(clock->delayed_s) && is_known(clock->judge_delayed_s);
}

bool host_clock_question(int graders, HostQuestion *question)
{
    uint8_t asked;
    if (!receive(graders, &asked, sizeof asked))
        return false;
    *question = asked == HOST_COMPUTED ? HOST_COMPUTED : HOST_ALL;
    return true;
}

bool host_clock_answer(int graders, HostClock clock)
{
    return send(graders, &clock, sizeof clock, MSG_NOSIGNAL) == sizeof clock;
}

/* The kernel adds up a wait for a core when it ends. So while somebody waits or runs, it is not known for how long the
 * process did nothing, and only its computing counts. */
double host_clock_own_s(const HostClock *before, const HostClock *after, double waited_s, bool silent)
{
    const double computed_s = fmax(after->used_s - before->used_s, 0);
    const double delayed_s = fmax(after->delayed_s - before->delayed_s, 0);
    const double judge_s = silent ? 0 : fmax(after->judge_delayed_s - before->judge_delayed_s, 0);
    return after->is_runnable ? computed_s : fmax(computed_s, waited_s - delayed_s - judge_s);
}
