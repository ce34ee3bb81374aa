#include "grader/exchange/exchange.h"

#include "grader/exchange/gradescope.h"
#include "grader/exchange/junit.h"
#include "grader/terminal/json_target.h"

#include <string.h>

static Status check_file(const char *option, const char *path, const char *submission, Message *why)
{
    if (path == NULL)
        return STATUS_OK;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail(STATUS_BAD_INPUT, why, "--%s: expected the name of a file, found '%s'", option, path);
    return json_target_check(path, submission, why);
}

Status exchange_check(const ExchangeFiles *files, const char *submission, Message *why)
{
    Status status = check_file("gradescope", files->gradescope, submission, why);
    return status == STATUS_OK ? check_file("junit", files->junit, submission, why) : status;
}

static Status write_view(const char *path, void (*write)(const Outcome *, Text *), const Outcome *outcome, Message *why)
{
    Text text = {0};
    if (path == NULL)
        return STATUS_OK;
    write(outcome, &text);
    Status status = text_write_file(path, &text, why);
    text_free(&text);
    return status;
}

Status exchange_write(const ExchangeFiles *files, const Outcome *outcome, Message *why)
{
    Status status = write_view(files->gradescope, gradescope_write, outcome, why);
    return status == STATUS_OK ? write_view(files->junit, junit_write, outcome, why) : status;
}

static void add_trouble(const ExchangeFailure *failure, Text *out)
{
    const char *reason = failure->reason.text;
    switch (failure->fault) {
    case FAULT_OF_FILE: text_printf(out, "Your file could not be graded: %s. There is no score.", reason); break;
    case FAULT_OF_JUDGE:
        text_printf(out, "The judge failed, not your file: %s. There is no score; hand it in again later.", reason);
        break;
    case NO_VERDICT_YET:
        text_printf(
            out,
            "Your file is handed in and counts, but it is not judged yet: %s. There is no score yet; look there "
            "later, or ask for this autograder to be run again.",
            reason);
    }
}

Status exchange_fail(const ExchangeFiles *files, const ExchangeFailure *failure, Message *why)
{
    Text trouble = {0};
    add_trouble(failure, &trouble);
    const Outcome outcome = {.trouble = trouble.data, .keeper = failure->keeper, .submission = failure->submission};
    Status status = exchange_write(files, &outcome, why);
    text_free(&trouble);
    return status == STATUS_OK ? fail(failure->status, why, "%s", failure->reason.text) : status;
}
