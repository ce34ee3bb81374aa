#include "grader/report/explain_report.h"

#include "base/arena.h"
#include "base/paths.h"
#include "base/record.h"
#include "grader/judge/judge.h"
#include "grader/report/report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== explain run ================================================================================================= */

Status explain_hardware(const char *handle, HardwareProfile *hardware, Message *why)
{
    const char *colon = strchr(handle, ':');
    char folder[4096];
    TRY(paths_home("simgpu/profiles", folder, sizeof folder, why));
    return hardware_profile_read(folder, colon == NULL ? "" : colon + 1, hardware, why);
}

static void explain_cases(const Problem *problem, const Submission *submission, const CaseChoice *choice,
                          ExplainRun *run)
{
    const Explanation *explanations[JOB_MAX_PROFILES];
    run->case_count = run->result.case_count < JOB_MAX_PROFILES ? run->result.case_count : JOB_MAX_PROFILES;
    run->cases = zeroed(run->case_count, sizeof *run->cases);
    for (size_t i = 0; i < run->case_count; i++) {
        ExplainedCase *one = &run->cases[i];
        const CaseResult *item = &run->result.cases[i];
        *one = (ExplainedCase){
            .item = item, .number = choice->number > 0 ? choice->number : (int)i + 1, .time = item->time};
        explain(&run->profiles[i], &run->hardware, 1e-3 * item->time.ms, &one->explanation);
        facts_of(&one->explanation, problem, &item->sizes, (double)item->operations, one->facts);
        explanations[i] = &one->explanation;
    }
    run->advice_count = advisor_find(explanations, run->case_count, submission->source.data, run->advice);
}

Status explain_run(const Problem *problem, const Submission *submission, const char *device, const CaseChoice *choice,
                   Progress *progress, ExplainRun *run, Message *why)
{
    *run = (ExplainRun){.profiles = zeroed(JOB_MAX_PROFILES, sizeof *run->profiles)};
    const JudgeJob job = {
        .problem = problem,
        .submission = submission,
        .device = device,
        .timed_only = true,
        .only_timed_case = choice->number > 0 ? choice->name : NULL,
        .profiles = run->profiles,
        .progress = progress,
    };
    Status status = judge_submission(&job, &run->result, why);
    if (status != STATUS_OK || run->result.verdict != VERDICT_ACCEPTED || run->result.case_count == 0)
        return status;
    TRY(explain_hardware(run->result.device.handle, &run->hardware, why));
    explain_cases(problem, submission, choice, run);
    return STATUS_OK;
}

void explain_run_free(ExplainRun *run)
{
    for (size_t i = 0; i < run->case_count; i++)
        explanation_free(&run->cases[i].explanation);
    free(run->cases);
    free(run->profiles);
    result_free(&run->result);
    *run = (ExplainRun){0};
}

double explain_run_step_gain(const ExplainRun *run)
{
    return run->next.step == NULL ? 0 : 1 - run->next.example.ms / run->next.time.ms;
}

/* After a step, what the call does besides its kernels is a larger share of a shorter time. */
static void leave_out_small_defects(ExplainRun *run)
{
    const double least = ADVISOR_LEAST_GAIN * (run->next.is_taken ? 1 : 1 - explain_run_step_gain(run));
    size_t count = 0;
    for (size_t i = 0; i < run->advice_count; i++)
        if (run->advice[i].gain >= least)
            run->advice[count++] = run->advice[i];
    run->advice_count = count;
}

Status explain_run_next(ExplainRun *run, const Steps *steps, const ReferenceTime *times, size_t count,
                        MeasuredTime time, bool one_case, Message *why)
{
    StepCase cases[JOB_MAX_PROFILES];
    for (size_t i = 0; i < run->case_count; i++)
        cases[i] = (StepCase){
            .name = run->cases[i].item->name, .time = run->cases[i].time, .facts = run->cases[i].facts};
    Status status = steps_next(steps, times, count, time, one_case, cases, run->case_count, &run->next, why);
    for (size_t i = 0; i < run->case_count && status == STATUS_OK; i++)
        run->cases[i].example = cases[i].example;
    leave_out_small_defects(run);
    return status;
}

bool explain_run_tells_defect(const ExplainRun *run)
{
    return run->advice_count > 0 && (run->next.is_taken || run->advice[0].gain > explain_run_step_gain(run));
}

/* ==== what is told ================================================================================================ */

static const double TOP_QUARTER = 75;

static bool is_among_the_fastest(const ExplainReport *report)
{
    const Percentile *references = &report->timed->references;
    return report->run->case_count == (size_t)report->timed_count && references->n > 0 &&
           references->value >= TOP_QUARTER;
}

Telling explain_telling(const ExplainReport *report)
{
    if (explain_run_tells_defect(report->run))
        return TELL_DEFECT;
    if (report->run->next.step != NULL)
        return TELL_STEP;
    return is_among_the_fastest(report) ? TELL_NOTHING : TELL_LINES;
}

/* Returns the limit of the kernel that takes most of the time. */
static const char *limiter_of_case(const Explanation *explanation)
{
    const ExplainedKernel *longest = NULL;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        if (longest == NULL || explanation->kernels[i].share > longest->share)
            longest = &explanation->kernels[i];
    return longest == NULL ? "" : limiter_words(longest->cost.limiter);
}

/* The slowest reference solution that is surely faster; NULL: none is, or none has a time. */
static const ReferenceTime *next_to_beat(const Result *timed)
{
    const ReferenceTime *next = NULL;
    for (size_t i = 0; i < timed->reference_count; i++)
        if (time_is_faster(timed->reference_times[i].time, timed->score))
            next = &timed->reference_times[i];
    return next;
}

