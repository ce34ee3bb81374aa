#include "service/course/class_read.h"

#include "base/record.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"
#include "service/store/config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ==== class reading =============================================================================================== */

/* What the readers of the parts of class.json share. */

enum { MAX_TEXT_BYTES = 256 };

/* A text that ends up on pages and terminals: 1 to 256 bytes without control characters. */
static Status check_name(const RecordReading *reading, const cJSON *item, const void *member)
{
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected a string");
    const size_t length = strlen(item->valuestring);
    if (length == 0 || length > MAX_TEXT_BYTES)
        return json_fail(reading->file, item, reading->why, "expected 1 to %d bytes of text, found %zu", MAX_TEXT_BYTES,
                         length);
    for (const char *at = item->valuestring; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return json_fail(reading->file, item, reading->why, "expected no control character");
    return STATUS_OK;
}

/* ==== class problem read ========================================================================================== */

/* Reads what a problem of an assignment gives points for, and holds it against the problem: its cases
 * and its reference solutions exist. */

enum { MAX_POINTS = 1000000 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

static Status add_case(const RecordReading *reading, const cJSON *item, const char *name, ClassCaseGroup *group)
{
    if (text_is_among(name, group->cases, group->case_count))
        return json_fail(reading->file, item, reading->why, "case \"%s\" is listed twice in group \"%s\"", name,
                         group->name);
    group->cases[group->case_count++] = arena_string(reading->arena, name);
    return STATUS_OK;
}

static Status add_all(const RecordReading *reading, const cJSON *item, const TestcaseSet *set, CaseGroup kind,
                      ClassCaseGroup *group)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == kind)
            status = add_case(reading, item, set->cases[i].name, group);
    return status;
}

static Status refuse_case(const RecordReading *reading, const cJSON *item, const TestcaseSet *set)
{
    Text names = {0};
    text_add(&names, "samples, hidden");
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group != CASE_TIMED)
            text_printf(&names, ", %s", set->cases[i].name);
    Status status = json_fail(reading->file, item, reading->why, "no case is called \"%s\"; %sexpected one of: %s",
                              item->valuestring, suggestion_for(item->valuestring, names.data).text, names.data);
    text_free(&names);
    return status;
}

static Status read_case(const RecordReading *reading, const cJSON *item, const TestcaseSet *set, ClassCaseGroup *group)
{
    size_t untimed = 0, timed = 0;
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected a list of names of cases");
    if (strcmp(item->valuestring, "samples") == 0)
        return add_all(reading, item, set, CASE_SAMPLE, group);
    if (strcmp(item->valuestring, "hidden") == 0)
        return add_all(reading, item, set, CASE_HIDDEN, group);
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->cases[i].name, item->valuestring) == 0)
            *(set->cases[i].group == CASE_TIMED ? &timed : &untimed) += 1;
    if (untimed == 0 && timed > 0)
        return json_fail(reading->file, item, reading->why,
                         "\"%s\" is a timed case, expected a sample or a hidden one: timed cases are judged only where "
                         "all others are accepted",
                         item->valuestring);
    if (untimed == 0)
        return refuse_case(reading, item, set);
    if (untimed > 1)
        return json_fail(reading->file, item, reading->why, "the problem has %zu cases called \"%s\", expected one",
                         untimed, item->valuestring);
    return add_case(reading, item, item->valuestring, group);
}

RECORD(case_group_table, ClassCaseGroup, ROW(ClassCaseGroup, name, "name", .required = true, .check = check_name),
       ROW_HAND("cases", .json = JSON_ARRAY, .required = true),
       ROW(ClassCaseGroup, points, "points", .required = true, .low = 0, .high = MAX_POINTS));

