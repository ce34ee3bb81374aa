#include "harness/session/session.h"

#include "base/random.h"

void session_set_budget(Session *session, CallBudget *budget)
{
    session->budget = budget;
}

/* True if the budget leaves something for a call; else its report says that it does not. */
static bool session_may_go_on(const Session *session, CallReport *report)
{
    const bool may = session->budget == NULL || !call_budget_is_used_up(session->budget);
    if (!may)
        call_budget_refuse(session->budget, report);
    return may;
}

static void spend(Session *session, CallReport *report)
{
    if (session->budget != NULL)
        call_budget_spend(session->budget, report);
}

Status session_device(Session *session, DeviceInfo *info, Message *why)
{
    return session->ops->device(session, info, why);
}

Status session_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                    Message *why)
{
    *report = (CallReport){0};
    if (!session_may_go_on(session, report))
        return STATUS_OK;
    Status status = session->ops->load(session, compiled, limits, report, why);
    spend(session, report);
    return status;
}

Status session_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why)
{
    return session->ops->buffers(session, arguments, count, why);
}

static Status choose_poison(SessionArgument *arguments, size_t count, Message *why)
{
    uint32_t random = 0;
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = random_bytes(&random, sizeof random, why);
        arguments[i].poison_bits = arguments[i].float_output ? call_poison(random) : random;
    }
    return status;
}

Status session_call(Session *session, SessionArgument *arguments, size_t count, const CallOptions *options,
                    CallReport *report, Message *why)
{
    *report = (CallReport){0};
    if (!session_may_go_on(session, report))
        return STATUS_OK;
    Status status = choose_poison(arguments, count, why);
    if (status == STATUS_OK)
        status = session->ops->call(session, arguments, count, options, report, why);
    spend(session, report);
    return status;
}

void session_close(Session *session)
{
    if (session != NULL)
        session->ops->close(session);
}

/* ---- what a kind may lack ---------------------------------------------------------------------------------------- */

void session_on_wait(Session *session, WaitTell *tell, void *context)
{
    if (session->ops->on_wait != NULL)
        session->ops->on_wait(session, tell, context);
}

double session_open_seconds(const Session *session)
{
    return session->ops->open_seconds == NULL ? 0 : session->ops->open_seconds(session);
}

void session_open_ahead(Session *session, size_t loads)
{
    if (session->ops->open_ahead != NULL)
        session->ops->open_ahead(session, loads);
}

size_t session_brokers(const Session *session, pid_t *pids, size_t room)
{
    return session->ops->brokers == NULL ? 0 : session->ops->brokers(session, pids, room);
}

int session_memory(const Session *session, const uint8_t **base, size_t *bytes)
{
    return session->ops->memory == NULL ? -1 : session->ops->memory(session, base, bytes);
}

Status session_profile(Session *session, const ExecutionProfile **profile, Message *why)
{
    return session->ops->profile == NULL ? fail(STATUS_UNSUPPORTED, why, "there are no kernels to profile")
                                         : session->ops->profile(session, profile, why);
}

Status session_exchange(Session *session, int descriptor, Message *why)
{
    return session->ops->exchange == NULL ? fail(STATUS_UNSUPPORTED, why, "there is no device memory to share")
                                          : session->ops->exchange(session, descriptor, why);
}
