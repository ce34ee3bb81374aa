#include "grader/ranking/review.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/terminal.h"
#include "grader/judge/judge.h"
#include "grader/judge/result_json.h"
#include "leaderboard/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== review ====================================================================================================== */

/* Medians of the same code, repeated, are within 1 % of each other in one process (measured); blocks in different processes
 * differ by more, which three of them do not always show. The difference that matters is the review factor, at
 * least 1.05 and mostly 1.3. */
static const double LEAST_DIFFERENCE = 0.05;
static const double COMBINED_UNCERTAINTIES = 2;

static const double MOST_OF_ROOFLINE = 2;

/* ---- what is suspect --------------------------------------------------------------------------------------------- */

/* How many times faster a case is than what is known of it; infinity: nothing is known. */
static double lead_of(const CaseResult *item, double known_ms)
{
    if (known_ms > 0)
        return known_ms / item->time.ms;
    return item->roofline > 0 ? item->roofline : INFINITY;
}

const CaseResult *review_suspect(const Result *result, const KnownTime *known)
{
    const CaseResult *suspect = NULL;
    double longest = result->problem->review_factor;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (!(item->time.ms > 0) || !(lead_of(item, known[i].best_ms) > longest))
            continue;
        suspect = item;
        longest = lead_of(item, known[i].best_ms);
    }
    return suspect;
}

/* The first case that is beyond the roofline and far ahead of all that was looked at; NULL: none. */
static const CaseResult *beyond_roofline(const Result *result, const KnownTime *known)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->time.ms > 0 && item->roofline > MOST_OF_ROOFLINE &&
            lead_of(item, known[i].vetted_ms) > result->problem->review_factor)
            return item;
    }
    return NULL;
}

/* How far ahead of all others a time is believed that this doubt concerns. */
static double believed_lead(const Result *result, ModelDoubt doubt)
{
    return doubt == DOUBT_unknown_code ? 1 : result->problem->review_factor;
}

bool review_doubts(const Result *result, const KnownTime *known, char *text, size_t size)
{
    for (size_t i = 0; i < result->case_count && result->device.modelled; i++)
        for (int doubt = 0; doubt < MODEL_DOUBTS; doubt++) {
            const CaseResult *item = &result->cases[i];
            if (!(item->time.ms > 0) || !result_has_doubt(&item->statistics, doubt) ||
                !(lead_of(item, known[i].best_ms) > believed_lead(result, doubt)))
                continue;
            snprintf(text, size, "\"%.80s\" took %s, but the model is not sure of that: %s", item->name,
                     quantity_time(item->time.ms).text, result_doubt_words(doubt));
            return true;
        }
    return false;
}

/* ---- holding two sittings against each other --------------------------------------------------------------------- */

static bool times_differ(MeasuredTime a, MeasuredTime b)
{
    double apart_ms = fabs(a.ms - b.ms), uncertainty_ms = hypot(a.ms * a.uncertainty, b.ms * b.uncertainty);
    return !(apart_ms <= fmax(COMBINED_UNCERTAINTIES * uncertainty_ms, LEAST_DIFFERENCE * fmin(a.ms, b.ms)));
}

/* The first case with two times that differ, or with one time only; NULL: none. */
static const CaseResult *differing_case(const Result *result)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i], *second = result_second_case(result, item);
        if (item->time.ms > 0 && (second == NULL || times_differ(item->time, second->time)))
            return item;
    }
    return NULL;
}

/* True if a result has a second sitting whose times differ from its own. */
static bool review_differs(const Result *result)
{
    return result->second != NULL && differing_case(result) != NULL;
}

static void describe_difference(const Result *result, const CaseResult *item, char *text, size_t size)
{
    const CaseResult *second = result_second_case(result, item);
    if (second == NULL)
        snprintf(text, size, "\"%s\" has no time in the second sitting", item->name);
    else
        snprintf(text, size, "\"%s\" took %s, and %s in a second sitting", item->name,
                 quantity_time(item->time.ms).text, quantity_time(second->time.ms).text);
}