static Status read_case_group(const RecordReading *reading, const cJSON *item, const TestcaseSet *set,
                              ClassProblem *problem)
{
    ClassCaseGroup *group = &problem->groups[problem->group_count];
    const cJSON *list = json_get(item, "cases");
    Status status = record_read(&case_group_table, reading->file, item, reading->arena, group, reading->why);
    for (size_t i = 0; i < problem->group_count && status == STATUS_OK; i++)
        if (strcmp(problem->groups[i].name, group->name) == 0)
            return json_fail(reading->file, json_get(item, "name"), reading->why, "there are two groups \"%s\"",
                             group->name);
    TRY(status);
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one case");
    group->cases = arena_array(reading->arena, set->count, sizeof *group->cases);
    problem->group_count++;
    for (const cJSON *name = list->child; name != NULL && status == STATUS_OK; name = name->next)
        status = read_case(reading, name, set, group);
    return status;
}

static Status read_case_groups(const RecordReading *reading, const cJSON *list, const TestcaseSet *set,
                               ClassProblem *problem)
{
    Status status = STATUS_OK;
    if (list == NULL)
        return STATUS_OK;
    problem->groups = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->groups);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_case_group(reading, item, set, problem);
    return status;
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double most; /* of at_least */
} measures[] = {
    [MEASURE_ROOFLINE] = {"roofline", 1}, [MEASURE_RUNG] = {"rung", 0}, [MEASURE_PERCENTILE] = {"percentile", 100}};

static Status read_rung(const RecordReading *reading, const cJSON *rung, const Problem *found, ClassProblem *problem,
                        ClassBand *band)
{
    References references;
    Text names = {0};
    Status status = references_load(found, &references, reading->why);
    TRY(status);
    for (size_t i = 0; i < references.count && band->rung == NULL; i++) {
        const char *name = references.solutions[i].time.name;
        const size_t length = strlen(name) - strlen(".cu");
        if (strcmp(name, rung->valuestring) == 0 ||
            (strlen(rung->valuestring) == length && strncmp(name, rung->valuestring, length) == 0))
            band->rung = arena_string(reading->arena, name);
        text_printf(&names, "%s%s", i > 0 ? ", " : "", name);
    }
    const char *known = names.data == NULL ? "none" : names.data;
    if (band->rung == NULL)
        status = json_fail(reading->file, rung, reading->why,
                           "%s has no reference solution \"%s\"; %sexpected one of: %s", problem->problem,
                           rung->valuestring, suggestion_for(rung->valuestring, known).text, known);
    for (size_t i = 0; i < problem->band_count && status == STATUS_OK; i++)
        if (strcmp(problem->bands[i].rung, band->rung) == 0)
            status = json_fail(reading->file, rung, reading->why, "\"%s\" is listed twice", band->rung);
    text_free(&names);
    references_free(&references);
    return status;
}

static Status read_band(const RecordReading *reading, const cJSON *item, const Problem *found, ClassProblem *problem)
{
    static const JsonKey number_keys[] = {{"at_least", JSON_NUMBER, true}, {"points", JSON_NUMBER, true}};
    static const JsonKey rung_keys[] = {{"rung", JSON_STRING, true}, {"points", JSON_NUMBER, true}};
    const bool is_rung = problem->measure == MEASURE_RUNG;
    ClassBand band = {0};
    const ClassBand *before = problem->band_count == 0 ? NULL : &problem->bands[problem->band_count - 1];
    Status status = json_check(reading->file, item, is_rung ? rung_keys : number_keys, LENGTH_OF(rung_keys),
                               reading->why);
    THEN(status, json_number(reading->file, item, "points", 0, MAX_POINTS, &band.points, reading->why));
    if (status == STATUS_OK && is_rung)
        status = read_rung(reading, json_get(item, "rung"), found, problem, &band);
    if (status == STATUS_OK && !is_rung)
        status = json_number(reading->file, item, "at_least", 0, measures[problem->measure].most, &band.at_least,
                             reading->why);
    TRY(status);
    if (before != NULL && band.points <= before->points)
        return json_fail(reading->file, json_get(item, "points"), reading->why,
                         "expected more points than in the band before (%.15g), found %.15g", before->points,
                         band.points);
    if (before != NULL && !is_rung && band.at_least <= before->at_least)
        return json_fail(reading->file, json_get(item, "at_least"), reading->why,
                         "expected more than in the band before (%.15g), found %.15g", before->at_least, band.at_least);
    problem->bands[problem->band_count++] = band;
    return STATUS_OK;
}