/* What is said about the defect or the step that is told, or why there is none: pages and terminals show the same. */
static void add_words(const ExplainReport *report, Text *out)
{
    const NextStep *next = &report->run->next;
    const ReferenceTime *beat = report->run->case_count == (size_t)report->timed_count ? next_to_beat(report->timed)
                                                                                       : NULL;
    switch (report->telling) {
    case TELL_DEFECT:
        if (next->step != NULL && !next->is_taken)
            text_printf(out, "The next step comes after that: %s.", next->step->title);
        return;
    case TELL_STEP:
        text_printf(out, "%s does this, and takes %s where your file takes %s: %s less.", next->step->example,
                    quantity_time(next->example.ms).text, quantity_time(next->time.ms).text,
                    quantity_percent(explain_run_step_gain(report->run), 0).text);
        if (next->is_taken)
            text_add(out, " Your file seems to do it already, so compare the two.");
        return;
    case TELL_LINES:
        text_printf(out,
                    "No step of the problem's ladder and no measured defect fits this file. Case %d is limited by %s.",
                    report->shown->number, limiter_of_case(&report->shown->explanation));
        if (beat != NULL)
            text_printf(out, " The next reference solution to beat is %s, with %s.", beat->name,
                        quantity_time(beat->time.ms).text);
        return;
    case TELL_NOTHING:
        text_printf(out, "No advice: it is among the fastest quarter of the reference solutions (percentile %.0f).",
                    report->timed->references.value);
        return;
    }
}

/* ==== explain json ================================================================================================ */

