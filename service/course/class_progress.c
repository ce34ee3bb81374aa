#include "service/course/class_progress.h"

#include "base/terminal.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "leaderboard/database.h"
#include "service/store/judgings.h"
#include "service/store/people.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== class hand in =============================================================================================== */

enum { MOST_NAME_BYTES = 100, MOST_CANDIDATES = 200 };

/* ---- which problem ----------------------------------------------------------------------------------------------- */

typedef struct FileCandidates { /* the problems that a file may be for, each once */
    const char *ids[MOST_CANDIDATES];
    size_t count;
} FileCandidates;

static void add_assignment(FileCandidates *candidates, const ClassAssignment *assignment)
{
    for (size_t i = 0; i < assignment->problem_count; i++)
        if (candidates->count < MOST_CANDIDATES &&
            !text_is_among(assignment->problems[i].problem, candidates->ids, candidates->count))
            candidates->ids[candidates->count++] = assignment->problems[i].problem;
}

static FileCandidates candidates_of(const ClassRun *run, const FoundFile *file)
{
    FileCandidates candidates = {.count = 0};
    const ClassAssignment *assignment = run->class == NULL || file->assignment == NULL
                                            ? NULL
                                            : class_assignment(run->class, file->assignment);
    if (assignment != NULL)
        add_assignment(&candidates, assignment);
    else if (run->class != NULL)
        for (size_t i = 0; i < run->class->assignment_count; i++)
            add_assignment(&candidates, &run->class->assignments[i]);
    return candidates;
}

/* `*problem` is to be freed. NOT_FOUND and BAD_INPUT: the file has none. */
static Status find_problem(const ClassRun *run, const FoundFile *file, const Submission *submission, Problem *problem,
                           Message *why)
{
    Arena *arena = &run->intake->arena;
    const FileCandidates candidates = candidates_of(run, file);
    const char *id = run->problem;
    if (id == NULL)
        id = identify_by_line(submission->source.data, submission->source.length, arena);
    if (id == NULL && candidates.count == 1)
        id = candidates.ids[0];
    Status status = submission_problem(submission, id, problem, why);
    if (status != STATUS_OK || candidates.count == 0 || text_is_among(problem->id, candidates.ids, candidates.count))
        return status;
    status = fail(STATUS_BAD_INPUT, why, "is for the problem %s, which %s does not have in %s", problem->id,
                  run->class->path, file->assignment == NULL ? "any assignment" : file->assignment);
    problem_free(problem);
    return status;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* The end of a name that is too long for the store's users tells more than its beginning. */
static const char *short_name(const char *name)
{
    const size_t length = strlen(name);
    const char *at = length > MOST_NAME_BYTES ? name + length - MOST_NAME_BYTES : name;
    while (((unsigned char)*at & 0xC0) == 0x80)
        at++;
    return at;
}

/* The newest submission of the same person and problem before this one. */
static const HandedIn *one_before(const ClassRun *run, const HandedIn *item)
{
    for (size_t i = run->count; i-- > 0 && strcmp(run->items[i].file->person, item->file->person) == 0;)
        if (strcmp(run->items[i].problem, item->problem) == 0)
            return &run->items[i];
    return NULL;
}

static Digest key_of(const ClassRun *run, const HandedIn *item)
{
    Hash hash;
    int occurrences = 0;
    for (size_t i = run->count; i-- > 0 && strcmp(run->items[i].file->person, item->file->person) == 0;) {
        const HandedIn *other = &run->items[i];
        occurrences += other->same_as == NULL && strcmp(other->problem, item->problem) == 0 &&
                       strcmp(other->source_hash, item->source_hash) == 0;
    }
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge grade-class 1");
    hash_add_string(&hash, item->problem);
    hash_add_string(&hash, item->source_hash);
    hash_add(&hash, &occurrences, sizeof occurrences);
    return hash_end(&hash);
}

static Status put(Store *store, ClassRun *run, HandedIn *item, const Submission *submission, const Problem *problem,
                  Message *why)
{
    static const OrderRule rule = {0};
    Person person;
    const HandedIn *before = one_before(run, item);
    TRY(people_admit(store, item->file->person, &run->intake->arena, &person, why));
    if (before != NULL && strcmp(before->source_hash, item->source_hash) == 0) {
        item->same_as = before->same_as == NULL ? before->file->origin : before->same_as;
        item->submission = before->submission;
        return STATUS_OK;
    }
    const Digest key = key_of(run, item);
    const HandIn row = {.person = person.id,
                        .key = key.hex,
                        .problem = problem->id,
                        .revision = problem->revision.hex,
                        .mode = "rank",
                        .sizes = "",
                        .file_name = short_name(submission->file_name),
                        .source = submission->source.data,
                        .source_hash = submission->hash.hex,
                        .origin = item->file->origin,
                        .origin_person_id = item->file->id,
                        .origin_received_s = item->file->received_s,
                        .origin_marked_late = item->file->marked_late};
    return submissions_hand_in(store, &row, &rule, &item->submission, &item->is_new, why);
}

static Status check_time(const FoundFile *file, Message *why)
{
    if (file->received_s <= (int64_t)time(NULL) + 24 * 3600)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "has a time of receipt in the future, according to the export");
}

