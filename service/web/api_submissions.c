/* api_submissions.c - what the API says of submissions: lists, one of them, histories and comparisons. Each is JSON, or with
 * ?text=1 the text that `convjudge runs`, `show`, `history` and `compare` print: at most 80 columns, in ASCII but for names.  */
#include "base/json.h"
#include "base/terminal.h"
#include "grader/problem/problem.h"
#include "grader/report/report.h"
#include "grader/report/time_change.h"
#include "leaderboard/database.h"
#include "service/store/judgings.h"
#include "service/store/view.h"
#include "service/web/api_routes.h"
#include "service/web/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char PLAIN[] = "text/plain; charset=utf-8";

static bool wants_text(const Visit *visit)
{
    const char *text = http_query(visit->request, "text");
    return text != NULL && strcmp(text, "1") == 0;
}

/* Takes the object. Text has been added to the reply already. */
static void answer_either(Visit *visit, Status status, cJSON *object, const Message *why)
{
    if (status == STATUS_OK && wants_text(visit)) {
        visit->reply->type = PLAIN;
        text_add(&visit->reply->body, "");
    } else if (status == STATUS_OK) {
        answer_json(visit, 200, object);
        return;
    } else {
        text_free(&visit->reply->body);
        answer_failure(visit, status, why);
    }
    cJSON_Delete(object);
}

/* ==== lists ======================================================================================================= */

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

/* A number in the query; `otherwise` where there is none, or no number. */
static int64_t query_number(const Visit *visit, const char *name, int64_t otherwise)
{
    const char *text = http_query(visit->request, name);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return otherwise;
    const long long number = strtoll(text, &end, 10);
    return *end == '\0' ? number : otherwise;
}

/* Whose submissions are wanted: one's own, or for teachers those of the person whom the query names, or of all. */
static Status filter_person(const Visit *visit, int64_t *person, Message *why)
{
    const char *name = http_query(visit->request, "person");
    Person found;
    const bool is_teacher = visit->person.role >= PERSON_TEACHER;
    *person = is_teacher ? 0 : visit->person.id;
    if (name == NULL || (!is_teacher && strcmp(name, visit->person.name) == 0))
        return STATUS_OK;
    if (!is_teacher)
        return fail(STATUS_NOT_FOUND, why, "there is no person of this name");
    Status status = people_find(visit->service->store, name, visit->arena, &found, why);
    *person = status == STATUS_OK ? found.id : 0;
    return status;
}

/* The submissions to a problem that is no longer there are still listed; an empty list may be that of a misspelt name. */
static Status expect_problem(const char *id, size_t submissions, Message *why)
{
    Problem problem;
    if (id == NULL || submissions > 0)
        return STATUS_OK;
    TRY(problem_read(id, &problem, why));
    problem_free(&problem);
    return STATUS_OK;
}

static Status read_list(const Visit *visit, int64_t usual, StoredSubmission **rows, size_t *count, Message *why)
{
    enum { MOST = 5000 };
    const int64_t limit = query_number(visit, "limit", usual);
    SubmissionFilter filter = {.before = query_number(visit, "before", 0),
                               .limit = limit < 1      ? 1
                                        : limit > MOST ? MOST
                                                       : limit};
    TRY(filter_of_query(visit, &filter, why));
    TRY(filter_person(visit, &filter.person, why));
    TRY(submissions_list(visit->service->store, &filter, visit->arena, rows, count, why));
    return expect_problem(filter.problem, *count, why);
}

