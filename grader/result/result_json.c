#include "grader/result/result_json.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* ==== recorded ==================================================================================================== */

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *string(const cJSON *object, const char *key, Arena *arena)
{
    const char *text = json_string(object, key);
    return arena_string(arena, text == NULL ? "" : text);
}

static void take_samples(const cJSON *list, CaseResult *item, Arena *arena)
{
    const cJSON *sample;
    item->samples = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *item->samples);
    cJSON_ArrayForEach(sample, list)
    {
        item->samples[item->sample_count++] = (CaseSample){
            .event_s = 1e-3 * number(sample, "event_ms"),
            .host_s = 1e-3 * number(sample, "host_ms"),
            .block = (int)number(sample, "block"),
            .charged_s = 1e-3 * number(sample, "charged_ms"),
        };
    }
}

static void take_case(const cJSON *object, CaseResult *item, Arena *arena)
{
    const char *verdict = string(object, "verdict", arena), *name = string(object, "name", arena);
    bool timed = cJSON_IsTrue(json_get(object, "timed"));
    CaseGroup untimed = strncmp(name, "hidden ", 7) == 0 ? CASE_HIDDEN : CASE_SAMPLE;
    *item = (CaseResult){
        .group = timed ? CASE_TIMED : untimed,
        .name = name,
        .text = "",
    };
    item->judged = verdict_parse(verdict, &item->verdict); /* else "not run" */
    item->time = (MeasuredTime){number(object, "time_ms"), number(object, "uncertainty")};
    take_samples(json_get(object, "samples"), item, arena);
}

static void take_sitting(const cJSON *sitting, Result *result)
{
    const cJSON *anchor = json_get(sitting, "anchor");
    result->device.clock_gap_s = 1e-6 * number(sitting, "clock_gap_us");
    result->device.launch_s = 1e-6 * number(sitting, "launch_us");
    result->device.launch_spread_s = 1e-6 * number(sitting, "launch_spread_us");
    result->device.usual_launch_s = 1e-6 * number(sitting, "usual_launch_us");
    result->device.read_bytes_per_s = number(sitting, "read_bytes_per_s");
    result->device.copy_bytes_per_s = number(sitting, "copy_bytes_per_s");
    result->device.fma_flops_per_s = number(sitting, "fma_flops_per_s");
    if (anchor != NULL) {
        result->anchor.before_ms = number(anchor, "before_ms");
        result->anchor.after_ms = number(anchor, "after_ms");
        result->anchor.drift = timing_drift(result->anchor.before_ms, result->anchor.after_ms);
    }
}

/* Computes the times of all timed cases; `list` has the work of each, in their order. */
static void time_cases(const cJSON *list, Result *result)
{
    const cJSON *work = list->child;
    for (size_t i = 0; i < result->case_count; i++) {
        CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        item->time = (MeasuredTime){0};
        if (work != NULL) {
            item->operations = (int64_t)number(work, "operations");
            item->bytes = (int64_t)number(work, "bytes");
            item->input_bytes = (int64_t)number(work, "input_bytes");
            work = work->next;
        }
        if (item->judged && item->verdict == VERDICT_ACCEPTED)
            result_time_case(item, &result->device);
    }
}

/* The times of the second sitting, which are computed from its samples in the same way. */
static void take_second(const cJSON *cases, const cJSON *sitting, Result *result)
{
    static const Problem no_problem;
    const cJSON *conditions = json_get(sitting, "second_sitting"), *object;
    if (conditions == NULL)
        return;
    Result *second = result->second = zeroed(1, sizeof *second);
    *second = (Result){.problem = &no_problem, .person = "", .text = ""};
    second->cases = arena_array(&second->arena, (size_t)cJSON_GetArraySize(cases), sizeof *second->cases);
    take_sitting(conditions, second);
    cJSON_ArrayForEach(object, cases)
    {
        const cJSON *review = json_get(object, "review");
        if (json_get(review, "samples") == NULL)
            continue;
        CaseResult *item = &second->cases[second->case_count++];
        *item = (CaseResult){.group = CASE_TIMED, .name = string(object, "name", &second->arena), .text = ""};
        take_samples(json_get(review, "samples"), item, &second->arena);
        result_time_case(item, &second->device);
    }
    result_score(second);
}