static Status take_file(Store *store, ClassRun *run, const FoundFile *file, Message *why)
{
    Arena *arena = &run->intake->arena;
    HandedIn item = {.file = file, .state = "", .verdict = "", .failure = ""};
    Submission submission;
    Problem problem;
    Text source = {0};
    text_append(&source, file->source, file->source_bytes);
    Status status = check_time(file, why);
    if (status != STATUS_OK) {
        text_free(&source);
        return status;
    }
    TRY(submission_take(file->file_name, &source, &submission, why));
    status = find_problem(run, file, &submission, &problem, why);
    if (status == STATUS_OK) {
        item.problem = arena_string(arena, problem.id);
        item.source_hash = arena_string(arena, submission.hash.hex);
        status = put(store, run, &item, &submission, &problem, why);
        problem_free(&problem);
    }
    submission_free(&submission);
    if (status == STATUS_OK)
        run->items[run->count++] = item;
    return status;
}

/* A message that begins with the name of the file, "x.cu: " or "x.cu:12: ", would name it twice. */
static const char *without_name(Arena *arena, const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != ':')
        return text;
    text += length + 1;
    return text[0] == ' ' ? text + 1 : arena_printf(arena, "line %s", text);
}

static Status note_refusals(Store *store, const char *folder, const Intake *intake, Message *why)
{
    TRY(database_do(store, NULL, why, "DELETE FROM refused_file WHERE folder = ?1", "t", folder));
    for (size_t i = 0; i < intake->refused_count; i++) {
        const RefusedFile *refused = &intake->refused[i];
        TRY(database_do(store, NULL, why,
                        "INSERT OR REPLACE INTO refused_file (folder, origin, person, assignment, why)"
                        " VALUES (?1, ?2, coalesce(?3, ''), coalesce(?4, ''), ?5)",
                        "ttttt", folder, refused->origin, refused->person, refused->assignment, refused->why));
    }
    return STATUS_OK;
}

Status class_hand_in(Store *store, const char *folder, ClassRun *run, Message *why)
{
    char whole[PATH_MAX];
    Intake *intake = run->intake;
    run->items = arena_array(&intake->arena, intake->found_count + 1, sizeof *run->items);
    run->count = 0;
    for (size_t i = 0; i < intake->found_count; i++) {
        const FoundFile *file = &intake->found[i];
        Message reason;
        const Status status = take_file(store, run, file, &reason);
        if (status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND) {
            intake_refuse(intake, file->person, file->assignment, file->origin,
                          without_name(&intake->arena, reason.text, file->file_name));
        } else if (status != STATUS_OK) {
            *why = reason;
            return status;
        }
    }
    TRY(database_begin(store, why));
    return database_end(store, note_refusals(store, realpath(folder, whole) == NULL ? folder : whole, intake, why),
                        why);
}

/* ==== class progress ============================================================================================== */

