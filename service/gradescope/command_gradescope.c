/* What a kit for Gradescope runs in its container: hands the student's file in for him, waits, and writes results/results.json,
 * whatever comes of it. All else is as with `submit --wait`. */
#include "service/gradescope/gradescope_command.h"

#include "grader/exchange/exchange.h"
#include "service/client/client_command.h"
#include "service/gradescope/gradescope_folder.h"

static const char DEFAULT_FOLDER[] = "/autograder";

static Status check_options(const Options *options, GradescopePerson *by, Message *why)
{
    if (options->operand_count > 1)
        return fail(STATUS_BAD_INPUT, why, "gradescope: expected one FOLDER at most, found %d", options->operand_count);
    return gradescope_person_parse(options->by, by, why);
}

static Status find_all(const char *path, GradescopePerson by, GradescopeFolder *folder, ExchangeFailure *failure)
{
    failure->fault = FAULT_OF_FILE;
    Status status = gradescope_find_file(path, folder, &failure->reason);
    if (status != STATUS_OK)
        return status;
    failure->fault = FAULT_OF_JUDGE;
    return gradescope_find_person(path, by, folder, &failure->reason);
}

Status command_gradescope(const Options *options, int *exit_status, Message *why)
{
    const char *path = options->operand_count == 1 ? options->operands[0] : DEFAULT_FOLDER;
    GradescopeFolder folder;
    GradescopePerson by;
    ExchangeFailure failure = {0};
    Status status = check_options(options, &by, why);
    if (status != STATUS_OK)
        return status;
    gradescope_folder_places(path, &folder);
    const ExchangeFiles files = {.gradescope = folder.results};
    status = exchange_check(&files, "", why);
    if (status != STATUS_OK)
        return status;
    failure.status = find_all(path, by, &folder, &failure);
    if (failure.status != STATUS_OK)
        return exchange_fail(&files, &failure, why);
    char *file = folder.file;
    const Options submit = {.subcommand = "submit",
                            .problem = options->problem,
                            .person = folder.person,
                            .server = options->server,
                            .key = folder.key[0] == '\0' ? NULL : folder.key,
                            .wait = true,
                            .minutes = options->minutes,
                            .gradescope = folder.results,
                            .operands = &file,
                            .operand_count = 1};
    return command_submit(&submit, exit_status, why);
}
