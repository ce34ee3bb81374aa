#include "service/client/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGALRM);
    return set;
}

Status interrupt_open(int *file, Message *why)
{
    const sigset_t set = signals();
    sigprocmask(SIG_BLOCK, &set, NULL);
    *file = signalfd(-1, &set, SFD_CLOEXEC);
    return *file < 0 ? fail_errno(why, "signalfd") : STATUS_OK;
}

void interrupt_after(unsigned seconds)
{
    alarm(seconds);
}

void interrupt_close(int file)
{
    const sigset_t set = signals();
    const struct timespec now = {0};
    if (file == INTERRUPT_NONE)
        return;
    alarm(0);
    close(file);
    while (sigtimedwait(&set, NULL, &now) > 0)
        continue;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool interrupt_sleep(int file, double seconds)
{
    struct pollfd wait = {.fd = file, .events = POLLIN}; /* poll() ignores a negative file */
    return poll(&wait, 1, (int)(1000 * seconds)) > 0;
}
