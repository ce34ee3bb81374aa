/* Checks that what the leaderboard says follows from what was measured. */
#include "grader/commands/command.h"

#include "base/json.h"
#include "base/text.h"
#include "grader/ranking/audit.h"
#include "grader/ranking/ranking.h"
#include "grader/terminal/json_target.h"

#include <string.h>

enum { SCHEMA = 1 };

static void add_report(const Findings *findings, const AuditSummary *summary, Text *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        Text line = {0};
        text_printf(&line, "%s: %s: expected %s, found %s", finding->place, finding->what, finding->expected,
                    finding->found);
        text_add_printable(out, line.data, line.length);
        text_add(out, "\n");
        text_free(&line);
    }
    text_printf(out, "%zu run%s, %zu reference time%s", summary->runs, summary->runs == 1 ? "" : "s",
                summary->references, summary->references == 1 ? "" : "s");
    text_add(out, ": ");
    if (findings->count == 0)
        text_add(out, "all is well\n");
    else
        text_printf(out, "%zu thing%s wrong\n", findings->count, findings->count == 1 ? " is" : "s are");
    if (summary->incomplete > 0)
        text_printf(out, "rows of an older version, whose times cannot be computed again: %zu\n", summary->incomplete);
}

static void add_json(const Findings *findings, const AuditSummary *summary, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON_AddNumberToObject(root, "runs", (double)summary->runs);
    cJSON_AddNumberToObject(root, "reference_times", (double)summary->references);
    cJSON_AddNumberToObject(root, "incomplete", (double)summary->incomplete);
    cJSON *list = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "place", findings->items[i].place);
        cJSON_AddStringToObject(item, "what", findings->items[i].what);
        cJSON_AddStringToObject(item, "expected", findings->items[i].expected);
        cJSON_AddStringToObject(item, "found", findings->items[i].found);
        cJSON_AddItemToArray(list, item);
    }
    json_print(root, out);
    cJSON_Delete(root);
}

static Status write_reports(const char *json, const Findings *findings, const AuditSummary *summary, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        add_json(findings, summary, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        add_report(findings, summary, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

Status command_verify_leaderboard(const Options *options, int *exit_status, Message *why)
{
    Arena arena = {0};
    Findings findings = {.arena = &arena};
    AuditSummary summary;
    Store *store = NULL;
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, "", why);
    if (status == STATUS_OK)
        status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_OK)
        status = store_begin_reading(store, why);
    if (status == STATUS_OK)
        status = audit_store(store, &findings, &summary, why);
    if (status == STATUS_OK)
        status = store_end_reading(store, why);
    if (status == STATUS_OK)
        status = write_reports(options->json, &findings, &summary, why);
    *exit_status = findings.count > 0;
    store_close(store);
    arena_free(&arena);
    return status;
}
