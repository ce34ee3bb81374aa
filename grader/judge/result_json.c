#include "grader/judge/result_json.h"

#include "base/record.h"

#include <math.h>
#include <string.h>

/* ==== rows ======================================================================================================== */

/* A member that is written with others, by hand. */
static bool never(const void *record)
{
    return false;
}

static void put_verdict(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    cJSON_AddStringToObject(object, row->key, verdict_name(*(const Verdict *)record_member(row, record)));
}

/* clang-format off */

/* ---- samples ----------------------------------------------------------------------------------------------------- */

RECORD_OPEN(sample_table, CaseSample,
    ROW(CaseSample, event_s, "event_ms", .scale = 1e3),
    ROW(CaseSample, host_s, "host_ms", .scale = 1e3, .sparse = true),
    ROW(CaseSample, taken_s, "taken_ms", .scale = 1e3, .sparse = true),
    ROW(CaseSample, busy_s, "busy_ms", .scale = 1e3, .sparse = true),
    ROW(CaseSample, charged_s, "charged_ms", .scale = 1e3, .sparse = true),
    ROW(CaseSample, block, "block", .when = never, .about = "each timed call: its time by the device's events, and by the host's clock (gap included); from its end until the oracle had the output; the time for which the device had work; time [charged](../explanation/timing-and-ranks.md#one-sitting) for other work; its block"));

static void put_calls(cJSON *object, const char *key, const CaseSample *samples, size_t count, bool in_blocks)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        record_write(&sample_table, &samples[i], item);
        if (in_blocks)
            cJSON_AddNumberToObject(item, "block", samples[i].block);
        cJSON_AddItemToArray(list, item);
    }
}

RECORD_PUT(put_samples, CaseResult, put_calls(object, row->key, it->samples, it->sample_count, it->sample_count > 1))
RECORD_PUT(put_warm_up, CaseResult, put_calls(object, row->key, it->warm_up, it->warm_up_count, it->sample_count > 1))
RECORD_WHEN(has_warm_up, CaseResult, it->warm_up_count > 0)

#define SAMPLES ROW_LIST(CaseResult, samples, sample_count, "samples", sample_table, .put = put_samples)
#define WARM_UP ROW_LIST(CaseResult, warm_up, warm_up_count, "warm_up", sample_table, .when = has_warm_up, .put = put_warm_up, .brief = true, .about = "the calls before these, in the same form, and what constructors made the device do")

/* ---- samples with a wrong output --------------------------------------------------------------------------------- */

static void put_position(cJSON *object, const char *key, const size_t *position, size_t rank)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < rank; i++)
        json_push_number(list, (double)position[i]);
}

RECORD(element_table, WrongElement,
    ROW(WrongElement, expected, "expected"),
    ROW(WrongElement, got, "got"),
    ROW(WrongElement, error, "error"),
    ROW(WrongElement, bound, "bound"));

static void put_element(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const SampleDetails *details = record;
    const WrongElement *element = record_member(row, record);
    cJSON *item = cJSON_AddObjectToObject(object, row->key);
    put_position(item, "position", element->position, details->comparison.rank);
    record_write(&element_table, element, item);
}

static void put_elements(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const double *values = *(double *const *)record_member(row, record);
    cJSON *list = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < ((const SampleDetails *)record)->elements.count; i++)
        json_push_number(list, values[i]);
}

RECORD_PUT(put_shape, SampleDetails, put_position(object, row->key, it->comparison.shape, it->comparison.rank))
RECORD_PUT(put_type, SampleDetails, cJSON_AddStringToObject(object, row->key, element_c_name(it->elements.type)))
RECORD_WHEN(is_wrong, SampleDetails, it->compared && it->comparison.wrong > 0)
RECORD_WHEN(has_elements, SampleDetails, is_wrong(it) && it->elements.count > 0)

RECORD(output_table, SampleDetails,
    ROW_HAND("shape", .put = put_shape),
    ROW_HAND("type", .put = put_type),
    ROW_HAND("expected", .offset = offsetof(SampleDetails, elements.expected), .put = put_elements),
    ROW_HAND("got", .offset = offsetof(SampleDetails, elements.got), .put = put_elements),
    ROW_HAND("bounds", .offset = offsetof(SampleDetails, elements.bounds), .put = put_elements));

