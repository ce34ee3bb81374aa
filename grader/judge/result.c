#include "grader/judge/result.h"

#include "base/json.h"
#include "base/sandbox.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== case verdicts =============================================================================================== */

enum { CASE_VERDICTS_SCHEMA = 1 };

void case_verdicts_json(const Result *result, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", CASE_VERDICTS_SCHEMA);
    cJSON_AddStringToObject(root, "problem", result->problem->id);
    cJSON_AddStringToObject(root, "revision", result->problem->revision.hex);
    cJSON_AddStringToObject(root, "source_hash", result->source.hex);
    cJSON_AddStringToObject(root, "verdict", verdict_name(result->verdict));
    cJSON *list = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < result->case_count && result->all_cases != NULL; i++) {
        if (result->cases[i].group == CASE_TIMED)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", result->all_cases[i].name);
        cJSON_AddBoolToObject(item, "hidden", result->cases[i].group == CASE_HIDDEN);
        cJSON_AddStringToObject(item, "verdict",
                                result->all_cases[i].judged ? verdict_name(result->all_cases[i].verdict) : "not run");
        cJSON_AddItemToArray(list, item);
    }
    json_print(root, out);
    cJSON_Delete(root);
}

/* ==== second opinion ============================================================================================== */

static const struct {
    const char *name, *words;
} reasons[OPINION_REASONS] = {
    [OPINION_AGREES] = {"agrees", ""},
    [OPINION_UNDEFINED] = {"undefined behaviour",
                           "this is undefined behaviour: what a real GPU makes of it depends on what happens to lie in "
                           "memory, and can change with the sizes, the GPU, and the compiler"},
    [OPINION_RACE] = {"race", "this is a race: what a real GPU makes of it depends on which thread happens to come "
                              "first, and can change from run to run"},
    [OPINION_UNSEEN] = {"rule", "a real GPU does not show which kernel reads and writes what; the simulated one does"},
    [OPINION_UNEXPLAINED] = {"unexplained",
                             "undefined behaviour or a race that the simulated GPU does not recognise, or "
                             "code that asks on which GPU it runs"},
    [OPINION_VARIES] = {"varies",
                        "run again on this GPU, the same program is accepted. This is typical of a race that the "
                        "simulated GPU does not recognise"},
    [OPINION_PTXAS] =
        {"ptxas", "compiled with -Xptxas -O0, the file is accepted on this GPU as well. So ptxas's "
                  "optimisation changes the result. Either the file has undefined behaviour, or ptxas is wrong: the "
                  "one of CUDA 13.0 miscompiles some correct loops over offsets between clamped bounds, such as "
                  "s = max(-radius, -col). Loop over positions instead, c = max(col - radius, 0), or test for the "
                  "border inside the loop"},
    [OPINION_NOT_PTXAS] = {"not ptxas",
                           "compiled with -Xptxas -O0, the file is not accepted on this GPU either. So it is "
                           "not ptxas's optimisation: a race that the simulated GPU does not recognise, "
                           "undefined behaviour, or code that asks on which GPU it runs"},
    [OPINION_JUDGES_LIMIT] = {"a limit of the judge", "the judge cannot run this file on both"},
};

/* Returns what the simulated GPU's finding means on a real GPU. */
static OpinionReason reason_of_mistake(MistakeKind mistake)
{
    switch (mistake) {
#define MISTAKE(constant, words)
#define OUTSIDE(constant, verb, array, kind) case MISTAKE_##constant:
#include "harness/device/mistake.def"
#undef MISTAKE
    case MISTAKE_WRITE_READ_ONLY:
    case MISTAKE_FREED_MEMORY:
    case MISTAKE_NOT_DEVICE_MEMORY:
    case MISTAKE_MISALIGNED:
    case MISTAKE_BARRIER:
    case MISTAKE_UNSET_MBARRIER:
    case MISTAKE_NO_STACK:
    case MISTAKE_BAD_HANDLE:
    case MISTAKE_MIXED_BARRIERS:
    case MISTAKE_UNINITIALISED:
    case MISTAKE_UNSET_VARIABLE:
    case MISTAKE_BAD_SHUFFLE: return OPINION_UNDEFINED;
    case MISTAKE_RACE_OF_BLOCKS:
    case MISTAKE_NO_FENCE:
    case MISTAKE_RACE_OF_WARPS:
    case MISTAKE_RACE_OF_LANES:
    case MISTAKE_RACE_WITH_COPY:
    case MISTAKE_RACE_WITH_PRODUCT:
    case MISTAKE_UNWAITED_PRODUCT:
    case MISTAKE_UNFENCED_PRODUCT:
    case MISTAKE_NO_PROXY_FENCE:
    case MISTAKE_RACE_IN_CLUSTER:
    case MISTAKE_RACE_IN_WARP:
    case MISTAKE_KERNEL_NOT_ORDERED:
    case MISTAKE_COPY_NOT_ORDERED:
    case MISTAKE_NO_GRID_WAIT:
    case MISTAKE_HOST_TOO_EARLY: return OPINION_RACE;
    case MISTAKE_NOT_BY_KERNEL:
    case MISTAKE_FROM_HOST:
    case MISTAKE_NOT_THROUGH_CONSTANTS:
    case MISTAKE_FOREIGN_CODE: return OPINION_UNSEEN;
    default: return OPINION_UNEXPLAINED;
    }
}