static void take_all(const cJSON *cases, const cJSON *sitting, bool is_accepted, Result *result, bool *complete)
{
    const cJSON *object, *work = json_get(sitting, "work");
    result->cases = arena_array(&result->arena, (size_t)cJSON_GetArraySize(cases), sizeof *result->cases);
    cJSON_ArrayForEach(object, cases)
    {
        take_case(object, &result->cases[result->case_count++], &result->arena);
    }
    *complete = work != NULL;
    if (*complete) {
        take_sitting(sitting, result);
        time_cases(work, result);
        take_second(cases, sitting, result);
        if (is_accepted)
            result_score(result);
        return;
    }
    MeasuredTime *times = arena_array(&result->arena, result->case_count, sizeof *times);
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_TIMED)
            times[count++] = result->cases[i].time;
    if (is_accepted)
        result->score = timing_score(times, count);
}

Status recorded_result(const char *place, const char *cases, const char *sitting, bool is_accepted, Result *result,
                       bool *complete, Message *why)
{
    static const JsonKey keys[] = {{"cases", JSON_ARRAY, true}, {"sitting", JSON_OBJECT, true}};
    static const Problem no_problem;
    JsonFile file;
    Text text = {0};
    *result = (Result){.problem = &no_problem, .person = "", .text = ""};
    text_printf(&text, "{\"cases\": %s, \"sitting\": %s}", cases, sitting); /* a JsonFile is always an object */
    Status status = json_parse(place, text.data, text.length, &file, why);
    text_free(&text);
    if (status != STATUS_OK)
        return status;
    status = json_check(&file, file.root, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        take_all(json_get(file.root, "cases"), json_get(file.root, "sitting"), is_accepted, result, complete);
    json_free(&file);
    return status;
}

/* ==== result json ================================================================================================= */

enum { SCHEMA = 1 };

/* Leaves out an unknown number, which is 0. */
static void put_known(cJSON *object, const char *key, double value)
{
    if (value > 0)
        json_put_number(object, key, value);
}

static cJSON *wrong_element_item(const WrongElement *element, size_t rank)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *position = cJSON_AddArrayToObject(object, "position");
    for (size_t i = 0; i < rank; i++)
        json_push_number(position, (double)element->position[i]);
    json_put_number(object, "expected", element->expected);
    json_put_number(object, "got", element->got);
    json_put_number(object, "error", element->error);
    json_put_number(object, "bound", element->bound);
    return object;
}

/* The errors of all cases but samples are rounded up to a power of ten. */
static void put_errors(cJSON *object, const CaseResult *item)
{
    const CaseErrors *errors = &item->errors;
    const bool sample = item->sample != NULL;
    if (!errors->known)
        return;
    json_put_number(object, "max_error", sample ? errors->max : checker_coarse(errors->max));
    if (item->group == CASE_HIDDEN)
        return;
    json_put_number(object, "mean_error", sample ? errors->mean : checker_coarse(errors->mean));
    json_put_number(object, "bound", sample ? errors->bound : checker_coarse(errors->bound));
}

static void put_elements(cJSON *object, const char *key, const double *values, size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < count; i++)
        json_push_number(list, values[i]);
}

static void put_output(cJSON *object, const Comparison *comparison, const OutputElements *elements)
{
    if (elements->count == 0)
        return;
    cJSON *output = cJSON_AddObjectToObject(object, "output");
    cJSON *shape = cJSON_AddArrayToObject(output, "shape");
    for (size_t i = 0; i < comparison->rank; i++)
        json_push_number(shape, (double)comparison->shape[i]);
    cJSON_AddStringToObject(output, "type", element_c_name(elements->type));
    put_elements(output, "expected", elements->expected, elements->count);
    put_elements(output, "got", elements->got, elements->count);
    put_elements(output, "bounds", elements->bounds, elements->count);
}

