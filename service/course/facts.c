#include "service/course/facts.h"

#include "base/text.h"
#include "grader/problem/problem.h"
#include "service/course/extensions.h"
#include "service/store/judgings.h"
#include "service/store/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ==== facts ======================================================================================================= */

size_t facts_person(Facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->people_count; i++)
        if (strcmp(facts->people[i], name) == 0)
            return i;
    facts->people = arena_grown(&facts->arena, facts->people, facts->people_count, &facts->people_room,
                                sizeof *facts->people);
    facts->people[facts->people_count] = arena_string(&facts->arena, name);
    return facts->people_count++;
}

size_t facts_add_task(Facts *facts, const FactTask *task)
{
    Arena *arena = &facts->arena;
    facts->tasks = arena_grown(arena, facts->tasks, facts->task_count, &facts->task_room, sizeof *facts->tasks);
    facts->tasks[facts->task_count] = (FactTask){
        arena_string(arena, task->assignment), arena_string(arena, task->assignment_title),
        arena_string(arena, task->problem), arena_string(arena, task->problem_title)};
    return facts->task_count++;
}

void facts_expect(Facts *facts, size_t person, const char *assignment, const char *refused)
{
    facts->expectations = arena_grown(&facts->arena, facts->expectations, facts->expectation_count,
                                      &facts->expectation_room, sizeof *facts->expectations);
    facts->expectations[facts->expectation_count++] = (FactExpectation){
        person, arena_string(&facts->arena, assignment), refused == NULL ? NULL : arena_string(&facts->arena, refused)};
}

void facts_add_points(Facts *facts, const FactPoints *points)
{
    facts->points = arena_grown(&facts->arena, facts->points, facts->points_count, &facts->points_room,
                                sizeof *facts->points);
    facts->points[facts->points_count] = *points;
    facts->points[facts->points_count++].assignment = arena_string(&facts->arena, points->assignment);
}

static void take_cases(Facts *facts, FactSubmission *added, const cJSON *result)
{
    const cJSON *list = view_item(result, "cases"), *item;
    added->case_count = 0;
    FactCase *cases = arena_array(&facts->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *cases);
    cJSON_ArrayForEach(item, list)
    {
        const char *verdict = view_text(item, "verdict");
        if (verdict[0] != '\0' && strcmp(verdict, "not run") != 0)
            cases[added->case_count++] = (FactCase){arena_string(&facts->arena, view_text(item, "name")),
                                                    strcmp(verdict, "Accepted") == 0};
    }
    added->cases = cases;
}

static void copy_cases(Facts *facts, FactSubmission *added)
{
    FactCase *cases = arena_array(&facts->arena, added->case_count + 1, sizeof *cases);
    for (size_t i = 0; i < added->case_count; i++)
        cases[i] = (FactCase){arena_string(&facts->arena, added->cases[i].name), added->cases[i].is_passed};
    added->cases = cases;
}

static void take_references(Facts *facts, FactSubmission *added, const cJSON *result)
{
    const cJSON *list = view_item(result, "references"), *item;
    ReferenceTime *references = arena_array(&facts->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *references);
    cJSON_ArrayForEach(item, list)
    {
        const MeasuredTime time = view_time(item, "score_ms");
        if (time.ms > 0)
            references[added->reference_count++] = (ReferenceTime){
                .name = arena_string(&facts->arena, view_text(item, "name")), .time = time};
    }
    added->references = references;
}

void facts_add_submission(Facts *facts, const FactSubmission *submission, const char *verdict, const char *result,
                          const char *source)
{
    Arena *arena = &facts->arena;
    cJSON *object = result == NULL ? NULL : cJSON_Parse(result);
    facts->submissions = arena_grown(arena, facts->submissions, facts->submission_count, &facts->submission_room,
                                     sizeof *facts->submissions);
    FactSubmission *added = &facts->submissions[facts->submission_count++];
    *added = *submission;
    added->file_name = arena_string(arena, submission->file_name);
    added->received_utc = arena_string(arena, submission->received_utc);
    added->device = arena_string(arena, submission->device);
    added->failure = failure_of(object, source, arena);
    if (added->failure.verdict[0] == '\0')
        added->failure.verdict = arena_string(arena, verdict);
    added->is_modelled = view_true(object, "modelled");
    added->reference_count = 0;
    if (submission->cases == NULL)
        take_cases(facts, added, object);
    else
        copy_cases(facts, added);
    take_references(facts, added, object);
    cJSON_Delete(object);
}

void facts_free(Facts *facts)
{
    arena_free(&facts->arena);
    *facts = (Facts){0};
}

/* ==== failure ===================================================================================================== */

enum { MAX_KIND_BYTES = 200, MAX_LINE_BYTES = 160 };

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Where the judge's sentence names a line of the file, " (mine.cu:12: `sum = 0;`)"; NULL: nowhere. The last place is the one that
 * the judge wrote itself: what stands before it may be a submission's choice. */
