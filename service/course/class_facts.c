#include "service/course/class_facts.h"

#include "base/json.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "leaderboard/database.h"
#include "service/store/judgings.h"
#include "service/store/people.h"
#include "service/store/service_store.h"
#include "service/store/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== judged fact ================================================================================================= */

/* ---- cases -------------------------------------------------------------------------------------------------------- */

static const char HIDDEN[] = "hidden ";

static bool is_hidden(const cJSON *item, const char *name)
{
    return strncmp(name, HIDDEN, strlen(HIDDEN)) == 0 && json_get(item, "sizes") == NULL;
}

/* result.json calls a hidden case by its number. */
static const char *name_of(const cJSON *item, const char *name, const CaseNames *names)
{
    const long number = is_hidden(item, name) ? strtol(name + strlen(HIDDEN), NULL, 10) : 0;
    return number >= 1 && (size_t)number <= names->hidden_count ? names->hidden[number - 1] : name;
}

static void take_cases(SubmissionFact *fact, const cJSON *list, const CaseNames *names, Arena *arena)
{
    CaseFact *cases = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *cases);
    const cJSON *item;
    fact->cases = cases;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name"), *verdict = json_string(item, "verdict");
        if (name == NULL || verdict == NULL || cJSON_IsTrue(json_get(item, "timed")))
            continue;
        cases[fact->case_count++] = (CaseFact){
            .name = arena_string(arena, name_of(item, name, names)),
            .is_hidden = is_hidden(item, name),
            .verdict = strcmp(verdict, "not run") == 0 ? "" : arena_string(arena, verdict),
        };
    }
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

/* Reached is what is not faster by more than both uncertainties. */
static void take_rungs(SubmissionFact *fact, const cJSON *root, Arena *arena)
{
    const cJSON *list = json_get(root, "references"), *item;
    const MeasuredTime mine = view_time(root, "score_ms");
    fact->rungs_reached = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *fact->rungs_reached);
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name");
        const MeasuredTime reference = view_time(item, "score_ms");
        if (name == NULL || !(reference.ms > 0) || !(mine.ms > 0))
            continue;
        fact->rungs_known = true;
        if (!time_is_faster(reference, mine))
            fact->rungs_reached[fact->rung_count++] = arena_string(arena, name);
    }
}

static void take_speed(SubmissionFact *fact, const cJSON *root, Arena *arena)
{
    fact->time_ms = view_time(root, "score_ms").ms;
    fact->roofline = view_number(root, "roofline");
    fact->percentile = view_number(view_item(view_item(root, "percentile"), "references"), "value");
    take_rungs(fact, root, arena);
}

/* The verdicts of all cases replace those of result.json. */
static void take_all_cases(SubmissionFact *fact, const cJSON *list, Arena *arena)
{
    CaseFact *cases = arena_array(arena, (size_t)cJSON_GetArraySize(list), sizeof *cases);
    const cJSON *item;
    fact->cases = cases;
    fact->case_count = 0;
    fact->has_all_cases = true;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = json_string(item, "name"), *verdict = json_string(item, "verdict");
        if (name != NULL && verdict != NULL)
            cases[fact->case_count++] = (CaseFact){
                .name = arena_string(arena, name),
                .is_hidden = cJSON_IsTrue(json_get(item, "hidden")),
                .verdict = strcmp(verdict, "not run") == 0 ? "" : arena_string(arena, verdict),
            };
    }
}

void judged_fact_fill(SubmissionFact *fact, const char *result, const char *verdicts, const CaseNames *names,
                      Arena *arena)
{
    JsonFile file;
    Message ignored;
    if (result == NULL || json_parse("result.json", result, strlen(result), &file, &ignored) != STATUS_OK)
        return;
    take_cases(fact, json_get(file.root, "cases"), names, arena);
    take_speed(fact, file.root, arena);
    json_free(&file);
    if (verdicts == NULL || json_parse("verdicts", verdicts, strlen(verdicts), &file, &ignored) != STATUS_OK)
        return;
    take_all_cases(fact, json_get(file.root, "cases"), arena);
    json_free(&file);
}

