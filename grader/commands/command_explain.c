/* Runs a submission on a simulated GPU that counts for each source line, once for each timed case, and explains the result.
 * Line by line it shows the chosen case, or the one with the most operations: the larger a case, the smaller the part of
 * launches and of incomplete waves.  */
#include "base/paths.h"
#include "grader/commands/command.h"

#include "base/terminal.h"
#include "grader/judge/judge.h"
#include "grader/ranking/ranking.h"
#include "grader/report/explain_report.h"
#include "grader/report/ncu.h"
#include "grader/report/report.h"
#include "harness/device/device_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Explaining {
    const Options *options;
    Submission submission;
    Problem problem;
    bool problem_is_read;
    CaseChoice choice;
    ExplainRun run;
    DeviceInfo gpu; /* the real one, with --device cuda */
    NcuMeasurement measurement;
    const char *note; /* why Nsight Compute measured nothing; NULL: it did, or nobody asked for it */
    Message why_not;
    Result timed; /* on the real GPU */
    Message why_not_timed;
    Steps steps;
    StepDetail detail;
    Submission example; /* of the next step, where its code is shown */
    Progress progress;
} Explaining;

static bool is_real(const Options *options)
{
    const char *device = options->device;
    return device != NULL && (strcmp(device, "cuda") == 0 || strncmp(device, "cuda:", 5) == 0);
}

static const char *simulated_device(const Options *options)
{
    return options->device == NULL || is_real(options) ? "sim" : options->device;
}

static Status check_device(Explaining *explaining, Message *why)
{
    const Options *options = explaining->options;
    const char *device = simulated_device(options);
    if (strcmp(device, "sim") != 0 && strncmp(device, "sim:", 4) != 0)
        return fail(STATUS_BAD_INPUT, why, "--device %s: expected sim[:PROFILE] or cuda[:N]", device);
    if (options->ncu && !is_real(options))
        return fail(STATUS_BAD_INPUT, why, "--ncu: expected --device cuda, too: it measures on a real GPU");
    return is_real(options) ? device_describe(options->device, &explaining->gpu, why) : STATUS_OK;
}

static Status read_detail(Explaining *explaining, Message *why)
{
    static const char *const words[] = {[DETAIL_IDEA] = "idea", [DETAIL_SKETCH] = "sketch", [DETAIL_CODE] = "code"};
    const char *show = explaining->options->show;
    for (int i = DETAIL_IDEA; show != NULL && i <= DETAIL_CODE; i++) {
        explaining->detail = (StepDetail)i;
        if (strcmp(show, words[i]) == 0)
            return STATUS_OK;
    }
    return show == NULL ? STATUS_OK : fail(STATUS_BAD_INPUT, why, "--show %s: expected idea, sketch or code", show);
}

static Status check_request(Explaining *explaining, Message *why)
{
    const Options *options = explaining->options;
    Status status = options_expect_file(options, why);
    THEN(status, request_check_format(options, why));
    THEN(status, read_detail(explaining, why));
    THEN(status, check_device(explaining, why));
    THEN(status, submission_read(options->operands[0], &explaining->submission, why));
    THEN(status, submission_problem(&explaining->submission, options->problem, &explaining->problem, why));
    explaining->problem_is_read = status == STATUS_OK;
    THEN(status, case_choice_read(&explaining->problem, options->timed_case, &explaining->choice, why));
    THEN(status, json_target_check(options->json, options->operands[0], why));
    THEN(status, steps_read(&explaining->problem, &explaining->steps, why));
    return status;
}

/* Returns the index of the case that is shown line by line. */
static size_t shown_index(const Explaining *explaining)
{
    const Result *result = &explaining->run.result;
    size_t largest = 0;
    for (size_t i = 1; i < explaining->run.case_count; i++)
        if (result->cases[i].operations > result->cases[largest].operations)
            largest = i;
    return largest;
}

/* Times the same cases on the real GPU. A failure is only noted: the simulated numbers are right without the measured
 * ones. */