static void add_none(Text *out)
{
    text_add(out, "no submissions yet; `convjudge submit FILE` makes one\n");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Adds the verdict, or the state, in a column: "Memory Limit" of "Memory Limit Exceeded", where that is all that fits. */
static void add_state(const StoredSubmission *row, int columns, Text *out)
{
    const char *words = row->verdict[0] == '\0' ? submission_state(row) : row->verdict;
    int length = (int)strlen(words);
    while (length > columns)
        while (words[--length] != ' ' && length > 0)
            continue;
    text_printf(out, "%-*.*s", columns, length, words);
}

/* NaN, which is shown as "-", of one without a time. */
static double if_timed(const StoredSubmission *row, double value)
{
    return row->time.ms > 0 ? value : NAN;
}

static bool is_practice(const StoredSubmission *row)
{
    return strcmp(row->mode, "rank") != 0;
}

/* One word: "ranked", or what keeps the run from a rank that the judge gave it: "try" and "test" have none. */
static void add_rank(const StoredSubmission *row, Text *out)
{
    const char *words = row->run == 0 ? "" : submission_rank_words(row);
    const int length = (int)strcspn(words, ":");
    if (is_practice(row))
        text_printf(out, "%12s\n", row->mode);
    else if (length == 0 || strncmp(words, "not ", 4) == 0)
        text_printf(out, "%12s\n", "-");
    else
        text_printf(out, "%12.*s\n", length < 11 ? length : 11, words);
}

static bool is_modelled(const StoredSubmission *row)
{
    return row->time.ms > 0 && device_models_times(row->device);
}

/* Names the submissions whose times are modelled, if there are others, too. */
static void add_modelled(const StoredSubmission *rows, size_t count, Text *out)
{
    size_t timed = 0, modelled = 0;
    for (size_t i = 0; i < count; i++) {
        timed += rows[i].time.ms > 0;
        modelled += is_modelled(&rows[i]);
    }
    if (modelled == 0)
        return;
    text_add(out, modelled == timed ? "times are modelled" : "modelled times:");
    for (size_t i = 0; i < count && modelled < timed; i++)
        if (is_modelled(&rows[i]))
            text_printf(out, " %lld", (long long)rows[i].id);
    text_add(out, "\n");
}

typedef struct CountingLine { /* what can be said of some submissions */
    const char *sentence, *numbers;
    size_t count;
} CountingLine;

enum { MOST_NUMBERS = 8 };

static void add_number(CountingLine *line, int64_t number, Arena *arena)
{
    if (++line->count <= MOST_NUMBERS)
        line->numbers = arena_printf(arena, "%s%s%lld", line->numbers, line->count == 1 ? "" : ", ", (long long)number);
}

/* Adds what submissions count for. Submissions with the same sentence share a line: "12, 11: counts for ...". */
static void add_counting(const Visit *visit, const StoredSubmission *rows, size_t count, Text *out)
{
    Rows lines = {.arena = visit->arena, .item_bytes = sizeof(CountingLine)};
    for (size_t i = 0; i < count; i++) {
        Due *dues;
        const size_t due_count = class_dues_of(visit->service, &rows[i], visit->arena, &dues);
        for (size_t d = 0; d < due_count; d++) {
            Text text = {0};
            due_add_submission(&text, class_of(visit), &dues[d], time(NULL));
            const char *sentence = text_move(&text, visit->arena);
            CountingLine *line = (CountingLine *)(void *)lines.items, *end = line + lines.count;
            while (line < end && strcmp(line->sentence, sentence) != 0)
                line++;
            if (line == end) {
                line = database_rows_next(&lines);
                *line = (CountingLine){.sentence = sentence, .numbers = ""};
            }
            add_number(line, rows[i].id, visit->arena);
        }
    }
    for (size_t i = 0; i < lines.count; i++) {
        const CountingLine *line = (const CountingLine *)(const void *)lines.items + i;
        text_add(out, line->numbers);
        if (line->count > MOST_NUMBERS)
            text_printf(out, " and %zu more", line->count - MOST_NUMBERS);
        text_printf(out, ": %s\n", line->sentence);
    }
}

void list_text(const Visit *visit, const StoredSubmission *rows, size_t count, Text *out)
{
    if (count == 0) {
        add_none(out);
        return;
    }
    text_printf(out, "%6s  %-11s  %-11s  %-16s%10s%8s%12s\n", "run", "at (UTC)", "problem", "state", "time", "+-",
                "rank");
    for (size_t i = 0; i < count; i++) {
        const StoredSubmission *row = &rows[i];
        text_printf(out, "%6lld  %.5s %.5s  %-11.11s  ", (long long)row->id, row->received_utc + 5,
                    row->received_utc + 11, row->problem);
        add_state(row, 16, out);
        text_printf(out, "%10s%8s", quantity_time(if_timed(row, row->time.ms)).text,
                    quantity_percent(if_timed(row, time_reach(row->time)), 1).text);
        add_rank(row, out);
    }
    add_modelled(rows, count, out);
    add_counting(visit, rows, count, out);
}

void api_list(Visit *visit)
{
    StoredSubmission *rows = NULL;
    size_t count = 0;
    Message why;
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "submissions"), *item;
    Status status = read_list(visit, 50, &rows, &count, &why);
    for (size_t i = 0; i < count && status == STATUS_OK && !wants_text(visit); i++) {
        status = submission_json(visit->service, &rows[i], false, &item, &why);
        if (status == STATUS_OK)
            cJSON_AddItemToArray(list, item);
    }
    if (status == STATUS_OK && wants_text(visit))
        list_text(visit, rows, count, &visit->reply->body);
    answer_either(visit, status, object, &why);
}