static Status read_measure(const RecordReading *reading, const cJSON *item, ClassMeasure *measure)
{
    for (size_t i = MEASURE_ROOFLINE; i < LENGTH_OF(measures); i++)
        if (strcmp(measures[i].name, item->valuestring) == 0)
            *measure = (ClassMeasure)i;
    return *measure != MEASURE_NONE
               ? STATUS_OK
               : json_fail(reading->file, item, reading->why,
                           "expected \"roofline\", \"rung\" or \"percentile\", found \"%s\"", item->valuestring);
}

static Status read_speed(const RecordReading *reading, const cJSON *object, const Problem *found, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"measure", JSON_STRING, true}, {"bands", JSON_ARRAY, true}};
    const cJSON *list = json_get(object, "bands");
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    THEN(status, read_measure(reading, json_get(object, "measure"), &problem->measure));
    TRY(status);
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one band");
    problem->bands = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->bands);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_band(reading, item, found, problem);
    return status;
}

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static Status read_points(const RecordReading *reading, const cJSON *object, const Problem *found,
                          const TestcaseSet *set, ClassProblem *problem)
{
    static const JsonKey keys[] = {
        {"accepted", JSON_NUMBER, false}, {"cases", JSON_ARRAY, false}, {"speed", JSON_OBJECT, false}};
    TRY(json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why));
    TRY(json_number(reading->file, object, "accepted", 0, MAX_POINTS, &problem->accepted, reading->why));
    TRY(read_case_groups(reading, json_get(object, "cases"), set, problem));
    TRY(read_speed(reading, json_get(object, "speed"), found, problem));
    if (!(class_problem_points(problem) > 0))
        return json_fail(reading->file, object, reading->why, "expected more than 0 points in all");
    return STATUS_OK;
}

static MUST_USE Status class_problem_read(const RecordReading *reading, const cJSON *item, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"problem", JSON_STRING, true}, {"points", JSON_OBJECT, true}};
    Problem found;
    TestcaseSet set;
    Message unfit = {0};
    TRY(json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why));
    const cJSON *id = json_get(item, "problem");
    if (problem_read(id->valuestring, &found, &unfit) != STATUS_OK)
        return json_fail(reading->file, id, reading->why, "%s", unfit.text);
    problem->problem = arena_string(reading->arena, id->valuestring);
    Status status = testcases_read(&found, &set, reading->why);
    if (status == STATUS_OK) {
        status = read_points(reading, json_get(item, "points"), &found, &set, problem);
        testcases_free(&set);
    }
    problem_free(&found);
    return status;
}

/* ==== class read ================================================================================================== */

enum { MAX_CLASS_BYTES = 4 << 20, MAX_GRACE_MINUTES = 7 * 24 * 60, MAX_LATE_DAYS = 366 };

/* ---- times ------------------------------------------------------------------------------------------------------- */

