#include "grader/judge/case_run.h"

#include "base/clock.h"
#include "grader/check/call.h"
#include "grader/judge/order_rerun.h"
#include "grader/judge/uninitialised_rerun.h"
#include "grader/terminal/quantity.h"

#include <math.h>

static const double TRIALS_S = 1; /* no trial begins later than this after the first call of the case */

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* If the output is wrong, the text of the verdict names the finding. If it is right, uninitialised reads of shared
 * memory are harmless: threads beside the data often read parts of a tile that nobody loaded, and throw the result
 * away. */
static bool is_warning(const CaseResult *item, const DeviceFinding *finding)
{
    return item->verdict != VERDICT_WRONG_ANSWER && (!finding->is_unwritten || finding->is_global);
}

/* Only the first call with findings warns of them; the others mostly have the same. */
static void warn_of_findings(Grading *judging, const CaseResult *item, const DeviceFindings *findings)
{
    if (judging->findings_told)
        return;
    judging->findings_told = item->verdict == VERDICT_WRONG_ANSWER && findings->count > 0;
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_warning(item, &findings->items[i])) {
            result_warn(judging->result, "%s", judging_wording(judging, findings->items[i].text));
            judging->findings_told = true;
        }
    if (findings->more > 0)
        result_warn(judging->result, "and %u more finding%s of this kind", findings->more,
                    findings->more == 1 ? "" : "s");
}

static void warn_of_what_was_overlooked(Grading *judging, const CallReport *call)
{
    if (call->first_error != 0)
        result_warn(judging->result, "a CUDA call failed, though the output was right: %s",
                    judging_wording(judging, call->first_error_text));
    judging->error_told = judging->error_told || call->first_error != 0;
    if (call->output_copied)
        result_warn(judging->result, "%s", mistake_words(MISTAKE_OUTPUT_COPIED));
    if (call->pending_at_return)
        result_warn(judging->result, "%s", mistake_words(MISTAKE_NOT_SYNCHRONISED));
}