/* ==== histories =================================================================================================== */

/* The submissions to one problem, oldest first, each with the change of time against the one before and the best so far. Only times on
 * the same device are compared. */

typedef struct HistoryEntry {
    const StoredSubmission *row;
    TimeChange change; /* against the newest before it that has a time */
    MeasuredTime best; /* so far; ms 0: none */
    bool is_best;      /* this one is */
} HistoryEntry;

/* The newest entry before `index` that has a time of the same device; NULL: there is none. */
static const HistoryEntry *timed_before(const HistoryEntry *entries, size_t index)
{
    for (size_t i = index; i-- > 0;)
        if (entries[i].row->time.ms > 0 && strcmp(entries[i].row->device, entries[index].row->device) == 0)
            return &entries[i];
    return NULL;
}

/* The history of one problem; `rows` are listed newest first. */
static HistoryEntry *history_of(const StoredSubmission *rows, size_t count, const char *problem, Arena *arena,
                                size_t *entry_count)
{
    HistoryEntry *entries = arena_array(arena, count, sizeof *entries);
    *entry_count = 0;
    for (size_t i = count; i-- > 0;) {
        if (strcmp(rows[i].problem, problem) != 0)
            continue;
        HistoryEntry *entry = &entries[*entry_count];
        *entry = (HistoryEntry){.row = &rows[i], .best = rows[i].time, .is_best = rows[i].time.ms > 0};
        const HistoryEntry *before = entry->is_best ? timed_before(entries, *entry_count) : NULL;
        (*entry_count)++;
        if (before == NULL)
            continue;
        entry->change = time_change(before->row->time, rows[i].time);
        entry->is_best = rows[i].time.ms < before->best.ms;
        if (!entry->is_best)
            entry->best = before->best;
    }
    return entries;
}

/* Names the device of the newest time. */
static void add_title(const HistoryEntry *entries, size_t count, Text *out)
{
    text_add(out, entries[0].row->problem);
    for (size_t i = count; i-- > 0;)
        if (entries[i].row->time.ms > 0) {
            text_printf(out, " on %s%s", entries[i].row->device_name,
                        is_modelled(entries[i].row) ? ", modelled times" : "");
            break;
        }
    text_add(out, "\n");
}

static void add_history(const HistoryEntry *entries, size_t count, Text *out)
{
    text_add(out, out->length == 0 ? "" : "\n");
    add_title(entries, count, out);
    text_printf(out, "%6s  %-19s%10s%8s  %-20s%13s\n", "run", "state", "time", "ratio", "to the one before",
                "best so far");
    for (size_t i = 0; i < count; i++) {
        const HistoryEntry *entry = &entries[i];
        text_printf(out, "%6lld  ", (long long)entry->row->id);
        add_state(entry->row, is_practice(entry->row) ? 14 : 19, out);
        if (is_practice(entry->row))
            text_printf(out, " %-4s", entry->row->mode);
        text_printf(out, "%10s%8s  %-20s%11s%s\n", quantity_time(if_timed(entry->row, entry->row->time.ms)).text,
                    quantity_ratio(entry->change.order == TIME_UNKNOWN ? NAN : entry->change.ratio).text,
                    time_order_words(entry->change.order), quantity_time(if_timed(entry->row, entry->best.ms)).text,
                    entry->is_best ? " *" : "");
    }
}