static Status read_moment(const RecordReading *reading, const cJSON *item, bool earlier, ClassTime *time)
{
    const ClassFile *class = reading->root;
    Message unfit = {0};
    if (class_time_parse(item->valuestring, &class->zone, earlier, reading->arena, time, &unfit) != STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

static Status check_late(const RecordReading *reading, const cJSON *item, const void *member)
{
    const ClassLate *late = member;
    if (late->percent_per_day > 0 && late->days == 0)
        return json_fail(reading->file, item, reading->why,
                         "\"percent_per_day\" needs \"days\", the number of days for which late ones count");
    return STATUS_OK;
}

static Status take_due(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    const ClassFile *class = reading->root;
    ClassAssignment *assignment = record;
    ClassTime due = {0};
    TRY(read_moment(reading, item, false, &due));
    assignment->deadline = class_deadline_of(due, &assignment->late, &class->zone, reading->arena);
    return STATUS_OK;
}

static Status take_opens(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    return read_moment(reading, item, true, &((ClassAssignment *)record)->opens);
}

/* ---- who sees what when ------------------------------------------------------------------------------------------ */

static Status take_show(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    static const char *const names[] = {[SHOW_ALWAYS] = "always", [SHOW_CLOSED] = "closed", [SHOW_NEVER] = "never"};
    const ClassFile *class = reading->root;
    ClassShow *show = (ClassShow *)((char *)record + row->offset);
    for (size_t i = 0; i < LENGTH_OF(names); i++)
        if (strcmp(item->valuestring, names[i]) == 0) {
            *show = (ClassShow){.kind = (ClassShowKind)i};
            return STATUS_OK;
        }
    show->kind = SHOW_FROM;
    if (class_time_parse(item->valuestring, &class->zone, false, reading->arena, &show->from, NULL) != STATUS_OK)
        return json_fail(
            reading->file, item, reading->why,
            "expected \"always\", \"closed\", \"never\" or a time such as \"2026-11-09T23:59\", found \"%s\"",
            item->valuestring);
    return STATUS_OK;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static Status check_person(const RecordReading *reading, const cJSON *item, const void *member)
{
    Message unfit = {0};
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected the name of a person");
    if (person_check(item->valuestring, &unfit) != STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

/* Another name of a person, or a number; each means one person. */
static Status add_spelling(const RecordReading *reading, const cJSON *item, const char *person, bool is_id)
{
    ClassFile *class = (ClassFile *)reading->root;
    if (item == NULL)
        return STATUS_OK;
    TRY(check_name(reading, item, NULL));
    for (size_t i = 0; i < class->spelling_count; i++) {
        const ClassSpelling *other = &class->spellings[i];
        if (other->is_id != is_id || strcmp(other->written, item->valuestring) != 0)
            continue;
        return strcmp(other->person, person) == 0
                   ? STATUS_OK
                   : json_fail(reading->file, item, reading->why, "\"%s\" is \"%s\" already, found it for \"%s\"",
                               item->valuestring, other->person, person);
    }
    class->spellings = arena_grown(reading->arena, class->spellings, class->spelling_count, &class->spelling_capacity,
                                   sizeof *class->spellings);
    class->spellings[class->spelling_count++] = (ClassSpelling){arena_string(reading->arena, item->valuestring), person,
                                                                is_id};
    return STATUS_OK;
}

/* {"name": "ada", "id": "17", "also": ["Ada Lovelace"]} */
static Status read_spellings(const RecordReading *reading, const cJSON *person, const char *name)
{
    Status status = add_spelling(reading, json_get(person, "id"), name, true);
    const cJSON *also = json_get(person, "also");
    for (const cJSON *item = also == NULL ? NULL : also->child; item != NULL && status == STATUS_OK; item = item->next)
        status = add_spelling(reading, item, name, false);
    return status;
}

static Status take_people(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    static const JsonKey keys[] = {
        {"name", JSON_STRING, true}, {"id", JSON_STRING, false}, {"also", JSON_ARRAY, false}};
    ClassGroup *group = record;
    Status status = STATUS_OK;
    group->people = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *group->people);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        char name[PERSON_MAX_BYTES + 1] = "";
        if (cJSON_IsObject(item))
            TRY(json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why));
        const cJSON *written = cJSON_IsObject(item) ? json_get(item, "name") : item;
        status = check_person(reading, written, NULL);
        THEN(status, person_take(written->valuestring, name, reading->why));
        for (size_t i = 0; i < group->person_count && status == STATUS_OK; i++)
            if (strcmp(group->people[i], name) == 0)
                return json_fail(reading->file, written, reading->why, "\"%s\" is listed twice in group \"%s\"",
                                 group->people[i], group->name);
        TRY(status);
        group->people[group->person_count] = arena_string(reading->arena, name);
        if (cJSON_IsObject(item))
            status = read_spellings(reading, item, group->people[group->person_count]);
        group->person_count++;
    }
    return status;
}

/* Nobody's other name may be somebody's name. */
static Status check_groups(const RecordReading *reading, const cJSON *list, const void *member)
{
    const ClassFile *class = reading->root;
    for (size_t i = 0; i < class->spelling_count; i++) {
        const ClassSpelling *spelling = &class->spellings[i];
        if (!spelling->is_id && strcmp(spelling->written, spelling->person) != 0 &&
            class_has_person(class, spelling->written))
            return json_fail(reading->file, list, reading->why, "\"%s\" is a person and another spelling of \"%s\"",
                             spelling->written, spelling->person);
    }
    return STATUS_OK;
}

static const ClassGroup *group_named(const ClassFile *class, const char *name)
{
    for (size_t i = 0; i < class->group_count; i++)
        if (strcmp(class->groups[i].name, name) == 0)
            return &class->groups[i];
    return NULL;
}

static Status check_group_name(const RecordReading *reading, const cJSON *item, const void *member)
{
    TRY(check_name(reading, item, member));
    if (group_named(reading->root, item->valuestring) != NULL)
        return json_fail(reading->file, item, reading->why, "there are two groups \"%s\"", item->valuestring);
    return STATUS_OK;
}

static Status take_groups(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    ClassAssignment *assignment = record;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected a group; without this key it is for everybody");
    assignment->groups = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *assignment->groups);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        const ClassGroup *group = cJSON_IsString(item) ? group_named(reading->root, item->valuestring) : NULL;
        if (group == NULL)
            return json_fail(reading->file, item, reading->why, "expected the name of a group in \"groups\", found %s",
                             cJSON_IsString(item) ? item->valuestring : "something else");
        for (size_t i = 0; i < assignment->group_count; i++)
            if (assignment->groups[i] == group)
                return json_fail(reading->file, item, reading->why, "\"%s\" is listed twice", group->name);
        assignment->groups[assignment->group_count++] = group;
    }
    return STATUS_OK;
}