/* Each counter under its own name, without those that are 0. */
static void put_counters(cJSON *parent, const char *key, const SimCounters *counters)
{
    cJSON *object = cJSON_AddObjectToObject(parent, key);
#define COUNTER(NAME, UNIT)                                                                                            \
    if (counters->NAME > 0)                                                                                            \
        json_put_number(object, #NAME, (double)counters->NAME);
#include "simgpu/cost/counters.def"
}

static void put_parts(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const Cost *cost = &((const ExplainedKernel *)record)->cost;
    cJSON *parts = cJSON_AddObjectToObject(object, row->key);
    for (int i = 0; i < cost->part_count; i++)
        json_put_number(parts, cost->parts[i].name, cost->parts[i].seconds);
}

static const Explanation *shown(const void *root)
{
    return &((const ExplainReport *)root)->shown->explanation;
}

static void put_line_counts(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const ProfileLine *line = record;
#define LINE_COUNTER(NAME, UNIT) json_put_number(object, #NAME, (double)line->counts.NAME);
#include "simgpu/cost/counters.def"
}

static void put_file(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    const ProfileLine *line = record;
    if (!explain_is_own_line(shown(root), line))
        cJSON_AddStringToObject(object, row->key, shown(root)->profile->files[line->file]);
}

/* Writes the figures of Nsight Compute under the names of the simulated counters. */
static void put_metrics(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    static const char *const keys[NCU_METRICS] = {
        [NCU_SECONDS] = "seconds",
        [NCU_OCCUPANCY] = "occupancy",
        [NCU_WARP_INSTRUCTIONS] = "warp_instructions",
        [NCU_LOAD_REQUESTS] = "global_load_requests",
        [NCU_LOAD_SECTORS] = "global_load_sectors",
        [NCU_STORE_SECTORS] = "global_store_sectors",
        [NCU_SHARED_WAVEFRONTS] = "shared_wavefronts",
        [NCU_DRAM_BYTES] = "dram_bytes",
    };
    const NcuKernel *kernel = record;
    for (int metric = 0; metric < NCU_METRICS; metric++)
        if (kernel->values[metric] >= 0)
            json_put_number(object, keys[metric], kernel->values[metric]);
}

/* Facts that are not known are left out. */
static void put_all_facts(cJSON *parent, const char *key, const double *facts)
{
    cJSON *object = cJSON_AddObjectToObject(parent, key);
    for (int i = 0; i < FACT_COUNT; i++)
        if (isfinite(facts[i]))
            json_put_number(object, fact_names[i], facts[i]);
}

static void put_told(cJSON *object, const char *key, const ExplainReport *report)
{
    Text words = {0};
    add_words(report, &words);
    cJSON_AddStringToObject(object, key, words.data == NULL ? "" : words.data);
    text_free(&words);
}

static const char *const telling_words[] = {
    [TELL_DEFECT] = "advice", [TELL_STEP] = "step", [TELL_LINES] = "lines", [TELL_NOTHING] = "nothing"};

/* clang-format off */

RECORD_PUT(put_shared_bytes, ProfileKernel, json_put_number(object, row->key, it->static_shared_bytes + it->shape.dynamic_shared_bytes))
RECORD_PUT(put_kernel_counters, ExplainedKernel, put_counters(object, row->key, &it->profile->counters))
RECORD_PUT(put_line_counters, ProfileLine, put_counters(object, row->key, &it->counts.counters))
RECORD_PUT(put_line_share, ProfileLine, json_put_number(object, row->key, shown(root)->line_shares[it - shown(root)->profile->lines]))
RECORD_PUT(put_case_name, ExplainedCase, cJSON_AddStringToObject(object, row->key, it->item->name))
RECORD_PUT(put_score_share, ExplainedCase, json_put_number(object, row->key, 1.0 / ((const ExplainReport *)root)->timed_count))
RECORD_PUT(put_example, ExplainedCase, json_put_number(object, row->key, 1e-3 * it->example.ms))
RECORD_PUT(put_facts, ExplainedCase, put_all_facts(object, row->key, it->facts))
RECORD_WHEN(has_example, ExplainedCase, it->example.ms > 0)

RECORD(shape_table, ProfileKernel,
    ROW_NUMBERS(ProfileKernel, shape.grid, "grid"),
    ROW_NUMBERS(ProfileKernel, shape.block, "block"),
    ROW(ProfileKernel, launches, "launches"),
    ROW(ProfileKernel, seconds, "seconds"));

RECORD(use_table, ProfileKernel,
    ROW(ProfileKernel, registers, "registers"),
    ROW(ProfileKernel, live_registers, "live_registers"),
    ROW_HAND("shared_bytes", .put = put_shared_bytes),
    ROW(ProfileKernel, local_bytes, "local_bytes"),
    ROW(ProfileKernel, frame_bytes, "frame_bytes", .about = "of a thread; what it needs of them at a time; of a block; of a thread; the same with spilled registers"));

RECORD(kernel_table, ExplainedKernel,
    ROW(ExplainedKernel, name, "name"),
    ROW_BEHIND(ExplainedKernel, profile, NULL, shape_table),
    ROW(ExplainedKernel, share, "share", .about = "all launches of one function in one shape; share of the call's time"),
    ROW(ExplainedKernel, cost.limiter, "bound"),
    ROW(ExplainedKernel, bound_share, "bound_share", .about = "the unit that takes longest; its time over the kernel's"),
    ROW(ExplainedKernel, intensity, "intensity"),
    ROW(ExplainedKernel, gflops, "gflops"),
    ROW(ExplainedKernel, roof_gflops, "roof_gflops", .about = "operations per byte of DRAM traffic, the rate reached, and the possible rate"),
    ROW(ExplainedKernel, cost.occupancy, "occupancy"),
    ROW(ExplainedKernel, occupancy_limit, "occupancy_limit"),
    ROW(ExplainedKernel, waves, "waves"),
    ROW(ExplainedKernel, achieved_occupancy, "achieved_occupancy", .about = "0 to 1; what limits it; how often the grid fills all multiprocessors; the mean over these waves"),
    ROW_BEHIND(ExplainedKernel, profile, NULL, use_table),
    ROW_HAND("parts", .put = put_parts),
    ROW_HAND("counters", .put = put_kernel_counters, .about = "the time of every unit in one launch; sums over all launches"));

RECORD_PUT(put_advice_case, Advice, json_put_number(object, row->key, ((const ExplainReport *)root)->run->cases[it->case_index].number))

RECORD(advice_table, Advice,
    ROW(Advice, id, "id"),
    ROW(Advice, line, "line", .sparse = true),
    ROW_HAND("case", .put = put_advice_case),
    ROW(Advice, gain, "gain"),
    ROW(Advice, text, "text"));

RECORD(step_table, LadderStep,
    ROW(LadderStep, name, "name"),
    ROW(LadderStep, title, "title"),
    ROW(LadderStep, idea, "idea"),
    ROW(LadderStep, example, "example"));

RECORD(next_table, NextStep,
    ROW_BEHIND(NextStep, step, NULL, step_table),
    ROW(NextStep, time.ms, "time_ms"),
    ROW(NextStep, example.ms, "example_ms"),
    ROW(NextStep, is_taken, "is_taken"));

RECORD(case_table, ExplainedCase,
    ROW(ExplainedCase, number, "number"),
    ROW_HAND("name", .put = put_case_name),
    ROW(ExplainedCase, explanation.seconds, "seconds"),
    ROW_HAND("score_share", .put = put_score_share),
    ROW(ExplainedCase, measured_s, "measured_s", .sparse = true),
    ROW_HAND("example_s", .when = has_example, .put = put_example),
    ROW_HAND("facts", .put = put_facts));

RECORD(line_table, ProfileLine,
    ROW(ProfileLine, kernel, "kernel"),
    ROW_HAND("file", .put = put_file),
    ROW(ProfileLine, counts.line, "line"),
    ROW_HAND("share", .put = put_line_share, .about = "index of the kernel; the file if it is not the submission; share of the call's time"),
    ROW_HAND(NULL, .put = put_line_counts),
    ROW_HAND("counters", .put = put_line_counters, .about = "counts, also `executions` by warps, `divisions` and IEEE `float_divisions` of threads, and the least possible `ideal_load_sectors`, `ideal_store_sectors`, `ideal_shared_wavefronts`"));

RECORD(measured_table, NcuKernel,
    ROW(NcuKernel, name, "name"),
    ROW(NcuKernel, launches, "launches"),
    ROW_HAND(NULL, .put = put_metrics));

RECORD(copies_table, ProfileCopies,
    ROW(ProfileCopies, count, "count"),
    ROW(ProfileCopies, bytes, "bytes"),
    ROW(ProfileCopies, seconds, "seconds"));

RECORD_PUT(put_problem, ExplainReport, cJSON_AddStringToObject(object, row->key, it->run->result.problem->id))
RECORD_PUT(put_case, ExplainReport, cJSON_AddStringToObject(object, row->key, it->shown->item->name))
RECORD_PUT(put_cases, ExplainReport, record_write_list(&case_table, it->run->cases, it->run->case_count, it, object, row->key))
RECORD_PUT(put_advice, ExplainReport, record_write_list(&advice_table, it->run->advice, it->run->advice_count, it, object, row->key))
RECORD_PUT(put_words, ExplainReport, put_told(object, row->key, it))
RECORD_PUT(put_telling, ExplainReport, cJSON_AddStringToObject(object, row->key, telling_words[it->telling]))
RECORD_PUT(put_next, ExplainReport, record_write(&next_table, &it->run->next, cJSON_AddObjectToObject(object, row->key)))
RECORD_WHEN(has_next, ExplainReport, it->run->next.step != NULL)
RECORD_PUT(put_kernels, ExplainReport, record_write_list(&kernel_table, shown(it)->kernels, shown(it)->profile->kernel_count, it, object, row->key))
RECORD_PUT(put_host_copies, ExplainReport, record_write(&copies_table, &shown(it)->profile->host_copies, cJSON_AddObjectToObject(object, row->key)))
RECORD_PUT(put_device_copies, ExplainReport, record_write(&copies_table, &shown(it)->profile->device_copies, cJSON_AddObjectToObject(object, row->key)))
RECORD_PUT(put_lines, ExplainReport, record_write_list(&line_table, shown(it)->profile->lines, shown(it)->profile->line_count, it, object, row->key))
RECORD_PUT(put_measured, ExplainReport, record_write_list(&measured_table, it->measurement->kernels, it->measurement->count, it, object, row->key))
RECORD_PUT(put_seconds, ExplainReport, json_put_number(object, row->key, shown(it)->seconds))
RECORD_WHEN(has_measurement, ExplainReport, it->measurement->count > 0)

RECORD(source_table, ExplainRun,
    ROW(ExplainRun, result.file_name, "file"),
    ROW(ExplainRun, result.source.hex, "source_hash"),
    ROW(ExplainRun, result.device.id, "device"));

RECORD_PUBLIC(explain_table, ExplainReport,
    ROW_SCHEMA("schema", 2),
    ROW_HAND("problem", .put = put_problem),
    ROW_BEHIND(ExplainReport, run, NULL, source_table),
    ROW_HAND("case", .put = put_case, .about = "as in result.json; the case that `kernels`, copies and `lines` are about"),
    ROW_HAND("seconds", .put = put_seconds, .about = "of the call: kernels, copies and waits, and the time between two events without work"),
    ROW_HAND("cases", .put = put_cases, .about = "the timed cases: `number` (from 1), `name`, `seconds`, `score_share` (of the score), `measured_s` (on a real GPU), `example_s` (of the step's example), `facts` ([by name](advice.md#facts))"),
    ROW_HAND("telling", .put = put_telling, .about = "what the reader is told first: `advice` (the first of the list), `step`, `lines` (the slowest ones), `nothing` (it is among the fastest quarter)"),
    ROW_HAND("words", .put = put_words, .about = "what is said about that: sentences, or nothing"),
    ROW_HAND("advice", .put = put_advice, .about = "defects, the largest gain first: `id`, `line` if known, `case` (number of the case that loses most by it), `gain` (share of the score, by the model), `text`"),
    ROW_HAND("step", .when = has_next, .put = put_next, .about = "the next step of the problem's ladder: `name`, `title`, `idea`, `example` (file), `time_ms` (the submission's score), `example_ms`, `is_taken` (the file seems to do it already, but takes longer than the example)"),
    ROW_HAND("kernels", .json = JSON_ARRAY, .table = &kernel_table, .put = put_kernels),
    ROW_HAND("host_copies", .put = put_host_copies),
    ROW_HAND("device_copies", .put = put_device_copies, .about = "across the bus, and within the device (with fills): `count`, `bytes`, `seconds`"),
    ROW_HAND("lines", .json = JSON_ARRAY, .table = &line_table, .put = put_lines),
    ROW_HAND("measured", .when = has_measurement, .put = put_measured, .about = "with `--ncu`, each kernel as Nsight Compute saw it: `name`, `launches`, `seconds`, `occupancy`, `warp_instructions`, `global_load_requests`, `global_load_sectors`, `global_store_sectors`, `shared_wavefronts`, `dram_bytes`"));

/* clang-format on */

void explain_json(const ExplainReport *report, Text *out)
{
    record_print(&explain_table, report, out);
}

/* ==== explain listing ============================================================================================= */

/* The source with what each line costs, in columns of figures before it. */

enum {
    FIGURES = 49,      /* columns of them */
    LEAST_SOURCE = 22, /* columns of the source that they leave room for */
    GAP_LINES = 3      /* lines without instructions that are shown around those with instructions */
};

/* Adds a line with four spaces for each tab, cut to `columns` if there is a terminal to fit into. */
static void explain_source_line(const char *text, size_t length, int columns, Text *out)
{
    Text line = {0}, shown = {0};
    for (size_t i = 0; i < length; i++)
        text_append(&line, text[i] == '\t' ? "    " : &text[i], text[i] == '\t' ? 4 : 1);
    terminal_add_line(&shown, line.data == NULL ? "" : line.data);
    if (shown.data != NULL && terminal_columns(shown.data) > columns)
        terminal_pad(out, shown.data, columns);
    else
        text_add(out, shown.data == NULL ? "" : shown.data);
    text_free(&line);
    text_free(&shown);
}

/* Adds a mean in a column, which stays empty if there is nothing to count. */
static void add_mean(Text *out, double sum, double count, int columns)
{
    terminal_pad(out, count > 0 ? quantity_mean(sum / count).text : "", -columns);
}

typedef struct ListingRow { /* one source line, summed over kernels */
    double share;
    SimLine counts;
} ListingRow;

static size_t count_lines(const char *text)
{
    return (size_t)text_line_at(text, strlen(text));
}

/* The rows of the submission's lines, [count + 1] by number. `*elsewhere` is the share of lines in other files. */
static ListingRow *gather_rows(const Explanation *explanation, size_t count, Arena *arena, double *elsewhere)
{
    ListingRow *rows = arena_array(arena, count + 1, sizeof *rows);
    *elsewhere = 0;
    for (uint32_t i = 0; i < explanation->profile->line_count; i++) {
        const ProfileLine *line = &explanation->profile->lines[i];
        bool own = explain_is_own_line(explanation, line) && line->counts.line >= 1 &&
                   (size_t)line->counts.line <= count;
        if (own) {
            rows[line->counts.line].share += explanation->line_shares[i];
            simgpu_line_add(&rows[line->counts.line].counts, &line->counts);
        } else {
            *elsewhere += explanation->line_shares[i];
        }
    }
    return rows;
}

static void add_figures(const ListingRow *row, Text *out)
{
    const SimLine *line = &row->counts;
    const SimCounters *counters = &line->counters;
    double requests = (double)(counters->global_load_requests + counters->global_store_requests);
    double sectors = (double)(counters->global_load_sectors + counters->global_store_sectors);
    double ideal = (double)(line->ideal_load_sectors + line->ideal_store_sectors);
    double shared = (double)(counters->shared_load_requests + counters->shared_store_requests);
    double wavefronts = (double)(counters->shared_load_wavefronts + counters->shared_store_wavefronts);
    double constant = (double)counters->constant_requests;
    terminal_pad(out, quantity_percent(row->share, 1).text, -7);
    terminal_pad(out, quantity_count((double)line->executions).text, -7);
    add_mean(out, (double)counters->lane_instructions, (double)counters->warp_instructions, 6);
    if (requests > 0)
        add_mean(out, sectors, requests, 6);
    else
        add_mean(out, (double)counters->texture_sectors, (double)counters->texture_requests, 6);
    add_mean(out, ideal, requests, 6);
    add_mean(out, shared > 0 ? wavefronts : constant + (double)counters->constant_replays,
             shared > 0 ? shared : constant, 7);
    double divergent = fmin(1, (double)counters->divergent_branches / (double)line->executions);
    terminal_pad(out, divergent > 0 ? quantity_percent(divergent, 0).text : "", -10);
}

static bool is_near_code(const ListingRow *rows, size_t count, size_t line)
{
    for (size_t other = line > GAP_LINES ? line - GAP_LINES : 1; other <= line + GAP_LINES && other <= count; other++)
        if (rows[other].counts.executions > 0)
            return true;
    return false;
}

/* How many columns of figures are shown: those that leave room for the source, from the left. The figures end at each of
 * these columns. */
static int figures_shown(int room)
{
    static const int ends[] = {FIGURES, 39, 32, 20, 7};
    size_t i = 0;
    while (i + 1 < sizeof ends / sizeof *ends && room - ends[i] < LEAST_SOURCE)
        i++;
    return ends[i];
}

static void add_heading(int figures, Text *out)
{
    char above[80], heading[80];
    snprintf(above, sizeof above, "%32s%7s%10s", "sectors", "wave-", "divergent");
    snprintf(heading, sizeof heading, "%7s%7s%6s%6s%6s%7s%10s", "time", "warps", "lanes", "got", "ideal", "fronts",
             "branches");
    text_add(out, "\n");
    if (figures > (int)strspn(above, " "))
        text_printf(out, "%6s%.*s\n", "", figures, above);
    text_printf(out, "%6s%.*s\n", "line", figures, heading);
}

static void add_row(const ListingRow *row, int figures, Text *out)
{
    Text all = {0};
    if (row->counts.executions > 0)
        add_figures(row, &all);
    text_printf(out, "%-*.*s", figures, figures, all.data == NULL ? "" : all.data);
    text_free(&all);
}

/* Adds the lines with instructions, and those around them. A listing of few columns has fewer figures. */
static void explain_listing(const Explanation *explanation, const char *source, TerminalStyle style, int width,
                            Text *out)
{
    enum { AROUND = 9 }; /* columns of the number and of the bar */
    Arena arena = {0};
    const int room = width - AROUND, figures = figures_shown(room);
    size_t count = count_lines(source);
    double elsewhere, own = 0;
    const ListingRow *rows = gather_rows(explanation, count, &arena, &elsewhere);
    bool skipped = false;
    add_heading(figures, out);
    for (size_t number = 1; number <= count; number++) {
        size_t length = strcspn(source, "\n");
        bool shown = is_near_code(rows, count, number);
        if (shown) {
            text_add(out, skipped && own > 0 ? "   ...\n" : "");
            text_printf(out, "%6zu", number);
            add_row(&rows[number], figures, out);
            text_add(out, style.utf8 ? " │ " : " | ");
            explain_source_line(source, length, room - figures, out);
            text_add(out, "\n");
        }
        own += rows[number].share;
        skipped = !shown;
        source += length + (source[length] == '\n');
    }
    text_printf(out, "%6s%7s in header files, %s in launches, block start-up, copies, waiting and events\n", "",
                quantity_percent(elsewhere, 1).text, quantity_percent(fmax(0, 1 - own - elsewhere), 1).text);
    if (figures < FIGURES)
        text_add(out, "      a wider terminal shows more columns\n");
    arena_free(&arena);
}

/* ==== explain report ============================================================================================== */

enum {
    LABEL_COLUMNS = 11,
    LEAST_WIDTH = 100, /* of a listing, unless the terminal is known to be narrower */
};

static const double LEAST_SHARE = 0.05; /* of the time: kernels with less are not shown */

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int width_of(TerminalStyle style)
{
    return !style.redraw && style.width < LEAST_WIDTH ? LEAST_WIDTH : style.width;
}

static void add_label(Text *out, const char *label)
{
    text_add(out, "    ");
    terminal_pad(out, label, LABEL_COLUMNS);
}

/* Names come from the submission and may contain any bytes. */
static void add_name(TerminalStyle style, Text *out, const char *name)
{
    Text shown = {0};
    terminal_add_line(&shown, name);
    terminal_colour(style, out, COLOUR_MARK, shown.data == NULL ? "" : shown.data);
    text_free(&shown);
}

/* Adds words broken into lines of at most `width` columns. The first line begins at column `at`, the others at
 * `indent`. */
static void add_folded(Text *out, const char *words, int at, int indent, int width)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (at + (int)length > width && at > indent) {
            text_printf(out, "\n%*s", indent, "");
            at = indent;
        }
        text_append(out, words, length);
        at += (int)length;
        words += length;
        if (*words == ' ') {
            words++;
            if (at + 1 + (int)strcspn(words, " ") <= width)
                text_add(out, " ");
            at++;
        }
    }
    text_add(out, "\n");
}

