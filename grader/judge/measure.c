#include "grader/judge/measure.h"

#include "base/clock.h"
#include "grader/check/checker.h"
#include "grader/problem/key_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== measure ===================================================================================================== */

enum { TRIES = 3 }; /* for a block that something disturbs */

/* Work of the judge before a block, which raises an idle clock: `load_s` where the judge's last work on the device ended
 * up to `idle_s` ago. */
static const struct {
    double idle_s, load_s;
} LOADS[] = {{0.25, 0}, {1, 0.05}, {INFINITY, 0.2}};
static const double QUIET_SECONDS = 120; /* longest wait for a device that others use */

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static Status await_oracle(Measuring *measuring, OracleAnswer *answer, Message *why)
{
    Status status = device_oracle_wait(measuring->device_oracle, answer, why);
    measuring->check_s += answer->seconds;
    measuring->worked_s = now_s();
    return status;
}

/* Makes the inputs of a call from a key of its own, which nothing else depends on. */
static Status fill_inputs(Measuring *measuring, GeneratorKey *secret, Message *why)
{
    OracleAnswer ignored;
    TRY(key_new(secret, why));
    TRY(device_oracle_fill(measuring->device_oracle, secret, why));
    return await_oracle(measuring, &ignored, why);
}

/* The oracle on the device only says that an output is wrong. The one on the CPU compares it again, and says how. */
static Status explain_refusal(Measuring *measuring, Call *call, const GeneratorKey *secret, TimedCase *timed_case,
                              Message *why)
{
    call_fill(call, secret);
    Status status = call_compare(call, measuring->oracle, NULL, &timed_case->comparison, why);
    if (status == STATUS_OK && timed_case->comparison.wrong == 0 && !timed_case->comparison.rms_exceeded)
        status = fail(STATUS_SYSTEM, why, "the oracle on the device refuses an output that the one on the CPU accepts");
    timed_case->failed = true;
    return status;
}

static void keep_comparison(TimedCase *timed_case, const Comparison *comparison)
{
    if (!timed_case->compared || comparison->max_error > timed_case->comparison.max_error)
        timed_case->comparison = *comparison;
    timed_case->compared = true;
}

/* Checks the output of the call with the key `*secret`. If it is not the last one, makes the inputs of the next in the
 * same round trip, and its key, which becomes `*secret`. */
static Status check_and_fill(Measuring *measuring, Call *call, bool last, GeneratorKey *secret, TimedCase *timed_case,
                             Message *why)
{
    OracleAnswer answer = {0};
    const GeneratorKey checked = *secret;
    Status status = device_oracle_check(measuring->device_oracle, why);
    if (status == STATUS_OK && !last)
        status = key_new(secret, why);
    if (status == STATUS_OK && !last)
        status = device_oracle_fill(measuring->device_oracle, secret, why);
    THEN(status, await_oracle(measuring, &answer, why));
    if (status != STATUS_OK)
        return status;
    timed_case->taken_s = answer.taken_s - timed_case->report.ended_s - timed_case->report.examined_s;
    keep_comparison(timed_case, &answer.comparison);
    return answer.accepted ? STATUS_OK : explain_refusal(measuring, call, &checked, timed_case, why);
}

static CaseSample sample_of(const TimedCase *timed_case, int block)
{
    const CallReport *report = &timed_case->report;
    return (CaseSample){.event_s = report->event_s,
                        .host_s = report->host_s,
                        .block = block,
                        .taken_s = timed_case->taken_s,
                        .lag_s = report->ended_s > 0 ? fmax(report->returned_s - report->ended_s, 0) : 0,
                        .busy_s = report->busy_s};
}

static void keep_warm_up(TimedCase *timed_case, int block)
{
    if (timed_case->warm_up_count < timed_case->warm_up_room)
        timed_case->warm_up[timed_case->warm_up_count++] = sample_of(timed_case, block);
}

static void keep_sample(TimedCase *timed_case, int block)
{
    if (timed_case->sample_count < timed_case->sample_room)
        timed_case->samples[timed_case->sample_count++] = sample_of(timed_case, block);
}

