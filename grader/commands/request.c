#include "grader/commands/request.h"

#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/judge/result_json.h"
#include "grader/report/report.h"
#include "harness/broker/session.h"

#include <stdio.h>
#include <string.h>

const char *request_device(const Options *options)
{
    return options->device == NULL ? "auto" : options->device;
}

Status request_check_format(const Options *options, Message *why)
{
    return options->format == NULL || strcmp(options->format, "gcc") == 0
               ? STATUS_OK
               : fail(STATUS_BAD_INPUT, why, "%s: option '--format': expected gcc, found '%s'", options->subcommand,
                      options->format);
}

Status request_problem(const Options *options, Problem *problem, Message *why)
{
    TRY(options_expect_problem(options, why));
    return problem_read(options->problem, problem, why);
}

Status request_read(const Options *options, Request *request, Message *why)
{
    Status status = options_expect_file(options, why);
    THEN(status, request_check_format(options, why));
    THEN(status, submission_read(options->operands[0], &request->submission, why));
    THEN(status, submission_problem(&request->submission, options->problem, &request->problem, why));
    request->problem_is_read = status == STATUS_OK;
    if (status == STATUS_OK && submission_is_c(&request->submission) && !cpu_device_is_named(request_device(options)))
        status = fail(STATUS_BAD_INPUT, why,
                      "%s: a file in plain C runs only on the CPU, expected --device cpu (DEVICE=cpu with make)",
                      options->operands[0]);
    return status == STATUS_OK ? json_target_check(options->json, options->operands[0], why) : status;
}

void request_free(Request *request)
{
    if (request->problem_is_read)
        problem_free(&request->problem);
    submission_free(&request->submission);
}

Status request_write(const Request *request, const Options *options, const Result *result, const char *more,
                     Message *why)
{
    const char *json = options->json;
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        result_json(result, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        if (options->format == NULL)
            report_write(result, terminal_style(stdout), &text);
        else
            report_write_for_editor(result, &request->submission, options->operands[0], &text);
        text_add(&text, more);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

Status request_check_class(const Options *options, ClassPoints points, Message *why)
{
    if (options->class_file == NULL)
        return STATUS_OK;
    if (options->gradescope == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--class' is only for --gradescope", options->subcommand);
    return points(options->class_file, NULL, NULL, why);
}

ExchangeFiles request_exchange_files(const Options *options)
{
    return (ExchangeFiles){.gradescope = options->gradescope, .junit = options->junit};
}

Status request_exchange(const Options *options, const Result *result, ClassPoints points, Message *why)
{
    static const TerminalStyle plain = {.width = 80};
    const ExchangeFiles files = request_exchange_files(options);
    Text json = {0}, report = {0}, verdicts = {0};
    JsonFile file;
    if (files.gradescope == NULL && files.junit == NULL)
        return STATUS_OK;
    result_json(result, &json);
    report_write(result, plain, &report);
    if (result->all_cases != NULL)
        case_verdicts_json(result, &verdicts);
    Status status = json_parse("result.json", json.data, json.length, &file, why);
    if (status == STATUS_OK) {
        Outcome outcome = {
            .result = file.root, .report = report.data + strspn(report.data, "\n"), .case_verdicts = verdicts.data};
        Arena arena = {0};
        if (options->class_file != NULL)
            status = points(options->class_file, &arena, &outcome, why);
        THEN(status, exchange_write(&files, &outcome, why));
        arena_free(&arena);
        json_free(&file);
    }
    text_free(&report);
    text_free(&verdicts);
    text_free(&json);
    return status;
}