/* ==== class facts ================================================================================================= */

typedef struct Gathering {
    Store *store;
    const ClassFile *class;
    Arena *arena;
    CaseNames *names; /* of each problem of the class */
    size_t name_count;
    RefusedFact *refused; /* by person */
    size_t refused_count;
} Gathering;

/* ---- problems ----------------------------------------------------------------------------------------------------- */

static const CaseNames *names_of(const Gathering *gathering, const char *problem)
{
    for (size_t i = 0; i < gathering->name_count; i++)
        if (strcmp(gathering->names[i].problem, problem) == 0)
            return &gathering->names[i];
    return NULL;
}

Status case_names_read(const char *id, Arena *arena, CaseNames *names, Message *why)
{
    Problem problem;
    TestcaseSet set;
    TRY(problem_read(id, &problem, why));
    *names = (CaseNames){.problem = id};
    Status status = testcases_read(&problem, &set, why);
    if (status == STATUS_OK) {
        names->hidden = arena_array(arena, set.count, sizeof *names->hidden);
        for (size_t i = 0; i < set.count; i++)
            if (set.cases[i].group == CASE_HIDDEN)
                names->hidden[names->hidden_count++] = arena_string(arena, set.cases[i].name);
        testcases_free(&set);
    }
    problem_free(&problem);
    return status;
}

typedef struct PointsNeed { /* what points of a class for a problem depend on, besides verdicts and times */
    bool cases, rungs;
} PointsNeed;

static PointsNeed need_of(const ClassFile *class, const char *problem)
{
    PointsNeed need = {0};
    for (size_t i = 0; i < class->assignment_count; i++) {
        const ClassProblem *found = class_problem(&class->assignments[i], problem);
        need.cases = need.cases || (found != NULL && found->group_count > 0);
        need.rungs = need.rungs || (found != NULL && found->measure == MEASURE_RUNG);
    }
    return need;
}

static Status read_all_names(Gathering *gathering, Message *why)
{
    const ClassFile *class = gathering->class;
    size_t most = 0;
    Status status = STATUS_OK;
    for (size_t i = 0; i < class->assignment_count; i++)
        most += class->assignments[i].problem_count;
    gathering->names = arena_array(gathering->arena, most, sizeof *gathering->names);
    for (size_t i = 0; i < class->assignment_count; i++)
        for (size_t k = 0; k < class->assignments[i].problem_count && status == STATUS_OK; k++) {
            const char *id = class->assignments[i].problems[k].problem;
            if (names_of(gathering, id) != NULL)
                continue;
            CaseNames *names = &gathering->names[gathering->name_count++];
            *names = (CaseNames){.problem = id};
            if (need_of(class, id).cases)
                status = case_names_read(id, gathering->arena, names, why);
        }
    return status;
}

/* ---- submissions -------------------------------------------------------------------------------------------------- */

static bool is_of_class(const Gathering *gathering, const StoredSubmission *row)
{
    return strcmp(row->mode, "rank") == 0 && names_of(gathering, row->problem) != NULL;
}

static bool is_from_elsewhere(const StoredSubmission *row)
{
    return row->origin[0] != '\0';
}

static int64_t order_of(const StoredSubmission *row)
{
    return row->handed_in_s > 0 ? row->handed_in_s : utc_seconds(row->received_utc);
}

static int compare_rows(const void *left, const void *right)
{
    const StoredSubmission *one = *(const StoredSubmission *const *)left,
                           *other = *(const StoredSubmission *const *)right;
    const int64_t one_s = order_of(one), other_s = order_of(other);
    return one_s != other_s ? (one_s > other_s) - (one_s < other_s) : (one->id > other->id) - (one->id < other->id);
}

static RunStanding standing_of(const StoredSubmission *row)
{
    static const char *const names[] = {[RUN_RANKED] = "ranked",
                                        [RUN_UNRANKED] = "unranked",
                                        [RUN_QUARANTINED] = "quarantined",
                                        [RUN_RETRACTED] = "retracted",
                                        [RUN_REJECTED] = "rejected"};
    for (size_t i = RUN_RANKED; i < sizeof names / sizeof *names; i++)
        if (row->run != 0 && strcmp(names[i], row->rank_state) == 0)
            return (RunStanding)i;
    return RUN_NONE;
}