static void put_sample_details(cJSON *object, const SampleDetails *details)
{
    const Comparison *comparison = &details->comparison;
    if (details->compared && comparison->wrong > 0) {
        json_put_number(object, "wrong", (double)comparison->wrong);
        json_put_number(object, "count", (double)comparison->count);
        cJSON_AddItemToObject(object, "first_wrong", wrong_element_item(&comparison->first, comparison->rank));
        cJSON_AddItemToObject(object, "worst_wrong", wrong_element_item(&comparison->worst, comparison->rank));
        put_output(object, comparison, &details->elements);
    }
    if (details->printed[0] != '\0')
        cJSON_AddStringToObject(object, "printed", details->printed);
    put_known(object, "printed_lost", (double)details->printed_lost);
}

/* A single sample has no distribution. */
static void put_timing(cJSON *object, const Timing *timing)
{
    if (timing->count < 2)
        return;
    put_known(object, "min_ms", 1e3 * timing->min_s);
    put_known(object, "p5_ms", 1e3 * timing->p5_s);
    put_known(object, "p95_ms", 1e3 * timing->p95_s);
    json_put_number(object, "variation", timing->variation);
    cJSON_AddStringToObject(object, "clock", timing->host_decided ? "host" : "events");
}

static void put_calls(cJSON *object, const char *key, const CaseSample *samples, size_t count, bool in_blocks)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (const CaseSample *sample = samples; sample < samples + count; sample++) {
        cJSON *item = cJSON_CreateObject();
        json_put_number(item, "event_ms", 1e3 * sample->event_s);
        put_known(item, "host_ms", 1e3 * sample->host_s);
        put_known(item, "taken_ms", 1e3 * sample->taken_s);
        put_known(item, "busy_ms", 1e3 * sample->busy_s);
        put_known(item, "charged_ms", 1e3 * sample->charged_s);
        if (in_blocks)
            cJSON_AddNumberToObject(item, "block", sample->block);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_samples(cJSON *object, const CaseResult *item)
{
    const bool in_blocks = item->sample_count > 1;
    put_calls(object, "samples", item->samples, item->sample_count, in_blocks);
    if (item->warm_up_count > 0)
        put_calls(object, "warm_up", item->warm_up, item->warm_up_count, in_blocks);
}

static void put_counters(cJSON *object, const DeviceStatistics *statistics)
{
    if (!statistics->has_counters)
        return;
    cJSON *counters = cJSON_AddObjectToObject(object, "counters");
    const SimCounters *c = &statistics->counters;
    json_put_number(counters, "kernels", (double)statistics->kernels);
    json_put_number(counters, "copies", (double)statistics->copies);
#define SUMMARY(NAME, WORDS, VALUE) json_put_number(counters, #NAME, (double)(VALUE));
#include "simgpu/cost/counters.def"
    if (statistics->sampled_share > 0 && statistics->sampled_share < 1) {
        json_put_number(counters, "sampled_blocks", statistics->sampled_share);
        json_put_number(counters, "sample_uncertainty", statistics->sample_error);
    }
    json_put_number(counters, "occupancy", statistics->occupancy);
    cJSON_AddStringToObject(counters, "limiter", statistics->limiter);
    cJSON_AddStringToObject(counters, "longest_kernel", statistics->longest);
}

/* What a case was held against that was timed again, and its time in the second sitting. */
static void put_review(cJSON *object, const Result *result, const CaseResult *item)
{
    const CaseResult *second = result_second_case(result, item);
    if (result->second == NULL)
        return;
    cJSON *review = cJSON_AddObjectToObject(object, "review");
    if (item->known_ms > 0) {
        json_put_number(review, "known_ms", item->known_ms);
        cJSON_AddStringToObject(review, "known_of", item->known_of);
    }
    if (second == NULL)
        return;
    json_put_number(review, "time_ms", second->time.ms);
    json_put_number(review, "uncertainty", second->time.uncertainty);
    put_samples(review, second);
}

/* What failures of many submissions can be counted by. */
static void put_kind(cJSON *object, const CaseResult *item)
{
    Text kind = {0};
    if (!item->judged || item->verdict == VERDICT_ACCEPTED)
        return;
    hidden_finding_add_kind(&kind, &item->finding);
    cJSON_AddStringToObject(object, "kind", kind.data);
    text_free(&kind);
}

static cJSON *case_item(const Result *result, const CaseResult *item)
{
    const Problem *problem = result->problem;
    cJSON *object = cJSON_CreateObject();
    bool timed = item->group == CASE_TIMED;
    cJSON_AddStringToObject(object, "name", item->name);
    cJSON_AddStringToObject(object, "verdict", item->judged ? verdict_name(item->verdict) : "not run");
    cJSON_AddBoolToObject(object, "timed", timed);
    if (item->group != CASE_HIDDEN)
        cJSON_AddItemToObject(object, "sizes", sizes_json(problem, &item->sizes));
    if (item->text[0] != '\0')
        cJSON_AddStringToObject(object, "text", item->text);
    put_kind(object, item);
    put_errors(object, item);
    if (item->sample != NULL)
        put_sample_details(object, item->sample);
    if (timed && item->judged) {
        put_known(object, "time_ms", item->time.ms);
        put_known(object, "uncertainty", item->time.uncertainty);
        put_timing(object, &item->timing);
        put_samples(object, item);
        if (item->fewer_calls != NULL)
            cJSON_AddStringToObject(object, "fewer_calls", item->fewer_calls);
        put_known(object, "gflops", item->gflops);
        put_known(object, "gbytes_per_s", item->gbytes_per_s);
        put_known(object, "roofline", item->roofline);
        put_counters(object, &item->statistics);
        put_review(object, result, item);
    }
    return object;
}

static cJSON *cases_item(const Result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < result->case_count; i++)
        cJSON_AddItemToArray(list, case_item(result, &result->cases[i]));
    return list;
}

