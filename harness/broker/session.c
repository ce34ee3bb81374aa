#include "harness/broker/session.h"

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== call budget ================================================================================================= */

double call_budget_seconds_left(const CallBudget *budget)
{
    return fmax(budget->seconds - budget->spent_s, 0);
}

uint64_t call_budget_instructions_left(const CallBudget *budget)
{
    if (budget->warp_instructions == 0)
        return 0;
    return budget->spent_instructions < budget->warp_instructions
               ? budget->warp_instructions - budget->spent_instructions
               : 1;
}

static bool has_no_instructions_left(const CallBudget *budget)
{
    return budget->warp_instructions > 0 && budget->spent_instructions >= budget->warp_instructions;
}

bool call_budget_is_used_up(const CallBudget *budget)
{
    return !(budget->spent_s < budget->seconds) || has_no_instructions_left(budget);
}

/* The report of a call that is not made, because nothing is left. */
static void call_budget_refuse(const CallBudget *budget, CallReport *report)
{
    report->outcome = CALL_TIME_LIMIT;
    report->mistake = (Mistake){.kind = MISTAKE_BUDGET};
    if (has_no_instructions_left(budget))
        snprintf(report->text, sizeof report->text,
                 "the budget of the grading is used up: the kernels of all calls of solve() together may execute %llu "
                 "warp-instructions (sim_grading_warp_instructions)",
                 (unsigned long long)budget->warp_instructions);
    else
        snprintf(report->text, sizeof report->text,
                 "the budget of the grading is used up: all calls of solve() together may take %g s "
                 "(grading_device_seconds)",
                 budget->seconds);
}

/* Counts what a call or a load has used. If the budget is used up, and the call has no output for that reason, the
 * report says so. */
static void call_budget_spend(CallBudget *budget, CallReport *report)
{
    budget->spent_s += report->spent_s;
    budget->spent_instructions += report->spent_instructions;
    if (report->outcome == CALL_TIME_LIMIT && call_budget_is_used_up(budget))
        call_budget_refuse(budget, report);
}

/* ==== cpu device ================================================================================================== */

bool cpu_device_is_named(const char *device)
{
    return strcmp(device, "cpu") == 0;
}

/* "model name : AMD EPYC 9654 96-Core Processor" of /proc/cpuinfo; other architectures have no such line. */
static void add_model(Text *name)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, "model name", 10) != 0)
            continue;
        text_append(name, colon + 2, strcspn(colon + 2, "\n"));
        break;
    }
    if (file != NULL)
        fclose(file);
    if (name->length == 0)
        text_add(name, "CPU");
}

void cpu_device_describe(DeviceInfo *device)
{
    Text name = {0};
    *device = (DeviceInfo){.handle = "cpu", .id = "cpu", .driver = "gcc", .epoch = 1};
    add_model(&name);
    snprintf(device->name, sizeof device->name, "%.200s (%zu processors)", name.data, processors_usable());
    text_free(&name);
}

/* ==== session ===================================================================================================== */

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
    THEN(status, session->ops->call(session, arguments, count, options, report, why));
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