enum { FEW = 3 }; /* as many must have ended before anything is said of the rest */

ClassProgress class_progress_begin(double now_s)
{
    return (ClassProgress){.start_s = now_s, .at_start = SIZE_MAX};
}

static bool has_ended(const char *state)
{
    return strcmp(state, "recorded") == 0 || strcmp(state, "held") == 0 || strcmp(state, "cancelled") == 0;
}

static const JudgingState *state_of(const JudgingState *states, size_t count, int64_t submission)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (states[middle].submission == submission)
            return &states[middle];
        if (states[middle].submission < submission)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Texts that stay the same are not copied at every look. */
static const char *kept(Arena *arena, const char *before, const char *now)
{
    return strcmp(before, now) == 0 ? before : arena_string(arena, now);
}

static Status take_state(Store *store, ClassRun *run, HandedIn *item, const JudgingState *state, Message *why)
{
    Arena *arena = &run->intake->arena;
    item->state = kept(arena, item->state, state->state);
    item->verdict = kept(arena, item->verdict, state->verdict);
    if (strcmp(item->state, "held") != 0)
        return STATUS_OK;
    return judgings_last_failure(store, item->submission, arena, &item->failure, why);
}

static Status look_at(Store *store, ClassRun *run, const JudgingState *states, size_t count, ClassProgress *progress,
                      void (*ended)(void *context, const HandedIn *item), void *context, Message *why)
{
    Status status = STATUS_OK;
    progress->ended = progress->total = progress->running = progress->held = 0;
    for (size_t i = 0; i < run->count && status == STATUS_OK; i++) {
        HandedIn *item = &run->items[i];
        const JudgingState *state = state_of(states, count, item->submission);
        const bool had_ended = has_ended(item->state);
        if (state != NULL && !had_ended)
            status = take_state(store, run, item, state, why);
        if (item->same_as != NULL)
            continue;
        progress->total++;
        progress->ended += has_ended(item->state);
        progress->running += strcmp(item->state, "running") == 0;
        progress->held += strcmp(item->state, "held") == 0;
        if (status == STATUS_OK && !had_ended && has_ended(item->state))
            ended(context, item);
    }
    return status;
}

Status class_progress_look(Store *store, ClassRun *run, ClassProgress *progress,
                           void (*ended)(void *context, const HandedIn *item), void *context, Message *why)
{
    Arena arena = {0};
    JudgingState *states;
    size_t count;
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < run->count; i++) {
        first = run->items[i].submission < first ? run->items[i].submission : first;
        last = run->items[i].submission > last ? run->items[i].submission : last;
    }
    Status status = judgings_states(store, first, last, &arena, &states, &count, why);
    THEN(status, look_at(store, run, states, count, progress, ended, context, why));
    if (status == STATUS_OK && progress->at_start == SIZE_MAX)
        progress->at_start = progress->ended;
    arena_free(&arena);
    return status;
}

static double rate_per_s(const ClassProgress *progress, double now_s)
{
    const size_t done = progress->ended - progress->at_start;
    return done < FEW || now_s <= progress->start_s ? 0 : (double)done / (now_s - progress->start_s);
}

/* Seconds that the rest will take if it goes on like this; below 0: not known yet. */
static double class_progress_left_s(const ClassProgress *progress, double now_s)
{
    const double rate = rate_per_s(progress, now_s);
    return rate > 0 ? (double)(progress->total - progress->ended) / rate : -1;
}

static void add_duration(Text *text, double seconds)
{
    const long long whole = (long long)(seconds + 0.5);
    if (whole < 60)
        text_printf(text, "%lld s", whole);
    else if (whole < 3600)
        text_printf(text, "%lld min", (whole + 30) / 60);
    else
        text_printf(text, "%lld h %lld min", whole / 3600, whole % 3600 / 60);
}

void class_progress_add(const ClassProgress *progress, double now_s, Text *text)
{
    const double left_s = class_progress_left_s(progress, now_s);
    text_printf(text, "%zu of %zu judged", progress->ended, progress->total);
    if (progress->running > 0)
        text_printf(text, ", %zu under way", progress->running);
    if (left_s < 0)
        return;
    text_printf(text, ", %.0f an hour, ", 3600 * rate_per_s(progress, now_s));
    add_duration(text, left_s);
    text_add(text, " left");
}

