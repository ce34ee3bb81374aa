/* Names equal and nearly equal submissions of different people, and of people and reference solutions. */
#include "grader/commands/command.h"

#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/similarity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 2, DEFAULT_THRESHOLD = 70 };
enum {
    MOST_PRINTED = 200,
    MOST_LISTED = 5000
}; /* in the table, and in the JSON: a class of plain kernels has 100,000 pairs */
enum { MOST_SHOWN = 500, MOST_PARTS = 100 }; /* pairs whose parts are in the JSON, and parts of each */

static Status read_threshold(const char *text, double *threshold, Message *why)
{
    char *end;
    *threshold = DEFAULT_THRESHOLD;
    if (text == NULL)
        return STATUS_OK;
    *threshold = strtod(text, &end);
    if (end != text && *end == '\0' && *threshold >= 1 && *threshold <= 100)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "similar: option '--threshold': expected percent from 1 to 100, found '%s'",
                text);
}

/* The problem may be named like a file, too: convjudge similar conv1d. */
static Status read_request(const Options *options, Problem *problem, double *threshold, Message *why)
{
    Options named = *options;
    if (named.problem == NULL && named.operand_count == 1) {
        named.problem = named.operands[0];
        named.operand_count = 0;
    }
    TRY(options_expect_problem(&named, why));
    TRY(read_threshold(options->threshold, threshold, why));
    TRY(json_target_check(options->json, "", why));
    return problem_read(named.problem, problem, why);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void add_share(double share, Text *out)
{
    text_printf(out, "%4.0f", 100 * share);
}

static void add_program(const Program *program, Text *out)
{
    terminal_print(out, "%s: %s", program->author, program->file_name);
    if (program->run > 0)
        text_printf(out, " (run %lld, %.10s)", (long long)program->run, program->time_utc);
    text_add(out, "\n");
}

static void add_pair(const SimilarPair *pair, Text *out)
{
    text_add(out, pair->same_machine_code ? " =" : "  ");
    add_share(pair->source_a, out);
    add_share(pair->source_b, out);
    text_add(out, "   ");
    add_share(pair->code_a, out);
    add_share(pair->code_b, out);
    text_add(out, "   ");
    add_program(pair->a, out);
    text_printf(out, "%24s", "");
    add_program(pair->b, out);
}

static size_t count_people(const Similarities *found)
{
    size_t people = 0;
    for (size_t i = 0; i < found->count; i++) {
        bool is_new = found->programs[i].is_persons;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !found->programs[k].is_persons ||
                     strcmp(found->programs[k].author, found->programs[i].author) != 0;
        people += is_new;
    }
    return people;
}

static size_t count_runs(const Similarities *found)
{
    size_t runs = 0;
    for (size_t i = 0; i < found->count; i++)
        runs += found->programs[i].is_persons;
    return runs;
}

static void add_report(const Problem *problem, double threshold, const Similarities *found, Text *out)
{
    text_printf(out, "%s (%s): %zu sources of %zu people, and %zu others\n", problem->id, problem->title,
                count_runs(found), count_people(found), found->count - count_runs(found));
    if (found->unreadable > 0)
        text_printf(out, "further files that could not be read, and were not compared: %zu\n", found->unreadable);
    if (found->without_source > 0)
        text_printf(out, "runs of an older version, whose sources were not kept: %zu\n", found->without_source);
    if (found->not_compiled > 0)
        text_printf(out, "sources without device code here, of which only the text was compared: %zu\n",
                    found->not_compiled);
    if (found->pair_count == 0) {
        text_printf(out, "no pair has %g %% in common\n", threshold);
        return;
    }
    text_printf(
        out,
        "Pairs that have %g %% or more in common, in percent of each one's source and device code; = is the same "
        "machine code:\n",
        threshold);
    text_add(out, "    source    device code\n");
    for (size_t i = 0; i < found->pair_count && i < MOST_PRINTED; i++)
        add_pair(&found->pairs[i], out);
    if (found->pair_count > MOST_PRINTED)
        text_printf(out, "%zu pairs more are not shown here\n", found->pair_count - MOST_PRINTED);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_range(cJSON *list, LineRange range)
{
    cJSON *item = cJSON_CreateArray();
    cJSON_AddItemToArray(item, cJSON_CreateNumber(range.first));
    cJSON_AddItemToArray(item, cJSON_CreateNumber(range.last));
    cJSON_AddItemToArray(list, item);
}

static cJSON *program_item(const Program *program)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, program->is_persons ? "person" : "from", program->author);
    if (program->run > 0) {
        cJSON_AddNumberToObject(object, "run", (double)program->run);
        cJSON_AddStringToObject(object, "time_utc", program->time_utc);
    }
    cJSON_AddStringToObject(object, "file", program->file_name);
    cJSON_AddStringToObject(object, "source_hash", program->submission.hash.hex);
    cJSON *list = cJSON_AddArrayToObject(object, "handed_out");
    for (size_t i = 0; i < program->handed_out_count; i++)
        put_range(list, program->handed_out[i]);
    return object;
}