void review_judge(const Result *result, const KnownTime *known, char *text, size_t size)
{
    const Result *second = result->second;
    const CaseResult *differing = differing_case(result), *beyond = beyond_roofline(result, known);
    text[0] = '\0';
    if (second->verdict == VERDICT_TIME_LIMIT_EXCEEDED)
        snprintf(text, size, "the grading had too little time left for a second sitting");
    else if (second->verdict != VERDICT_ACCEPTED)
        snprintf(text, size, "in a second sitting it got %s", verdict_name(second->verdict));
    else if (strcmp(second->compiled.machine_code.hex, result->compiled.machine_code.hex) != 0)
        snprintf(text, size, "the compiler made different code for the second sitting");
    else if (second->unsteady[0] != '\0')
        snprintf(text, size, "in a second sitting, %s", second->unsteady);
    else if (differing != NULL)
        describe_difference(result, differing, text, size);
    else if (beyond != NULL)
        snprintf(text, size, "\"%s\" took %s, %s times faster than the direct roofline", beyond->name,
                 quantity_time(beyond->time.ms).text, quantity_ratio(beyond->roofline).text);
}

/* ---- the second sitting ------------------------------------------------------------------------------------------ */

static void tell_of_review(Progress *progress, const Result *result, const CaseResult *suspect)
{
    Text text = {0};
    text_printf(&text, "\"%s\" took %s", suspect->name, quantity_time(suspect->time.ms).text);
    if (suspect->known_ms > 0)
        text_printf(&text, ", the best known is %s (%s)", quantity_time(suspect->known_ms).text, suspect->known_of);
    else if (suspect->roofline > 0)
        text_printf(&text, ", %s times faster than the direct roofline", quantity_ratio(suspect->roofline).text);
    text_printf(&text, ": timed again, which takes about %.0f s",
                ceil(result->seconds.start + result->seconds.open + result->seconds.timed));
    progress_begin(progress, "review", 0);
    progress_end(progress, text.data);
    text_free(&text);
}