/* ---- above the listing ------------------------------------------------------------------------------------------- */

static void add_headline(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Result *result = &report->run->result;
    const Explanation *explanation = &report->shown->explanation;
    text_add(out, "\n");
    add_name(style, out, result->file_name);
    text_printf(out, ", problem %s on %s, case \"%s\": ", result->problem->id, result->device.name,
                report->shown->item->name);
    text_printf(out, "%s (modelled)\n", quantity_time(1e3 * explanation->seconds).text);
    double copies_s = explanation->profile->device_copies.seconds + explanation->profile->host_copies.seconds;
    if (explanation->profile->host_copies.count + explanation->profile->device_copies.count > 0)
        text_printf(out, "  copies and fills: %llu within the device, %llu to or from the host, %s of the time\n",
                    (unsigned long long)explanation->profile->device_copies.count,
                    (unsigned long long)explanation->profile->host_copies.count,
                    quantity_percent(copies_s / explanation->seconds, 0).text);
    if (explanation->wait_s > 0.01 * explanation->seconds)
        text_printf(out, "  the device waits for the host: %s of the time\n",
                    quantity_percent(explanation->wait_s / explanation->seconds, 0).text);
    if (explanation->profile->kernels_left_out > 0)
        text_printf(out, "  launches of kernels that are not shown: %llu\n",
                    (unsigned long long)explanation->profile->kernels_left_out);
    if (explanation->profile->lines_left_out > 0)
        text_printf(out, "  counts for lines that are not shown: %llu\n",
                    (unsigned long long)explanation->profile->lines_left_out);
}