/* ==== class report ================================================================================================ */

enum { MOST_KINDS = 16, SHOWN_ASIDE = 5 };

/* ---- one submission ---------------------------------------------------------------------------------------------- */

static const char *what_came_of(const HandedIn *item)
{
    if (strcmp(item->state, "held") == 0)
        return "the judge failed";
    if (strcmp(item->state, "cancelled") == 0)
        return "withdrawn";
    return item->verdict[0] == '\0' ? "waiting" : item->verdict;
}

void class_report_add_item(const HandedIn *item, Text *text)
{
    terminal_print(text, "%s, %s: %s (%s%s)\n", item->file->person, item->problem, what_came_of(item),
                   item->file->origin, item->file->marked_late ? ", marked late" : "");
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

typedef struct ReportKind {
    const char *name;
    size_t count;
} ReportKind;

static int compare_kinds(const void *a, const void *b)
{
    const ReportKind *first = a, *second = b;
    return first->count == second->count ? strcmp(first->name, second->name) : first->count < second->count ? 1 : -1;
}

static size_t count_kinds(const ClassRun *run, ReportKind kinds[MOST_KINDS])
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t k = 0;
        if (run->items[i].same_as != NULL)
            continue;
        while (k < count && strcmp(kinds[k].name, what_came_of(&run->items[i])) != 0)
            k++;
        if (k == count && count < MOST_KINDS)
            kinds[count++].name = what_came_of(&run->items[i]);
        if (k < count)
            kinds[k].count++;
    }
    qsort(kinds, count, sizeof *kinds, compare_kinds);
    return count;
}

static void add_counts(const ClassRun *run, Text *text)
{
    ReportKind kinds[MOST_KINDS] = {{NULL, 0}};
    size_t people = 0, submissions = 0;
    for (size_t i = 0; i < run->count; i++) {
        submissions += run->items[i].same_as == NULL;
        people += i == 0 || strcmp(run->items[i].file->person, run->items[i - 1].file->person) != 0;
    }
    text_printf(text, "%zu submission%s of %zu %s", submissions, submissions == 1 ? "" : "s", people,
                people == 1 ? "person" : "people");
    const size_t count = count_kinds(run, kinds);
    for (size_t k = 0; k < count; k++)
        text_printf(text, "%s %zu %s", k == 0 ? ":" : ",", kinds[k].count, kinds[k].name);
    text_add(text, "\n");
}

static void add_duplicates(const ClassRun *run, Text *text)
{
    for (size_t i = 0; i < run->count; i++) {
        const HandedIn *item = &run->items[i];
        if (item->same_as != NULL)
            terminal_print(text, "  counted once: %s is the same as %s\n", item->file->origin, item->same_as);
    }
}

static void add_failures(const ClassRun *run, Text *text)
{
    for (size_t i = 0; i < run->count; i++) {
        const HandedIn *item = &run->items[i];
        if (item->same_as == NULL && strcmp(item->state, "held") == 0)
            terminal_print(text, "  not judged, the same command tries again: %s: %s\n", item->file->origin,
                           item->failure);
    }
}

static void add_refusals(const Intake *intake, Text *text)
{
    for (size_t i = 0; i < intake->refused_count; i++) {
        if (i > 0 && strcmp(intake->refused[i].origin, intake->refused[i - 1].origin) == 0)
            continue; /* a group's */
        terminal_print(text, "  refused: %s: %s\n", intake->refused[i].origin, intake->refused[i].why);
    }
}

/* People of no group get no points, which a misspelt name must not cause in silence. */
static void add_strangers(const ClassRun *run, Text *text)
{
    for (size_t i = 0; i < run->count; i++) {
        const char *person = run->items[i].file->person;
        if ((i > 0 && strcmp(person, run->items[i - 1].file->person) == 0) || class_has_person(run->class, person))
            continue;
        const char *nearest = class_nearest(run->class, person, &run->intake->arena);
        terminal_print(text, "  in no group: %s%s%s\n", person,
                       nearest == NULL ? "" : "; nearest name: ", nearest == NULL ? "" : nearest);
    }
}