OpinionReason opinion_reason(Verdict here, Verdict simulated, MistakeKind mistake)
{
    if (here == simulated)
        return OPINION_AGREES;
    if (here == VERDICT_JUDGE_ERROR)
        return OPINION_JUDGES_LIMIT;
    return simulated == VERDICT_ACCEPTED ? OPINION_UNEXPLAINED : reason_of_mistake(mistake);
}

bool opinion_wants_retry(Verdict here, Verdict simulated)
{
    return simulated == VERDICT_ACCEPTED && (here == VERDICT_WRONG_ANSWER || here == VERDICT_RUN_TIME_ERROR);
}

OpinionReason opinion_reason_of_retry(bool accepted_again, bool accepted_unoptimised)
{
    if (accepted_again)
        return OPINION_VARIES;
    return accepted_unoptimised ? OPINION_PTXAS : OPINION_NOT_PTXAS;
}

const char *opinion_reason_name(OpinionReason reason)
{
    return reasons[reason].name;
}

const char *opinion_reason_words(OpinionReason reason)
{
    return reasons[reason].words;
}

/* ==== verdict ===================================================================================================== */

static const struct {
    const char *name, *folder;
} verdicts[VERDICT_COUNT] = {
    [VERDICT_ACCEPTED] = {"Accepted", "accepted"},
    [VERDICT_WRONG_ANSWER] = {"Wrong Answer", "wrong_answer"},
    [VERDICT_RUN_TIME_ERROR] = {"Run-Time Error", "run_time_error"},
    [VERDICT_TIME_LIMIT_EXCEEDED] = {"Time Limit Exceeded", "time_limit_exceeded"},
    [VERDICT_MEMORY_LIMIT_EXCEEDED] = {"Memory Limit Exceeded", "memory_limit_exceeded"},
    [VERDICT_COMPILE_ERROR] = {"Compile Error", "compile_error"},
    [VERDICT_RULE_VIOLATION] = {"Rule Violation", "rule_violation"},
    [VERDICT_INTEGRITY_VIOLATION] = {"Integrity Violation", "integrity_violation"},
    [VERDICT_JUDGE_ERROR] = {"Judge Error", "judge_error"},
};

const char *verdict_name(Verdict verdict)
{
    return verdicts[verdict].name;
}

const char *verdict_folder(Verdict verdict)
{
    return verdicts[verdict].folder;
}

bool verdict_parse(const char *name, Verdict *verdict)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (strcmp(name, verdicts[i].name) == 0 || strcmp(name, verdicts[i].folder) == 0) {
            *verdict = (Verdict)i;
            return true;
        }
    return false;
}

int verdict_exit_status(Verdict verdict)
{
    return verdict == VERDICT_ACCEPTED ? 0 : verdict == VERDICT_JUDGE_ERROR ? 2 : 1;
}

/* ==== result ====================================================================================================== */

void result_free(Result *result)
{
    if (result->second != NULL)
        result_free(result->second);
    free(result->second);
    compiled_free(&result->compiled);
    arena_free(&result->arena);
    *result = (Result){0};
}