RECORD(details_table, SampleDetails,
    ROW(SampleDetails, comparison.wrong, "wrong", .when = is_wrong),
    ROW(SampleDetails, comparison.count, "count", .when = is_wrong),
    ROW_OBJECT(SampleDetails, comparison.first, "first_wrong", element_table, .when = is_wrong, .put = put_element, .brief = true),
    ROW_OBJECT(SampleDetails, comparison.worst, "worst_wrong", element_table, .when = is_wrong, .put = put_element, .brief = true, .about = "a wrong sample: how many elements exceed their bound, how many there are, and two of them: `position`, `expected`, `got`, `error`, `bound`"),
    ROW_SAME("output", output_table, .when = has_elements, .brief = true, .about = "its whole output, up to 1024 elements: `shape`, `type`, and in the order of the memory `expected`, `got` (null: not written, or not finite) and `bounds`"),
    ROW(SampleDetails, printed, "printed", .sparse = true),
    ROW(SampleDetails, printed_lost, "printed_lost", .sparse = true, .about = "samples: what the submission printed, and how many bytes of it were dropped"));

/* ---- times ------------------------------------------------------------------------------------------------------- */

RECORD_WHEN(has_model, MeasuredTime, it->model[0] != '\0')
RECORD_PUT(put_factor, MeasuredTime, json_put_number(object, row->key, time_model_factor(*it)))

/* Of a modelled time. */
RECORD(model_table, MeasuredTime,
    ROW_HAND("model_factor", .when = has_model, .put = put_factor, .about = "of a modelled time: nine in ten times of the GPU are within this factor of it"),
    ROW(MeasuredTime, model, "model_terms", .sparse = true, .about = "its logarithm, by limit and by doubt, for [ties](../explanation/timing-and-ranks.md#ties-ranks-and-percentiles)"));

/* ---- timed cases ------------------------------------------------------------------------------------------------- */

static void put_summaries(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const SimCounters *c = &((const DeviceStatistics *)record)->counters;
#define SUMMARY(NAME, WORDS, VALUE) json_put_number(object, #NAME, (double)(VALUE));
#include "simgpu/cost/counters.def"
}

RECORD_WHEN(is_sampled, DeviceStatistics, it->sampled_share > 0 && it->sampled_share < 1)

RECORD(counter_table, DeviceStatistics,
    ROW(DeviceStatistics, kernels, "kernels"),
    ROW(DeviceStatistics, copies, "copies"),
    ROW_HAND(NULL, .put = put_summaries),
    ROW(DeviceStatistics, sampled_share, "sampled_blocks", .when = is_sampled),
    ROW(DeviceStatistics, sample_error, "sample_uncertainty", .when = is_sampled),
    ROW(DeviceStatistics, occupancy, "occupancy"),
    ROW(DeviceStatistics, limiter, "limiter"),
    ROW(DeviceStatistics, longest, "longest_kernel"));

RECORD_WHEN(is_known, CaseResult, it->known_ms > 0)

RECORD(known_table, CaseResult,
    ROW(CaseResult, known_ms, "known_ms", .when = is_known),
    ROW(CaseResult, known_of, "known_of", .when = is_known));

RECORD_OPEN(again_table, CaseResult,
    ROW(CaseResult, time.ms, "time_ms"),
    ROW(CaseResult, time.uncertainty, "uncertainty"),
    ROW(CaseResult, statistics.sample_error, "sample_uncertainty", .sparse = true),
    SAMPLES,
    WARM_UP);

static void put_review(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Result *result = root;
    const CaseResult *second = result_second_case(result, record);
    if (result->second == NULL)
        return;
    cJSON *review = cJSON_AddObjectToObject(object, row->key);
    record_write(&known_table, record, review);
    if (second != NULL)
        record_write(&again_table, second, review);
}

RECORD_WHEN(has_distribution, CaseResult, it->timing.count >= 2) /* a single sample has none */
RECORD_PUT(put_clock, CaseResult, cJSON_AddStringToObject(object, row->key, it->timing.host_decided ? "host" : "events"))
RECORD_WHEN(has_counters, CaseResult, it->statistics.has_counters)