/* ---- assignments ------------------------------------------------------------------------------------------------- */

/* The first of an assignment's keys: what it is by default is set here, too. */
static Status take_id(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    const char *id = item->valuestring;
    if (!problem_id_is_valid(id))
        return json_fail(reading->file, item, reading->why,
                         "expected lower-case letters, digits and dashes such as \"week-1\", found \"%s\"", id);
    if (class_assignment(reading->root, id) != NULL)
        return json_fail(reading->file, item, reading->why, "there are two assignments \"%s\"", id);
    id = arena_string(reading->arena, id);
    *(ClassAssignment *)record = (ClassAssignment){
        .id = id,
        .title = id,
        .opens = {.utc_s = INT64_MIN},
        .points = {.kind = SHOW_CLOSED},
        .board = {.kind = SHOW_ALWAYS},
        .sources = {.kind = SHOW_NEVER},
        .sketch = {.kind = SHOW_ALWAYS},
        .code = {.kind = SHOW_NEVER},
    };
    return STATUS_OK;
}

static Status take_problems(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    ClassAssignment *assignment = record;
    Status status = STATUS_OK;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one problem");
    assignment->problems = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof(ClassProblem));
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        ClassProblem problem = {0};
        status = class_problem_read(reading, item, &problem);
        if (status == STATUS_OK && class_problem(assignment, problem.problem) != NULL)
            return json_fail(reading->file, json_get(item, "problem"), reading->why, "\"%s\" is listed twice",
                             problem.problem);
        assignment->problems[assignment->problem_count++] = problem;
    }
    return status;
}

static Status check_assignment(const RecordReading *reading, const cJSON *item, const void *member)
{
    const ClassAssignment *assignment = member;
    const ClassTime *due = &assignment->deadline.due;
    if (assignment->opens.utc_s >= due->utc_s)
        return json_fail(reading->file, json_get(item, "due"), reading->why,
                         "expected a time after \"opens\" (%s), found %s", assignment->opens.written, due->written);
    return STATUS_OK;
}