/* A case whose data are secret keeps one warning at most, of what no sample has warned of. */
static void keep_warning(Grading *judging, const CaseResult *item, const CallReport *call)
{
    for (uint32_t i = 0; i < call->findings.count && !judging->findings_told; i++)
        if (is_warning(item, &call->findings.items[i]))
            judging_keep_warning(judging, call->findings.items[i].mistake);
    if (call->first_error != 0 && !judging->error_told)
        judging_keep_warning(judging, (Mistake){.kind = call->first_error_kind});
    if (call->output_copied)
        judging_keep_warning(judging, (Mistake){.kind = MISTAKE_OUTPUT_COPIED});
    if (call->pending_at_return)
        judging_keep_warning(judging, (Mistake){.kind = MISTAKE_NOT_SYNCHRONISED});
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

Judgement case_judgement(const Grading *judging, const CaseOutput *output, const CallReport *call)
{
    return judgement_of_call(call, output->compared ? &output->comparison : NULL,
                             judging->job->problem->kernel_must_write_output);
}

/* A sample's data are public: everything may be told. */
static void conclude_sample(Grading *judging, CaseResult *item, const CallReport *call, const CaseOutput *output,
                            const Judgement *decided)
{
    Arena *arena = &judging->result->arena;
    SampleDetails *details = arena_array(arena, 1, sizeof *details);
    *details = (SampleDetails){
        .compared = output->compared, .comparison = output->comparison, .elements = output->elements, .printed = ""};
    if (call->printed.length > 0) {
        details->printed = arena_copy(arena, call->printed.data, call->printed.length);
        details->printed_lost = call->printed_lost;
    }
    item->sample = details;
    item->text = judging_wording(judging, decided->text);
    warn_of_findings(judging, item, &call->findings);
    if (item->verdict == VERDICT_ACCEPTED)
        warn_of_what_was_overlooked(judging, call);
}

/* Of other cases, report and text stay here. */
static void conclude_secret(Grading *judging, CaseResult *item, const CallReport *call, const Judgement *decided)
{
    if (item->verdict == VERDICT_ACCEPTED)
        keep_warning(judging, item, call);
    else
        item->text = judging_hidden_wording(judging, &decided->finding);
}

/* The errors of timed cases may be told: their data are worthless in the next grading. */
static CaseErrors errors_of(const CaseResult *item, const CaseOutput *output)
{
    const Comparison *comparison = &output->comparison;
    if (!output->compared)
        return (CaseErrors){0};
    if (item->group != CASE_HIDDEN)
        return (CaseErrors){true, comparison->max_error, comparison->mean_error, comparison->bound};
    const double error = item->verdict == VERDICT_WRONG_ANSWER ? hidden_error(comparison->max_error) : 0;
    return (CaseErrors){.known = error > 0, .max = error};
}

void case_conclude(Grading *judging, CaseResult *item, const CallReport *call, const CaseOutput *output,
                   const Judgement *decided)
{
    item->judged = true;
    item->verdict = decided->verdict;
    item->finding = decided->finding;
    item->errors = errors_of(item, output);
    if (item->group != CASE_HIDDEN)
        item->statistics = call->statistics;
    if (item->group == CASE_SAMPLE)
        conclude_sample(judging, item, call, output, decided);
    else
        conclude_secret(judging, item, call, decided);
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
static void charge_constructors(Grading *judging, CaseResult *item)
{
    if (judging->session->traits.clock != SESSION_MODEL || item->sample_count == 0 || !(judging->load.busy_s > 0))
        return;
    item->warm_up = arena_array(&judging->result->arena, 1, sizeof *item->warm_up);
    item->warm_up[0] = judging->load;
    item->warm_up_count = 1;
    item->samples[0].charged_s = timing_excess(item->warm_up, 1, item->samples, 1);
    case_warn_of_charge(judging, item);
}

void case_warn_of_charge(Grading *judging, const CaseResult *item)
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

/* Which blocks the sanitizer looks at, and which orders of operations are tried: other ones in each case of each grading,
 * and the same ones with the same seed. */
static Chacha20Key sample_key(const Grading *judging, const CaseResult *item)
{
    const uint32_t purpose = UINT32_MAX; /* of no array (testcase_key()) */
    return generator_derive(&judging->secret, purpose, item->group, (uint32_t)(item - judging->result->cases));
}

/* True if nobody may learn what the submission does with the data, not even its author. */
static bool is_secret(const Grading *judging, const CaseResult *item)
{
    return item->group == CASE_HIDDEN && !judging->job->shows_durations;
}

/* A kernel that never ends is found by its instructions. The limit of the problem (CallLimits.warp_instructions) is made for its
 * largest cases, and takes minutes on a busy machine. So a small case allows fewer, if that is less: some fifty times what a single
 * thread needs that computes everything, and enough for the largest grids. */
static uint64_t most_instructions(const Testcase *testcase)
{
    static const uint64_t LEAST = 100000000, EACH_OPERATION = 500;
    return testcase->attempt_instructions > 0 ? (uint64_t)testcase->attempt_instructions
                                              : LEAST + EACH_OPERATION * (uint64_t)testcase->operations;
}

/* Calls solve(), and again where a timed case needs more samples. `report` is the last call's. */
static Status call_solve(Grading *judging, Call *call, CaseResult *item, CallReport *report, Message *why)
{
    const bool timed = item->group == CASE_TIMED, warms_up = timed && judging->session->traits.clock == SESSION_WALL;
    const CallOptions options = {.check_inputs = true,
                                 .sanitize = !timed,
                                 .untimed = !timed,
                                 .samples_blocks = timed && judging->session->traits.clock == SESSION_MODEL &&
                                                   !judging->runs_all_blocks,
                                 .is_secret = is_secret(judging, item),
                                 .repeats_addresses = call->testcase->repeats_addresses,
                                 .warp_instructions = most_instructions(call->testcase),
                                 .sample_key = sample_key(judging, item)};
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

/* Nothing is known of the output then, and the runner is no longer of use. */
static bool is_given_up(const Grading *judging, const Call *call, const CallReport *report)
{
    return judging->session->traits.clock == SESSION_MODEL && call->testcase->attempt_instructions > 0 &&
           report->outcome == CALL_TIME_LIMIT && report->mistake.kind == MISTAKE_KERNEL_TIME;
}

/* Whether blocks that did not run are missed: by another operation, or because those that were drawn have written less than
 * their share of the output. What blocks stored that run in any case does not count. So a kernel that leaves outputs to a
 * few blocks, or out, gains nothing from blocks that do not run. */
static bool misses_blocks(const Call *call, const CallReport *report)
{
    const double least = 0.98; /* blocks at the borders write less */
    const DeviceStatistics *statistics = &report->statistics;
    if (!call->in_part)
        return false;
    const double bytes = (double)call->arguments[problem_output(call->problem)].bytes;
    const double drawn = call_written_share(call) - (double)statistics->certain_bytes / bytes;
    return statistics->is_sample_unsound || (report->outcome == CALL_OK && drawn < least * statistics->drawn_share);
}

/* Of the large cases that a simulated GPU times, the processor would take longer to compute the expected output than the
 * simulator takes for a good kernel. What is compared is drawn when the output is there. */
static Status check_output(Grading *judging, Call *call, const CaseResult *item, CaseOutput *output, Message *why)
{
    const uint32_t purpose = UINT32_MAX - 1; /* of no array, and not that of sample_key() */
    output->compared = true;
    call->in_sample = item->group == CASE_TIMED && judging->session->traits.clock == SESSION_MODEL;
    call->sample = generator_derive(&judging->secret, purpose, item->group, (uint32_t)(item - judging->result->cases));
    Status status = call_compare(call, judging->oracle, &judging->earlier, &output->comparison, why);
    if (status == STATUS_OK && item->group == CASE_SAMPLE && output->comparison.wrong > 0)
        status = call_elements(call, judging->oracle, &judging->result->arena, &output->elements, why);
    return status;
}

Status case_run(Grading *judging, const Testcase *testcase, CaseResult *item, Message *why)
{
    Call call;
    CallReport report = {0};
    CaseOutput output = {0};
    Status status = call_prepare(judging->job->problem, testcase, judging->session, &call, why);
    if (status == STATUS_OK) {
        call_fill(&call, &judging->secret);
        item->input_bytes = call_input_bytes(&call);
        status = call_solve(judging, &call, item, &report, why);
    }
    call.in_part = report.statistics.sampled_share > 0 && report.statistics.sampled_share < 1;
    judging->wants_all_blocks = status == STATUS_OK && misses_blocks(&call, &report);
    if (judging->wants_all_blocks) {
        item->sample_count = 0;
        text_free(&report.printed);
        return STATUS_OK;
    }
    judging->runner_is_spent = status == STATUS_OK && is_given_up(judging, &call, &report);
    if (judging->runner_is_spent)
        report = (CallReport){.printed = report.printed};
    else if (status == STATUS_OK && report.outcome == CALL_OK)
        status = check_output(judging, &call, item, &output, why);
    Judgement decided = case_judgement(judging, &output, &report);
    const Chacha20Key key = sample_key(judging, item);
    if (status == STATUS_OK && order_rerun_is_due(&report, &decided) &&
        !(item->group == CASE_TIMED && decided.verdict == VERDICT_ACCEPTED))
        status = order_rerun_try(judging, &call, is_secret(judging, item), &key, &report, &decided, why);
    if (status == STATUS_OK && decided.verdict == VERDICT_ACCEPTED && judgement_needs_rerun(&report))
        status = uninitialised_rerun_try(&call, is_secret(judging, item), judging->session, judging->oracle, &report,
                                         &output, &decided, why);
    if (status == STATUS_OK)
        case_conclude(judging, item, &report, &output, &decided);
    if (status != STATUS_OK || item->verdict != VERDICT_ACCEPTED)
        item->sample_count = 0;
    earlier_inputs_note(&judging->earlier, &call, &judging->secret);
    charge_constructors(judging, item);
    result_time_case(item, &judging->result->device);
    text_free(&report.printed);
    return status;
}