RECORD(timed_table, CaseResult,
    ROW(CaseResult, time.ms, "time_ms", .sparse = true),
    ROW(CaseResult, time.uncertainty, "uncertainty", .sparse = true, .about = "timed cases: the time, and its uncertainty"),
    ROW_OBJECT(CaseResult, time, NULL, model_table),
    ROW(CaseResult, timing.min_s, "min_ms", .when = has_distribution, .scale = 1e3, .sparse = true),
    ROW(CaseResult, timing.p5_s, "p5_ms", .when = has_distribution, .scale = 1e3, .sparse = true),
    ROW(CaseResult, timing.p95_s, "p95_ms", .when = has_distribution, .scale = 1e3, .sparse = true),
    ROW(CaseResult, timing.variation, "variation", .when = has_distribution),
    ROW_HAND("clock", .when = has_distribution, .put = put_clock, .about = "minimum, percentiles and coefficient of variation of several samples, by the clock that decided: `events`, or `host` (minus the gap)"),
    SAMPLES,
    WARM_UP,
    ROW(CaseResult, fewer_calls, "fewer_calls", .about = "slow submissions on a real GPU: why they had fewer timed calls"),
    ROW(CaseResult, gflops, "gflops", .sparse = true),
    ROW(CaseResult, gbytes_per_s, "gbytes_per_s", .sparse = true),
    ROW(CaseResult, roofline, "roofline", .sparse = true, .about = "as above, of this case"),
    ROW_OBJECT(CaseResult, statistics, "counters", counter_table, .when = has_counters, .brief = true, .about = "counts of the call (`simgpu/cost/counters.def`), and `occupancy`, `limiter` and `longest_kernel`; if a random sample of a kernel's blocks ran, also `sampled_blocks` (the smallest share) and `sample_uncertainty`"),
    ROW_HAND("review", .put = put_review, .about = "timed again: the best time known before, `known_ms` of `known_of` (`tiled.cu`, `run 12`), and of the second sitting `time_ms`, `uncertainty`, `samples`, `sample_uncertainty`"));

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* The errors of all cases but samples are rounded up to a power of ten. */
static void put_error(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const double error = *(const double *)record_member(row, record);
    json_put_number(object, row->key, ((const CaseResult *)record)->sample != NULL ? error : checker_coarse(error));
}

/* Writes the kind, by which failures of many submissions can be counted. */
static void put_kind(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    Text kind = {0};
    hidden_finding_add_kind(&kind, &((const CaseResult *)record)->finding);
    cJSON_AddStringToObject(object, row->key, kind.data);
    text_free(&kind);
}

RECORD_PUT(put_case_verdict, CaseResult, cJSON_AddStringToObject(object, row->key, it->judged ? verdict_name(it->verdict) : "not run"))
RECORD_PUT(put_timed, CaseResult, cJSON_AddBoolToObject(object, row->key, it->group == CASE_TIMED))
RECORD_PUT(put_sizes, CaseResult, cJSON_AddItemToObject(object, row->key, sizes_json(((const Result *)root)->problem, &it->sizes)))
RECORD_WHEN(is_not_hidden, CaseResult, it->group != CASE_HIDDEN)
RECORD_WHEN(has_drawn_sizes, CaseResult, it->draws_sizes)
RECORD_WHEN(has_failed, CaseResult, it->judged && it->verdict != VERDICT_ACCEPTED)
RECORD_WHEN(has_error, CaseResult, it->errors.known)
RECORD_WHEN(has_all_errors, CaseResult, it->errors.known && it->group != CASE_HIDDEN)
RECORD_WHEN(was_timed, CaseResult, it->judged && it->group == CASE_TIMED)

