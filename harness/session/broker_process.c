#include "harness/session/broker_process.h"

#include "base/clock.h"
#include "base/compile_cache.h"
#include "harness/control/control.h"
#include "harness/control/control_check.h"
#include "harness/device/monitor/device_lock.h"
#include "harness/sandbox/process.h"
#include "harness/sandbox/process_times.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPEN_SECONDS = 60 };

static const double LOCK_SECONDS = 3600; /* a class before a deadline is a long queue */

/* A worker of the service has a device of its own and does not wait for long. */
static double lock_seconds(void)
{
    const char *text = getenv("CONVJUDGE_LOCK_SECONDS");
    const double chosen = text == NULL ? 0 : strtod(text, NULL);
    return chosen > 0 && chosen < LOCK_SECONDS ? chosen : LOCK_SECONDS;
}

BrokerProcess broker_process_new(const char *device)
{
    BrokerProcess broker = {.lock = -1};
    snprintf(broker.device, sizeof broker.device, "%s", device);
    return broker;
}

Status broker_process_start(BrokerProcess *broker, Message *why)
{
    broker->started_s = now_s();
    broker->greeted = broker->open_asked = broker->opened = false;
    Status status = control_start("broker", broker->device, &broker->pid, &broker->control, why);
    if (status != STATUS_OK)
        broker->pid = 0;
    return status;
}

void broker_process_stop(BrokerProcess *broker)
{
    if (broker->pid == 0)
        return;
    close(broker->control);
    process_kill(broker->pid, NULL);
    broker->pid = 0;
}

Status broker_process_replace(BrokerProcess *broker, Message *why)
{
    BrokerProcess used = *broker;
    Status status = broker_process_start(broker, why);
    broker_process_stop(&used);
    return status;
}

/* False: it has not ended. It stays a zombie. Its first process learns a moment later than this one how the second has
 * ended. */
static bool has_ended(const BrokerProcess *broker, siginfo_t *ended)
{
    enum { TRIES = 100, PAUSE_MS = 2 };
    *ended = (siginfo_t){0};
    for (int try = 0;
         try < TRIES && waitid(P_PID, (id_t)broker->pid, ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended->si_pid == 0;
         try++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000l}, NULL);
    return ended->si_pid != 0;
}

bool broker_process_stop_lost(BrokerProcess *broker)
{
    siginfo_t ended;
    int exit_status = 0;
    if (broker->pid == 0)
        return false;
    (void)has_ended(broker, &ended);
    close(broker->control);
    process_kill(broker->pid, &exit_status);
    broker->pid = 0;
    return exit_status == CONTROL_OUT_OF_MEMORY;
}

void broker_process_end(BrokerProcess *broker)
{
    broker_process_stop(broker);
    compile_cache_sweep(NULL); /* translations that were under way */
    if (broker->lock >= 0)
        close(broker->lock);
    broker->lock = -1;
}

/* ---- requests and replies ---------------------------------------------------------------------------------------- */

static Status is_lost(const BrokerProcess *broker, Message *why)
{
    siginfo_t ended;
    if (broker->pid == 0 || !has_ended(broker, &ended))
        return fail(STATUS_SYSTEM, why,
                    "the broker, the judge's process that owns the device, does not answer as agreed");
    return fail(STATUS_SYSTEM, why,
                "the broker, the judge's process that owns the device, ended unexpectedly (exit status %d)",
                ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status);
}

Status broker_process_send(const BrokerProcess *broker, const ControlRequest *request, const int *descriptors,
                           size_t count, Message *why)
{
    return control_send(broker->control, request, sizeof *request, NULL, 0, descriptors, count) ? STATUS_OK
                                                                                                : is_lost(broker, why);
}

Status broker_process_receive(const BrokerProcess *broker, ControlReply *reply, void *more, size_t more_size,
                              Message *why)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    if (!control_receive(broker->control, reply, sizeof *reply, more, more_size, descriptors) ||
        !control_reply_is_valid(reply))
        return is_lost(broker, why);
    return reply->status == STATUS_OK ? STATUS_OK : fail(reply->status, why, "%s", reply->why.text);
}

/* ---- its device -------------------------------------------------------------------------------------------------- */

static bool has_answered(const BrokerProcess *broker)
{
    struct pollfd control = {.fd = broker->control, .events = POLLIN};
    ProcessDeadline deadline = process_deadline(OPEN_SECONDS, INFINITY, process_times(broker->pid));
    do
        if (poll(&control, 1, (int)(process_deadline_left(&deadline) * 1000) + 1) == 1)
            return true;
    while (process_deadline_look(&deadline, process_times(broker->pid)) == DEADLINE_AHEAD);
    return false;
}

static Status await_device(BrokerProcess *broker, const char *doing, Message *why)
{
    ControlReply reply;
    if (!has_answered(broker))
        return fail(STATUS_SYSTEM, why, "device '%s' did not %s within %d s", broker->device, doing, OPEN_SECONDS);
    Status status = broker_process_receive(broker, &reply, NULL, 0, why);
    if (status == STATUS_OK)
        broker->info = reply.device;
    return status;
}

Status broker_process_hello(BrokerProcess *broker, Message *why)
{
    if (broker->greeted)
        return STATUS_OK;
    Status status = await_device(broker, "answer", why);
    broker->greeted = status == STATUS_OK;
    if (!broker->greeted)
        return status;
    const bool searched = strcmp(broker->device, "auto") == 0;
    snprintf(broker->device, sizeof broker->device, "%s", broker->info.handle);
    /* It looked for a GPU with all files open (broker_confine.h). One that knows the GPU does not. */
    return searched && !broker->info.modelled ? broker_process_replace(broker, why) : STATUS_OK;
}

/* A real device serves one grading at a time. `wait`: waits while another one has it. */
static Status take_lock(BrokerProcess *broker, bool wait, Message *why)
{
    if (broker->lock >= 0 || broker->info.modelled)
        return STATUS_OK;
    if (!wait)
        return device_lock_try(broker->info.uuid, &broker->lock, why);
    return device_lock_wait(broker->info.uuid, lock_seconds(), broker->tell, broker->tell_context, &broker->lock, why);
}

static Status ask_to_open(BrokerProcess *broker, bool wait, Message *why)
{
    const ControlRequest request = {.kind = CONTROL_OPEN};
    if (broker->open_asked)
        return STATUS_OK;
    Status status = take_lock(broker, wait, why);
    if (status != STATUS_OK || (broker->lock < 0 && !broker->info.modelled))
        return status;
    broker->open_asked = true;
    return broker_process_send(broker, &request, &broker->lock, broker->lock < 0 ? 0 : 1, why);
}

Status broker_process_ask_to_open(BrokerProcess *broker, Message *why)
{
    return ask_to_open(broker, false, why);
}

Status broker_process_open(BrokerProcess *broker, Message *why)
{
    Status status = broker_process_hello(broker, why);
    if (status != STATUS_OK || broker->opened)
        return status;
    status = ask_to_open(broker, true, why);
    if (status == STATUS_OK)
        status = await_device(broker, "open", why);
    broker->opened = status == STATUS_OK;
    if (broker->opened)
        broker->open_seconds = now_s() - broker->started_s;
    return status;
}
