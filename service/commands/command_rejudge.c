/* command_rejudge.c - an administrator lets submissions be judged again, looks at what that would change, and decides. Works on
 * the store itself, while the server runs; the server hands the work out.  */
#include "service/commands/service_command.h"

#include "service/client/output.h"
#include "service/commands/administered_store.h"
#include "service/commands/rejudge_report.h"
#include "service/rejudge/rejudging.h"
#include "service/store/batch_table.h"

#include <stdlib.h>
#include <string.h>

static const char administrator[] = "administrator";

typedef struct Rejudging {
    const Options *options;
    Store *store;
    Arena arena;
    cJSON *json;
    Text text;
} Rejudging;

/* ---- a new batch ------------------------------------------------------------------------------------------------- */

/* "1,2,3" */
static Status read_numbers(Rejudging *rejudging, BatchRequest *request, Message *why)
{
    const Options *options = rejudging->options;
    Status status = STATUS_OK;
    if (options->runs == NULL)
        return STATUS_OK;
    char *words = (char *)arena_string(&rejudging->arena, options->runs), *rest;
    int64_t *numbers = arena_array(&rejudging->arena, strlen(words) + 1, sizeof *numbers);
    request->submissions = numbers;
    for (char *word = strtok_r(words, ",", &rest); word != NULL && status == STATUS_OK;
         word = strtok_r(NULL, ",", &rest))
        status = options_run_number(options, "option '--runs'", word, &numbers[request->submission_count++], why);
    if (status == STATUS_OK && request->submission_count == 0)
        return fail(STATUS_BAD_INPUT, why, "rejudge: option '--runs': expected numbers of submissions such as 3,5,8");
    return status;
}

static Status read_since(const Options *options, BatchRequest *request, Message *why)
{
    request->since_utc = options->since == NULL ? "" : options->since;
    if (options->since == NULL || rejudging_is_moment(options->since))
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why,
                "rejudge: option '--since': expected a time such as 2026-01-31T12:00:00Z, found '%s'", options->since);
}