RECORD(case_table, CaseResult,
    ROW(CaseResult, name, "name"),
    ROW_HAND("verdict", .put = put_case_verdict),
    ROW_HAND("timed", .put = put_timed),
    ROW_HAND("sizes", .when = is_not_hidden, .put = put_sizes, .about = "samples, hidden cases, then timed cases: the name in the testcase file, or `hidden 4`; the verdict, or `not run`; whether it is timed; the sizes, if not hidden"),
    ROW_HAND("drawn_sizes", .when = has_drawn_sizes, .put = put_sizes, .about = "of a hidden case, those that were drawn from `seed`"),
    ROW(CaseResult, text, "text", .sparse = true, .about = "one sentence about a failure, which [reveals little](../explanation/security.md#what-a-grading-reveals-about-hidden-data) about hidden and timed cases"),
    ROW_HAND("kind", .when = has_failed, .put = put_kind, .about = "the [kind of mistake](verdicts.md#kinds-of-mistakes)"),
    ROW(CaseResult, errors.max, "max_error", .when = has_error, .put = put_error),
    ROW(CaseResult, errors.mean, "mean_error", .when = has_all_errors, .put = put_error),
    ROW(CaseResult, errors.bound, "bound", .when = has_all_errors, .put = put_error, .about = "largest and mean error, and the bound of the element closest to its bound; rounded up to a power of ten except for samples. A hidden case has only `max_error`, if it is wrong"),
    ROW_BEHIND(CaseResult, sample, NULL, details_table),
    ROW_SAME(NULL, timed_table, .when = was_timed));

#define CASES ROW_LIST(Result, cases, case_count, "cases", case_table)

RECORD(cases_table, Result,
    CASES);

/* ---- device and sitting ------------------------------------------------------------------------------------------ */

RECORD_OPEN(anchor_table, AnchorTimes,
    ROW(AnchorTimes, name, "name"),
    ROW(AnchorTimes, before_ms, "before_ms", .sparse = true),
    ROW(AnchorTimes, after_ms, "after_ms", .sparse = true),
    ROW(AnchorTimes, drift, "drift"));

RECORD(block_table, BlockConditions,
    ROW(BlockConditions, sm_clock_mhz, "sm_clock_mhz", .sparse = true),
    ROW(BlockConditions, temperature_c, "temperature_c", .sparse = true),
    ROW(BlockConditions, disturbance, "disturbance", .sparse = true));

RECORD_WHEN(has_anchor, Result, it->anchor.name[0] != '\0')
RECORD_WHEN(has_usual_launch, Result, it->device.usual_launch_s > 0)
RECORD_WHEN(has_blocks, Result, it->block_count > 0)
RECORD_PUT(put_host_constant, Result, json_put_number(object, row->key, 1e6 * device_host_constant_s(&it->device)))

#define ANCHOR ROW_OBJECT(Result, anchor, "anchor", anchor_table, .when = has_anchor, .brief = true, .about = "real GPUs: the reference solution timed before and after: `name`, `before_ms`, `after_ms`, `drift` (relative; above 0.02 nothing is ranked)")

RECORD(launch_table, Result,
    ROW(Result, device.clock_gap_s, "clock_gap_us", .scale = 1e6, .sparse = true),
    ROW(Result, device.launch_s, "launch_us", .scale = 1e6, .sparse = true),
    ROW(Result, device.launch_spread_s, "launch_spread_us", .scale = 1e6, .sparse = true),
    ROW(Result, device.usual_launch_s, "usual_launch_us", .scale = 1e6, .sparse = true));

/* The state of a real GPU while the submission was timed. */
RECORD(condition_table, Result,
    ROW_SAME(NULL, launch_table),
    ROW_HAND("host_constant_us", .when = has_usual_launch, .put = put_host_constant, .about = "real GPUs ([timing](../explanation/timing-and-ranks.md)): how much more the host's clock shows than CUDA events around the same work; the time of an empty launch, half of its 95 % interval, and its usual time; what was therefore taken off all times, but not off `samples`"),
    ANCHOR,
    ROW_LIST(Result, blocks, block_count, "blocks", block_table, .sparse = true, .brief = true, .about = "real GPUs: of each block of timed calls `sm_clock_mhz`, `temperature_c`, and `disturbance` (a sentence) if the block does not count"));

static void put_order(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Result *second = record;
    cJSON *order = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < second->case_count; i++)
        cJSON_AddItemToArray(order, cJSON_CreateString(second->cases[call_plan_case(&second->plan, i)].name));
}

RECORD(second_table, Result,
    ROW(Result, verdict, "verdict", .put = put_verdict),
    ROW(Result, text, "text"),
    ROW_HAND("order", .put = put_order),
    ROW(Result, plan.warm_up_calls, "warm_up_calls", .when = has_blocks),
    ROW(Result, plan.timed_calls, "timed_calls", .when = has_blocks),
    ROW_SAME(NULL, condition_table));

