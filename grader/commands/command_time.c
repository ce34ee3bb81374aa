/* Times the best submissions of a problem side by side, and prints both orders; or one run again. */
#include "grader/commands/command_time.h"

#include "base/scratch.h"
#include "base/terminal.h"
#include "grader/commands/command.h"
#include "grader/judge/judge.h"
#include "grader/judge/roofline.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/retime.h"
#include "grader/report/report_leaderboard.h"
#include "harness/broker/session.h"
#include "harness/device/device_monitor.h"
#include "harness/device/device_open.h"
#include "leaderboard/store.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== command references ========================================================================================== */

static Status time_references(const char *problem_id, const char *device, bool only_missing, bool export_times,
                              Message *why)
{
    Problem problem;
    TRY(problem_read(problem_id, &problem, why));
    Status status = reference_times_take(&problem, device, only_missing, export_times, why);
    problem_free(&problem);
    return status;
}

Status command_references(const Options *options, int *exit_status, Message *why)
{
    Status status = options_expect_problem(options, why);
    *exit_status = 0;
    return status == STATUS_OK ? time_references(options->problem, request_device(options), options->only_missing,
                                                 options->export_times, why)
                               : status;
}

/* ==== command retime ============================================================================================== */

enum { TOP = 5, MOST_TOP = 100 }; /* default and largest number of people */

/* ---- the best of a board ----------------------------------------------------------------------------------------- */

static bool all_were_accepted(const Retiming *retiming)
{
    for (size_t i = 0; i < retiming->count; i++)
        if (retiming->contenders[i].verdict != VERDICT_ACCEPTED)
            return false;
    return true;
}

static Status time_and_report(Retiming *retiming, int *exit_status, Message *why)
{
    Text text = {0};
    Progress progress = progress_new(stderr);
    judge_note_device(&progress, &retiming->device);
    Status status = retime_run(retiming, &progress, why);
    if (status == STATUS_OK) {
        report_retime(retiming, &text);
        status = json_target_write("-", &text, why);
        *exit_status = retime_contradicts(retiming) || !all_were_accepted(retiming);
    }
    text_free(&text);
    return status;
}

static Status retime(const Problem *problem, const char *device, size_t top, int *exit_status, Message *why)
{
    Store *store;
    Retiming retiming = {0};
    TRY(ranking_open(STORE_READ, &store, why));
    Status status = retime_choose(store, problem, device, device, top, &retiming, why);
    store_close(store);
    if (status == STATUS_OK && retiming.count < 2)
        status = fail(STATUS_NOT_FOUND, why, "problem %s has %zu of at least two submissions to time on %s",
                      problem->id, retiming.count, retiming.board.device);
    THEN(status, time_and_report(&retiming, exit_status, why));
    retime_free(&retiming);
    return status;
}

static Status retime_best(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    int64_t top = TOP;
    TRY(request_problem(options, &problem, why));
    Status status = options_number(options, "--top", options->top, 1, MOST_TOP, &top, why);
    THEN(status, retime(&problem, request_device(options), (size_t)top, exit_status, why));
    problem_free(&problem);
    return status;
}

/* ---- a board against another device ------------------------------------------------------------------------------ */

static Status check_board(Store *store, const Problem *problem, const char *of, const char *on, size_t top,
                          int *exit_status, Message *why)
{
    Retiming retiming;
    Text text = {0};
    Progress progress = progress_new(stderr);
    Status status = retime_choose(store, problem, of, on, top, &retiming, why);
    THEN(status, retime_run(&retiming, &progress, why));
    if (status == STATUS_OK) {
        report_check_board(&retiming, &text);
        status = json_target_write("-", &text, why);
    }
    for (size_t i = 0; i < retiming.count && status == STATUS_OK; i++)
        if (retime_is_outside(&retiming.contenders[i]) || !all_were_accepted(&retiming))
            *exit_status = 1;
    text_free(&text);
    retime_free(&retiming);
    return status;
}

static Status check_board_of(Store *store, const char *id, const Options *options, size_t top, int *exit_status,
                             Message *why)
{
    Problem problem;
    TRY(problem_read(id, &problem, why));
    Status status = check_board(store, &problem, options->board == NULL ? "sim" : options->board,
                                options->device == NULL ? "cuda" : options->device, top, exit_status, why);
    problem_free(&problem);
    return status;
}