/* "quarantined: far ahead" without its first word. */
static const char *why_of(const StoredSubmission *row)
{
    const char *colon = strstr(row->rank_status, ": ");
    return row->run == 0 ? "it is in no leaderboard" : colon == NULL ? row->rank_status : colon + 2;
}

static Status fact_of(const Gathering *gathering, const StoredSubmission *row, SubmissionFact *fact, Message *why)
{
    const char *result = NULL, *verdicts = NULL;
    *fact = (SubmissionFact){.id = row->id,
                             .row = row,
                             .problem = row->problem,
                             .has_received = !is_from_elsewhere(row) || row->origin_received_s > 0,
                             .received_s = order_of(row),
                             .marked_late = is_from_elsewhere(row) && row->origin_marked_late,
                             .source_hash = row->source_hash,
                             .is_withdrawn = strcmp(row->state, "cancelled") == 0,
                             .is_judged = strcmp(row->state, "recorded") == 0,
                             .verdict = row->verdict,
                             .text = row->text,
                             .standing = standing_of(row),
                             .standing_why = why_of(row),
                             .roofline = NAN,
                             .percentile = NAN};
    if (!fact->is_judged)
        return STATUS_OK;
    const PointsNeed need = need_of(gathering->class, row->problem);
    TRY(database_string(gathering->store, gathering->arena, &result, why,
                        need.rungs
                            ? "SELECT json_set(text, '$.references', json(rungs)) FROM judged_fact WHERE judging = ?1"
                            : "SELECT text FROM judged_fact WHERE judging = ?1",
                        "i", row->judging));
    if (need.cases)
        TRY(case_verdicts_read(gathering->store, row->judging, gathering->arena, &verdicts, why));
    judged_fact_fill(fact, result, verdicts, names_of(gathering, row->problem), gathering->arena);
    return STATUS_OK;
}

/* Lists the submissions of a person to problems of the class, by time. */
static Status list_rows(const Gathering *gathering, int64_t person, const StoredSubmission ***rows, size_t *count,
                        Message *why)
{
    StoredSubmission *all;
    size_t all_count;
    const SubmissionFilter filter = {.person = person, .limit = INT64_MAX};
    TRY(submissions_list(gathering->store, &filter, gathering->arena, &all, &all_count, why));
    *count = 0;
    *rows = arena_array(gathering->arena, all_count, sizeof **rows);
    for (size_t i = 0; i < all_count; i++)
        if (is_of_class(gathering, &all[i]))
            (*rows)[(*count)++] = &all[i];
    if (*count > 0)
        qsort((void *)*rows, *count, sizeof **rows, compare_rows);
    return STATUS_OK;
}

/* ---- what could not be taken --------------------------------------------------------------------------------------- */

static void take_refused(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(RefusedFact *)item = (RefusedFact){database_text(arena, row, 0), database_text(arena, row, 1),
                                         database_text(arena, row, 2), database_text(arena, row, 3)};
}

static Status read_refused(Gathering *gathering, Message *why)
{
    return database_list(gathering->store, gathering->arena, sizeof *gathering->refused, take_refused,
                         &gathering->refused, &gathering->refused_count, why,
                         "SELECT person, assignment, origin, why FROM refused_file ORDER BY person, origin", "");
}

static void take_refusals(const Gathering *gathering, PersonFacts *person)
{
    const RefusedFact *all = gathering->refused;
    size_t first = 0, end;
    while (first < gathering->refused_count && strcmp(all[first].person, person->person) != 0)
        first++;
    for (end = first; end < gathering->refused_count && strcmp(all[end].person, person->person) == 0;)
        end++;
    person->refused = all + first;
    person->refused_count = end - first;
}