#define SECOND_SITTING ROW_BEHIND(Result, second, "second_sitting", second_table, .brief = true, .about = "a result that was [timed again](../explanation/security.md): `verdict`, `text`, `order` (names of the timed cases), and on a real GPU `warm_up_calls`, `timed_calls`, and keys from `clock_gap_us` to `blocks`. Its times are in `cases[].review`")

RECORD_OPEN(work_table, CaseResult,
    ROW(CaseResult, operations, "operations"),
    ROW(CaseResult, bytes, "bytes"),
    ROW(CaseResult, input_bytes, "input_bytes"));

static void put_work(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Result *result = record;
    cJSON *list = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < result->case_count; i++) {
        if (result->cases[i].group != CASE_TIMED)
            continue;
        cJSON *work = cJSON_CreateObject();
        record_write(&work_table, &result->cases[i], work);
        cJSON_AddItemToArray(list, work);
    }
}

static Status take_second(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record);

/* The members of a sitting that the database keeps. */
RECORD_OPEN(sitting_table, Result,
    ROW_SAME(NULL, launch_table),
    ANCHOR,
    ROW(Result, device.read_bytes_per_s, "read_bytes_per_s", .sparse = true),
    ROW(Result, device.copy_bytes_per_s, "copy_bytes_per_s", .sparse = true),
    ROW(Result, device.fma_flops_per_s, "fma_flops_per_s", .sparse = true),
    ROW_HAND("work", .json = JSON_ARRAY, .put = put_work), /* of each timed case, in their order */
    ROW_BEHIND(Result, second, "second_sitting", second_table, .take = take_second));

/* ---- result ------------------------------------------------------------------------------------------------------ */

static void put_interval(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Percentile *percentile = record;
    cJSON *interval = cJSON_AddArrayToObject(object, row->key);
    json_push_number(interval, percentile->low);
    json_push_number(interval, percentile->high);
}

RECORD_WHEN(has_others, Percentile, it->n > 0)

RECORD(percentile_table, Percentile,
    ROW(Percentile, n, "n"),
    ROW(Percentile, value, "value", .when = has_others),
    ROW_HAND("interval", .when = has_others, .put = put_interval),
    ROW(Percentile, slower, "slower", .when = has_others),
    ROW(Percentile, tied, "tied", .when = has_others));

RECORD(percentiles_table, Result,
    ROW_OBJECT(Result, references, "references", percentile_table),
    ROW_OBJECT(Result, class_, "class", percentile_table));

RECORD(reference_table, ReferenceTime,
    ROW(ReferenceTime, name, "name"),
    ROW(ReferenceTime, time.ms, "score_ms"),
    ROW(ReferenceTime, time.uncertainty, "uncertainty"),
    ROW_OBJECT(ReferenceTime, time, NULL, model_table));

RECORD(use_table, CompileKernel,
    ROW(CompileKernel, registers, "registers"),
    ROW(CompileKernel, shared_bytes, "shared_bytes"),
    ROW(CompileKernel, spill_bytes, "spill_bytes"));

RECORD(kernel_table, CompileKernel,
    ROW(CompileKernel, name, "name"),
    ROW_SAME(NULL, use_table));

static void put_largest_use(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const CompileKernel most = result_largest_use(record);
    record_write(&use_table, &most, object);
}

RECORD_WHEN(has_kernels, Compiled, it->kernel_count > 0)
RECORD_PUT(put_diagnostics, Compiled, cJSON_AddStringToObject(object, row->key, it->diagnostics.length == 0 ? "" : it->diagnostics.data))

RECORD(compile_table, Compiled,
    ROW(Compiled, seconds, "seconds"),
    ROW(Compiled, cached, "cached"),
    ROW_HAND(NULL, .when = has_kernels, .put = put_largest_use),
    ROW_LIST(Compiled, kernels, kernel_count, "kernels", kernel_table),
    ROW_HAND("diagnostics", .put = put_diagnostics));

RECORD(step_table, StepSeconds,
    ROW(StepSeconds, start, "start"),
    ROW(StepSeconds, compile, "compile"),
    ROW(StepSeconds, sample, "sample"),
    ROW(StepSeconds, hidden, "hidden"),
    ROW(StepSeconds, timed, "timed"),
    ROW(StepSeconds, second, "second_sitting", .sparse = true),
    ROW(StepSeconds, check, "check", .sparse = true),
    ROW(StepSeconds, open, "open", .sparse = true),
    ROW(StepSeconds, wait, "wait", .sparse = true));