Status command_check_board(const Options *options, int *exit_status, Message *why)
{
    Arena arena = {0};
    Store *store = NULL;
    const char *one = options->problem, **ids = &one;
    size_t count = 1;
    int64_t top = TOP;
    if (options->board != NULL && strcmp(options->board, "sim") != 0 && strncmp(options->board, "sim:", 4) != 0)
        return fail(STATUS_BAD_INPUT, why, "check-board: --board: found '%.40s', expected sim or sim:PROFILE",
                    options->board);
    Status status = options_number(options, "--top", options->top, 1, MOST_TOP, &top, why);
    if (options->problem == NULL)
        THEN(status, problem_list(&arena, &ids, &count, why));
    *exit_status = 0;
    THEN(status, ranking_open(STORE_READ, &store, why));
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_board_of(store, ids[i], options, (size_t)top, exit_status, why);
    store_close(store);
    arena_free(&arena);
    return status;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* Whether it has a time that another one can be compared with. */
static Status check_run(const RecordedRun *run, const Problem *problem, Message *why)
{
    if (!(run->run.time.ms > 0))
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " has no time: %s", run->id, run->run.verdict);
    if (strcmp(run->state, "unranked") == 0)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 " is on no board: %s", run->id, run->run.rank_status);
    if (run->run.source == NULL)
        return fail(STATUS_BAD_INPUT, why, "run %" PRId64 ": the database lacks its source", run->id);
    if (strcmp(run->run.board.revision, problem->revision.hex) != 0)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was judged under another revision of problem %s: %.12s, expected %.12s; its times do not "
                    "compare",
                    run->id, problem->id, run->run.board.revision, problem->revision.hex);
    return STATUS_OK;
}

static Status check_device(const RecordedRun *run, const Problem *problem, const char *device, Message *why)
{
    DeviceInfo info;
    Board here;
    const Board *board = &run->run.board;
    TRY(ranking_find_board(problem, device, &info, &here, why));
    if (strcmp(info.id, board->device) != 0)
        return fail(STATUS_NOT_FOUND, why, "run %" PRId64 " was timed on %s, expected that device, found %s", run->id,
                    board->device, info.id);
    if (here.epoch != board->epoch)
        return fail(STATUS_BAD_INPUT, why,
                    "run %" PRId64
                    " was timed by version %d of the timing, and this judge times by version %d: the two do "
                    "not compare",
                    run->id, board->epoch, here.epoch);
    return STATUS_OK;
}

/* The database is closed while the device is busy. */
static Status read_run(const Options *options, Arena *arena, RecordedRun *run, Message *why)
{
    Store *store;
    Problem problem;
    int64_t id;
    TRY(options_run_number(options, "option '--run'", options->run, &id, why));
    TRY(ranking_open(STORE_READ, &store, why));
    Status status = store_run(store, id, arena, run, why);
    store_close(store);
    THEN(status, problem_read(run->run.board.problem, &problem, why));
    TRY(status);
    status = check_run(run, &problem, why);
    THEN(status, check_device(run, &problem, request_device(options), why));
    problem_free(&problem);
    return status;
}

/* Judges a copy of its source as `grade` would, for the same person. */
static Status grade_again(const Options *options, const RecordedRun *run, int *exit_status, Message *why)
{
    const char *slash = strrchr(run->run.file_name, '/'), *name = slash == NULL ? run->run.file_name : slash + 1;
    char folder[256], path[sizeof folder + 300];
    char *operands[] = {path, NULL};
    Text source = {0};
    const Options grading = {.subcommand = options->subcommand,
                             .problem = run->run.board.problem,
                             .device = options->device,
                             .person = run->run.person,
                             .no_record = !options->record,
                             .unconfined = options->unconfined,
                             .operands = operands,
                             .operand_count = 1};
    TRY(scratch_new(folder, sizeof folder, why));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    text_add(&source, run->run.source);
    Status status = text_write_file(path, &source, why);
    text_free(&source);
    THEN(status, command_grade(&grading, NULL, exit_status, why));
    scratch_remove(folder);
    return status;
}

static Status retime_one(const Options *options, int *exit_status, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    Text text = {0};
    Status status = read_run(options, &arena, &run, why);
    THEN(status, grade_again(options, &run, exit_status, why));
    if (status == STATUS_OK) {
        text_printf(&text, "Run %" PRId64 " took %s +- %s.\n", run.id, quantity_time(run.run.time.ms).text,
                    quantity_percent(time_reach(run.run.time), 1).text);
        status = json_target_write("-", &text, why);
    }
    text_free(&text);
    arena_free(&arena);
    return status;
}

Status command_retime(const Options *options, int *exit_status, Message *why)
{
    if (options->run == NULL && options->record)
        return fail(STATUS_BAD_INPUT, why, "retime: option '--record' is only for '--run'");
    if (options->run != NULL && (options->problem != NULL || options->top != NULL))
        return fail(STATUS_BAD_INPUT, why, "retime: expected '--run' or '--problem' with '--top', found both");
    return options->run == NULL ? retime_best(options, exit_status, why) : retime_one(options, exit_status, why);
}

/* ==== ceilings now ================================================================================================ */

static const double LOCK_SECONDS = 600; /* how long to wait for gradings under way */

static void advance_progress(void *progress)
{
    progress_advance(progress);
}

static void end_step(Progress *progress, const Ceilings *ceilings)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "read %.0f GB/s, copy %.0f GB/s, FMA %.1f TFLOP/s, TF32 %.1f TFLOP/s, %.0f MHz, clock gap %.1f us, launch %.1f us",
        ceilings->read_bytes_per_s * 1e-9, ceilings->copy_bytes_per_s * 1e-9, ceilings->fma_flops_per_s * 1e-12,
        ceilings->tf32_flops_per_s * 1e-12, ceilings->sm_clock_mhz, ceilings->clock_gap_us, ceilings->launch_us);
    progress_end(progress, text);
}