static Status call_once(Measuring *measuring, Call *call, TimedCase *timed_case, Message *why)
{
    static const CallOptions options = {0};
    const ContentOrigin worst = timed_case->report.output_origin;
    const bool copied = timed_case->report.output_copied;
    text_free(&timed_case->report.printed);
    Status status = session_call(measuring->session, call->arguments, measuring->problem->parameter_count, &options,
                                 &timed_case->report, why);
    if (worst > timed_case->report.output_origin) /* what one of the calls did counts, not only what the last one did */
        timed_case->report.output_origin = worst;
    timed_case->report.output_copied |= copied;
    timed_case->failed = status == STATUS_OK && timed_case->report.outcome != CALL_OK;
    return status;
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static Status begin_case(Measuring *measuring, TimedCase *timed_case, Call *call, Message *why)
{
    size_t offsets[PROBLEM_MAX_PARAMETERS] = {0}, bytes;
    const uint8_t *base;
    int exchange;
    TRY(call_prepare(measuring->problem, timed_case->testcase, measuring->session, call, why));
    int memory = session_memory(measuring->session, &base, &bytes);
    for (size_t i = 0; i < measuring->problem->parameter_count; i++)
        if (call->arguments[i].data != NULL)
            offsets[i] = (size_t)((const uint8_t *)call->arguments[i].data - base);
    timed_case->input_bytes = call_input_bytes(call);
    Status status = device_oracle_case(measuring->device_oracle, timed_case->testcase, memory, bytes, offsets,
                                       &exchange, why);
    if (status != STATUS_OK || exchange < 0)
        return status;
    status = session_exchange(measuring->session, exchange, why);
    close(exchange);
    if (status == STATUS_UNSUPPORTED)
        status = device_oracle_case(measuring->device_oracle, timed_case->testcase, memory, bytes, offsets, NULL, why);
    return status;
}

static bool breaks_rule(const Problem *problem, const CallReport *report)
{
    const bool not_computed_by_kernels = report->output_origin == ORIGIN_NO_KERNEL ||
                                         report->output_origin == ORIGIN_HOST;
    return problem->kernel_must_write_output && not_computed_by_kernels;
}

/* Calls solve() on the data of `*secret`. A wrong output, or one that kernels have not computed, fails. */
static Status call_and_check(Measuring *measuring, Call *call, bool last, GeneratorKey *secret, TimedCase *timed_case,
                             Message *why)
{
    Status status = call_once(measuring, call, timed_case, why);
    if (status == STATUS_OK && !timed_case->failed)
        status = check_and_fill(measuring, call, last, secret, timed_case, why);
    if (status == STATUS_OK && breaks_rule(measuring->problem, &timed_case->report))
        timed_case->failed = true;
    progress_advance(measuring->progress);
    return status;
}

static void say_too_slow(const Measuring *measuring, const CallPlan *plan, double call_s, TimedCase *timed_case)
{
    CallReport *report = &timed_case->report;
    timed_case->failed = true;
    report->outcome = CALL_TIME_LIMIT;
    report->mistake = (Mistake){.kind = MISTAKE_BUDGET};
    snprintf(report->text, sizeof report->text,
             "a call takes %.2g s, so not even %d timed calls in each of %d blocks fit into what is left of the "
             "grading's budget of %g s (grading_device_seconds)",
             call_s, call_plan_least(plan), plan->blocks, measuring->budget->seconds);
}

typedef struct CallSeconds { /* of the fastest warm-up call; 0: there is none */
    double event, spent;     /* of the device; of the grading's budget */
} CallSeconds;

/* How many timed calls follow the warm-up calls. */
static int decide_calls(const Measuring *measuring, const CallPlan *plan, int block, size_t case_count,
                        CallSeconds fastest, TimedCase *timed_case)
{
    const double call_s = fastest.spent;
    const int enough = call_plan_enough(plan, fastest.event);
    if (measuring->budget == NULL)
        return enough;
    if (call_plan_least(plan) * call_s * (plan->blocks - block) > call_budget_seconds_left(measuring->budget)) {
        say_too_slow(measuring, plan, call_s, timed_case);
        return 0;
    }
    const int calls = call_plan_timed(plan, case_count, measuring->budget->seconds, call_s);
    if (calls >= enough)
        return enough;
    if (timed_case->fewest_calls == 0 || calls < timed_case->fewest_calls)
        timed_case->fewest_calls = calls;
    return calls;
}

static Status time_case(Measuring *measuring, const CallPlan *plan, int block, size_t case_count, TimedCase *timed_case,
                        Message *why)
{
    Call call;
    GeneratorKey secret;
    const double slowest = plan->warm_up_calls > 0 ? INFINITY : 0;
    CallSeconds fastest = {slowest, slowest};
    Status status = begin_case(measuring, timed_case, &call, why);
    THEN(status, fill_inputs(measuring, &secret, why));
    for (int i = 0; i < plan->warm_up_calls && status == STATUS_OK && !timed_case->failed; i++) {
        status = call_and_check(measuring, &call, false, &secret, timed_case, why);
        keep_warm_up(timed_case, block);
        fastest.event = fmin(fastest.event, timed_case->report.event_s);
        fastest.spent = fmin(fastest.spent, timed_case->report.spent_s);
    }
    if (status != STATUS_OK || timed_case->failed)
        return status;
    const int calls = decide_calls(measuring, plan, block, case_count, fastest, timed_case);
    progress_skip(measuring->progress, plan->timed_calls - calls);
    for (int i = 0; i < calls && status == STATUS_OK && !timed_case->failed; i++) {
        status = call_and_check(measuring, &call, i + 1 == calls, &secret, timed_case, why);
        if (status == STATUS_OK && !timed_case->failed)
            keep_sample(timed_case, block);
    }
    return status;
}

/* ---- one block --------------------------------------------------------------------------------------------------- */

/* Number of the last samples that are of the block. */
static size_t count_of_block(const CaseSample *samples, size_t count, int block)
{
    size_t of_block = 0;
    while (of_block < count && samples[count - 1 - of_block].block == block)
        of_block++;
    return of_block;
}

static void forget_block(TimedCase *cases, size_t case_count, int block)
{
    for (TimedCase *item = cases; item < cases + case_count; item++) {
        item->sample_count -= count_of_block(item->samples, item->sample_count, block);
        item->warm_up_count -= count_of_block(item->warm_up, item->warm_up_count, block);
    }
}

/* All cases of a block have the same runner, so what one call of it did may help each of them. */
static void charge_block(TimedCase *cases, size_t case_count, int block)
{
    double excess_s = 0;
    size_t all = 0;
    for (const TimedCase *item = cases; item < cases + case_count; item++) {
        size_t timed = count_of_block(item->samples, item->sample_count, block);
        size_t warm_up = count_of_block(item->warm_up, item->warm_up_count, block);
        excess_s += timing_excess(item->warm_up + item->warm_up_count - warm_up, warm_up,
                                  item->samples + item->sample_count - timed, timed);
        all += timed;
    }
    for (TimedCase *item = cases; item < cases + case_count; item++)
        for (size_t i = count_of_block(item->samples, item->sample_count, block); i > 0; i--)
            item->samples[item->sample_count - i].charged_s = excess_s / (double)all;
}

typedef struct OwnProcesses {
    pid_t pids[16];
    size_t count;
} OwnProcesses;

static OwnProcesses own_processes(const Measuring *measuring)
{
    OwnProcesses own = {.pids = {device_oracle_pid(measuring->device_oracle)}, .count = 1};
    const size_t room = sizeof own.pids / sizeof *own.pids - own.count;
    own.count += session_brokers(measuring->session, own.pids + own.count, room);
    return own;
}

static void show_disturbance(void *context, const char *disturbance, double waited_s)
{
    Measuring *measuring = context;
    progress_note(measuring->progress, "waiting: %s (%.0f s)", disturbance, waited_s);
}

/* If the device does not become quiet, it is measured nevertheless, and the result says what disturbed it. */
static void wait_until_quiet(Measuring *measuring)
{
    OwnProcesses own = own_processes(measuring);
    Message ignored;
    double start_s = now_s();
    if (measuring->monitor != NULL &&
        device_monitor_wait(measuring->monitor, own.pids, own.count, measuring->usual_clock_mhz, QUIET_SECONDS,
                            show_disturbance, measuring, &ignored) != STATUS_OK)
        progress_note(measuring->progress, "measuring nevertheless: %s", ignored.text);
    measuring->wait_s += now_s() - start_s;
}

static void read_conditions(const Measuring *measuring, BlockConditions *conditions)
{
    DeviceState state;
    OwnProcesses own = own_processes(measuring);
    if (measuring->monitor == NULL)
        return;
    device_monitor_read(measuring->monitor, &state);
    conditions->sm_clock_mhz = state.sm_clock_mhz;
    conditions->temperature_c = fmax(conditions->temperature_c, state.temperature_c);
    if (conditions->disturbance[0] == '\0')
        device_monitor_disturbed(measuring->monitor, own.pids, own.count, measuring->usual_clock_mhz,
                                 conditions->disturbance, sizeof conditions->disturbance);
}

static double load_seconds(double idle_s)
{
    size_t i = 0;
    while (idle_s > LOADS[i].idle_s)
        i++;
    return LOADS[i].load_s;
}

/* Lets the device work for the judge until its clock is up. */
static Status put_load_on(Measuring *measuring, TimedCase *timed_case, Message *why)
{
    Call call;
    GeneratorKey secret;
    const double start_s = now_s(), load_s = load_seconds(start_s - measuring->worked_s);
    Status status = load_s > 0 ? begin_case(measuring, timed_case, &call, why) : STATUS_OK;
    while (status == STATUS_OK && now_s() - start_s < load_s)
        status = fill_inputs(measuring, &secret, why);
    return status;
}

/* Each block has a broker of its own, which has timed an empty launch. */
static Status note_launch(Measuring *measuring, Message *why)
{
    DeviceInfo opened;
    TRY(session_device(measuring->session, &opened, why));
    launches_add(&measuring->launches, &opened);
    return STATUS_OK;
}

static Status load_program(Measuring *measuring, const Compiled *compiled, int block, TimedCase *first, Message *why)
{
    text_free(&first->report.printed);
    session_set_budget(measuring->session, measuring->budget);
    Status status = session_load(measuring->session, compiled, measuring->limits, &first->report, why);
    first->failed = status == STATUS_OK && first->report.outcome != CALL_OK;
    if (status == STATUS_OK && first->report.busy_s > 0)
        keep_warm_up(first, block);
    if (status == STATUS_OK && !first->failed)
        status = note_launch(measuring, why);
    return status;
}

static Status time_cases(Measuring *measuring, const Compiled *compiled, const CallPlan *plan, int block,
                         TimedCase *cases, size_t case_count, BlockConditions *conditions, Message *why)
{
    *conditions = (BlockConditions){0};
    TimedCase *first = &cases[call_plan_case(plan, 0)];
    Status status = load_program(measuring, compiled, block, first, why);
    if (status == STATUS_OK && !first->failed)
        status = put_load_on(measuring, first, why);
    for (size_t i = 0; i < case_count && status == STATUS_OK && measure_failed(cases, case_count) == NULL; i++) {
        status = time_case(measuring, plan, block, case_count, &cases[call_plan_case(plan, i)], why);
        if (status == STATUS_OK)
            read_conditions(measuring, conditions);
    }
    return status;
}

/* Takes one block of the plan. Stops after a call that failed. If loading fails, the first case has failed. */
static Status measure_block(Measuring *measuring, const Compiled *compiled, const CallPlan *plan, int block,
                            TimedCase *cases, size_t case_count, BlockConditions *conditions, Message *why)
{
    Status status = STATUS_OK;
    bool good = false;
    for (int try = 0; try < TRIES && status == STATUS_OK && !good; try++) {
        if (try > 0)
            progress_note(measuring->progress, "repeating block %d: %s", block + 1, conditions->disturbance);
        forget_block(cases, case_count, block); /* the samples of a disturbed try */
        wait_until_quiet(measuring);
        status = time_cases(measuring, compiled, plan, block, cases, case_count, conditions, why);
        good = conditions->disturbance[0] == '\0' || measure_failed(cases, case_count) != NULL;
    }
    charge_block(cases, case_count, block);
    return status;
}

/* Makes room in `arena` for the samples of all calls of the plan. */
static void measure_make_room(TimedCase *cases, size_t case_count, const CallPlan *plan, Arena *arena)
{
    for (TimedCase *item = cases; item < cases + case_count; item++) {
        item->sample_room = (size_t)plan->blocks * (size_t)plan->timed_calls;
        item->samples = arena_array(arena, item->sample_room, sizeof *item->samples);
        item->warm_up_room = (size_t)plan->blocks * ((size_t)plan->warm_up_calls + 1);
        item->warm_up = arena_array(arena, item->warm_up_room, sizeof *item->warm_up);
    }
}

const TimedCase *measure_failed(const TimedCase *cases, size_t case_count)
{
    for (size_t i = 0; i < case_count; i++)
        if (cases[i].failed)
            return &cases[i];
    return NULL;
}

double measure_score_ms(const TimedCase *cases, size_t case_count, double clock_gap_s)
{
    double log_ms = 0;
    for (size_t i = 0; i < case_count; i++) {
        double time_s = timing_of(cases[i].samples, cases[i].sample_count, clock_gap_s).time_s;
        if (!(time_s > 0))
            return 0;
        log_ms += log(1e3 * time_s);
    }
    return case_count == 0 ? 0 : exp(log_ms / (double)case_count);
}

/* ==== sitting ===================================================================================================== */

static int count_calls(const CallPlan *plan, bool anchored, size_t case_count)
{
    const CallPlan of_anchor = call_plan_of_anchor(plan);
    return call_plan_count(plan, case_count) + (anchored ? 2 * call_plan_count(&of_anchor, case_count) : 0);
}

/* The same cases, for another program. */
static TimedCase *same_cases(const TimedCase *cases, size_t case_count, const CallPlan *plan, Arena *arena)
{
    TimedCase *same = arena_array(arena, case_count, sizeof *same);
    for (size_t i = 0; i < case_count; i++)
        same[i] = (TimedCase){.testcase = cases[i].testcase};
    measure_make_room(same, case_count, plan, arena);
    return same;
}

/* An anchor that fails is no fault of the submission; the sitting then goes on without one. */
static Status time_anchor(Measuring *measuring, const Anchor *anchor, const CallPlan *plan, TimedCase *cases,
                          size_t case_count, TimingSession *sitting, double *score_ms, Message *why)
{
    const CallPlan of_anchor = call_plan_of_anchor(plan);
    Arena arena = {0};
    DeviceInfo info;
    BlockConditions conditions;
    CallBudget *budget = measuring->budget;
    measuring->budget = NULL;
    TimedCase *calls = same_cases(cases, case_count, &of_anchor, &arena);
    Status status = measure_block(measuring, anchor->compiled, &of_anchor, 0, calls, case_count, &conditions, why);
    THEN(status, session_device(measuring->session, &info, why));
    measuring->budget = budget;
    const TimedCase *failed = measure_failed(calls, case_count);
    *score_ms = status == STATUS_OK && failed == NULL ? measure_score_ms(calls, case_count, info.clock_gap_s) : 0;
    if (failed != NULL)
        snprintf(sitting->anchor_failure, sizeof sitting->anchor_failure, "the anchor %s failed: %s", anchor->name,
                 failed->report.text);
    for (size_t i = 0; i < case_count; i++) {
        cases[i].usual_taken_s = fmax(cases[i].usual_taken_s, timing_taken_s(calls[i].samples, calls[i].sample_count));
        text_free(&calls[i].report.printed);
    }
    arena_free(&arena);
    return status;
}

static Status time_blocks(Measuring *measuring, const Compiled *compiled, const CallPlan *plan, TimedCase *cases,
                          size_t case_count, Arena *arena, TimingSession *sitting, Message *why)
{
    Status status = STATUS_OK;
    sitting->blocks = arena_array(arena, (size_t)plan->blocks, sizeof *sitting->blocks);
    for (int block = 0; block < plan->blocks && status == STATUS_OK && measure_failed(cases, case_count) == NULL;
         block++)
        status = measure_block(measuring, compiled, plan, block, cases, case_count,
                               &sitting->blocks[sitting->block_count++], why);
    return status;
}

Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, const CallPlan *plan,
                    TimedCase *cases, size_t case_count, Arena *arena, TimingSession *sitting, Message *why)
{
    AnchorTimes *times = &sitting->anchor;
    Status status = STATUS_OK;
    *sitting = (TimingSession){0};
    measure_make_room(cases, case_count, plan, arena);
    progress_begin(measuring->progress, "timed cases", count_calls(plan, anchor->name != NULL, case_count));
    if (anchor->name != NULL)
        status = time_anchor(measuring, anchor, plan, cases, case_count, sitting, &times->before_ms, why);
    THEN(status, time_blocks(measuring, compiled, plan, cases, case_count, arena, sitting, why));
    if (status != STATUS_OK || measure_failed(cases, case_count) != NULL || !(times->before_ms > 0))
        return status;
    status = time_anchor(measuring, anchor, plan, cases, case_count, sitting, &times->after_ms, why);
    if (times->after_ms > 0) {
        snprintf(times->name, sizeof times->name, "%s", anchor->name);
        times->drift = timing_drift(times->before_ms, times->after_ms);
    }
    return status;
}