static Status read_request(Rejudging *rejudging, BatchRequest *request, Message *why)
{
    const Options *options = rejudging->options;
    if (options->why == NULL || options->why[strspn(options->why, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "rejudge: expected a reason: --why TEXT");
    *request = (BatchRequest){.problem = options->problem, .reason = options->why};
    Status status = read_since(options, request, why);
    return status == STATUS_OK ? read_numbers(rejudging, request, why) : status;
}

static Status begin(Rejudging *rejudging, Message *why)
{
    BatchRequest request = {0};
    Batch batch;
    BatchSkip *skips;
    size_t skip_count;
    Status status = read_request(rejudging, &request, why);
    if (status == STATUS_OK)
        status = rejudging_begin(rejudging->store, &request, administrator, &rejudging->arena, &batch, &skips,
                                 &skip_count, why);
    if (status != STATUS_OK)
        return status;
    rejudge_report_opened(&batch, skips, skip_count, &rejudging->text);
    cJSON_AddItemToObject(rejudging->json, "batch", rejudge_report_batch_json(&batch));
    cJSON_AddItemToObject(rejudging->json, "skipped", rejudge_report_skips_json(skips, skip_count));
    return STATUS_OK;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static Status list(Rejudging *rejudging, Message *why)
{
    Batch *batches;
    size_t count;
    Status status = batches_list(rejudging->store, &rejudging->arena, &batches, &count, why);
    if (status != STATUS_OK)
        return status;
    rejudge_report_list(batches, count, &rejudging->text);
    cJSON *array = cJSON_AddArrayToObject(rejudging->json, "batches");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, rejudge_report_batch_json(&batches[i]));
    return STATUS_OK;
}

static Status batch_number(const Options *options, const char *where, const char *text, int64_t *id, Message *why)
{
    char *end;
    *id = strtoll(text, &end, 10);
    if (text[0] >= '1' && text[0] <= '9' && *end == '\0')
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: option '%s': expected the number of a batch, found '%s'",
                options->subcommand, where, text);
}

/* Both are of one moment. */
static Status read_table(Rejudging *rejudging, int64_t id, Batch *batch, BatchRow **rows, size_t *count, Message *why)
{
    Status status = store_begin_reading(rejudging->store, why);
    if (status != STATUS_OK)
        return status;
    status = batches_read(rejudging->store, id, &rejudging->arena, batch, why);
    if (status == STATUS_OK)
        status = batch_table(rejudging->store, id, &rejudging->arena, rows, count, why);
    Status ended = store_end_reading(rejudging->store, status == STATUS_OK ? why : NULL);
    return status == STATUS_OK ? ended : status;
}

static Status show(Rejudging *rejudging, Message *why)
{
    Batch batch;
    BatchRow *rows;
    BatchSkip *skips;
    size_t count, skip_count;
    int64_t id;
    Status status = batch_number(rejudging->options, "--batch", rejudging->options->batch, &id, why);
    if (status == STATUS_OK)
        status = read_table(rejudging, id, &batch, &rows, &count, why);
    if (status == STATUS_OK)
        status = batches_skips(rejudging->store, id, &rejudging->arena, &skips, &skip_count, why);
    if (status != STATUS_OK)
        return status;
    rejudge_report_table(&batch, rows, count, &rejudging->text);
    rejudge_report_skips(skips, skip_count, &rejudging->text);
    cJSON_AddItemToObject(rejudging->json, "skipped", rejudge_report_skips_json(skips, skip_count));
    cJSON_AddItemToObject(rejudging->json, "batch", rejudge_report_batch_json(&batch));
    cJSON_AddItemToObject(rejudging->json, "submissions", rejudge_report_rows_json(rows, count));
    return STATUS_OK;
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

static Status say_decided(Rejudging *rejudging, int64_t id, Message *why)
{
    Batch batch;
    Status status = batches_read(rejudging->store, id, &rejudging->arena, &batch, why);
    if (status != STATUS_OK)
        return status;
    text_printf(&rejudging->text, "batch %lld is %s\n", (long long)id, batch.state);
    cJSON_AddItemToObject(rejudging->json, "batch", rejudge_report_batch_json(&batch));
    return STATUS_OK;
}

static Status decide(Rejudging *rejudging, Message *why)
{
    const Options *options = rejudging->options;
    const bool applies = options->apply != NULL;
    int64_t id;
    Status status = batch_number(options, applies ? "--apply" : "--drop", applies ? options->apply : options->drop, &id,
                                 why);
    if (status == STATUS_OK)
        status = applies ? rejudging_apply(rejudging->store, id, administrator, why)
                         : batches_drop(rejudging->store, id, administrator, why);
    return status == STATUS_OK ? say_decided(rejudging, id, why) : status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status check_options(const Options *options, Message *why)
{
    const int asked = (options->problem != NULL) + options->list + (options->batch != NULL) + (options->apply != NULL) +
                      (options->drop != NULL);
    const bool has_more = options->since != NULL || options->runs != NULL || options->why != NULL;
    if (asked != 1)
        return fail(STATUS_BAD_INPUT, why, "rejudge: expected one of --problem, --list, --batch, --apply and --drop");
    if (options->problem == NULL && has_more)
        return fail(STATUS_BAD_INPUT, why, "rejudge: --since, --runs and --why belong to --problem");
    return options_expect_no_file(options, why);
}

Status command_rejudge(const Options *options, int *exit_status, Message *why)
{
    Rejudging rejudging = {.options = options};
    *exit_status = 0;
    Status status = check_options(options, why);
    if (status == STATUS_OK)
        status = administered_store_open(options, &rejudging.store, why);
    if (status != STATUS_OK)
        return status;
    rejudging.json = output_new();
    if (options->problem != NULL)
        status = begin(&rejudging, why);
    else if (options->list)
        status = list(&rejudging, why);
    else
        status = options->batch != NULL ? show(&rejudging, why) : decide(&rejudging, why);
    if (status == STATUS_OK)
        status = output_write(options, rejudging.json, &rejudging.text, why);
    else
        cJSON_Delete(rejudging.json);
    store_close(rejudging.store);
    text_free(&rejudging.text);
    arena_free(&rejudging.arena);
    return status;
}
