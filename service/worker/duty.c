#include "service/worker/duty.h"

#include "base/clock.h"
#include "service/log/log.h"

#include <poll.h>

static const double BEAT_S = 1;

bool duty_was_stopped(int signals, int wait_ms)
{
    struct pollfd event = {.fd = signals, .events = POLLIN};
    return poll(&event, 1, wait_ms) > 0;
}

/* A spool that cannot be written now may be writable again before the head gives the job up. Only the first of several
 * failures is an event. */
static void beat(Duty *duty)
{
    Message why;
    duty->claim.count++;
    duty->next_beat_s = now_s() + BEAT_S;
    const bool failed = spool_beat(duty->spool, &duty->claim, &why) != STATUS_OK;
    if (failed && !duty->is_troubled)
        log_event(LEVEL_WARNING, "no_beat", "worker", duty->claim.worker, "why", why.text);
    duty->is_troubled = failed;
}

Duty duty_begin(const char *spool, const SpoolClaim *claim, int signals, double limit_s)
{
    Duty duty = {.spool = spool, .claim = *claim, .signals = signals, .deadline_s = now_s() + limit_s};
    duty.claim.step = "";
    beat(&duty);
    return duty;
}

static DutyEnd end_of(const Duty *duty)
{
    if (duty_was_stopped(duty->signals, 0))
        return DUTY_STOPPED;
    if (now_s() >= duty->deadline_s)
        return DUTY_TIME_IS_UP;
    if (now_s() >= duty->next_beat_s && !spool_is_claimed(duty->spool, &duty->claim))
        return DUTY_FORGOTTEN;
    return DUTY_GOES_ON;
}

bool duty_goes_on(void *context, const ChildProgress *progress)
{
    Duty *duty = context;
    if (duty->end == DUTY_GOES_ON)
        duty->end = end_of(duty);
    if (duty->end == DUTY_GOES_ON && now_s() >= duty->next_beat_s) {
        duty->claim.step = progress->step;
        duty->claim.done = progress->done;
        duty->claim.total = progress->total;
        beat(duty);
        duty->claim.step = ""; /* `progress` is the caller's */
    }
    return duty->end == DUTY_GOES_ON;
}