static void put_parts(cJSON *object, const SimilarPair *pair)
{
    Arena arena = {0};
    size_t count;
    const SourcePart *parts = source_parts(&pair->a->tokens, &pair->b->tokens, MOST_PARTS, &arena, &count);
    cJSON *list = cJSON_AddArrayToObject(object, "parts");
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject(), *lines = cJSON_AddArrayToObject(item, "lines");
        put_range(lines, parts[i].a);
        put_range(lines, parts[i].b);
        cJSON_AddNumberToObject(item, "tokens", (double)parts[i].tokens);
        cJSON_AddItemToArray(list, item);
    }
    arena_free(&arena);
}

/* The text of a further source, once: no database has it. Those of people are in the leaderboard's. */
static void put_text(cJSON *texts, const Program *program)
{
    if (!program->is_persons && cJSON_GetObjectItemCaseSensitive(texts, program->submission.hash.hex) == NULL)
        cJSON_AddStringToObject(texts, program->submission.hash.hex, program->submission.source.data);
}

static void put_shares(cJSON *object, const char *key, double a, double b)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    json_push_number(list, a);
    json_push_number(list, b);
}

static void add_json(const Problem *problem, double threshold, const Similarities *found, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddStringToObject(root, "problem", problem->id);
    json_put_number(root, "threshold", threshold / 100);
    cJSON_AddNumberToObject(root, "people", (double)count_people(found));
    cJSON_AddNumberToObject(root, "sources", (double)count_runs(found));
    cJSON_AddNumberToObject(root, "others", (double)(found->count - count_runs(found)));
    cJSON_AddNumberToObject(root, "unreadable", (double)found->unreadable);
    cJSON_AddNumberToObject(root, "without_source", (double)found->without_source);
    cJSON_AddNumberToObject(root, "without_device_code", (double)found->not_compiled);
    cJSON *list = cJSON_AddArrayToObject(root, "pairs"), *texts = cJSON_AddObjectToObject(root, "texts");
    cJSON_AddNumberToObject(root, "pair_count", (double)found->pair_count);
    for (size_t i = 0; i < found->pair_count && i < MOST_LISTED; i++) {
        const SimilarPair *pair = &found->pairs[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "a", program_item(pair->a));
        cJSON_AddItemToObject(item, "b", program_item(pair->b));
        cJSON_AddBoolToObject(item, "same_source", pair->same_source);
        cJSON_AddBoolToObject(item, "same_device_code", pair->same_code);
        cJSON_AddBoolToObject(item, "same_machine_code", pair->same_machine_code);
        put_shares(item, "source", pair->source_a, pair->source_b);
        put_shares(item, "device_code", pair->code_a, pair->code_b);
        if (i < MOST_SHOWN) {
            put_parts(item, pair);
            put_text(texts, pair->a);
            put_text(texts, pair->b);
        }
        cJSON_AddItemToArray(list, item);
    }
    json_print(root, out);
    cJSON_Delete(root);
}

static Status write_reports(const char *json, const Problem *problem, double threshold, const Similarities *found,
                            Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        add_json(problem, threshold, found, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        add_report(problem, threshold, found, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

static Status find(const Options *options, Store *store, const Problem *problem, double threshold, Similarities *found,
                   Message *why)
{
    Progress progress = progress_new(stderr);
    const SimilarRequest request = {.store = store,
                                    .problem = problem,
                                    .further = options->earlier.items,
                                    .further_count = options->earlier.count,
                                    .handed_out = options->handed_out.items,
                                    .handed_out_count = options->handed_out.count,
                                    .threshold = threshold};
    return similarities_find(&request, &progress, found, why);
}

Status command_similar(const Options *options, int *exit_status, Message *why)
{
    double threshold;
    Problem problem;
    Similarities found = {0};
    Store *store = NULL;
    TRY(read_request(options, &problem, &threshold, why));
    Status status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_NOT_FOUND)
        status = STATUS_OK; /* nothing has been recorded yet */
    THEN(status, find(options, store, &problem, threshold / 100, &found, why));
    THEN(status, write_reports(options->json, &problem, threshold, &found, why));
    similarities_free(&found);
    store_close(store);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}