/* The timed cases that were run. All count the same in the score. */
static void add_cases(const ExplainReport *report, TerminalStyle style, Text *out)
{
    enum { TIME_COLUMNS = 11, BOUND_COLUMNS = 18, NAME_COLUMNS = 42 };
    const bool measured = report->gpu != NULL && report->time_note == NULL, has_step = report->telling == TELL_STEP;
    text_printf(out, "\n  %-*s%*s", NAME_COLUMNS + 6, "timed case", TIME_COLUMNS, measured ? "modelled" : "time");
    if (measured)
        text_printf(out, "%*s", TIME_COLUMNS, "measured");
    text_printf(out, "  %-*s%s\n", BOUND_COLUMNS, "limited by", has_step ? " after the step" : "");
    for (size_t i = 0; i < report->run->case_count; i++) {
        const ExplainedCase *one = &report->run->cases[i];
        text_printf(out, "  %s%3d  ", one == report->shown && report->run->case_count > 1 ? ">" : " ", one->number);
        terminal_pad(out, one->item->name, NAME_COLUMNS);
        terminal_pad(out, quantity_time(1e3 * one->explanation.seconds).text, -TIME_COLUMNS);
        if (measured)
            terminal_pad(out, one->measured_s > 0 ? quantity_time(1e3 * one->measured_s).text : "", -TIME_COLUMNS);
        text_add(out, "  ");
        terminal_pad(out, limiter_of_case(&one->explanation), BOUND_COLUMNS);
        if (has_step && one->example.ms > 0)
            text_printf(out, " %s%s", quantity_time(one->example.ms).text,
                        time_is_shorter(one->example, one->time) ? "" : ", no gain");
        text_add(out, "\n");
    }
    if (measured)
        text_printf(out, "  modelled, then measured on %s\n", report->gpu);
    if (report->time_note != NULL) {
        text_add(out, "  not measured: ");
        terminal_add_line(out, report->time_note);
        text_add(out, "\n");
    }
}