static void measure_times(Explaining *explaining)
{
    if (!is_real(explaining->options))
        return;
    const JudgeJob job = {.problem = &explaining->problem,
                          .submission = &explaining->submission,
                          .device = explaining->options->device,
                          .timed_only = true,
                          .only_timed_case = explaining->choice.number > 0 ? explaining->choice.name : NULL,
                          .one_block = true,
                          .progress = &explaining->progress};
    Message *why = &explaining->why_not_timed;
    Status status = judge_submission(&job, &explaining->timed, why);
    if (status == STATUS_OK && explaining->timed.verdict != VERDICT_ACCEPTED)
        status = fail(STATUS_BAD_INPUT, why, "%s: %s", verdict_name(explaining->timed.verdict), explaining->timed.text);
}

/* A failure is only noted: the simulated numbers are right without the measured ones. */
static void measure_by_ncu(Explaining *explaining)
{
    if (!is_real(explaining->options))
        return;
    if (!explaining->options->ncu) {
        explaining->note = "not asked for: --ncu runs the file directly on the GPU, outside of the sandbox";
        return;
    }
    progress_begin(&explaining->progress, "ncu", 0);
    Status status = ncu_measure(&explaining->problem, &explaining->submission,
                                &explaining->run.result.cases[shown_index(explaining)].sizes, &explaining->gpu,
                                &explaining->measurement, &explaining->why_not);
    if (status != STATUS_OK)
        explaining->note = explaining->why_not.text;
    progress_end(&explaining->progress, status == STATUS_OK ? "measured" : "failed");
}

/* ---- other solutions --------------------------------------------------------------------------------------------- */

/* The result whose times are compared with those of the reference solutions: on the real GPU, if it was timed there. */
static Result *timed_result(Explaining *explaining)
{
    return is_real(explaining->options) && explaining->why_not_timed.text[0] == '\0' ? &explaining->timed
                                                                                     : &explaining->run.result;
}

/* Their times are those that grading has taken on this device, or that come with the judge. */
static Status compare_with_references(Explaining *explaining, Message *why)
{
    Result *timed = timed_result(explaining);
    Store *store = NULL;
    Message ignored;
    if (ranking_open(STORE_READ, &store, &ignored) != STATUS_OK)
        store = NULL;
    Status status = ranking_compare(store, false, timed->device.handle, &explaining->progress, timed, why);
    store_close(store);
    return status;
}

static Status read_example(Explaining *explaining, Message *why)
{
    char relative[512], path[4096];
    snprintf(relative, sizeof relative, "solutions/%s/accepted/%s", explaining->problem.id,
             explaining->run.next.step->example);
    TRY(paths_home(relative, path, sizeof path, why));
    return submission_read(path, &explaining->example, why);
}

/* The real GPU may time other cases than the simulated one. */
static void take_measured_times(Explaining *explaining)
{
    for (size_t i = 0; i < explaining->run.case_count; i++) {
        ExplainedCase *one = &explaining->run.cases[i];
        one->time = (MeasuredTime){0};
        for (size_t k = 0; k < explaining->timed.case_count; k++)
            if (strcmp(explaining->timed.cases[k].name, one->item->name) == 0)
                one->time = explaining->timed.cases[k].time;
        one->measured_s = 1e-3 * one->time.ms;
    }
}

static Status find_next_step(Explaining *explaining, Message *why)
{
    const Result *timed = timed_result(explaining);
    const bool one_case = explaining->choice.number > 0;
    if (timed == &explaining->timed)
        take_measured_times(explaining);
    TRY(explain_run_next(&explaining->run, &explaining->steps, timed->reference_times, timed->reference_count,
                         one_case ? explaining->run.cases[0].time : timed->score, one_case, why));
    if (explaining->run.next.step != NULL && explaining->detail == DETAIL_CODE)
        TRY(read_example(explaining, why));
    return STATUS_OK;
}