void result_begin(Result *result, const Problem *problem, const Submission *submission)
{
    time_t now = time(NULL);
    struct tm utc;
    *result = (Result){
        .problem = problem,
        .file_name = submission->file_name,
        .source = submission->hash,
        .person = "",
        .judge = CONVJUDGE_VERSION,
        .sandbox = sandbox_level(),
        .unconfined = sandbox_allows_unconfined(),
        .text = "",
    };
    strftime(result->time_utc, sizeof result->time_utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (strcmp(result->sandbox, "full") != 0)
        result_warn(result, "the submission ran with sandbox %s", result->sandbox);
}

static void tell_sizes(const Testcase *testcase, CaseResult *item)
{
    item->sizes = testcase->sizes;
    item->operations = testcase->operations;
    item->bytes = testcase->bytes;
}

void result_list_cases(Result *result, const TestcaseSet *set, const bool wanted[CASE_GROUPS],
                       const Testcase ***testcases)
{
    Arena *arena = &result->arena;
    result->cases = arena_array(arena, set->count, sizeof *result->cases);
    *testcases = arena_array(arena, set->count, sizeof **testcases);
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (!wanted[testcase->group])
            continue;
        (*testcases)[result->case_count] = testcase;
        result->cases[result->case_count++] = (CaseResult){
            .group = testcase->group,
            .name = testcase->group == CASE_HIDDEN ? arena_printf(arena, "hidden %d", testcase->number)
                                                   : arena_string(arena, testcase->name),
            .draws_sizes = testcase->draws_sizes,
            .text = "",
        };
        if (testcase->group != CASE_HIDDEN || testcase->draws_sizes)
            tell_sizes(testcase, &result->cases[result->case_count - 1]);
    }
}

void result_keep_case(Result *result, const Testcase **testcases, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        if (strcmp(result->cases[i].name, name) != 0)
            continue;
        result->cases[kept] = result->cases[i];
        testcases[kept++] = testcases[i];
    }
    result->case_count = kept;
}

void result_warn(Result *result, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < result->warning_count; i++)
        if (strcmp(result->warnings[i], text) == 0)
            return;
    if (result->warning_count < RESULT_MAX_WARNINGS)
        result->warnings[result->warning_count++] = arena_string(&result->arena, text);
}

/* Returns the uncertainty of a case's time, from the anchor's drift and the spread of its samples, or from the share of
 * the blocks that was simulated. */
static double case_uncertainty(const CaseResult *item, double drift)
{
    return timing_uncertainty(fmax(item->timing.half_width, item->statistics.sample_error), drift);
}

static ModelKind model_kind(const char *limiter)
{
    static const struct {
        const char *limiter;
        ModelKind kind;
    } rows[] = {{"l2", MODEL_MEMORY},         {"dram", MODEL_MEMORY},    {"heap", MODEL_MEMORY},
                {"latency", MODEL_WAITING},   {"blocks", MODEL_WAITING}, {"launch", MODEL_WAITING},
                {"constant", MODEL_CONSTANTS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(limiter, rows[i].limiter) == 0)
            return rows[i].kind;
    return MODEL_COMPUTING;
}

bool result_has_doubt(const DeviceStatistics *statistics, ModelDoubt doubt)
{
    enum { MANY_KERNELS = 4 };
    static const double THIN_SHARE = 0.05;
    const SimCounters *counters = &statistics->counters;
    switch (doubt) {
    case DOUBT_unknown_code: return statistics->is_doubtful;
    case DOUBT_thin_sample: return statistics->sampled_share > 0 && statistics->sampled_share < THIN_SHARE;
    case DOUBT_textures: return counters->texture_requests > 0;
    case DOUBT_matrices: return counters->tensor > 0;
    case DOUBT_atomics: return counters->atomic_requests > 0;
    case DOUBT_uneven_blocks: return statistics->has_uneven_blocks;
    case DOUBT_launches: return statistics->kernels > MANY_KERNELS;
    case DOUBT_streams: return statistics->uses_streams;
    case DOUBT_host_work: return statistics->waits_for_host;
    case MODEL_DOUBTS: break;
    }
    return false;
}

bool result_score_has_doubt(const Result *result, ModelDoubt doubt)
{
    for (size_t i = 0; i < result->case_count && result->device.modelled; i++)
        if (result->cases[i].time.ms > 0 && result_has_doubt(&result->cases[i].statistics, doubt))
            return true;
    return false;
}

const char *result_doubt_words(ModelDoubt doubt)
{
#define DOUBT_WORDS(NAME, WORDS) [DOUBT_##NAME] = WORDS,
    static const char *const words[] = {MODEL_DOUBT_LIST(DOUBT_WORDS)};
    return words[doubt];
}

/* Gives a modelled time its terms: what limits the kernel, and each doubt. */
static void set_model(const DeviceStatistics *statistics, const DeviceInfo *device, MeasuredTime *time)
{
#define DOUBT_NAME(NAME, WORDS) [DOUBT_##NAME] = #NAME,
    static const char *const names[] = {MODEL_DOUBT_LIST(DOUBT_NAME)};
    Text text = {0};
    const char *limiter = statistics->limiter[0] == '\0' ? "copies" : statistics->limiter;
    const double factor = device->model_factors[model_kind(limiter)];
    if (!device->modelled || !(factor >= 1))
        return;
    text_printf(&text, "%s %.4g", limiter, log(factor));
    for (int i = 0; i < MODEL_DOUBTS; i++)
        if (result_has_doubt(statistics, i))
            text_printf(&text, ", %s %.4g", names[i], log(device->doubts[i]));
    *time = time_made(time->ms, time->uncertainty, text.data);
    text_free(&text);
}

void result_time_case(CaseResult *item, const DeviceInfo *device)
{
    item->timing = timing_of(item->samples, item->sample_count, device->clock_gap_s);
    if (!(item->timing.time_s > 0))
        return;
    if (device->usual_launch_s > 0)
        timing_take_off(&item->timing, device_host_constant_s(device), device->launch_spread_s);
    const double time_s = item->timing.time_s;
    item->time = time_made(1e3 * time_s, case_uncertainty(item, 0), NULL);
    set_model(&item->statistics, device, &item->time);
    item->gflops = (double)item->operations / time_s * 1e-9;
    item->gbytes_per_s = (double)item->bytes / time_s * 1e-9;
    if (device->copy_bytes_per_s > 0 && device->fma_flops_per_s > 0)
        item->roofline = fmax((double)item->bytes / device->copy_bytes_per_s,
                              (double)item->operations / device->fma_flops_per_s) /
                         time_s;
}

const CaseResult *result_second_case(const Result *result, const CaseResult *item)
{
    const Result *second = result->second;
    for (size_t i = 0; second != NULL && i < second->case_count; i++)
        if (item->group == CASE_TIMED && second->cases[i].time.ms > 0 && strcmp(second->cases[i].name, item->name) == 0)
            return &second->cases[i];
    return NULL;
}

/* The times of all timed cases; each gets the uncertainty of the sitting. */
static MeasuredTime *timed_cases(Result *result, Arena *arena, size_t *count)
{
    MeasuredTime *times = arena_array(arena, result->case_count, sizeof *times);
    *count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        if (item->time.ms > 0)
            item->time.uncertainty = case_uncertainty(item, result->anchor.drift);
        times[(*count)++] = item->time;
    }
    return times;
}

