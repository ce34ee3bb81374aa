#include "grader/judge/case_run.h"

#include "base/clock.h"
#include "grader/check/call.h"
#include "grader/judge/uninitialised_rerun.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>

static const double TRIALS_S = 1; /* no trial begins later than this after the first call of the case */

/* ---- what hidden cases may say ----------------------------------------------------------------------------------- */

/* Hidden cases name one finding at most: a submission chooses which of its lines have findings, and could carry data
 * out in that way. */
static void limit_findings(const Judging *judging, const CaseResult *item, DeviceFindings *findings)
{
    if (item->group == CASE_HIDDEN && judging->findings_told)
        *findings = (DeviceFindings){0};
    else if (item->group == CASE_HIDDEN)
        findings->more = 0;
}

/* The name of a call comes from the submission's process, and could carry hidden data out. */
static void hide_name_of_missing_call(const CaseResult *item, CallReport *report)
{
    if (item->group == CASE_HIDDEN && report->not_provided[0] != '\0')
        snprintf(report->not_provided, sizeof report->not_provided, "a CUDA call that solve() makes");
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* If the output is wrong, the text of the verdict names the finding. If it is right, uninitialised reads of shared
 * memory are harmless: threads beside the data often read parts of a tile that nobody loaded, and throw the result
 * away. */
static bool is_warning(const CaseResult *item, const DeviceFinding *finding)
{
    return item->verdict != VERDICT_WRONG_ANSWER && (!finding->is_unwritten || finding->is_global);
}

/* Only the first call with findings warns of them; the others mostly have the same. */
static void warn_of_findings(Judging *judging, const CaseResult *item, const DeviceFindings *findings)
{
    bool is_hidden = item->group == CASE_HIDDEN;
    if (judging->findings_told)
        return;
    judging->findings_told = item->verdict == VERDICT_WRONG_ANSWER && findings->count > 0;
    for (uint32_t i = 0; i < findings->count && !(is_hidden && judging->findings_told); i++)
        if (is_warning(item, &findings->items[i])) {
            result_warn(judging->result, "%s", judging_wording(judging, is_hidden, findings->items[i].text));
            judging->findings_told = true;
        }
    if (findings->more > 0)
        result_warn(judging->result, "and %u more findings of this kind", findings->more);
}

static void warn_of_what_was_overlooked(Judging *judging, const CaseResult *item, const CallReport *call)
{
    if (call->first_error != 0)
        result_warn(judging->result, "a CUDA call failed, though the output was right: %s",
                    judging_wording(judging, item->group == CASE_HIDDEN, call->first_error_text));
    if (call->output_copied)
        result_warn(judging->result, "solve() copies its results to the output on the device, which costs time: let "
                                     "the kernel write to the output directly");
    if (call->pending_at_return)
        result_warn(judging->result, "solve() returned before its kernels had finished; add cudaDeviceSynchronize()");
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

Judgement case_judgement(const Judging *judging, const CaseResult *item, const CallReport *call)
{
    return judgement_of_call(call, item->compared ? &item->comparison : NULL,
                             judging->job->problem->kernel_must_write_output);
}

void case_conclude(Judging *judging, CaseResult *item, const CallReport *call, const Judgement *decided)
{
    item->judged = true;
    item->verdict = decided->verdict;
    item->text = judging_wording(judging, item->group == CASE_HIDDEN, decided->text);
    item->statistics = call->statistics;
    if (item->group == CASE_SAMPLE && call->printed.length > 0) {
        item->printed = arena_copy(&judging->result->arena, call->printed.data, call->printed.length);
        item->printed_lost = call->printed_lost;
    }
    warn_of_findings(judging, item, &call->findings);
    if (item->verdict == VERDICT_ACCEPTED)
        warn_of_what_was_overlooked(judging, item, call);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static void keep_sample(CaseResult *item, const CallReport *report)
{
    item->samples[item->sample_count] = (CaseSample){.event_s = report->event_s,
                                                     .host_s = report->host_s,
                                                     .block = (int)item->sample_count,
                                                     .busy_s = report->busy_s};
    item->sample_count++;
}

/* On a simulated GPU, a timed case has a runner of its own and a single call. Constructors may have worked before it. */
static void charge_constructors(Judging *judging, CaseResult *item)
{
    if (judging->session->traits.clock != SESSION_MODEL || item->sample_count == 0 || !(judging->load.busy_s > 0))
        return;
    item->warm_up = arena_array(&judging->result->arena, 1, sizeof *item->warm_up);
    item->warm_up[0] = judging->load;
    item->warm_up_count = 1;
    item->samples[0].charged_s = timing_excess(item->warm_up, 1, item->samples, 1);
    case_warn_of_charge(judging, item);
}

void case_warn_of_charge(Judging *judging, const CaseResult *item)
{
    double most_s = 0;
    for (size_t i = 0; i < item->sample_count; i++)
        most_s = fmax(most_s, item->samples[i].charged_s);
    if (most_s > 0)
        result_warn(judging->result,
                    "a call kept the device busy for much longer than the timed calls; the rest of its time was spread "
                    "over them: %s each",
                    quantity_time(1e3 * most_s).text);
}

/* Which blocks the sanitizer looks at: other ones in each case of each grading, and the same ones with the same seed. */
static uint64_t sample_key(const Judging *judging, const CaseResult *item)
{
    const uint32_t purpose = UINT32_MAX; /* of no array (testcase_key()) */
    const GeneratorKey key = generator_derive(&judging->secret, purpose, item->group,
                                              (uint32_t)(item - judging->result->cases));
    return (uint64_t)key.words[1] << 32 | key.words[0];
}

/* Calls solve(), and again where a timed case needs more samples. `report` is the last call's. */
static Status call_solve(Judging *judging, Call *call, CaseResult *item, CallReport *report, Message *why)
{
    const bool timed = case_is_timed(item->group), warms_up = timed && judging->session->traits.clock == SESSION_WALL;
    const CallOptions options = {
        .check_inputs = true, .sanitize = !timed, .untimed = !timed, .sample_key = sample_key(judging, item)};
    const int calls = warms_up ? 1 + CASE_TRIALS : 1;
    const double start_s = now_s();
    Status status = STATUS_OK;
    item->samples = arena_array(&judging->result->arena, (size_t)calls, sizeof *item->samples);
    for (int i = 0; i < calls && status == STATUS_OK && report->outcome == CALL_OK; i++) {
        if (i > 1 && now_s() - start_s > TRIALS_S)
            break;
        text_free(&report->printed);
        status = session_call(judging->session, call->arguments, judging->job->problem->parameter_count, &options,
                              report, why);
        if (status == STATUS_OK && report->outcome == CALL_OK && timed && !(warms_up && i == 0))
            keep_sample(item, report);
    }
    return status;
}

static Status check_output(const Judging *judging, const Call *call, CaseResult *item, Message *why)
{
    item->compared = true;
    return call_compare(call, judging->oracle, &item->comparison, why);
}

Status case_run(Judging *judging, const Testcase *testcase, CaseResult *item, Message *why)
{
    Call call;
    CallReport report = {0};
    Status status = call_prepare(judging->job->problem, testcase, judging->session, &call, why);
    if (status == STATUS_OK) {
        call_fill(&call, &judging->secret);
        item->input_bytes = call_input_bytes(&call);
        status = call_solve(judging, &call, item, &report, why);
    }
    if (status == STATUS_OK && report.outcome == CALL_OK)
        status = check_output(judging, &call, item, why);
    const bool needs_rerun = judgement_needs_rerun(&report);
    limit_findings(judging, item, &report.findings);
    hide_name_of_missing_call(item, &report);
    Judgement decided = case_judgement(judging, item, &report);
    if (status == STATUS_OK && decided.verdict == VERDICT_ACCEPTED && needs_rerun)
        status = uninitialised_rerun_try(&call, judging->session, judging->oracle, &report, item, &decided, why);
    if (status == STATUS_OK)
        case_conclude(judging, item, &report, &decided);
    if (status != STATUS_OK || item->verdict != VERDICT_ACCEPTED)
        item->sample_count = 0;
    charge_constructors(judging, item);
    result_time_case(item, &judging->result->device);
    text_free(&report.printed);
    return status;
}