RECORD_WHEN(has_opinion, SecondOpinion, it->none == NULL)
RECORD_WHEN(differs, SecondOpinion, it->none == NULL && it->reason != OPINION_AGREES)
RECORD_PUT(put_agrees, SecondOpinion, cJSON_AddBoolToObject(object, row->key, it->reason == OPINION_AGREES))
RECORD_PUT(put_reason, SecondOpinion, cJSON_AddStringToObject(object, row->key, opinion_reason_name(it->reason)))

RECORD(opinion_table, SecondOpinion,
    ROW(SecondOpinion, device, "device_name"),
    ROW(SecondOpinion, none, "none"),
    ROW(SecondOpinion, verdict, "verdict", .when = has_opinion, .put = put_verdict),
    ROW_HAND("agrees", .when = has_opinion, .put = put_agrees, .about = "real GPUs: the [second opinion](../explanation/cost-model.md#a-second-opinion): its device; then either the reason for having none, or its verdict, and whether it agrees"),
    ROW(SecondOpinion, place, "case", .when = differs, .sparse = true),
    ROW(SecondOpinion, text, "text", .when = differs, .sparse = true, .about = "if it disagrees: the deciding case, and a sentence"),
    ROW_HAND("reason", .when = differs, .put = put_reason, .about = "and why: `undefined behaviour`, `race`, `rule` (a real GPU does not show who wrote what), `a limit of the judge` or `unexplained`; after running it again `varies` (accepted), `ptxas` (accepted with `-Xptxas -O0`) or `not ptxas` (neither)"));

static void put_warnings(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Result *result = record;
    cJSON *warnings = cJSON_AddArrayToObject(object, row->key);
    for (size_t i = 0; i < result->warning_count; i++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(result->warnings[i]));
}

static void put_doubts(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    cJSON *doubts = NULL;
    for (int i = 0; i < MODEL_DOUBTS; i++)
        if (result_score_has_doubt(record, i)) {
            doubts = doubts == NULL ? cJSON_AddArrayToObject(object, row->key) : doubts;
            cJSON_AddItemToArray(doubts, cJSON_CreateString(result_doubt_words(i)));
        }
}

RECORD_PUT(put_problem, Result, cJSON_AddStringToObject(object, row->key, it->problem->id))
RECORD_PUT(put_revision, Result, cJSON_AddStringToObject(object, row->key, it->problem->revision.hex))
RECORD_WHEN(is_modelled, Result, it->device.modelled)
RECORD_WHEN(was_asked, Result, it->opinion.asked)