/* Sets the geometric means over the timed cases, which all have a time. */
static void average_rates(Result *result, double count)
{
    double log_gflops = 0, log_gbytes = 0, log_roofline = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        log_gflops += log(item->gflops);
        log_gbytes += log(item->gbytes_per_s);
        log_roofline += log(item->roofline); /* unknown, 0, stays 0: exp(log(0)) */
    }
    result->gflops = exp(log_gflops / count);
    result->gbytes_per_s = exp(log_gbytes / count);
    result->roofline = exp(log_roofline / count);
}

void result_score(Result *result)
{
    Arena arena = {0};
    size_t count;
    const MeasuredTime *times = timed_cases(result, &arena, &count);
    result->score = timing_score(times, count);
    if (result->score.ms > 0) {
        average_rates(result, (double)count);
        time_mean_model(times, count, &result->score);
    }
    arena_free(&arena);
}

void result_find_unsteady(Result *result)
{
    char *text = result->unsteady;
    const size_t size = sizeof result->unsteady;
    const AnchorTimes *anchor = &result->anchor;
    for (size_t i = 0; i < result->block_count && text[0] == '\0'; i++)
        if (result->blocks[i].disturbance[0] != '\0')
            snprintf(text, size, "the GPU was disturbed: %s", result->blocks[i].disturbance);
    if (text[0] == '\0' && !(anchor->drift <= TIMING_MOST_DRIFT))
        snprintf(text, size, "the GPU was not steady: the anchor %s drifted by %.1f %%", anchor->name,
                 100 * anchor->drift);
}

const CaseResult *result_failed_case(const Result *result)
{
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].judged && result->cases[i].verdict != VERDICT_ACCEPTED)
            return &result->cases[i];
    return NULL;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

CompileKernel result_largest_use(const Compiled *compiled)
{
    CompileKernel most = {.name = ""};
    for (size_t i = 0; i < compiled->kernel_count; i++) {
        const CompileKernel *kernel = &compiled->kernels[i];
        most.registers = larger(most.registers, kernel->registers);
        most.shared_bytes = larger(most.shared_bytes, kernel->shared_bytes);
        most.spill_bytes = larger(most.spill_bytes, kernel->spill_bytes);
    }
    return most;
}