static Status take_rows(const Gathering *gathering, const StoredSubmission **rows, size_t count, PersonFacts *person,
                        Message *why)
{
    Status status = STATUS_OK;
    person->facts = arena_array(gathering->arena, count, sizeof *person->facts);
    person->id = class_id_of(gathering->class, person->person);
    take_refusals(gathering, person);
    for (size_t i = 0; i < count && person->id[0] == '\0'; i++)
        person->id = rows[i]->origin_person_id;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = fact_of(gathering, rows[i], &person->facts[person->count++], why);
    return status;
}

/* ---- people ------------------------------------------------------------------------------------------------------- */

static const char *problems_json(const Gathering *gathering)
{
    cJSON *problems = cJSON_CreateArray();
    Text list = {0};
    for (size_t i = 0; i < gathering->name_count; i++)
        cJSON_AddItemToArray(problems, cJSON_CreateString(gathering->names[i].problem));
    json_print(problems, &list);
    cJSON_Delete(problems);
    return text_move(&list, gathering->arena);
}

static Status has_submitted(const Gathering *gathering, int64_t person, const char *problems, int64_t *has,
                            Message *why)
{
    return database_int(gathering->store, has, why,
                        "SELECT EXISTS (SELECT 1 FROM submission WHERE person = ?1 AND mode = 'rank'"
                        " AND problem IN (SELECT value FROM json_each(?2)))",
                        "it", person, problems);
}

/* Those of all groups, and students who have submitted something without being in one; teachers try out what they set. */
static Status list_names(const Gathering *gathering, ClassFacts *facts, const char ***names, Message *why)
{
    size_t named_count, count, at = 0;
    Person *people;
    const char **named = class_people(gathering->class, gathering->arena, &named_count),
               *problems = problems_json(gathering);
    TRY(people_list(gathering->store, 0, gathering->arena, &people, &count, why));
    *names = arena_array(gathering->arena, named_count + count, sizeof **names);
    facts->strangers = arena_array(gathering->arena, count, sizeof *facts->strangers);
    for (size_t i = 0; at < named_count || i < count;) { /* both lists are sorted */
        const int order = at == named_count ? 1 : i == count ? -1 : strcmp(named[at], people[i].name);
        int64_t is_listed = order <= 0;
        if (order > 0 && people[i].role == PERSON_STUDENT)
            TRY(has_submitted(gathering, people[i].id, problems, &is_listed, why));
        if (is_listed)
            (*names)[facts->all++] = order <= 0 ? named[at] : people[i].name;
        if (is_listed && order > 0 && gathering->class->group_count > 0)
            facts->strangers[facts->stranger_count++] = people[i].name;
        at += order <= 0;
        i += order >= 0;
    }
    return STATUS_OK;
}

static Status read_person(const Gathering *gathering, const char *name, PersonFacts *facts, Message *why)
{
    const StoredSubmission **rows = NULL;
    size_t row_count = 0;
    int64_t person = 0;
    *facts = (PersonFacts){.person = name};
    TRY(database_int(gathering->store, &person, why, "SELECT id FROM person WHERE name = ?1", "t", name));
    if (person != 0)
        TRY(list_rows(gathering, person, &rows, &row_count, why));
    return take_rows(gathering, rows, row_count, facts, why);
}

static Status begin(Gathering *gathering, Message *why)
{
    TRY(read_all_names(gathering, why));
    return read_refused(gathering, why);
}

Status class_facts_read(Store *store, const ClassFile *class, size_t first, size_t most, Arena *arena,
                        ClassFacts *facts, Message *why)
{
    Gathering gathering = {.store = store, .class = class, .arena = arena};
    const char **names = NULL;
    *facts = (ClassFacts){0};
    Status status = begin(&gathering, why);
    THEN(status, list_names(&gathering, facts, &names, why));
    facts->people = arena_array(arena, facts->all, sizeof *facts->people);
    for (size_t i = first; i < facts->all && i - first < most && status == STATUS_OK; i++)
        status = read_person(&gathering, names[i], &facts->people[facts->count++], why);
    return status;
}

Status class_facts_of_person(Store *store, const ClassFile *class, const char *person, Arena *arena, PersonFacts *facts,
                             Message *why)
{
    Gathering gathering = {.store = store, .class = class, .arena = arena};
    TRY(begin(&gathering, why));
    return read_person(&gathering, person, facts, why);
}