static Status write_explanation(Explaining *explaining, Message *why)
{
    const char *json = explaining->options->json;
    Text text = {0};
    Status status = STATUS_OK;
    ExplainReport report = {
        .run = &explaining->run,
        .submission = &explaining->submission,
        .timed_count = explaining->choice.count,
        .shown = &explaining->run.cases[shown_index(explaining)],
        .gpu = is_real(explaining->options) ? explaining->gpu.name : NULL,
        .measurement = &explaining->measurement,
        .note = explaining->note,
        .time_note = explaining->why_not_timed.text[0] != '\0' ? explaining->why_not_timed.text : NULL,
        .detail = explaining->detail,
        .code = explaining->example.source.data,
        .timed = timed_result(explaining),
        .with_terms = explaining->options->terms,
    };
    report.telling = explain_telling(&report);
    if (json != NULL) {
        explain_json(&report, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        if (explaining->options->format == NULL)
            explain_report_write(&report, terminal_style(stdout), &text);
        else
            explain_write_for_editor(&report, explaining->options->operands[0], &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

/* For a submission that is not accepted, the report of its verdict takes the place of the explanation. */
static Status write_verdict(const Explaining *explaining, Message *why)
{
    Text text = {0};
    if (explaining->options->format == NULL)
        report_write(&explaining->run.result, terminal_style(stdout), &text);
    else
        report_write_for_editor(&explaining->run.result, &explaining->submission, explaining->options->operands[0],
                                &text);
    Status status = json_target_write("-", &text, why);
    text_free(&text);
    return status;
}

static Status write_outcome(Explaining *explaining, int *exit_status, Message *why)
{
    bool accepted = explaining->run.result.verdict == VERDICT_ACCEPTED;
    *exit_status = verdict_exit_status(explaining->run.result.verdict);
    if (explaining->run.result.case_count == 0)
        return fail(STATUS_BAD_INPUT, why, "problem %s has no timed case, so there is nothing to run",
                    explaining->problem.id);
    if (!accepted)
        return write_verdict(explaining, why);
    if (explaining->run.profiles[shown_index(explaining)].kernel_count == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: solve() launches no kernel, so there is nothing to explain",
                    explaining->submission.file_name);
    measure_times(explaining);
    measure_by_ncu(explaining);
    Status status = compare_with_references(explaining, why);
    THEN(status, find_next_step(explaining, why));
    return status != STATUS_OK ? status : write_explanation(explaining, why);
}

static void close_explaining(Explaining *explaining)
{
    explain_run_free(&explaining->run);
    result_free(&explaining->timed);
    steps_free(&explaining->steps);
    submission_free(&explaining->example);
    if (explaining->problem_is_read)
        problem_free(&explaining->problem);
    submission_free(&explaining->submission);
}

Status command_explain(const Options *options, int *exit_status, Message *why)
{
    Explaining explaining = {.options = options, .progress = progress_new(stderr)};
    Status status = check_request(&explaining, why);
    THEN(status, explain_run(&explaining.problem, &explaining.submission, simulated_device(options), &explaining.choice,
                             &explaining.progress, &explaining.run, why));
    THEN(status, write_outcome(&explaining, exit_status, why));
    close_explaining(&explaining);
    return status;
}

/* ==== command facts =============================================================================================== */

/* A row for each fact: its value in each case, and what it is. */
static void print_facts(const ExplainRun *run)
{
    enum { NAME_COLUMNS = 28, VALUE_COLUMNS = 12 };
    Text text = {0};
    for (size_t i = 0; i < run->case_count; i++)
        text_printf(&text, "%3d  %s\n", run->cases[i].number, run->cases[i].item->name);
    text_printf(&text, "\n%-*s", NAME_COLUMNS, "case");
    for (size_t i = 0; i < run->case_count; i++)
        text_printf(&text, "%*d", VALUE_COLUMNS, run->cases[i].number);
    text_add(&text, "\n");
    for (int fact = 0; fact < FACT_COUNT; fact++) {
        text_printf(&text, "%-*s", NAME_COLUMNS, fact_names[fact]);
        for (size_t i = 0; i < run->case_count; i++)
            if (isfinite(run->cases[i].facts[fact]))
                text_printf(&text, "%*.4g", VALUE_COLUMNS, run->cases[i].facts[fact]);
            else
                text_printf(&text, "%*s", VALUE_COLUMNS, "-");
        text_printf(&text, "  %s\n", fact_meanings[fact]);
    }
    fputs(text.data, stdout);
    text_free(&text);
}

Status command_facts(const Options *options, int *exit_status, Message *why)
{
    Explaining explaining = {.options = options, .progress = progress_new(stderr)};
    Status status = check_request(&explaining, why);
    THEN(status, explain_run(&explaining.problem, &explaining.submission, simulated_device(options), &explaining.choice,
                             &explaining.progress, &explaining.run, why));
    if (status == STATUS_OK) {
        *exit_status = verdict_exit_status(explaining.run.result.verdict);
        if (explaining.run.case_count > 0)
            print_facts(&explaining.run);
        else
            status = write_verdict(&explaining, why);
    }
    close_explaining(&explaining);
    return status;
}