cJSON *result_percentile_json(const Percentile *percentile)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "n", (double)percentile->n);
    if (percentile->n == 0)
        return object;
    json_put_number(object, "value", percentile->value);
    cJSON *interval = cJSON_AddArrayToObject(object, "interval");
    json_push_number(interval, percentile->low);
    json_push_number(interval, percentile->high);
    cJSON_AddNumberToObject(object, "slower", (double)percentile->slower);
    cJSON_AddNumberToObject(object, "tied", (double)percentile->tied);
    return object;
}

static cJSON *compile_item(const Result *result)
{
    const Compiled *compiled = &result->compiled;
    cJSON *object = cJSON_CreateObject();
    CompileKernel most = result_largest_use(compiled);
    cJSON *kernels = cJSON_CreateArray();
    for (size_t i = 0; i < compiled->kernel_count; i++) {
        const CompileKernel *kernel = &compiled->kernels[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", kernel->name);
        cJSON_AddNumberToObject(item, "registers", kernel->registers);
        cJSON_AddNumberToObject(item, "shared_bytes", kernel->shared_bytes);
        cJSON_AddNumberToObject(item, "spill_bytes", kernel->spill_bytes);
        cJSON_AddItemToArray(kernels, item);
    }
    json_put_number(object, "seconds", compiled->seconds);
    cJSON_AddBoolToObject(object, "cached", compiled->cached);
    if (compiled->kernel_count > 0) {
        cJSON_AddNumberToObject(object, "registers", most.registers);
        cJSON_AddNumberToObject(object, "shared_bytes", most.shared_bytes);
        cJSON_AddNumberToObject(object, "spill_bytes", most.spill_bytes);
    }
    cJSON_AddItemToObject(object, "kernels", kernels);
    cJSON_AddStringToObject(object, "diagnostics", compiled->diagnostics.length == 0 ? "" : compiled->diagnostics.data);
    return object;
}

static void put_device(cJSON *root, const DeviceInfo *device)
{
    cJSON_AddStringToObject(root, "device", device->id);
    cJSON_AddStringToObject(root, "device_name", device->name);
    cJSON_AddStringToObject(root, "driver", device->driver);
    cJSON_AddBoolToObject(root, "modelled", device->modelled);
    if (device->modelled)
        cJSON_AddBoolToObject(root, "calibrated", device->calibrated);
    cJSON_AddNumberToObject(root, "epoch", device->epoch);
}

static void put_ladder(cJSON *root, const Result *result)
{
    cJSON *list = cJSON_AddArrayToObject(root, "references");
    for (size_t i = 0; i < result->ladder_count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", result->ladder[i].name);
        json_put_number(item, "score_ms", result->ladder[i].time.ms);
        json_put_number(item, "uncertainty", result->ladder[i].time.uncertainty);
        cJSON_AddItemToArray(list, item);
    }
}

static void put_seconds(cJSON *root, const StepSeconds *seconds)
{
    cJSON *object = cJSON_AddObjectToObject(root, "seconds");
    json_put_number(object, "start", seconds->start);
    json_put_number(object, "compile", seconds->compile);
    json_put_number(object, "sample", seconds->sample);
    json_put_number(object, "hidden", seconds->hidden);
    json_put_number(object, "timed", seconds->timed);
    put_known(object, "second_sitting", seconds->second);
    put_known(object, "check", seconds->check);
    put_known(object, "open", seconds->open);
    put_known(object, "wait", seconds->wait);
}

static void put_anchor(cJSON *root, const AnchorTimes *anchor)
{
    if (anchor->name[0] == '\0')
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "anchor");
    cJSON_AddStringToObject(object, "name", anchor->name);
    put_known(object, "before_ms", anchor->before_ms);
    put_known(object, "after_ms", anchor->after_ms);
    json_put_number(object, "drift", anchor->drift);
}