static const char *find_place(const char *sentence, const char *file, long *line)
{
    Text mark = {0};
    const char *place = NULL;
    text_printf(&mark, " (%s:", file);
    for (const char *at = strstr(sentence, mark.data); at != NULL; at = strstr(at + 1, mark.data))
        if (isdigit((unsigned char)at[mark.length])) {
            place = at;
            *line = strtol(at + mark.length, NULL, 10);
        }
    text_free(&mark);
    return place;
}

/* A line of the source without the spaces around it, and not longer than a table can show. */
static const char *line_text(const char *source, long line, Arena *arena)
{
    const char *start = source == NULL ? NULL : text_line(source, line);
    if (start == NULL)
        return "";
    size_t length = strcspn(start, "\r\n");
    while (length > 0 && isspace((unsigned char)*start)) {
        start++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)start[length - 1]))
        length--;
    while (length > MAX_LINE_BYTES || (length == MAX_LINE_BYTES && ((unsigned char)start[length] & 0xC0) == 0x80))
        length--;
    return arena_copy(arena, start, length);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* The sentence up to its place, with one N for each number, so that two failures that differ in numbers alone are of one kind. */
static const char *kind_of_sentence(const char *sentence, const char *place, Arena *arena)
{
    Text kind = {0};
    const char *end = place == NULL ? sentence + strlen(sentence) : place;
    for (const char *c = sentence; c < end && kind.length < MAX_KIND_BYTES;) {
        const bool is_number = isdigit((unsigned char)*c) && (c == sentence || !text_in_word(c[-1]));
        text_append(&kind, is_number ? "N" : c, 1);
        c++;
        while (is_number && c < end && (isdigit((unsigned char)*c) || *c == '.'))
            c++;
    }
    return text_move(&kind, arena);
}

/* A compiler's message without the names of the submission: `identifier "sum" is undefined` becomes `identifier "..." is
 * undefined`, and `expected a ";"` stays. */
static const char *kind_of_message(const char *message, Arena *arena)
{
    Text kind = {0};
    const size_t length = strcspn(message, "\n");
    for (const char *c = message; c < message + length && kind.length < MAX_KIND_BYTES; c++) {
        const bool is_quote = *c == '"' || *c == '\'' || *c == '`';
        const char *end = is_quote ? strpbrk(c + 1, *c == '`' ? "`'\n" : *c == '"' ? "\"\n" : "'\n") : NULL;
        text_append(&kind, c, 1);
        if (end != NULL && *end != '\n' && (isalpha((unsigned char)c[1]) || c[1] == '_')) {
            text_add(&kind, "...");
            text_append(&kind, end, 1);
            c = end;
        }
    }
    return text_move(&kind, arena);
}

/* ---- what the compiler said -------------------------------------------------------------------------------------- */

/* Behind the place of a message. */
static const char *skip_place(const char *message, const char *file, long *line)
{
    const char *at = message + strlen(file);
    *line = strtol(at + (*at == '(' || *at == ':'), NULL, 10);
    at += strspn(at, "(0123456789):, ");
    static const char *const words[] = {"fatal error: ", "catastrophic error: ", "error: ", "warning: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return at;
}

bool compiler_message_next(const char **at, const char *file, CompilerMessage *message)
{
    while (**at != '\0') {
        const char *line = *at;
        const size_t length = strcspn(line, "\n");
        const char *warning = strstr(line, "warning");
        *at += length + (line[length] == '\n');
        if (file[0] == '\0' || strncmp(line, file, strlen(file)) != 0)
            continue;
        message->is_warning = warning != NULL && warning < line + length;
        message->text = skip_place(line, file, &message->line);
        message->length = message->text < line + length ? (size_t)(line + length - message->text) : 0;
        return true;
    }
    return false;
}

/* The first message that is no warning. */
static void take_diagnostics(const cJSON *result, const char *file, Failure *failure, Arena *arena)
{
    const char *at = view_text(view_item(result, "compile"), "diagnostics");
    CompilerMessage message;
    while (compiler_message_next(&at, file, &message)) {
        if (message.is_warning)
            continue;
        failure->line = message.line;
        failure->kind = kind_of_message(message.text, arena);
        return;
    }
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static const cJSON *failed_case(const cJSON *result)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view_item(result, "cases"))
    {
        const char *verdict = view_text(item, "verdict");
        if (verdict[0] != '\0' && strcmp(verdict, "Accepted") != 0 && strcmp(verdict, "not run") != 0)
            return item;
    }
    return NULL;
}

Failure failure_of(const cJSON *result, const char *source, Arena *arena)
{
    const char *file = view_text(result, "file");
    Failure failure = {arena_string(arena, view_text(result, "verdict")), "", "", 0, ""};
    if (failure.verdict[0] == '\0' || strcmp(failure.verdict, "Accepted") == 0)
        return failure;
    const cJSON *item = failed_case(result);
    const char *sentence = view_text(item == NULL ? result : item, "text"), *kind = view_text(item, "kind");
    const char *place = file[0] == '\0' ? NULL : find_place(sentence, file, &failure.line);
    failure.case_name = arena_string(arena, view_text(item, "name"));
    failure.kind = kind[0] == '\0' ? kind_of_sentence(sentence, place, arena) : arena_string(arena, kind);
    if (strcmp(failure.verdict, "Compile Error") == 0)
        take_diagnostics(result, file, &failure, arena);
    failure.line_text = line_text(source, failure.line, arena);
    return failure;
}