static Status check_assignments(const RecordReading *reading, const cJSON *list, const void *member)
{
    return list->child != NULL ? STATUS_OK
                               : json_fail(reading->file, list, reading->why, "expected at least one assignment");
}

/* ---- extensions -------------------------------------------------------------------------------------------------- */

static Status take_assignment(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    ClassExtension *extension = record;
    extension->assignment = class_assignment(reading->root, item->valuestring);
    if (extension->assignment == NULL)
        return json_fail(reading->file, item, reading->why, "there is no assignment \"%s\"", item->valuestring);
    return STATUS_OK;
}

static Status take_extended(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    const ClassFile *class = reading->root;
    ClassExtension *extension = record;
    ClassTime due = {0};
    Status status = read_moment(reading, item, false, &due);
    extension->deadline = class_deadline_of(due, &extension->assignment->late, &class->zone, reading->arena);
    return status;
}

/* Where there are no groups, everybody may be in the class. */
static Status check_is_expected(const RecordReading *reading, const cJSON *person, const ClassAssignment *assignment)
{
    const ClassFile *class = reading->root;
    if (class->group_count > 0 && !class_has_person(class, person->valuestring))
        return json_fail(reading->file, person, reading->why, "no group holds \"%s\"", person->valuestring);
    if (!class_takes_part(assignment, person->valuestring))
        return json_fail(reading->file, person, reading->why, "\"%s\" is in no group of assignment \"%s\"",
                         person->valuestring, assignment->id);
    return STATUS_OK;
}

static Status check_extension(const RecordReading *reading, const cJSON *item, const void *member)
{
    const ClassFile *class = reading->root;
    const ClassExtension *extension = member;
    const ClassAssignment *assignment = extension->assignment;
    const cJSON *person = json_get(item, "person");
    TRY(check_is_expected(reading, person, assignment));
    if (class_extension(class, assignment, extension->person) != NULL)
        return json_fail(reading->file, person, reading->why, "\"%s\" has two extensions of assignment \"%s\"",
                         extension->person, assignment->id);
    if (extension->deadline.due.utc_s <= assignment->deadline.due.utc_s)
        return json_fail(reading->file, json_get(item, "due"), reading->why,
                         "expected a time after that of assignment \"%s\" (%s), found %s", assignment->id,
                         assignment->deadline.due.written, extension->deadline.due.written);
    return STATUS_OK;
}

/* ---- overrides --------------------------------------------------------------------------------------------------- */

static Status take_overridden(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    ClassOverride *override = record;
    override->assignment = class_assignment(reading->root, item->valuestring);
    if (override->assignment == NULL)
        return json_fail(reading->file, item, reading->why, "there is no assignment \"%s\"", item->valuestring);
    return STATUS_OK;
}

static Status check_override(const RecordReading *reading, const cJSON *item, const void *member)
{
    const ClassOverride *override = member;
    const cJSON *problem = json_get(item, "problem"), *person = json_get(item, "person");
    TRY(check_is_expected(reading, person, override->assignment));
    if (class_problem(override->assignment, override->problem) == NULL)
        return json_fail(reading->file, problem, reading->why, "assignment \"%s\" has no problem \"%s\"",
                         override->assignment->id, override->problem);
    if (class_override(reading->root, override->assignment, override->person, override->problem) != NULL)
        return json_fail(reading->file, person, reading->why, "\"%s\" has two overrides of problem \"%s\"",
                         override->person, override->problem);
    return STATUS_OK;
}

/* ---- other files ------------------------------------------------------------------------------------------------- */