RECORD_PUBLIC(result_table, Result,
    ROW_SCHEMA("schema", 1),
    ROW(Result, verdict, "verdict", .put = put_verdict, .about = "the [verdict](verdicts.md) of the first case that failed"),
    ROW(Result, text, "text", .about = "one sentence about it; empty if accepted"),
    ROW(Result, rank_status, "rank_status", .about = "the [state](verdicts.md) of an accepted run"),
    ROW(Result, run, "run", .sparse = true, .about = "number in the leaderboard, if recorded"),
    ROW_HAND("problem", .put = put_problem),
    ROW_HAND("revision", .put = put_revision, .about = "id; hash of signature, timed cases with their files, and tolerance"),
    ROW(Result, file_name, "file"),
    ROW(Result, source.hex, "source_hash"),
    ROW(Result, compiled.machine_code.hex, "machine_code", .about = "name of the file; hash of its text; digest of everything compiled from it that runs"),
    ROW(Result, person, "person"),
    ROW(Result, time_utc, "time_utc", .about = "who submitted it; when the grading began"),
    ROW(Result, seed, "seed", .sparse = true, .about = "64 hexadecimal digits, new in every grading; random data follows from it, except in calls timed on a real GPU"),
    ROW(Result, device.id, "device"),
    ROW(Result, device.name, "device_name"),
    ROW(Result, device.driver, "driver", .about = "id (`sim-h200`; `sim-h200-clang` where clang compiled), name and driver; of a CPU baseline `cpu`, the processors and `gcc`"),
    ROW(Result, device.modelled, "modelled"),
    ROW(Result, device.calibrated, "calibrated", .when = is_modelled, .about = "whether times come from the cost model, and whether that was compared with this hardware"),
    ROW(Result, device.epoch, "epoch", .about = "only times of the same epoch of a device can be compared"),
    ROW(Result, toolkit, "toolkit"),
    ROW(Result, judge, "judge", .about = "the compiler (`nvcc 13.0.88`) and the version of ConvJudge"),
    ROW(Result, sandbox, "sandbox", .about = "`full`, `partial: ` and what is missing, or `none: ` and why"),
    ROW_HAND("warnings", .put = put_warnings, .about = "sentences; about hidden and timed cases at most one, from a fixed list, if accepted"),
    ROW(Result, note, "note", .sparse = true, .about = "a sentence about something allowed but worth knowing, from the samples"),
    ROW(Result, score.ms, "score_ms", .sparse = true),
    ROW(Result, score.uncertainty, "uncertainty", .sparse = true, .about = "geometric mean of the timed cases' times; its uncertainty"),
    ROW_OBJECT(Result, score, NULL, model_table),
    ROW_HAND("model_doubts", .put = put_doubts, .about = "the doubts in words"),
    ROW(Result, gflops, "gflops", .sparse = true),
    ROW(Result, gbytes_per_s, "gbytes_per_s", .sparse = true),
    ROW(Result, roofline, "roofline", .sparse = true, .about = "geometric means over the timed cases; `roofline` is the least time of the direct method on this device over the time"),
    ROW(Result, rank, "rank", .sparse = true, .about = "1 + the number of people who are significantly faster"),
    ROW_SAME("percentile", percentiles_table, .brief = true, .about = "among `references` and `class`: `n` (others), and if that is not 0 `value`, `interval` (the range that ties allow), `slower`, `tied`"),
    ROW_LIST(Result, reference_times, reference_count, "references", reference_table, .brief = true, .about = "the reference solutions, fastest first: `name`, `score_ms`, `uncertainty`, `model_factor`, `model_terms`"),
    ROW_OBJECT(Result, compiled, "compile", compile_table, .brief = true, .about = "`seconds`, `cached`, `diagnostics`, and where nvcc compiled `kernels` with their `name`, `registers`, `shared_bytes`, `spill_bytes`, and the most of any kernel"),
    ROW_OBJECT(Result, seconds, "seconds", step_table, .brief = true, .about = "wall clock of `start`, `compile`, `sample`, `hidden` (prolonged to 0.25 s, 0.5 s, 1 s and so on), `timed`, `second_sitting`; on a real GPU also of their parts `check` (expected outputs), `open` (a broker) and `wait` (for a free, steady device)"),
    ROW_SAME(NULL, condition_table),
    SECOND_SITTING,
    ROW_OBJECT(Result, opinion, "second_opinion", opinion_table, .when = was_asked),
    CASES);

/* clang-format on */

/* ==== writing ===================================================================================================== */

void result_json(const Result *result, Text *out)
{
    record_print(&result_table, result, out);
}

void result_cases_json(const Result *result, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    record_write(&cases_table, result, root);
    json_print(json_get(root, "cases"), out);
    cJSON_Delete(root);
}

void result_timed_json(const Result *result, const CaseResult *item, cJSON *object, const char *key)
{
    record_write_list(&timed_table, item, 1, result, object, key);
}

void result_sitting_json(const Result *result, Text *out)
{
    record_print(&sitting_table, result, out);
}

cJSON *result_percentile_json(const Percentile *percentile)
{
    cJSON *object = cJSON_CreateObject();
    record_write(&percentile_table, percentile, object);
    return object;
}

/* ==== recorded ==================================================================================================== */

static Status take_verdict(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    CaseResult *result = record;
    result->judged = verdict_parse(item->valuestring, &result->verdict); /* else "not run" */
    return STATUS_OK;
}

static Status take_timed(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    if (cJSON_IsTrue(item))
        ((CaseResult *)record)->group = CASE_TIMED;
    return STATUS_OK;
}

/* clang-format off */

RECORD_OPEN(raw_counter_table, DeviceStatistics,
    ROW(DeviceStatistics, sample_error, "sample_uncertainty"));