/* ==== facts from a store =========================================================================================== */

typedef struct FactWriter {
    Store *store;
    const ClassFile *class;
    Facts *facts;
    size_t *first_tasks; /* of each assignment: the number of its first problem's task */
    CaseNames *names;    /* of each task */
} FactWriter;

static Status add_tasks(const FactWriter *writer, size_t assignment, Message *why)
{
    const ClassAssignment *added = &writer->class->assignments[assignment];
    Status status = STATUS_OK;
    writer->first_tasks[assignment] = writer->facts->task_count;
    for (size_t i = 0; i < added->problem_count && status == STATUS_OK; i++) {
        Problem problem;
        status = problem_read(added->problems[i].problem, &problem, why);
        if (status != STATUS_OK)
            break;
        const size_t task = facts_add_task(writer->facts,
                                           &(FactTask){added->id, added->title, problem.id, problem.title});
        problem_free(&problem);
        status = case_names_read(added->problems[i].problem, &writer->facts->arena, &writer->names[task], why);
    }
    return status;
}

/* The documents of a submission are read one after the other: all at once would take too much memory. */
static Status add_submission(const FactWriter *writer, size_t task, size_t person, const SubmissionFact *fact,
                             Message *why)
{
    Arena arena = {0};
    const StoredSubmission *row = fact->row;
    const char *result = NULL, *verdicts = NULL, *source = NULL;
    SubmissionFact whole = {0}; /* with the cases of one that was accepted */
    size_t case_count = 0;
    Status status = judgings_document(writer->store, row->judging, "result", &arena, &result, why);
    THEN(status, case_verdicts_read(writer->store, row->judging, &arena, &verdicts, why));
    judged_fact_fill(&whole, result, verdicts, &writer->names[task], &arena);
    FactCase *cases = arena_array(&arena, whole.case_count + 1, sizeof *cases);
    for (size_t i = 0; i < whole.case_count; i++)
        if (whole.cases[i].verdict[0] != '\0')
            cases[case_count++] = (FactCase){whole.cases[i].name, strcmp(whole.cases[i].verdict, "Accepted") == 0};
    if (status == STATUS_OK && result != NULL)
        status = submissions_source(writer->store, row->source_hash, &arena, &source, why);
    if (status == STATUS_OK)
        facts_add_submission(writer->facts,
                             &(FactSubmission){.person = person,
                                               .task = task,
                                               .number = row->id,
                                               .file_name = row->file_name,
                                               .received_utc = row->received_utc,
                                               .cases = cases,
                                               .case_count = case_count,
                                               .device = row->time.ms > 0 ? row->device : "",
                                               .time = row->time},
                             fact->verdict, result, source);
    arena_free(&arena);
    return status;
}

static Status add_assignment(const FactWriter *writer, const PersonScores *scores, size_t person,
                             const AssignmentPoints *points, Message *why)
{
    const ClassAssignment *assignment = points->assignment;
    const size_t first = writer->first_tasks[assignment - writer->class->assignments];
    const PersonFacts *own = scores->facts;
    Status status = STATUS_OK;
    bool has_any = false;
    for (size_t i = 0; i < own->count && status == STATUS_OK; i++) {
        const SubmissionFact *fact = &own->facts[i];
        const ClassProblem *problem = class_problem(assignment, fact->problem);
        const bool belongs = !fact->has_received ||
                             showing_belongs(writer->class, assignment, own->person, fact->received_s);
        if (problem == NULL || !belongs || fact->is_withdrawn)
            continue;
        has_any = true;
        status = add_submission(writer, first + (size_t)(problem - assignment->problems), person, fact, why);
    }
    facts_expect(writer->facts, person, assignment->id, points_refused(own, assignment, &writer->facts->arena));
    if (has_any)
        facts_add_points(writer->facts, &(FactPoints){person, assignment->id, points->points, points->most});
    return status;
}

Status summary_facts_read(Store *store, const Scores *scores, Facts *facts, Message *why)
{
    const ClassFile *class = scores->class;
    size_t most = 0;
    for (size_t i = 0; i < class->assignment_count; i++)
        most += class->assignments[i].problem_count;
    const FactWriter writer = {store, class, facts, arena_array(&facts->arena, class->assignment_count, sizeof(size_t)),
                               arena_array(&facts->arena, most, sizeof(CaseNames))};
    Status status = STATUS_OK;
    for (size_t i = 0; i < class->assignment_count && status == STATUS_OK; i++)
        status = add_tasks(&writer, i, why);
    for (size_t i = 0; i < scores->count && status == STATUS_OK; i++) {
        const PersonScores *person = &scores->people[i];
        const size_t number = facts_person(facts, person->facts->person);
        for (size_t k = 0; k < person->count && status == STATUS_OK; k++)
            status = add_assignment(&writer, person, number, &person->assignments[k], why);
    }
    return status;
}