/* Whether a submission is the oldest of its problem. */
static bool is_first_of_problem(const StoredSubmission *rows, size_t count, size_t index)
{
    for (size_t i = index + 1; i < count; i++)
        if (strcmp(rows[i].problem, rows[index].problem) == 0)
            return false;
    return true;
}

void history_text(const StoredSubmission *rows, size_t count, Arena *arena, Text *out)
{
    size_t entry_count;
    for (size_t i = count; i-- > 0;)
        if (is_first_of_problem(rows, count, i)) {
            const HistoryEntry *entries = history_of(rows, count, rows[i].problem, arena, &entry_count);
            add_history(entries, entry_count, out);
        }
    if (count == 0)
        add_none(out);
}

static Status put_history(const Visit *visit, const HistoryEntry *entries, size_t count, cJSON *histories, Message *why)
{
    cJSON *history = cJSON_CreateObject(), *item;
    cJSON_AddItemToArray(histories, history);
    cJSON_AddStringToObject(history, "problem", entries[0].row->problem);
    cJSON *list = cJSON_AddArrayToObject(history, "submissions");
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = submission_json(visit->service, entries[i].row, false, &item, why);
        if (status != STATUS_OK)
            break;
        time_change_put(item, "change", &entries[i].change);
        if (entries[i].best.ms > 0)
            json_put_number(item, "best_ms", entries[i].best.ms);
        cJSON_AddItemToArray(list, item);
    }
    return status;
}

void api_history(Visit *visit)
{
    StoredSubmission *rows = NULL;
    size_t count = 0, entry_count;
    Message why;
    cJSON *object = cJSON_CreateObject(), *histories = cJSON_AddArrayToObject(object, "histories");
    enum { USUAL = 500 };
    Status status = read_list(visit, USUAL, &rows, &count, &why);
    if (status == STATUS_OK && wants_text(visit))
        history_text(rows, count, visit->arena, &visit->reply->body);
    for (size_t i = count; i-- > 0 && status == STATUS_OK && !wants_text(visit);)
        if (is_first_of_problem(rows, count, i)) {
            const HistoryEntry *entries = history_of(rows, count, rows[i].problem, visit->arena, &entry_count);
            status = put_history(visit, entries, entry_count, histories, &why);
        }
    answer_either(visit, status, object, &why);
}

/* ==== one submission ============================================================================================== */

/* ---- documents --------------------------------------------------------------------------------------------------- */