static void add_bound(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "bound");
    text_printf(out, "limited by %s (alone: %s of the time)", limiter_words(kernel->cost.limiter),
                quantity_percent(kernel->bound_share, 0).text);
    const CostPart *second = NULL;
    for (int i = 0; i < kernel->cost.part_count; i++) {
        const CostPart *part = &kernel->cost.parts[i];
        if (strcmp(part->name, kernel->cost.limiter) != 0 && (second == NULL || part->seconds > second->seconds))
            second = part;
    }
    if (second != NULL)
        text_printf(out, "; next: %s, %s", limiter_words(second->name),
                    quantity_percent(second->seconds / kernel->cost.seconds, 0).text);
    text_add(out, "\n");
}

static void add_roofline(const HardwareProfile *hardware, const ExplainedKernel *kernel, Text *out)
{
    double ridge = hardware->fma_flops_per_s / hardware->dram_read_bytes_per_s;
    add_label(out, "roofline");
    if (!(kernel->flops > 0)) {
        text_add(out, "no floating-point operations\n");
        return;
    }
    text_printf(out, "%s flops per byte (%s of the ridge at %s): %s of %s GFLOP/s, %s\n",
                quantity_ratio(kernel->intensity).text, kernel->intensity < ridge ? "memory side" : "compute side",
                quantity_ratio(ridge).text, quantity_rate(kernel->gflops).text, quantity_rate(kernel->roof_gflops).text,
                quantity_percent(kernel->gflops / kernel->roof_gflops, 1).text);
}

static void add_occupancy(const ExplainedKernel *kernel, Text *out)
{
    add_label(out, "occupancy");
    text_printf(out, "%s, %u block%s per multiprocessor", quantity_percent(kernel->cost.occupancy, 0).text,
                kernel->resident_blocks, kernel->resident_blocks == 1 ? "" : "s");
    if (kernel->cost.occupancy < 1)
        text_printf(out, ", limited by %s", kernel->occupancy_limit);
    text_printf(out, "; achieved %s, in %s wave%s of blocks\n", quantity_percent(kernel->achieved_occupancy, 0).text,
                quantity_ratio(kernel->waves).text, kernel->waves == 1 ? "" : "s");
}

static void add_resources(const ExplainedKernel *kernel, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    const SimCounters *counters = &profile->counters;
    add_label(out, "uses");
    uint32_t spilled = profile->frame_bytes > profile->local_bytes ? profile->frame_bytes - profile->local_bytes : 0;
    text_printf(out, "per thread: %u registers, %u bytes spilled, %u bytes of local memory;\n", profile->registers,
                spilled, profile->local_bytes);
    add_label(out, "");
    text_printf(out, "per block: %u bytes of shared memory;\n",
                profile->static_shared_bytes + profile->shape.dynamic_shared_bytes);
    double computing = fmax(1, (double)(counters->fp32 + counters->fp64));
    add_label(out, "");
    text_printf(out, "%s instructions per floating-point instruction\n",
                quantity_ratio((double)counters->lane_instructions / computing).text);
}

static void add_kernel(const ExplainReport *report, const ExplainedKernel *kernel, TerminalStyle style, Text *out)
{
    const ProfileKernel *profile = kernel->profile;
    text_add(out, "\n  ");
    add_name(style, out, kernel->name);
    text_printf(out, "<<<(%u,%u,%u), (%u,%u,%u)>>>", profile->shape.grid[0], profile->shape.grid[1],
                profile->shape.grid[2], profile->shape.block[0], profile->shape.block[1], profile->shape.block[2]);
    if (profile->launches > 1)
        text_printf(out, " x %llu", (unsigned long long)profile->launches);
    text_printf(out, ": %s, %s of the time\n", quantity_time(1e3 * profile->seconds).text,
                quantity_percent(kernel->share, 0).text);
    add_bound(kernel, out);
    add_roofline(report->shown->explanation.hardware, kernel, out);
    add_occupancy(kernel, out);
    add_resources(kernel, out);
}

/* Shows the kernels that matter, and the sum of the others in one line. */
static void add_kernels(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const Explanation *explanation = &report->shown->explanation;
    uint32_t count = explanation->profile->kernel_count, hidden = 0;
    double largest = 0, hidden_share = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, explanation->kernels[i].share);
    for (uint32_t i = 0; i < count; i++) {
        const ExplainedKernel *kernel = &explanation->kernels[i];
        if (kernel->share >= fmin(LEAST_SHARE, largest)) {
            add_kernel(report, kernel, style, out);
        } else {
            hidden++;
            hidden_share += kernel->share;
        }
    }
    if (hidden > 0)
        text_printf(out, "\n  kernels (or launch shapes) that are not shown: %u, with %s of the time\n", hidden,
                    quantity_percent(hidden_share, 0).text);
}

/* ---- what to do -------------------------------------------------------------------------------------------------- */

enum { INDENT = 2, DEEPER = 4 };

static void add_paragraph(Text *out, const char *words, int indent, TerminalStyle style)
{
    text_printf(out, "%*s", indent, "");
    add_folded(out, words, indent, indent, width_of(style));
}

/* Adds the lines of a text, none of them cut. */
static void add_code(Text *out, const char *code)
{
    for (; *code != '\0'; code += strcspn(code, "\n"), code += *code == '\n') {
        text_printf(out, "%*s", DEEPER, "");
        explain_source_line(code, strcspn(code, "\n"), INT_MAX, out);
        text_add(out, "\n");
    }
}