static Status take_paths(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    const char *slash = strrchr(reading->file->path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - reading->file->path) + 1;
    const char **paths = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *paths);
    size_t *count = (size_t *)((char *)record + row->count_offset);
    Status status = STATUS_OK;
    *(const char ***)((char *)record + row->offset) = paths;
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        status = check_name(reading, item, NULL);
        if (status == STATUS_OK)
            paths[(*count)++] = item->valuestring[0] == '/' ? arena_string(reading->arena, item->valuestring)
                                                            : arena_printf(reading->arena, "%.*s%s", folder,
                                                                           reading->file->path, item->valuestring);
    }
    return status;
}

static Status check_paths(const ClassFile *file, const char *key, const char *const *paths, size_t count, Message *why)
{
    for (size_t i = 0; i < count; i++)
        if (access(paths[i], R_OK) != 0)
            return fail(STATUS_BAD_INPUT, why, "%s: %s: expected a folder or a file that can be read, found none at %s",
                        file->path, key, paths[i]);
    return STATUS_OK;
}

Status class_file_check_paths(const ClassFile *file, Message *why)
{
    TRY(check_paths(file, "handed_out", file->handed_out, file->handed_out_count, why));
    return check_paths(file, "earlier", file->earlier, file->earlier_count, why);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static Status take_zone(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    Message unfit = {0};
    if (zone_read(item->valuestring, reading->arena, &((ClassFile *)record)->zone, &unfit) != STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

static const char *const counts_names[] = {[COUNTS_BEST] = "best", [COUNTS_LAST] = "last", NULL};

/* clang-format off */

RECORD(group_table, ClassGroup,
    ROW(ClassGroup, name, "name", .required = true, .check = check_group_name),
    ROW_HAND("people", .json = JSON_ARRAY, .required = true, .take = take_people));

RECORD(late_table, ClassLate,
    ROW(ClassLate, grace_minutes, "grace_minutes", .low = 0, .high = MAX_GRACE_MINUTES),
    ROW(ClassLate, percent_per_day, "percent_per_day", .low = 0, .high = 100),
    ROW(ClassLate, days, "days", .low = 0, .high = MAX_LATE_DAYS));

RECORD(show_table, ClassAssignment,
    ROW_HAND("points", .json = JSON_STRING, .offset = offsetof(ClassAssignment, points), .take = take_show),
    ROW_HAND("board", .json = JSON_STRING, .offset = offsetof(ClassAssignment, board), .take = take_show),
    ROW_HAND("sources", .json = JSON_STRING, .offset = offsetof(ClassAssignment, sources), .take = take_show),
    ROW_HAND("sketch", .json = JSON_STRING, .offset = offsetof(ClassAssignment, sketch), .take = take_show),
    ROW_HAND("code", .json = JSON_STRING, .offset = offsetof(ClassAssignment, code), .take = take_show));

RECORD(assignment_keys, ClassAssignment,
    ROW(ClassAssignment, id, "id", .required = true, .take = take_id),
    ROW(ClassAssignment, title, "title", .check = check_name, .about = "lower-case letters, digits, dashes; for people"),
    ROW_OBJECT(ClassAssignment, late, "late", late_table, .check = check_late, .brief = true, .about = "`grace_minutes` without deduction (0); `percent_per_day` off the points for each day begun after the deadline (0); `days` after which nothing counts (0)"), /* before "due", which needs it */
    ROW_HAND("due", .json = JSON_STRING, .required = true, .take = take_due, .about = "the deadline"),
    ROW_HAND("opens", .json = JSON_STRING, .take = take_opens, .about = "submissions before this time do not count"),
    ROW(ClassAssignment, counts, "counts", .names = counts_names, .about = "`best` (default): for each problem the submission with most points after deductions; `last`: the last one. Only mode `rank` counts, and a late copy of an earlier source replaces nothing"),
    ROW_HAND("groups", .json = JSON_ARRAY, .take = take_groups, .about = "names of the groups that it is for; default: everybody"),
    ROW_SAME("show", show_table, .brief = true, .about = "when students see [`points`, `board`, `sources`, `sketch` and `code`](../guides/run-a-class.md#in-the-server): `always`, `never`, `closed` (after the last late day of anyone), or a time"),
    ROW_HAND("problems", .json = JSON_ARRAY, .required = true, .take = take_problems, .about = "each with `problem`, an id, and `points`, as below"));

RECORD(assignment_table, ClassAssignment,
    ROW_SAME(NULL, assignment_keys, .check = check_assignment));

RECORD(extension_keys, ClassExtension,
    ROW(ClassExtension, person, "person", .required = true, .check = check_person),
    ROW_HAND("assignment", .json = JSON_STRING, .required = true, .take = take_assignment),
    ROW_HAND("due", .json = JSON_STRING, .required = true, .take = take_extended),
    ROW(ClassExtension, why, "why", .required = true, .check = check_name),
    ROW(ClassExtension, by, "by", .required = true, .check = check_person));

RECORD(extension_table, ClassExtension,
    ROW_SAME(NULL, extension_keys, .check = check_extension));

RECORD(override_keys, ClassOverride,
    ROW(ClassOverride, person, "person", .required = true, .check = check_person),
    ROW_HAND("assignment", .json = JSON_STRING, .required = true, .take = take_overridden),
    ROW(ClassOverride, problem, "problem", .required = true, .check = check_name),
    ROW(ClassOverride, points, "points", .required = true, .low = 0, .high = MAX_POINTS),
    ROW(ClassOverride, why, "why", .required = true, .check = check_name),
    ROW(ClassOverride, by, "by", .required = true, .check = check_person));

RECORD(override_table, ClassOverride,
    ROW_SAME(NULL, override_keys, .check = check_override));

RECORD_PUBLIC(class_table, ClassFile,
    ROW_SCHEMA("schema", 1),
    ROW(ClassFile, title, "title", .check = check_name, .about = "for people"),
    ROW_HAND("zone", .json = JSON_STRING, .required = true, .take = take_zone, .about = "time zone of all times without an offset, such as `Europe/Berlin`"),
    ROW_LIST(ClassFile, groups, group_count, "groups", group_table, .check = check_groups, .brief = true, .about = "`name`, and `people`: names, or objects with `name`, `id` (the number in Canvas or Gradescope, also in tables of points) and `also` (spellings in exports). A person may be in several groups"),
    ROW_LIST(ClassFile, assignments, assignment_count, "assignments", assignment_table, .required = true, .check = check_assignments),
    ROW_LIST(ClassFile, extensions, extension_count, "extensions", extension_table, .brief = true, .about = "`person`, `assignment`, `due` (later than the assignment's; grace and late days follow it), `why`, `by` (who allowed it); one for each person and assignment"),
    ROW_OBJECT(ClassFile, limits, "limits", limits_table, .brief = true, .about = "of each student, in place of the server's: `waiting` submissions, `submissions_a_day`, `bytes_a_day`"),
    ROW_LIST(ClassFile, overrides, override_count, "overrides", override_table, .brief = true, .about = "`person`, `assignment`, `problem`, `points` in place of the counted ones, `why`, `by`; one for each person and problem"),
    ROW_TEXTS(ClassFile, handed_out, handed_out_count, "handed_out", .take = take_paths),
    ROW_TEXTS(ClassFile, earlier, earlier_count, "earlier", .take = take_paths, .about = "files and folders [for `similar`](../guides/run-a-class.md#similar-submissions): code that students got; earlier submissions"));

/* clang-format on */

Status class_file_read(const char *path, ClassFile *class, Message *why)
{
    JsonFile file = {0};
    *class = (ClassFile){.title = ""};
    class->path = arena_string(&class->arena, path);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        class_file_free(class);
        return fail(STATUS_NOT_FOUND, why, "%s: there is no such file, expected a class.json", path);
    }
    Status status = json_read(path, MAX_CLASS_BYTES, &file, why);
    THEN(status, record_read(&class_table, &file, file.root, &class->arena, class, why));
    json_free(&file);
    if (status != STATUS_OK)
        class_file_free(class);
    return status;
}
