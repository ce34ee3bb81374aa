/* Names equal and nearly equal submissions of different people, and of people and reference solutions. */
#include "grader/commands/command.h"

#include "base/json.h"
#include "base/text.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/ranking.h"
#include "grader/similarity/similarity.h"
#include "grader/similarity/source_share.h"
#include "grader/terminal/json_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1, DEFAULT_THRESHOLD = 70 };

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
    Status status = options_expect_problem(&named, why);
    if (status == STATUS_OK)
        status = read_threshold(options->threshold, threshold, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, "", why);
    return status == STATUS_OK ? problem_read(named.problem, problem, why) : status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void add_share(double share, Text *out)
{
    text_printf(out, "%4.0f", 100 * share);
}

static void add_program(const Program *program, Text *out)
{
    text_printf(out, "%s: %s", program->author, program->file_name);
    if (program->run > 0)
        text_printf(out, " (run %lld, %.10s)", (long long)program->run, program->time_utc);
    text_add(out, "\n");
}

static void add_pair(const SimilarPair *pair, bool has_sources, Text *out)
{
    text_add(out, " ");
    if (has_sources) {
        add_share(pair->source_a, out);
        add_share(pair->source_b, out);
    } else {
        text_add(out, "   -   -");
    }
    text_add(out, "    ");
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
    if (!found->has_sources)
        text_printf(out, "%s is not installed (Debian's package %s): only device code was compared\n",
                    source_share_program(), SOURCE_SHARE_PACKAGE);
    if (found->without_source > 0)
        text_printf(out, "runs of an older version, whose sources were not kept: %zu\n", found->without_source);
    if (found->not_compiled > 0)
        text_printf(out, "sources without device code here, of which only the text was compared: %zu\n",
                    found->not_compiled);
    if (found->pair_count == 0) {
        text_printf(out, "no pair has %g %% in common\n", threshold);
        return;
    }
    text_printf(out, "Pairs that have %g %% or more in common, in percent of each one's source and device code:\n",
                threshold);
    text_add(out, "   source    device code\n");
    for (size_t i = 0; i < found->pair_count; i++)
        add_pair(&found->pairs[i], found->has_sources, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

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
    return object;
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
    cJSON_AddBoolToObject(root, "sources_compared", found->has_sources);
    cJSON_AddNumberToObject(root, "without_source", (double)found->without_source);
    cJSON_AddNumberToObject(root, "without_device_code", (double)found->not_compiled);
    cJSON *list = cJSON_AddArrayToObject(root, "pairs");
    for (size_t i = 0; i < found->pair_count; i++) {
        const SimilarPair *pair = &found->pairs[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "a", program_item(pair->a));
        cJSON_AddItemToObject(item, "b", program_item(pair->b));
        cJSON_AddBoolToObject(item, "same_source", pair->same_source);
        cJSON_AddBoolToObject(item, "same_device_code", pair->same_code);
        if (found->has_sources)
            put_shares(item, "source", pair->source_a, pair->source_b);
        put_shares(item, "device_code", pair->code_a, pair->code_b);
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

Status command_similar(const Options *options, int *exit_status, Message *why)
{
    double threshold;
    Problem problem;
    Similarities found = {0};
    Store *store = NULL;
    Progress progress = progress_new(stderr);
    Status status = read_request(options, &problem, &threshold, why);
    if (status != STATUS_OK)
        return status;
    status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_NOT_FOUND)
        status = STATUS_OK; /* nothing has been recorded yet */
    if (status == STATUS_OK)
        status = similarities_find(store, &problem, options->also, threshold / 100, &progress, &found, why);
    if (status == STATUS_OK)
        status = write_reports(options->json, &problem, threshold, &found, why);
    similarities_free(&found);
    store_close(store);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}