RECORD_OPEN(raw_case_table, CaseResult,
    ROW(CaseResult, name, "name", .required = true),
    ROW_HAND("verdict", .json = JSON_STRING, .take = take_verdict),
    ROW_HAND("timed", .json = JSON_BOOLEAN, .take = take_timed),
    ROW(CaseResult, time.ms, "time_ms"),
    ROW(CaseResult, time.uncertainty, "uncertainty"),
    ROW_OBJECT(CaseResult, statistics, "counters", raw_counter_table),
    SAMPLES);

RECORD(raw_table, Result,
    ROW_LIST(Result, cases, case_count, "cases", raw_case_table, .required = true),
    ROW_SAME("sitting", sitting_table, .required = true));

/* clang-format on */

static const Problem no_problem;

static Status take_second(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    Result *second = ((Result *)record)->second = zeroed(1, sizeof *second);
    *second = (Result){.problem = &no_problem, .person = "", .text = ""};
    return record_read(&sitting_table, reading->file, item, &second->arena, second, reading->why);
}

static void find_drift(Result *result)
{
    if (has_anchor(result))
        result->anchor.drift = timing_drift(result->anchor.before_ms, result->anchor.after_ms);
}

/* Computes the times of all timed cases; `list` has the work of each, in their order. */
static Status time_cases(const JsonFile *file, const cJSON *list, Result *result, Message *why)
{
    const cJSON *work = list->child;
    Status status = STATUS_OK;
    for (size_t i = 0; i < result->case_count && status == STATUS_OK; i++) {
        CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        item->time = (MeasuredTime){0};
        if (work != NULL) {
            status = record_read(&work_table, file, work, NULL, item, why);
            work = work->next;
        }
        if (item->judged && item->verdict == VERDICT_ACCEPTED)
            result_time_case(item, &result->device);
    }
    return status;
}

/* The times of the second sitting, which are computed from its samples in the same way. */
static Status time_second(const JsonFile *file, Result *result, Message *why)
{
    Result *second = result->second;
    const cJSON *object;
    Status status = STATUS_OK;
    find_drift(second);
    second->cases = arena_array(&second->arena, result->case_count, sizeof *second->cases);
    cJSON_ArrayForEach(object, json_get(file->root, "cases"))
    {
        const cJSON *review = json_get(object, "review");
        if (status != STATUS_OK || json_get(review, "samples") == NULL)
            continue;
        CaseResult *item = &second->cases[second->case_count++];
        status = record_read(&again_table, file, review, &second->arena, item, why);
        item->group = CASE_TIMED;
        item->name = arena_string(&second->arena, json_string(object, "name"));
        item->text = "";
        item->time = (MeasuredTime){0};
        result_time_case(item, &second->device);
    }
    result_score(second);
    return status;
}

static Status compute_again(const JsonFile *file, bool is_accepted, Result *result, bool *complete, Message *why)
{
    const cJSON *work = json_get(json_get(file->root, "sitting"), "work");
    MeasuredTime *times = arena_array(&result->arena, result->case_count, sizeof *times);
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        CaseResult *item = &result->cases[i];
        item->text = "";
        if (item->group == CASE_TIMED)
            times[count++] = item->time;
        else if (strncmp(item->name, "hidden ", 7) == 0)
            item->group = CASE_HIDDEN;
    }
    *complete = work != NULL;
    if (!*complete) {
        if (is_accepted)
            result->score = timing_score(times, count);
        return STATUS_OK;
    }
    find_drift(result);
    TRY(time_cases(file, work, result, why));
    if (result->second != NULL)
        TRY(time_second(file, result, why));
    if (is_accepted)
        result_score(result);
    return STATUS_OK;
}

Status recorded_result(const char *place, const char *cases, const char *sitting, bool is_accepted, Result *result,
                       bool *complete, JsonFile *record, Message *why)
{
    Text text = {0};
    *result = (Result){.problem = &no_problem, .person = "", .text = ""};
    text_add(&text, "{\"cases\": "); /* a JsonFile is always an object */
    text_add(&text, cases);
    text_add(&text, ", \"sitting\": ");
    text_add(&text, sitting);
    text_add(&text, "}");
    Status status = json_parse(place, text.data, text.length, record, why);
    text_free(&text);
    THEN(status, record_read(&raw_table, record, record->root, &result->arena, result, why));
    THEN(status, compute_again(record, is_accepted, result, complete, why));
    return status;
}