/* A document of a submission. False: there is none, which has been answered. */
static bool read_document(Visit *visit, const StoredSubmission *row, const char *kind, const char **text)
{
    Message why;
    Status status = judgings_document(visit->service->store, row->judging, kind, visit->arena, text, &why);
    if (status == STATUS_OK && *text != NULL)
        status = place_document(visit, row, kind, *text, text, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (*text == NULL && submission_has_ended(row))
        answer_error(visit, 404, "submission %lld has none", (long long)row->id);
    else if (*text == NULL)
        answer_error(visit, 409, "submission %lld is not judged yet", (long long)row->id);
    return status == STATUS_OK && *text != NULL;
}

static void answer_document(Visit *visit, const char *kind, const char *type)
{
    StoredSubmission row;
    const char *text;
    if (visible_submission(visit, &row) && read_document(visit, &row, kind, &text))
        answer_text(visit, type, text);
}

void api_report(Visit *visit)
{
    answer_document(visit, "report", PLAIN);
}

void api_result(Visit *visit)
{
    answer_document(visit, "result", "application/json");
}

void api_explain(Visit *visit)
{
    answer_document(visit, "explain", "application/json");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void add_line(Text *out, const char *label, const char *text)
{
    report_add_label(out, label);
    terminal_add_line(out, text);
    text_add(out, "\n");
}

/* What `object`, its JSON, says of it. */
static void add_head(Text *out, const StoredSubmission *row, const cJSON *object, Arena *arena)
{
    const cJSON *progress = view_item(object, "progress");
    const char *state = submission_state(row), *stand = view_text(object, "stand");
    text_printf(out, "submission %lld of %s\n", (long long)row->id, row->person);
    add_line(out, "file", row->file_name);
    add_line(out, "problem", row->problem);
    add_line(out, "mode", row->mode);
    add_line(out, "received", arena_printf(arena, "%.10s %.8s UTC", row->received_utc, row->received_utc + 11));
    if (stand[0] != '\0')
        state = arena_printf(arena, "%s, %s", state, stand);
    else if (view_item(progress, "total") != NULL)
        state = arena_printf(arena, "%s: %s, %.0f of %.0f", state, view_text(progress, "step"),
                             view_number(progress, "done"), view_number(progress, "total"));
    else if (progress != NULL)
        state = arena_printf(arena, "%s: %s", state, view_text(progress, "step"));
    else if (strcmp(state, "held") == 0)
        state = "held: the judge failed, not the submission; a person will look at it";
    add_line(out, "state", state);
    if (view_item(object, "rank") != NULL)
        add_line(out, "rank now",
                 arena_printf(arena, "%.0f of %.0f", view_number(object, "rank"), view_number(object, "of")));
}

/* Head, report and source; the last two where they are. */
static Status add_submission(const Visit *visit, const StoredSubmission *row, const cJSON *object, Message *why)
{
    Text *out = &visit->reply->body;
    const char *report, *source = json_string(object, "source");
    Status status = judgings_document(visit->service->store, row->judging, "report", visit->arena, &report, why);
    if (status == STATUS_OK && report != NULL)
        status = place_document(visit, row, "report", report, &report, why);
    TRY(status);
    add_head(out, row, object, visit->arena);
    text_add(out, report == NULL ? "" : report);
    if (source != NULL)
        text_printf(out, "\n%s%s", source, source[0] != '\0' && source[strlen(source) - 1] == '\n' ? "" : "\n");
    return STATUS_OK;
}

void api_submission(Visit *visit)
{
    StoredSubmission row;
    cJSON *object = NULL;
    const char *source = NULL, *code = http_query(visit->request, "code");
    Message why;
    if (!visible_submission(visit, &row))
        return;
    Status status = submission_json(visit->service, &row, true, &object, &why);
    if (status == STATUS_OK && code != NULL && strcmp(code, "1") == 0)
        status = submissions_source(visit->service->store, row.source_hash, visit->arena, &source, &why);
    if (source != NULL)
        cJSON_AddStringToObject(object, "source", source);
    if (status == STATUS_OK && wants_text(visit))
        status = add_submission(visit, &row, object, &why);
    answer_either(visit, status, object, &why);
}

/* ==== comparisons ================================================================================================= */

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A name that is too long for its column has a line of its own, since two such names often begin with the same words. */
static void add_name(Text *out, const char *name, int columns)
{
    const bool fits = terminal_columns(name) <= columns;
    text_add(out, "  ");
    if (!fits)
        text_printf(out, "%s\n  ", name);
    terminal_pad(out, fits ? name : "", columns);
}

/* Both times, their ratio, and whether it is more than noise. */
static void add_times(Text *out, const char *name, const cJSON *times)
{
    static const char *const sides[] = {"before", "after"};
    const cJSON *change = view_item(times, "change");
    add_name(out, name, 23);
    for (size_t side = 0; side < 2; side++)
        text_printf(out, "%10s", quantity_time(view_number(view_item(times, sides[side]), "time_ms")).text);
    if (change == NULL)
        text_printf(out, "%15s\n", "-");
    else
        text_printf(out, "%6s +- %5s  %s\n", quantity_ratio(view_number(change, "ratio")).text,
                    quantity_percent(view_number(change, "uncertainty"), 1).text, view_text(change, "order"));
}

static bool is_timed(const cJSON *item)
{
    return view_item(item, "before") != NULL || view_item(item, "after") != NULL;
}

static void add_timed_cases(Text *out, const cJSON *values)
{
    const cJSON *item;
    bool has_times = false;
    cJSON_ArrayForEach(item, view_item(values, "cases"))
    {
        if (!is_timed(item))
            continue;
        if (!has_times)
            text_printf(out, "  %-23s%10.0f%10.0f%15s\n",
                        view_true(values, "modelled") ? "timed case (modelled)" : "timed case",
                        view_number(values, "before"), view_number(values, "after"), "ratio");
        add_times(out, view_text(item, "name"), item);
        has_times = true;
    }
    if (has_times)
        add_times(out, "all, geometric mean", view_item(values, "score"));
    else
        text_add(out, "  Neither has a timed case.\n");
}

static Quantity counter_value(const cJSON *counter, const char *key)
{
    const double value = view_number(counter, key);
    return strcmp(view_text(counter, "name"), "occupancy") == 0 ? quantity_percent(value, 0) : quantity_count(value);
}

static void add_counters(Text *out, const cJSON *counters)
{
    enum { MOST = 8 };
    const cJSON *counter;
    int shown = 0;
    cJSON_ArrayForEach(counter, counters)
    {
        if (shown++ == MOST)
            return;
        if (shown == 1)
            text_add(out, "\n  What changed most in the timed cases:\n");
        text_printf(out, "  %-36s%10s%10s%10s\n", view_text(counter, "words"), counter_value(counter, "before").text,
                    counter_value(counter, "after").text,
                    view_item(counter, "ratio") == NULL ? "new" : quantity_ratio(view_number(counter, "ratio")).text);
    }
}

void comparison_text(const cJSON *values, const StoredSubmission *after, Text *out)
{
    const cJSON *change;
    text_printf(out, "%.0f against %.0f, problem %s on %s\n", view_number(values, "after"),
                view_number(values, "before"), after->problem,
                after->device_name[0] == '\0' ? after->device : after->device_name);
    text_printf(out, "  %.0f: %s\n  %.0f: %s\n", view_number(values, "before"), view_text(values, "verdict_before"),
                view_number(values, "after"), view_text(values, "verdict_after"));
    if (view_text(values, "obstacle")[0] != '\0')
        text_printf(out, "  Their times cannot be compared: %s.\n", view_text(values, "obstacle"));
    cJSON_ArrayForEach(change, view_item(values, "changes"))
    {
        text_printf(out, "  %s\n", change->valuestring);
    }
    text_add(out, "\n");
    add_timed_cases(out, values);
    add_counters(out, view_item(values, "counters"));
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* The submission that visit->argument names, with its result. False: there is none, which has been answered. */
static bool read_compared(Visit *visit, ComparedSubmission *compared)
{
    const char *result;
    if (!visible_submission(visit, &compared->row) || !read_document(visit, &compared->row, "result", &result))
        return false;
    compared->result = cJSON_Parse(result);
    return true;
}

/* GET /api/v1/submissions/N/comparison?before=M */
void api_comparison(Visit *visit)
{
    ComparedSubmission before = {0}, after = {0};
    const char *number = visit->argument;
    const Message nothing = {0};
    visit->argument = http_query(visit->request, "before");
    if (visit->argument == NULL) {
        answer_error(visit, 400, "expected ?before=, the number of the other submission");
        return;
    }
    if (read_compared(visit, &before)) {
        visit->argument = number;
        if (read_compared(visit, &after)) {
            cJSON *values = comparison(&before, &after);
            if (wants_text(visit))
                comparison_text(values, &after.row, &visit->reply->body);
            answer_either(visit, STATUS_OK, values, &nothing);
        }
    }
    cJSON_Delete((cJSON *)before.result);
    cJSON_Delete((cJSON *)after.result);
}