/* How long an empty launch takes here, and where the ceilings were measured. */
static void put_launch(cJSON *root, const DeviceInfo *device)
{
    put_known(root, "launch_us", 1e6 * device->launch_s);
    put_known(root, "launch_spread_us", 1e6 * device->launch_spread_s);
    put_known(root, "usual_launch_us", 1e6 * device->usual_launch_s);
}

/* The state of a real GPU while the submission was timed. */
static void put_sitting(cJSON *root, const Result *result)
{
    put_known(root, "clock_gap_us", 1e6 * result->device.clock_gap_s);
    put_launch(root, &result->device);
    if (result->device.usual_launch_s > 0)
        json_put_number(root, "host_constant_us", 1e6 * device_host_constant_s(&result->device));
    put_anchor(root, &result->anchor);
    cJSON *list = result->block_count == 0 ? NULL : cJSON_AddArrayToObject(root, "blocks");
    for (size_t i = 0; i < result->block_count; i++) {
        const BlockConditions *block = &result->blocks[i];
        cJSON *item = cJSON_CreateObject();
        put_known(item, "sm_clock_mhz", block->sm_clock_mhz);
        put_known(item, "temperature_c", block->temperature_c);
        if (block->disturbance[0] != '\0')
            cJSON_AddStringToObject(item, "disturbance", block->disturbance);
        cJSON_AddItemToArray(list, item);
    }
}

/* The times are with the cases. */
static void put_second_sitting(cJSON *root, const Result *result)
{
    const Result *second = result->second;
    if (second == NULL)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "second_sitting");
    cJSON_AddStringToObject(object, "verdict", verdict_name(second->verdict));
    cJSON_AddStringToObject(object, "text", second->text);
    cJSON *order = cJSON_AddArrayToObject(object, "order");
    for (size_t i = 0; i < second->case_count; i++)
        cJSON_AddItemToArray(order, cJSON_CreateString(second->cases[call_plan_case(&second->plan, i)].name));
    if (second->block_count > 0) {
        cJSON_AddNumberToObject(object, "warm_up_calls", second->plan.warm_up_calls);
        cJSON_AddNumberToObject(object, "timed_calls", second->plan.timed_calls);
    }
    put_sitting(object, second);
}