static void tell_of_queue(void *progress, const char *holder, double waited_s)
{
    progress_note(progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

static Status measure_ceilings(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                               Message *why)
{
    Device *device;
    int lock;
    TRY(device_lock_wait(info->uuid, LOCK_SECONDS, tell_of_queue, progress, &lock, why));
    Status status = device_open(info->handle, &device, why);
    if (status == STATUS_OK) {
        status = ceilings_measure(device, work, advance_progress, progress, ceilings, why);
        device->close(device);
    }
    close(lock);
    return status;
}

Status ceilings_now(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                    Message *why)
{
    progress_begin(progress, "ceilings", CEILINGS_STEPS);
    Status status = measure_ceilings(info, work, progress, ceilings, why);
    if (status == STATUS_OK)
        end_step(progress, ceilings);
    else
        progress_end(progress, "failed");
    return status;
}

/* ==== command calibrate =========================================================================================== */

/* ---- the ceilings ------------------------------------------------------------------------------------------------ */

static Status take_ceilings(const DeviceInfo *info, Message *why)
{
    Ceilings ceilings;
    char path[4096];
    Progress progress = progress_new(stderr);
    TRY(ceilings_now(info, &CEILINGS_WORK, &progress, &ceilings, why));
    TRY(ceilings_write(&ceilings, why));
    TRY(ceilings_path(ceilings.device, path, sizeof path, why));
    printf("%s\n", path);
    return STATUS_OK;
}

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static Status time_all_problems(const char *device_name, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count;
    Status status = problem_list(&arena, &ids, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = time_references(ids[i], device_name, false, true, why);
    arena_free(&arena);
    return status;
}

Status command_calibrate(const Options *options, int *exit_status, Message *why)
{
    DeviceInfo info;
    Status status = options_expect_no_file(options, why);
    THEN(status, device_describe(request_device(options), &info, why));
    if (status == STATUS_OK) {
        Progress progress = progress_new(stderr);
        judge_note_device(&progress, &info);
    }
    if (status == STATUS_OK && info.modelled)
        puts("a simulated GPU has its ceilings from its profile: only the reference solutions are timed");
    else if (status == STATUS_OK)
        status = take_ceilings(&info, why);
    THEN(status, time_all_problems(info.handle, why));
    *exit_status = 0;
    return status;
}

/* ==== command roofline ============================================================================================ */

/* Shows for each timed case the rooflines of the device, and how near to them the reference solutions and their rivals are. */

typedef struct Survey {
    Roofline roofline;
    Progress progress;
    int done, total; /* programs */
} Survey;

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static void take_times(Roofline *roofline, const Result *result, TimedProgram *program)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const size_t which = roofline_case(roofline, result->cases[i].name);
        if (result->cases[i].group == CASE_TIMED && which < roofline->case_count)
            program->times[which] = result->cases[i].time;
    }
    if (result->verdict != VERDICT_ACCEPTED)
        program->missing = arena_printf(&roofline->arena, "%s%s%s", verdict_name(result->verdict),
                                        result->text[0] == '\0' ? "" : ": ", result->text);
    else if (!(result->score.ms > 0))
        program->missing = result->unsteady[0] == '\0' ? "it has no time on this device"
                                                       : arena_string(&roofline->arena, result->unsteady);
}

static Status time_program(Survey *survey, const Submission *submission, bool is_rival, Message *why)
{
    Roofline *roofline = &survey->roofline;
    Result result = {0};
    char outcome[200] = "failed";
    progress_begin_at(&survey->progress, submission->file_name, survey->done++, survey->total);
    Status status = judge_timed(roofline->problem, submission, roofline->device.handle, false, &result, why);
    if (status == STATUS_OK) {
        TimedProgram *program = roofline_add(roofline, submission->file_name, is_rival, PRECISION_FLOAT32);
        take_times(roofline, &result, program);
        snprintf(outcome, sizeof outcome, "%s",
                 program->missing == NULL ? quantity_time(result.score.ms).text : program->missing);
    }
    progress_end(&survey->progress, outcome);
    result_free(&result);
    return status;
}

static Status time_programs(Survey *survey, const References *references, bool is_rival, Message *why)
{
    for (size_t i = 0; i < references->count; i++)
        TRY(time_program(survey, &references->solutions[i].submission, is_rival, why));
    return STATUS_OK;
}

/* ---- PyTorch ----------------------------------------------------------------------------------------------------- */

static Status time_pytorch(Survey *survey, Message *why)
{
    int lock;
    if (survey->roofline.device.modelled)
        return STATUS_OK;
    progress_begin(&survey->progress, "PyTorch", 0);
    Status status = device_lock_wait(survey->roofline.device.uuid, LOCK_SECONDS, tell_of_queue, &survey->progress,
                                     &lock, why);
    if (status == STATUS_OK) {
        status = rivals_time_pytorch(&survey->roofline, why);
        close(lock);
    }
    progress_end(&survey->progress, status == STATUS_OK ? "done" : "failed");
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status time_roofline_programs(Survey *survey, Message *why)
{
    References references = {0}, rivals = {0};
    Status status = references_load(survey->roofline.problem, &references, why);
    THEN(status, references_load_rivals(survey->roofline.problem, &rivals, why));
    survey->total = (int)(references.count + rivals.count);
    THEN(status, time_programs(survey, &references, false, why));
    THEN(status, time_programs(survey, &rivals, true, why));
    THEN(status, time_pytorch(survey, why));
    references_free(&references);
    references_free(&rivals);
    return status;
}

static Status print(const Roofline *roofline, const char *json, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        roofline_json(roofline, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        roofline_report(roofline, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

/* Exit status 1: a reference solution has no time, or a rival is too close. */
static bool is_as_it_should_be(const Roofline *roofline)
{
    for (size_t i = 0; i < roofline->program_count; i++) {
        const TimedProgram *program = &roofline->programs[i];
        if (!program->is_rival && program->missing != NULL)
            return false;
        for (size_t which = 0; which < roofline->case_count; which++)
            if (roofline_is_close(roofline, program, which))
                return false;
    }
    return true;
}

/* Measures what the device's file lacks, and keeps it nowhere. */
static Status complete_ceilings(DeviceInfo *device, Progress *progress, Message *why)
{
    Ceilings ceilings;
    if (device->modelled || (device->copy_bytes_per_s > 0 && device->fma_flops_per_s > 0 &&
                             (device->tf32_flops_per_s > 0 || device->compute_major < 8)))
        return STATUS_OK;
    TRY(ceilings_now(device, &CEILINGS_WORK, progress, &ceilings, why));
    if (!(device->copy_bytes_per_s > 0))
        device->copy_bytes_per_s = ceilings.copy_bytes_per_s;
    if (!(device->fma_flops_per_s > 0))
        device->fma_flops_per_s = ceilings.fma_flops_per_s;
    device->tf32_flops_per_s = ceilings.tf32_flops_per_s;
    return STATUS_OK;
}

static Status survey_problem(const Problem *problem, const Options *options, int *exit_status, Message *why)
{
    DeviceInfo device;
    TestcaseSet set = {0};
    Survey survey = {.progress = progress_new(stderr)};
    Status status = device_describe(request_device(options), &device, why);
    THEN(status, testcases_read(problem, &set, why));
    if (status == STATUS_OK) {
        judge_note_device(&survey.progress, &device);
        status = complete_ceilings(&device, &survey.progress, why);
    }
    if (status == STATUS_OK) {
        survey.roofline = roofline_new(problem, &set, &device);
        status = time_roofline_programs(&survey, why);
    }
    THEN(status, print(&survey.roofline, options->json, why));
    *exit_status = is_as_it_should_be(&survey.roofline) ? 0 : 1;
    roofline_free(&survey.roofline);
    testcases_free(&set);
    return status;
}

Status command_roofline(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    TRY(request_problem(options, &problem, why));
    Status status = json_target_check(options->json, "", why);
    THEN(status, survey_problem(&problem, options, exit_status, why));
    problem_free(&problem);
    return status;
}

/* ==== sweep ======================================================================================================= */

enum { MAX_VALUE_BYTES = 32 };

/* ---- lines of the source ----------------------------------------------------------------------------------------- */

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end == NULL || end[1] == '\0' ? NULL : end + 1;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The rest of the first line that begins with "// sweep:"; NULL if there is none. */
static const char *find_list(const char *source)
{
    for (const char *line = source; line != NULL; line = next_line(line)) {
        const char *at = skip_blanks(line);
        if (strncmp(at, "//", 2) != 0)
            continue;
        at = skip_blanks(at + 2);
        if (strncmp(at, "sweep:", 6) == 0)
            return at + 6;
    }
    return NULL;
}

/* The rest of the first line that begins with `#directive name`; NULL if there is none. */
static const char *find_directive(const char *source, const char *directive, const char *name)
{
    for (const char *line = source; line != NULL; line = next_line(line)) {
        const char *at = skip_blanks(line);
        if (*at != '#')
            continue;
        at = skip_blanks(at + 1);
        if (strncmp(at, directive, strlen(directive)) != 0 || text_in_word(at[strlen(directive)]))
            continue;
        at = skip_blanks(at + strlen(directive));
        if (strncmp(at, name, strlen(name)) == 0 && !text_in_word(at[strlen(name)]))
            return skip_blanks(at + strlen(name));
    }
    return NULL;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    if (*text == '\0' || isdigit((unsigned char)*text))
        return false;
    while (text_in_word(*text))
        text++;
    return *text == '\0';
}

/* Only a number or a name, which cannot end the line, the directive or the expression that it is put into. */
static bool is_value(const char *text)
{
    bool fits = strlen(text) <= MAX_VALUE_BYTES;
    text += *text == '-';
    fits = fits && text_in_word(*text);
    while (text_in_word(*text) || *text == '.')
        text++;
    return fits && *text == '\0';
}

/* "BLOCK=4,8,16" */
static Status parse_macro(Sweep *sweep, char *text, Message *why)
{
    char *equals = strchr(text, '=');
    SweepMacro *macro = &sweep->macros[sweep->macro_count];
    if (equals == NULL)
        return fail(STATUS_BAD_INPUT, why, "expected NAME=VALUE,VALUE..., found \"%s\"", text);
    *equals = '\0';
    if (sweep->macro_count == SWEEP_MAX_MACROS)
        return fail(STATUS_BAD_INPUT, why, "%s is one macro too many, expected at most %d", text, SWEEP_MAX_MACROS);
    if (!is_name(text))
        return fail(STATUS_BAD_INPUT, why, "\"%s\" is not the name of a macro", text);
    *macro = (SweepMacro){.name = text};
    for (char *rest = equals + 1, *value; (value = strsep(&rest, ",")) != NULL;) {
        if (!is_value(value))
            return fail(STATUS_BAD_INPUT, why, "\"%s\" is not a value for %s, expected a number or a name", value,
                        text);
        if (macro->count == SWEEP_MAX_VALUES)
            return fail(STATUS_BAD_INPUT, why, "%s has too many values, expected at most %d", text, SWEEP_MAX_VALUES);
        macro->values[macro->count++] = value;
    }
    sweep->macro_count++;
    sweep->combinations *= macro->count;
    if (sweep->combinations > SWEEP_MAX_COMBINATIONS)
        return fail(STATUS_BAD_INPUT, why, "too many combinations, expected at most %d", SWEEP_MAX_COMBINATIONS);
    return STATUS_OK;
}

static Status parse_list(Sweep *sweep, char *list, Message *why)
{
    Status status = STATUS_OK;
    sweep->combinations = 1;
    for (char *word; status == STATUS_OK && (word = strsep(&list, " \t\r")) != NULL;)
        if (*word != '\0')
            status = parse_macro(sweep, word, why);
    if (status == STATUS_OK && sweep->macro_count == 0)
        status = fail(STATUS_BAD_INPUT, why, "expected NAME=VALUE,VALUE..., found nothing");
    return status;
}

/* A file that defines a macro without #ifndef would be the same in every combination. */
static Status check_settable(const Sweep *sweep, const char *source, Message *why)
{
    for (size_t i = 0; i < sweep->macro_count; i++) {
        const char *name = sweep->macros[i].name;
        if (find_directive(source, "ifndef", name) == NULL)
            return fail(STATUS_BAD_INPUT, why,
                        "%s cannot be set from outside: expected #ifndef %s, #define %s ..., #endif "
                        "in the file",
                        name, name, name);
    }
    return STATUS_OK;
}

Status sweep_parse(const char *file_name, const char *source, Sweep *sweep, Message *why)
{
    Message trouble;
    const char *list = find_list(source);
    *sweep = (Sweep){0};
    if (list == NULL)
        return fail(STATUS_NOT_FOUND, why, "%s: no line \"// sweep: NAME=VALUE,VALUE...\"", file_name);
    Status status = parse_list(sweep, arena_copy(&sweep->arena, list, strcspn(list, "\n")), &trouble);
    THEN(status, check_settable(sweep, source, &trouble));
    if (status != STATUS_OK) {
        status = fail(status, why, "%s:%d: %s", file_name, text_line_at(source, (size_t)(list - source)), trouble.text);
        sweep_free(sweep);
    }
    return status;
}

void sweep_free(Sweep *sweep)
{
    arena_free(&sweep->arena);
    *sweep = (Sweep){0};
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

const char *sweep_value(const Sweep *sweep, size_t combination, size_t macro)
{
    for (size_t i = sweep->macro_count; --i > macro;)
        combination /= sweep->macros[i].count;
    return sweep->macros[macro].values[combination % sweep->macros[macro].count];
}

void sweep_add_name(const Sweep *sweep, size_t combination, Text *out)
{
    for (size_t i = 0; i < sweep->macro_count; i++)
        text_printf(out, "%s%s=%s", i > 0 ? " " : "", sweep->macros[i].name, sweep_value(sweep, combination, i));
}

void sweep_add_source(const Sweep *sweep, size_t combination, const char *source, Text *out)
{
    for (size_t i = 0; i < sweep->macro_count; i++)
        text_printf(out, "#define %s %s\n", sweep->macros[i].name, sweep_value(sweep, combination, i));
    text_add(out, "#line 1\n");
    text_add(out, source);
}

void sweep_add_defaults(const Sweep *sweep, const char *source, Text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < sweep->macro_count; i++) {
        const char *value = find_directive(source, "define", sweep->macros[i].name);
        size_t length = value == NULL ? 0 : strcspn(value, " \t\r\n");
        if (length == 0)
            continue;
        text_printf(out, "%s%s=", separator, sweep->macros[i].name);
        text_add_printable(out, value, length);
        separator = " ";
    }
}

/* ==== command baselines =========================================================================================== */

/* Prints one table of the CPU baselines and the reference solutions of a problem. */

enum { NAME_COLUMNS = 32, BASELINE_TIME_COLUMNS = 10, NUMBER_COLUMNS = 11, MARKS = 2 };

typedef struct BaselineRow { /* one solution */
    const char *name, *parameters;
    double ms;         /* mean of the calls of a case, geometric mean over the timed cases; 0: not accepted */
    double gflops;     /* likewise */
    double mean_error; /* absolute error of an element, mean over the timed cases */
    Verdict verdict;
} BaselineRow;

typedef struct Table {
    const Problem *problem;
    const char *cpu, *gpu; /* names of the devices, as judge_submission() takes them */
    BaselineRow *rows;
    size_t count;
    Progress *progress;
    Arena arena;
} Table;

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static double average_s(const CaseResult *item)
{
    double sum = 0;
    for (size_t i = 0; i < item->sample_count; i++)
        sum += item->samples[i].event_s;
    return sum / (double)item->sample_count;
}

static void take_figures(const Result *result, BaselineRow *row)
{
    double log_s = 0, log_gflops = 0, count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample_count == 0)
            continue;
        log_s += log(average_s(item));
        log_gflops += log((double)item->operations / average_s(item) * 1e-9);
        row->mean_error += item->errors.mean;
        count++;
    }
    if (count == 0)
        return;
    row->ms = 1e3 * exp(log_s / count);
    row->gflops = exp(log_gflops / count);
    row->mean_error /= count;
}

/* The macros that a sweep would vary, with the values that the file defines; "" if it lists none. */
static const char *parameters_of(const Submission *submission, Arena *arena)
{
    Sweep sweep;
    Text text = {0};
    Message ignored;
    if (sweep_parse(submission->file_name, submission->source.data, &sweep, &ignored) != STATUS_OK)
        return "";
    sweep_add_defaults(&sweep, submission->source.data, &text);
    const char *parameters = text.data == NULL ? "" : arena_string(arena, text.data);
    text_free(&text);
    sweep_free(&sweep);
    return parameters;
}

static Status add_row(Table *table, const Submission *submission, const char *device, Message *why)
{
    BaselineRow *row = &table->rows[table->count++];
    Result result = {0};
    Status status = judge_timed(table->problem, submission, device, false, &result, why);
    *row = (BaselineRow){.name = arena_string(&table->arena, submission->file_name),
                         .parameters = parameters_of(submission, &table->arena),
                         .verdict = result.verdict};
    if (status == STATUS_OK && result.verdict == VERDICT_ACCEPTED)
        take_figures(&result, row);
    result_free(&result);
    progress_advance(table->progress);
    return status;
}

static Status add_rows(Table *table, const References *references, const char *device, Message *why)
{
    for (size_t i = 0; i < references->count; i++)
        TRY(add_row(table, &references->solutions[i].submission, device, why));
    return STATUS_OK;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The times of the first two rows that have one: every row shows its speedup over each. */
static size_t find_marks(const Table *table, double marks[MARKS])
{
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < MARKS; i++)
        if (table->rows[i].ms > 0)
            marks[count++] = table->rows[i].ms;
    return count;
}

static void add_figures(const BaselineRow *row, const double marks[MARKS], size_t mark_count, Text *out)
{
    terminal_pad(out, quantity_time(row->ms).text, -BASELINE_TIME_COLUMNS);
    terminal_pad(out, quantity_error(row->mean_error).text, -NUMBER_COLUMNS);
    for (size_t i = 0; i < MARKS; i++)
        terminal_pad(out, i < mark_count ? quantity_ratio(marks[i] / row->ms).text : "-", -NUMBER_COLUMNS);
    terminal_pad(out, quantity_rate(row->gflops).text, -NUMBER_COLUMNS);
    if (row->parameters[0] != '\0')
        text_printf(out, "  %s", row->parameters);
}

static void add_baseline_table(const Table *table, Text *out)
{
    double marks[MARKS];
    size_t mark_count = find_marks(table, marks);
    text_add(out, "  ");
    terminal_pad(out, "rung", NAME_COLUMNS);
    text_printf(out, "%*s%*s%*s%*s%*s  parameters\n", BASELINE_TIME_COLUMNS, "time", NUMBER_COLUMNS, "mean error",
                NUMBER_COLUMNS, "over 1st", NUMBER_COLUMNS, "over 2nd", NUMBER_COLUMNS, "GFLOP/s");
    for (size_t i = 0; i < table->count; i++) {
        const BaselineRow *row = &table->rows[i];
        text_add(out, "  ");
        terminal_pad(out, row->name, NAME_COLUMNS);
        if (row->ms > 0)
            add_figures(row, marks, mark_count, out);
        else
            text_printf(out, " %s", row->verdict == VERDICT_ACCEPTED ? "no timed cases" : verdict_name(row->verdict));
        text_add(out, "\n");
    }
}

static void add_head(const Table *table, const DeviceInfo *cpu, const DeviceInfo *gpu, Text *out)
{
    text_printf(out, "%s (%s)\n", table->problem->id, table->problem->title);
    text_printf(out, "  .c   on %s: average by the wall clock, without the first trial\n", cpu->name);
    text_printf(out, "  .cu  on %s: average of the calls' %s\n", gpu->name,
                gpu->modelled ? "modelled times" : "CUDA events, without the warm-up");
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool all_have_times(const Table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (!(table->rows[i].ms > 0))
            return false;
    return true;
}

static Status print_table(const Table *table, const DeviceInfo *gpu, Message *why)
{
    DeviceInfo cpu;
    Text out = {0};
    cpu_device_describe(&cpu);
    add_head(table, &cpu, gpu, &out);
    add_baseline_table(table, &out);
    Status status = json_target_write("-", &out, why);
    text_free(&out);
    return status;
}

/* Baselines and reference solutions run the same timed cases: those of the GPU. */
static Status time_rows(Table *table, const References *baselines, const References *references, Message *why)
{
    size_t count = baselines->count + references->count;
    if (count == 0)
        return fail(STATUS_NOT_FOUND, why, "problem %s has neither CPU baselines nor reference solutions",
                    table->problem->id);
    table->rows = arena_array(&table->arena, count, sizeof *table->rows);
    progress_begin(table->progress, "rungs", (int)count);
    Status status = add_rows(table, baselines, "cpu", why);
    THEN(status, add_rows(table, references, table->gpu, why));
    progress_end(table->progress, status == STATUS_OK ? "all timed" : "failed");
    return status;
}

static Status make_table(const Problem *problem, const char *device, int *exit_status, Message *why)
{
    DeviceInfo gpu;
    References baselines = {0}, references = {0};
    Progress progress = progress_new(stderr);
    Table table = {.problem = problem, .gpu = gpu.handle, .progress = &progress};
    Status status = device_describe(device, &gpu, why);
    if (status == STATUS_OK)
        judge_note_device(&progress, &gpu);
    THEN(status, references_load_baselines(problem, &baselines, why));
    THEN(status, references_load(problem, &references, why));
    THEN(status, time_rows(&table, &baselines, &references, why));
    THEN(status, print_table(&table, &gpu, why));
    *exit_status = all_have_times(&table) ? 0 : 1;
    references_free(&baselines);
    references_free(&references);
    arena_free(&table.arena);
    return status;
}

Status command_baselines(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    TRY(request_problem(options, &problem, why));
    Status status = make_table(&problem, request_device(options), exit_status, why);
    problem_free(&problem);
    return status;
}

/* ==== command sweep =============================================================================================== */

/* Times a file with every combination of its macros. Each combination is judged on the timed cases alone, where its
 * whole output is checked: a combination that breaks the kernel shows its verdict instead of a time. */

enum { VALUE_COLUMNS = 12, SWEEP_TIME_COLUMNS = 12, UNCERTAINTY_COLUMNS = 10, RATE_COLUMNS = 10 };

typedef struct SweepPoint { /* the result of one combination */
    Verdict verdict;
    MeasuredTime time; /* ms 0: no time */
    double gflops;
} SweepPoint;

typedef struct Sweeping {
    const Options *options;
    Submission submission;
    Problem problem;
    bool problem_is_read;
    Sweep sweep;
    SweepPoint *points;
    const SweepPoint *best; /* NULL: no combination was accepted */
    DeviceInfo device;
    Arena arena;
} Sweeping;

/* ---- the combinations -------------------------------------------------------------------------------------------- */

static Status read_request(Sweeping *sweeping, Message *why)
{
    const Options *options = sweeping->options;
    Status status = options_expect_file(options, why);
    THEN(status, submission_read(options->operands[0], &sweeping->submission, why));
    THEN(status, sweep_parse(options->operands[0], sweeping->submission.source.data, &sweeping->sweep, why));
    THEN(status, submission_problem(&sweeping->submission, options->problem, &sweeping->problem, why));
    sweeping->problem_is_read = status == STATUS_OK;
    return status;
}

static Status time_combination(Sweeping *sweeping, size_t combination, Message *why)
{
    Submission changed = sweeping->submission;
    SweepPoint *point = &sweeping->points[combination];
    Result result = {0};
    changed.source = (Text){0};
    sweep_add_source(&sweeping->sweep, combination, sweeping->submission.source.data, &changed.source);
    Status status = judge_timed(&sweeping->problem, &changed, request_device(sweeping->options), false, &result, why);
    *point = (SweepPoint){.verdict = result.verdict, .time = result.score, .gflops = result.gflops};
    if (point->time.ms > 0 && (sweeping->best == NULL || point->time.ms < sweeping->best->time.ms))
        sweeping->best = point;
    sweeping->device = result.device;
    result_free(&result);
    text_free(&changed.source);
    return status;
}

static Status time_combinations(Sweeping *sweeping, Message *why)
{
    Progress progress = progress_new(stderr);
    Status status = STATUS_OK;
    size_t count = sweeping->sweep.combinations;
    sweeping->points = arena_array(&sweeping->arena, count, sizeof *sweeping->points);
    progress_begin(&progress, "combinations", (int)count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = time_combination(sweeping, i, why);
        progress_advance(&progress);
    }
    progress_end(&progress, status == STATUS_OK ? "all timed" : "failed");
    judge_note_device(&progress, &sweeping->device);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Wide enough for the macro's name and each of its values. */
static int macro_columns(const SweepMacro *macro)
{
    int columns = VALUE_COLUMNS, width = terminal_columns(macro->name) + 2;
    for (size_t i = 0; i < macro->count; i++) {
        columns = width > columns ? width : columns;
        width = terminal_columns(macro->values[i]) + 2;
    }
    return width > columns ? width : columns;
}

static void add_point(const Sweeping *sweeping, size_t combination, TerminalStyle style, Text *out)
{
    const SweepPoint *point = &sweeping->points[combination];
    text_add(out, point == sweeping->best ? "> " : "  ");
    for (size_t i = 0; i < sweeping->sweep.macro_count; i++)
        terminal_pad(out, sweep_value(&sweeping->sweep, combination, i), -macro_columns(&sweeping->sweep.macros[i]));
    if (point->time.ms > 0) {
        terminal_pad(out, quantity_time(point->time.ms).text, -SWEEP_TIME_COLUMNS);
        text_printf(out, " %s%*s", style.utf8 ? "±" : "+-", UNCERTAINTY_COLUMNS - (style.utf8 ? 2 : 3),
                    quantity_percent(time_reach(point->time), 1).text);
        terminal_pad(out, quantity_rate(point->gflops).text, -RATE_COLUMNS);
        text_add(out, "\n");
    } else {
        text_printf(out, "  %s\n",
                    point->verdict == VERDICT_ACCEPTED ? "no timed cases" : verdict_name(point->verdict));
    }
}

/* Counts the other combinations that are not significantly slower than the best. */
static size_t count_as_good(const Sweeping *sweeping)
{
    size_t count = 0;
    for (size_t i = 0; i < sweeping->sweep.combinations; i++) {
        const SweepPoint *point = &sweeping->points[i];
        count += point != sweeping->best && point->time.ms > 0 && !time_is_faster(sweeping->best->time, point->time);
    }
    return count;
}

static void add_best(const Sweeping *sweeping, Text *out)
{
    if (sweeping->best == NULL) {
        text_add(out, "No combination is accepted.\n");
        return;
    }
    text_add(out, "Best: ");
    sweep_add_name(&sweeping->sweep, (size_t)(sweeping->best - sweeping->points), out);
    text_add(out, ", ");
    text_add(out, quantity_time(sweeping->best->time.ms).text);
    size_t as_good = count_as_good(sweeping);
    if (as_good > 0)
        text_printf(out, " (%zu other%s not significantly slower)", as_good, as_good == 1 ? " is" : "s are");
    text_add(out, "\n");
}

static void add_sweep_table(const Sweeping *sweeping, TerminalStyle style, Text *out)
{
    text_printf(out, "%s, problem %s on %s%s\n  ", sweeping->submission.file_name, sweeping->problem.id,
                sweeping->device.name, sweeping->device.modelled ? ", times are modelled" : "");
    for (size_t i = 0; i < sweeping->sweep.macro_count; i++)
        terminal_pad(out, sweeping->sweep.macros[i].name, -macro_columns(&sweeping->sweep.macros[i]));
    text_printf(out, "%*s%*s\n", SWEEP_TIME_COLUMNS, "time", UNCERTAINTY_COLUMNS + RATE_COLUMNS, "GFLOP/s");
    for (size_t i = 0; i < sweeping->sweep.combinations; i++)
        add_point(sweeping, i, style, out);
    add_best(sweeping, out);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status print_report(const Sweeping *sweeping, Message *why)
{
    Text out = {0};
    add_sweep_table(sweeping, terminal_style(stdout), &out);
    Status status = json_target_write("-", &out, why);
    text_free(&out);
    return status;
}

Status command_sweep(const Options *options, int *exit_status, Message *why)
{
    Sweeping sweeping = {.options = options};
    Status status = read_request(&sweeping, why);
    THEN(status, time_combinations(&sweeping, why));
    THEN(status, print_report(&sweeping, why));
    if (status == STATUS_OK)
        *exit_status = sweeping.best != NULL ? 0 : 1;
    if (sweeping.problem_is_read)
        problem_free(&sweeping.problem);
    sweep_free(&sweeping.sweep);
    submission_free(&sweeping.submission);
    arena_free(&sweeping.arena);
    return status;
}