/* Adds a line of the submission under its number. */
static void add_own_line(const ExplainReport *report, int number, Text *out)
{
    const char *at = text_line(report->submission->source.data, number);
    at += strspn(at, " \t");
    text_printf(out, "%*s%4d  ", INDENT, "", number);
    explain_source_line(at, strcspn(at, "\n"), INT_MAX, out);
    text_add(out, "\n");
}

static void add_defect_words(const ExplainReport *report, const Advice *advice, Text *out)
{
    terminal_add_line(out, advice->text);
    text_printf(out, ". Without this, the score would be %s less by the model; case %d loses most by it.",
                quantity_percent(advice->gain, 0).text, report->run->cases[advice->case_index].number);
}

static void add_defect(const ExplainReport *report, const Advice *advice, TerminalStyle style, Text *out)
{
    Text words = {0};
    add_defect_words(report, advice, &words);
    if (report->telling == TELL_DEFECT) {
        text_add(&words, " ");
        add_words(report, &words);
    }
    add_paragraph(out, words.data, DEEPER, style);
    text_free(&words);
    if (advice->line > 0)
        add_own_line(report, advice->line, out);
}

/* As one line. */
static void add_idea(const LadderStep *step, Text *out)
{
    for (const char *c = step->idea; *c != '\0'; c++)
        text_append(out, *c == '\n' ? " " : c, 1);
}

static void add_step(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const LadderStep *step = report->run->next.step;
    Text words = {0}, idea = {0};
    add_idea(step, &idea);
    add_paragraph(out, idea.data, DEEPER, style);
    add_words(report, &words);
    add_paragraph(out, words.data, DEEPER, style);
    if (report->detail < DETAIL_CODE)
        text_printf(out, "%*s--show %s shows %s.\n", DEEPER, "", report->detail == DETAIL_IDEA ? "sketch" : "code",
                    report->detail == DETAIL_IDEA ? "its code with holes" : "all of its code");
    text_free(&words);
    text_free(&idea);
    for (size_t i = 0; i < report->run->advice_count; i++) {
        text_printf(out, "\n%*sIn the same step, mend this (%s)\n", INDENT, "", report->run->advice[i].id);
        add_defect(report, &report->run->advice[i], style, out);
    }
    if (report->detail == DETAIL_IDEA)
        return;
    text_add(out, "\n");
    add_code(out, report->detail == DETAIL_SKETCH ? step->sketch : report->code);
}

/* The two lines of the submission that take most of the time, of all kernels together. */
static void add_hottest_lines(const ExplainReport *report, Text *out)
{
    const Explanation *explanation = &report->shown->explanation;
    Arena arena = {0};
    double elsewhere;
    size_t count = count_lines(report->submission->source.data), hottest[2] = {0, 0};
    const ListingRow *rows = gather_rows(explanation, count, &arena, &elsewhere);
    for (size_t i = 1; i <= count; i++)
        if (rows[i].share > rows[hottest[0]].share) {
            hottest[1] = hottest[0];
            hottest[0] = i;
        } else if (rows[i].share > rows[hottest[1]].share) {
            hottest[1] = i;
        }
    for (int i = 0; i < 2; i++)
        if (hottest[i] > 0)
            add_own_line(report, (int)hottest[i], out);
    arena_free(&arena);
}

static void add_lines_to_look_at(const ExplainReport *report, TerminalStyle style, Text *out)
{
    Text words = {0};
    add_words(report, &words);
    text_add(&words, " These lines take most of its time:");
    add_paragraph(out, words.data, DEEPER, style);
    text_free(&words);
    add_hottest_lines(report, out);
    if (report->timed->reference_count == 0)
        text_printf(out, "%*sNo reference solution has a time on this device; run: convjudge references --problem %s\n",
                    DEEPER, "", report->run->result.problem->id);
}

static void add_telling(const ExplainReport *report, TerminalStyle style, Text *out)
{
    text_add(out, "\n  ");
    switch (report->telling) {
    case TELL_DEFECT:
        terminal_colour(style, out, COLOUR_MARK, "Mend this first");
        text_printf(out, " (%s)\n", report->run->advice[0].id);
        add_defect(report, &report->run->advice[0], style, out);
        return;
    case TELL_STEP:
        terminal_colour(style, out, COLOUR_MARK, "Next step");
        text_printf(out, ": %s\n", report->run->next.step->title);
        add_step(report, style, out);
        return;
    case TELL_LINES:
        terminal_colour(style, out, COLOUR_MARK, "Where to look");
        text_add(out, "\n");
        add_lines_to_look_at(report, style, out);
        return;
    case TELL_NOTHING:
        add_words(report, out);
        text_add(out, "\n");
        return;
    }
}

static bool is_advised(const ExplainReport *report, const char *id)
{
    return report->telling == TELL_DEFECT && strcmp(report->run->advice[0].id, id) == 0;
}

/* Around the kernels of a call, memory that is taken and given back costs nothing that a clock of the device sees, so there is no
 * gain to advise it for. Memory of the first call that is kept is not freed. */
static void add_allocations(const ExplainReport *report, TerminalStyle style, Text *out)
{
    const ExecutionProfile *profile = report->shown->explanation.profile;
    const char *source = report->submission->source.data, *call = strstr(source, "cudaMalloc");
    Text words = {0};
    if (profile->allocations == 0 || profile->releases == 0 || is_advised(report, "allocations"))
        return;
    if (call != NULL)
        text_printf(&words, "line %d: ", text_line_at(source, (size_t)(call - source)));
    text_printf(&words,
                "this call allocates device memory (%llu allocation%s) and frees it. No time here contains the "
                "host's time for that, but other programs wait for it: keep the memory for the next call",
                (unsigned long long)profile->allocations, profile->allocations > 1 ? "s" : "");
    text_add(out, "\n");
    add_paragraph(out, words.data, INDENT, style);
    text_free(&words);
}

/* ---- what was measured ------------------------------------------------------------------------------------------- */