/* Of an opinion that agrees, nothing but the verdict. */
static void put_second_opinion(cJSON *root, const SecondOpinion *opinion)
{
    if (!opinion->asked)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "second_opinion");
    if (opinion->device != NULL)
        cJSON_AddStringToObject(object, "device_name", opinion->device);
    if (opinion->none != NULL) {
        cJSON_AddStringToObject(object, "none", opinion->none);
        return;
    }
    cJSON_AddStringToObject(object, "verdict", verdict_name(opinion->verdict));
    cJSON_AddBoolToObject(object, "agrees", opinion->reason == OPINION_AGREES);
    if (opinion->reason == OPINION_AGREES)
        return;
    if (opinion->place[0] != '\0')
        cJSON_AddStringToObject(object, "case", opinion->place);
    if (opinion->text[0] != '\0')
        cJSON_AddStringToObject(object, "text", opinion->text);
    cJSON_AddStringToObject(object, "reason", opinion_reason_name(opinion->reason));
}

static void put_identity(cJSON *root, const Result *result)
{
    cJSON_AddStringToObject(root, "problem", result->problem->id);
    cJSON_AddStringToObject(root, "revision", result->problem->revision.hex);
    cJSON_AddStringToObject(root, "file", result->file_name);
    cJSON_AddStringToObject(root, "source_hash", result->source.hex);
    cJSON_AddStringToObject(root, "machine_code", result->compiled.machine_code.hex);
    cJSON_AddStringToObject(root, "person", result->person);
    cJSON_AddStringToObject(root, "time_utc", result->time_utc);
    if (result->seed[0] != '\0')
        cJSON_AddStringToObject(root, "seed", result->seed);
}

void result_json(const Result *result, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddStringToObject(root, "verdict", verdict_name(result->verdict));
    cJSON_AddStringToObject(root, "text", result->text);
    cJSON_AddStringToObject(root, "rank_status", result->rank_status);
    if (result->run != 0)
        cJSON_AddNumberToObject(root, "run", (double)result->run);
    put_identity(root, result);
    put_device(root, &result->device);
    cJSON_AddStringToObject(root, "toolkit", result->toolkit);
    cJSON_AddStringToObject(root, "judge", result->judge);
    cJSON_AddStringToObject(root, "sandbox", result->sandbox);
    cJSON *warnings = cJSON_AddArrayToObject(root, "warnings");
    for (size_t i = 0; i < result->warning_count; i++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(result->warnings[i]));
    put_known(root, "score_ms", result->score.ms);
    put_known(root, "uncertainty", result->score.uncertainty);
    put_known(root, "gflops", result->gflops);
    put_known(root, "gbytes_per_s", result->gbytes_per_s);
    put_known(root, "roofline", result->roofline);
    put_known(root, "rank", (double)result->rank);
    cJSON *percentile = cJSON_AddObjectToObject(root, "percentile");
    cJSON_AddItemToObject(percentile, "references", result_percentile_json(&result->references));
    cJSON_AddItemToObject(percentile, "class", result_percentile_json(&result->class_));
    put_ladder(root, result);
    cJSON_AddItemToObject(root, "compile", compile_item(result));
    put_seconds(root, &result->seconds);
    put_sitting(root, result);
    put_second_sitting(root, result);
    put_second_opinion(root, &result->opinion);
    cJSON_AddItemToObject(root, "cases", cases_item(result));
    json_print(root, out);
    cJSON_Delete(root);
}

void result_cases_json(const Result *result, Text *out)
{
    cJSON *list = cases_item(result);
    json_print(list, out);
    cJSON_Delete(list);
}

void result_sitting_json(const Result *result, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    const DeviceInfo *device = &result->device;
    put_known(root, "clock_gap_us", 1e6 * device->clock_gap_s);
    put_launch(root, device);
    put_anchor(root, &result->anchor);
    put_known(root, "read_bytes_per_s", device->read_bytes_per_s);
    put_known(root, "copy_bytes_per_s", device->copy_bytes_per_s);
    put_known(root, "fma_flops_per_s", device->fma_flops_per_s);
    cJSON *list = cJSON_AddArrayToObject(root, "work"); /* of each timed case, in their order */
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        cJSON *work = cJSON_CreateObject();
        json_put_number(work, "operations", (double)item->operations);
        json_put_number(work, "bytes", (double)item->bytes);
        json_put_number(work, "input_bytes", (double)item->input_bytes);
        cJSON_AddItemToArray(list, work);
    }
    put_second_sitting(root, result);
    json_print(root, out);
    cJSON_Delete(root);
}