/* The result of a second sitting that could not be taken through a fault of the judge says so. */
static void take_second_sitting(const JudgeJob *first, Result *result, char *fault, size_t size)
{
    JudgeJob job = *first;
    Message why = {0};
    double start_s = now_s();
    job.secret = NULL;
    job.device = result->device.handle;
    job.timed_only = true;
    job.second_sitting = true;
    job.profiles = NULL;
    result->second = zeroed(1, sizeof *result->second);
    if (judge_submission(&job, result->second, &why) != STATUS_OK)
        snprintf(fault, size, "the second sitting failed: %.260s", why.text);
    result->seconds.second = now_s() - start_s;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void quarantine(Result *result, const char *reason)
{
    const size_t size = sizeof result->rank_status;
    snprintf(result->rank_status, size, "quarantined: %.*s", (int)(size - sizeof "quarantined: "), reason);
    result_warn(result,
                "this result waits in quarantine: it is accepted, but has no rank until a teacher has looked at it "
                "(convjudge quarantine)");
}

static void keep_known(Result *result, const KnownTime *known)
{
    for (size_t i = 0; i < result->case_count; i++) {
        result->cases[i].known_ms = known[i].best_ms;
        result->cases[i].known_of = known[i].of == NULL ? "" : arena_string(&result->arena, known[i].of);
    }
}

static void review(const JudgeJob *first, const CaseResult *suspect, const KnownTime *known, Result *result)
{
    char text[sizeof result->rank_status] = "";
    tell_of_review(first->progress, result, suspect);
    take_second_sitting(first, result, text, sizeof text);
    if (text[0] == '\0')
        review_judge(result, known, text, sizeof text);
    progress_begin(first->progress, "second sitting", 0);
    progress_end(first->progress, text[0] == '\0' ? "the same times" : text);
    if (text[0] != '\0')
        quarantine(result, text);
}

Status review_result(Store *store, const JudgeJob *first, Result *result, Message *why)
{
    Arena arena = {0};
    KnownTime *known;
    Status status = known_times_read(store, result, &arena, &known, why);
    if (status == STATUS_OK) {
        keep_known(result, known);
        const CaseResult *suspect = review_suspect(result, known);
        char doubt[sizeof result->rank_status];
        if (suspect == NULL)
            suspect = beyond_roofline(result, known);
        if (review_doubts(result, known, doubt, sizeof doubt)) /* another sitting would give the same modelled time */
            quarantine(result, doubt);
        else if (suspect != NULL)
            review(first, suspect, known, result);
    }
    arena_free(&arena);
    return status;
}

/* ==== audit ======================================================================================================= */

static const double MOST_DIFFERENCE = 1e-9;

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool agree(double a, double b)
{
    return fabs(a - b) <= MOST_DIFFERENCE * fmax(fabs(a), fabs(b));
}

static void compare_numbers(Findings *findings, const char *place, const char *what, double expected, double found)
{
    char expected_text[40], found_text[40];
    if (agree(expected, found))
        return;
    snprintf(expected_text, sizeof expected_text, "%.12g", expected);
    snprintf(found_text, sizeof found_text, "%.12g", found);
    findings_add(findings, place, what, expected_text, found_text);
}

static void compare_texts(Findings *findings, const char *place, const char *what, const char *expected,
                          const char *found)
{
    if (strcmp(expected, found) != 0)
        findings_add(findings, place, what, expected, found);
}

/* The number of a member that was read, or that is about to be written. */
static bool is_number(const cJSON *item, double *number)
{
    if (cJSON_IsNumber(item))
        *number = item->valuedouble;
    else if (cJSON_IsRaw(item))
        *number = strtod(item->valuestring, NULL);
    return cJSON_IsNumber(item) || cJSON_IsRaw(item);
}

/* A member as text, so that a missing number and a word can be shown alike. */
static const char *shown(const cJSON *item, char text[40])
{
    double number;
    if (cJSON_IsString(item))
        return item->valuestring;
    if (is_number(item, &number))
        snprintf(text, 40, "%.12g", number);
    else
        strcpy(text, "none");
    return text;
}

static bool members_agree(const cJSON *expected, const cJSON *found)
{
    double a, b;
    char expected_text[40], found_text[40];
    if (expected == NULL || found == NULL)
        return expected == found;
    if (is_number(expected, &a) && is_number(found, &b))
        return agree(a, b);
    return strcmp(shown(expected, expected_text), shown(found, found_text)) == 0;
}

/* ---- what follows from samples ----------------------------------------------------------------------------------- */

/* The keys of a case in result.json that follow from its samples, its work and the sitting. */
static const char *const derived_of_case[] = {"time_ms",   "uncertainty", "min_ms", "p5_ms",        "p95_ms",
                                              "variation", "clock",       "gflops", "gbytes_per_s", "roofline"};

static const char *const derived_of_review[] = {"time_ms", "uncertainty"};

typedef struct CasePlace {
    const char *row; /* "runs 12" */
    const char *name;
    const char *sitting; /* "", or which other one */
} CasePlace;

static void compare_keys(const CasePlace *place, const char *const *keys, size_t count, const cJSON *expected,
                         const cJSON *found, Findings *findings)
{
    for (size_t i = 0; i < count; i++) {
        const cJSON *a = json_get(expected, keys[i]), *b = json_get(found, keys[i]);
        char what[300], expected_text[40], found_text[40];
        if (members_agree(a, b))
            continue;
        snprintf(what, sizeof what, "%s of case \"%s\"%s", keys[i], place->name, place->sitting);
        findings_add(findings, place->row, what, shown(a, expected_text), shown(b, found_text));
    }
}

static void compare_case(const char *row, const cJSON *expected, const cJSON *found, Findings *findings)
{
    const char *name = json_string(found, "name");
    const CasePlace first = {row, name == NULL ? "" : name, ""}, second = {row, first.name, " in the second sitting"};
    compare_keys(&first, derived_of_case, sizeof derived_of_case / sizeof *derived_of_case, expected, found, findings);
    compare_keys(&second, derived_of_review, sizeof derived_of_review / sizeof *derived_of_review,
                 json_get(expected, "review"), json_get(found, "review"), findings);
}

/* Compares what the record says of each case with what a grading would write of it. */
static void compare_cases(const char *row, const cJSON *found, const Result *computed, Findings *findings)
{
    for (size_t i = 0; i < computed->case_count && found != NULL; i++, found = found->next) {
        const CaseResult *item = &computed->cases[i];
        cJSON *written = cJSON_CreateObject();
        if (item->judged && item->group == CASE_TIMED)
            result_timed_json(computed, item, written, "cases");
        const cJSON *list = json_get(written, "cases");
        compare_case(row, list == NULL ? NULL : list->child, found, findings);
        cJSON_Delete(written);
    }
}

/* Computes the record again; one that cannot be read is a finding as well. */
static bool compute_again(const char *place, const char *cases, const char *sitting, bool is_accepted, Result *computed,
                          Findings *findings, AuditSummary *summary)
{
    Message why;
    JsonFile record;
    bool complete = false;
    Status status = recorded_result(place, cases, sitting, is_accepted, computed, &complete, &record, &why);
    if (status == STATUS_OK && complete)
        compare_cases(place, json_get(record.root, "cases")->child, computed, findings);
    json_free(&record);
    if (status != STATUS_OK)
        findings_add(findings, place, "cases and sitting", "what a grading writes", why.text);
    summary->incomplete += status == STATUS_OK && !complete;
    return status == STATUS_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A run that was ranked must be one that could be. */
static void check_rank_status(const char *place, const Run *run, Result *computed, Findings *findings)
{
    bool could_rank = strncmp(run->rank_status, "not ranked: ", 12) != 0;
    computed->verdict = VERDICT_COUNT;
    if (!verdict_parse(run->verdict, &computed->verdict))
        findings_add(findings, place, "verdict", "one of the verdicts", run->verdict);
    computed->sandbox = run->sandbox;
    ranking_decide(computed, true);
    if (could_rank && strncmp(computed->rank_status, "not ranked: ", 12) == 0)
        findings_add(findings, place, "rank_status", computed->rank_status, run->rank_status);
    if (strcmp(run->rank_status, "ranked") == 0 && review_differs(computed))
        findings_add(findings, place, "rank_status", "quarantined: two sittings that differ", run->rank_status);
}

static void check_run(const RecordedRun *recorded, Findings *findings, AuditSummary *summary)
{
    char place[40];
    Result computed;
    const Run *run = &recorded->run;
    bool is_accepted = strcmp(run->verdict, verdict_name(VERDICT_ACCEPTED)) == 0;
    snprintf(place, sizeof place, "runs %" PRId64, recorded->id);
    if (compute_again(place, run->cases, run->sitting, is_accepted, &computed, findings, summary)) {
        const CaseResult *failed = result_failed_case(&computed);
        if (failed != NULL)
            compare_texts(findings, place, "verdict", verdict_name(failed->verdict), run->verdict);
        compare_numbers(findings, place, "score_ms", computed.score.ms, run->time.ms);
        compare_numbers(findings, place, "uncertainty", computed.score.ms > 0 ? computed.score.uncertainty : 0,
                        run->time.uncertainty);
        check_rank_status(place, run, &computed, findings);
    }
    result_free(&computed);
}

static void check_reference(const RecordedReference *recorded, Findings *findings, AuditSummary *summary)
{
    char place[60];
    Result computed;
    const ReferenceTime *reference = &recorded->reference;
    snprintf(place, sizeof place, "reference_times %" PRId64, recorded->id);
    bool has_cases = strcmp(reference->cases, "[]") != 0; /* older versions did not keep them */
    summary->incomplete += !has_cases;
    if (!has_cases)
        return;
    if (compute_again(place, reference->cases, reference->sitting, true, &computed, findings, summary)) {
        compare_numbers(findings, place, "score_ms", computed.score.ms, reference->time.ms);
        compare_numbers(findings, place, "uncertainty", computed.score.uncertainty, reference->time.uncertainty);
    }
    result_free(&computed);
}

static Status check_runs(Store *store, Findings *findings, AuditSummary *summary, Message *why)
{
    enum { AT_ONCE = 500 };
    Status status = STATUS_OK;
    size_t count = AT_ONCE;
    for (int64_t last = 0; status == STATUS_OK && count == AT_ONCE;) {
        Arena arena = {0};
        RecordedRun *runs;
        status = store_next_runs(store, last, AT_ONCE, &arena, &runs, &count, why);
        for (size_t i = 0; status == STATUS_OK && i < count; i++) {
            check_run(&runs[i], findings, summary);
            last = runs[i].id;
        }
        summary->runs += count;
        arena_free(&arena);
    }
    return status;
}

static Status check_references(Store *store, Findings *findings, AuditSummary *summary, Message *why)
{
    Arena arena = {0};
    RecordedReference *references;
    Status status = store_list_references(store, &arena, &references, &summary->references, why);
    for (size_t i = 0; status == STATUS_OK && i < summary->references; i++)
        check_reference(&references[i], findings, summary);
    arena_free(&arena);
    return status;
}

static Status check_sources(Store *store, Findings *findings, Message *why)
{
    Arena arena = {0};
    RecordedSource *sources;
    size_t count;
    Status status = store_list_sources(store, &arena, &sources, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        char place[40];
        snprintf(place, sizeof place, "sources %" PRId64, sources[i].id);
        compare_texts(findings, place, "source_hash", hash_of_one(sources[i].source, sources[i].bytes).hex,
                      sources[i].source_hash);
    }
    arena_free(&arena);
    return status;
}

/* The table is filled as runs are recorded; a copy that differs from its runs was changed by hand. */
static Status check_case_times(Store *store, Findings *findings, Message *why)
{
    int64_t count = 0;
    char found[24];
    Status status = database_int(
        store, &count, why,
        "WITH r AS MATERIALIZED (SELECT * FROM recorded_case_times), missing AS (SELECT count(*) AS n FROM r WHERE"
        "  NOT EXISTS (SELECT 1 FROM case_times c WHERE c.problem = r.problem AND c.revision = r.revision AND"
        "  c.device = r.device AND c.epoch = r.epoch AND c.name = r.name AND c.time_ms = r.time_ms AND c.run = r.run))"
        " SELECT 2 * n + (SELECT count(*) FROM case_times) - (SELECT count(*) FROM r) FROM missing",
        "");
    if (status != STATUS_OK || count == 0)
        return status;
    snprintf(found, sizeof found, "%" PRId64, count);
    findings_add(findings, "case_times", "rows unlike those of the runs", "0", found);
    return STATUS_OK;
}

Status audit_store(Store *store, Findings *findings, AuditSummary *summary, Message *why)
{
    *summary = (AuditSummary){0};
    Status status = store_check_pages(store, why);
    THEN(status, schema_check(store, findings, why));
    THEN(status, check_sources(store, findings, why));
    THEN(status, check_runs(store, findings, summary, why));
    THEN(status, check_references(store, findings, summary, why));
    if (status == STATUS_OK && findings->count == 0) /* without the table there is a finding already */
        status = check_case_times(store, findings, why);
    return status;
}