static void add_aside(const Intake *intake, Text *text)
{
    const size_t count = intake->left_aside_count;
    if (count == 0)
        return;
    text_printf(text, "  left aside, neither sources nor archives: ");
    for (size_t i = 0; i < count && i < SHOWN_ASIDE; i++)
        terminal_print(text, "%s%s", i == 0 ? "" : ", ", intake->left_aside[i]);
    if (count > SHOWN_ASIDE)
        text_printf(text, " and %zu more", count - SHOWN_ASIDE);
    text_add(text, "\n");
}

void class_report_add_summary(const ClassRun *run, Text *text)
{
    add_counts(run, text);
    add_duplicates(run, text);
    add_failures(run, text);
    add_refusals(run->intake, text);
    if (run->class != NULL && run->class->group_count > 0)
        add_strangers(run, text);
    add_aside(run->intake, text);
}

bool class_report_has_trouble(const ClassRun *run)
{
    bool has_trouble = run->intake->refused_count > 0;
    for (size_t i = 0; i < run->count; i++)
        has_trouble = has_trouble || strcmp(run->items[i].state, "held") == 0;
    return has_trouble;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Names may hold bytes that are not UTF-8, which JSON cannot. */
static void put_name(cJSON *object, const char *key, const char *name)
{
    Text text = {0};
    terminal_add_line(&text, name);
    cJSON_AddStringToObject(object, key, text.data == NULL ? "" : text.data);
    text_free(&text);
}

static void put_if_any(cJSON *object, const char *key, const char *value)
{
    if (value != NULL && value[0] != '\0')
        put_name(object, key, value);
}

static cJSON *item_json(const HandedIn *item)
{
    cJSON *object = cJSON_CreateObject();
    put_name(object, "person", item->file->person);
    cJSON_AddStringToObject(object, "problem", item->problem);
    put_if_any(object, "assignment", item->file->assignment);
    put_name(object, "origin", item->file->origin);
    cJSON_AddNumberToObject(object, "version", item->file->version);
    if (item->file->received_s != 0)
        cJSON_AddStringToObject(object, "received_utc", utc_of(item->file->received_s).text);
    cJSON_AddBoolToObject(object, "marked_late", item->file->marked_late);
    cJSON_AddNumberToObject(object, "submission", (double)item->submission);
    cJSON_AddBoolToObject(object, "is_new", item->is_new);
    put_if_any(object, "same_as", item->same_as);
    cJSON_AddStringToObject(object, "state", item->state);
    put_if_any(object, "verdict", item->verdict);
    put_if_any(object, "failure", item->failure);
    return object;
}

cJSON *class_report_json(const ClassRun *run, const char *state)
{
    cJSON *root = cJSON_CreateObject(), *list;
    cJSON_AddNumberToObject(root, "schema", 1);
    put_name(root, "state", state);
    list = cJSON_AddArrayToObject(root, "submissions");
    for (size_t i = 0; i < run->count; i++)
        cJSON_AddItemToArray(list, item_json(&run->items[i]));
    list = cJSON_AddArrayToObject(root, "refused");
    for (size_t i = 0; i < run->intake->refused_count; i++) {
        cJSON *object = cJSON_CreateObject();
        put_name(object, "origin", run->intake->refused[i].origin);
        put_if_any(object, "person", run->intake->refused[i].person);
        put_name(object, "why", run->intake->refused[i].why);
        cJSON_AddItemToArray(list, object);
    }
    list = cJSON_AddArrayToObject(root, "left_aside");
    for (size_t i = 0; i < run->intake->left_aside_count; i++) {
        Text text = {0};
        terminal_add_line(&text, run->intake->left_aside[i]);
        cJSON_AddItemToArray(list, cJSON_CreateString(text.data));
        text_free(&text);
    }
    return root;
}