/* The simulated value of a metric, for all kernels with this name together. */
static double simulated(const Explanation *explanation, const char *name, NcuMetric metric)
{
    double sum = 0;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++) {
        const ExplainedKernel *kernel = &explanation->kernels[i];
        const SimCounters *counters = &kernel->profile->counters;
        if (strcmp(kernel->name, name) != 0)
            continue;
        switch (metric) {
        case NCU_SECONDS: sum += kernel->profile->seconds; break;
        case NCU_OCCUPANCY: sum = kernel->cost.occupancy; break;
        case NCU_WARP_INSTRUCTIONS: sum += (double)counters->warp_instructions; break;
        case NCU_LOAD_REQUESTS: sum += (double)counters->global_load_requests; break;
        case NCU_LOAD_SECTORS: sum += (double)counters->global_load_sectors; break;
        case NCU_STORE_SECTORS: sum += (double)counters->global_store_sectors; break;
        case NCU_SHARED_WAVEFRONTS:
            sum += (double)(counters->shared_load_wavefronts + counters->shared_store_wavefronts);
            break;
        case NCU_DRAM_BYTES: sum += kernel->dram_bytes; break;
        case NCU_METRICS: break;
        }
    }
    return sum;
}

static Quantity measured_quantity(NcuMetric metric, double value)
{
    return metric == NCU_SECONDS     ? quantity_time(1e3 * value)
           : metric == NCU_OCCUPANCY ? quantity_percent(value, 0)
                                     : quantity_count(value);
}

static void add_measured_kernel(const ExplainReport *report, const NcuKernel *kernel, Text *out)
{
    static const char *const words[NCU_METRICS] = {
        [NCU_SECONDS] = "time",
        [NCU_OCCUPANCY] = "occupancy",
        [NCU_WARP_INSTRUCTIONS] = "warp instructions",
        [NCU_LOAD_REQUESTS] = "global load requests",
        [NCU_LOAD_SECTORS] = "global load sectors",
        [NCU_STORE_SECTORS] = "global store sectors",
        [NCU_SHARED_WAVEFRONTS] = "shared memory wavefronts",
        [NCU_DRAM_BYTES] = "bytes of DRAM traffic",
    };
    text_add(out, "    ");
    terminal_add_line(out, kernel->name);
    text_printf(out, ", %.0f launch%s\n", kernel->launches, kernel->launches > 1 ? "es" : "");
    for (int metric = 0; metric < NCU_METRICS; metric++) {
        text_add(out, "      ");
        terminal_pad(out, words[metric], 24);
        double expected = simulated(&report->shown->explanation, kernel->name, (NcuMetric)metric);
        terminal_pad(out, measured_quantity((NcuMetric)metric, kernel->values[metric]).text, -14);
        terminal_pad(out, measured_quantity((NcuMetric)metric, expected).text, -14);
        text_add(out, "\n");
    }
}

static void add_measured(const ExplainReport *report, TerminalStyle style, Text *out)
{
    if (report->note == NULL && report->measurement->count == 0)
        return;
    text_add(out, "\n  ");
    terminal_colour(style, out, COLOUR_MARK, "Nsight Compute");
    if (report->note != NULL) {
        text_add(out, ": ");
        terminal_add_line(out, report->note);
        text_add(out, "\n");
        return;
    }
    text_printf(out, " on %s\n%30s%14s%14s\n", report->gpu, "", "measured", "simulated");
    for (size_t i = 0; i < report->measurement->count; i++)
        add_measured_kernel(report, &report->measurement->kernels[i], out);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

const char *const explain_terms[][2] = {
    {"warp", "32 threads of a block, which execute one instruction together"},
    {"lanes", "the threads of a warp; the column shows how many of the 32 take part, on average"},
    {"sectors", "pieces of 32 bytes, in which global memory is read: those that one access of a warp touches, and the "
                "least that would do"},
    {"fronts", "wavefronts: the turns that one access to shared memory takes; more than one are bank conflicts, unless "
               "it moves vectors"},
    {"divergent", "branches that threads of one warp take differently, so that the warp executes both ways"},
    {"occupancy", "the warps that a multiprocessor holds at a time, as a share of the most that it could hold"},
    {"wave", "the blocks that fit on all multiprocessors at the same time; a grid runs in one wave after the other"},
    {"roofline", "the highest rate that memory and arithmetic allow for this many operations per byte"},
    {"spilled", "bytes of values that found no register, and lie in device memory"},
    {"load/store units", "the units through which each load and store of a warp goes, one per cycle and "
                         "multiprocessor"},
    {"instruction issue", "a multiprocessor starts at most four instructions of warps in a cycle"},
    {"latency", "warps wait for their own loads and results, and too few others are there to work meanwhile"},
    {"tile", "the part of an array that a block works on, often kept in shared memory"},
    {"halo", "the elements around a tile that its outputs need, too"},
    {"patch", "neighbouring outputs in two directions that one thread computes"},
    {NULL, NULL},
};

/* The terms that the report above has used. */
static void add_terms(Text *out, TerminalStyle style)
{
    enum { TERM_COLUMNS = 20 };
    Text used = {0};
    text_add(&used, out->data);
    text_add(out, "\n  Terms\n");
    for (size_t i = 0; explain_terms[i][0] != NULL; i++) {
        if (strstr(used.data, explain_terms[i][0]) == NULL)
            continue;
        text_printf(out, "%*s%-*s", DEEPER, "", TERM_COLUMNS, explain_terms[i][0]);
        add_folded(out, explain_terms[i][1], DEEPER + TERM_COLUMNS, DEEPER + TERM_COLUMNS, width_of(style));
    }
    text_free(&used);
}

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out)
{
    add_headline(report, style, out);
    add_cases(report, style, out);
    add_telling(report, style, out);
    add_kernels(report, style, out);
    add_allocations(report, style, out);
    add_measured(report, style, out);
    explain_listing(&report->shown->explanation, report->submission->source.data, style,
                    style.redraw ? width_of(style) : INT_MAX, out);
    if (report->with_terms)
        add_terms(out, style);
}

void explain_write_for_editor(const ExplainReport *report, const char *path, Text *out)
{
    static const TerminalStyle plain = {.width = 80};
    const LadderStep *step = report->run->next.step;
    Text words = {0};
    for (size_t i = 0; i < report->run->advice_count; i++) {
        const Advice *advice = &report->run->advice[i];
        add_defect_words(report, advice, &words);
        report_add_editor_line(report->submission, path, advice->line, "note", words.data, out);
        text_free(&words);
    }
    if (step != NULL && report->telling == TELL_STEP) {
        text_printf(&words, "Next step: %s: ", step->title);
        add_idea(step, &words);
        report_add_editor_line(report->submission, path, 0, "note", words.data, out);
        text_free(&words);
    }
    add_headline(report, plain, out);
}
