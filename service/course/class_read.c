#include "service/course/class_read.h"

#include "base/json.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/ranking/person.h"
#include "grader/ranking/ranking.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct ClassReading {
    const JsonFile *file;
    ClassFile *class;
    Message *why;
} ClassReading;

/* ==== class reading =============================================================================================== */

/* What the readers of the parts of class.json share. */

enum { MAX_TEXT_BYTES = 256 };

/* A text that ends up on pages and terminals: 1 to 256 bytes without control characters. */
static MUST_USE Status class_read_name(const ClassReading *reading, const cJSON *item, const char **name)
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
    *name = arena_string(&reading->class->arena, item->valuestring);
    return STATUS_OK;
}

/* ==== class problem read ========================================================================================== */

/* Reads what a problem of an assignment gives points for, and holds it against the problem: its cases
 * and its reference solutions exist. */

enum { MAX_POINTS = 1000000 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

static bool group_lists(const ClassCaseGroup *group, const char *name)
{
    for (size_t i = 0; i < group->case_count; i++)
        if (strcmp(group->cases[i], name) == 0)
            return true;
    return false;
}

static Status add_case(const ClassReading *reading, const cJSON *item, const char *name, ClassCaseGroup *group)
{
    if (group_lists(group, name))
        return json_fail(reading->file, item, reading->why, "case \"%s\" is listed twice in group \"%s\"", name,
                         group->name);
    group->cases[group->case_count++] = arena_string(&reading->class->arena, name);
    return STATUS_OK;
}

static Status add_all(const ClassReading *reading, const cJSON *item, const TestcaseSet *set, CaseGroup kind,
                      ClassCaseGroup *group)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
        if (set->cases[i].group == kind)
            status = add_case(reading, item, set->cases[i].name, group);
    return status;
}

static Status refuse_case(const ClassReading *reading, const cJSON *item, const TestcaseSet *set)
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

static Status read_case(const ClassReading *reading, const cJSON *item, const TestcaseSet *set, ClassCaseGroup *group)
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

static Status read_case_group(const ClassReading *reading, const cJSON *item, const TestcaseSet *set,
                              ClassProblem *problem)
{
    static const JsonKey keys[] = {
        {"name", JSON_STRING, true}, {"cases", JSON_ARRAY, true}, {"points", JSON_NUMBER, true}};
    ClassCaseGroup *group = &problem->groups[problem->group_count];
    const cJSON *list = json_get(item, "cases");
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = class_read_name(reading, json_get(item, "name"), &group->name);
    for (size_t i = 0; i < problem->group_count && status == STATUS_OK; i++)
        if (strcmp(problem->groups[i].name, group->name) == 0)
            return json_fail(reading->file, json_get(item, "name"), reading->why, "there are two groups \"%s\"",
                             group->name);
    if (status == STATUS_OK)
        status = json_number(reading->file, item, "points", 0, MAX_POINTS, &group->points, reading->why);
    if (status == STATUS_OK && list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one case");
    if (status == STATUS_OK)
        group->cases = arena_array(&reading->class->arena, set->count, sizeof *group->cases);
    if (status == STATUS_OK)
        problem->group_count++;
    for (const cJSON *name = status == STATUS_OK ? list->child : NULL; name != NULL && status == STATUS_OK;
         name = name->next)
        status = read_case(reading, name, set, group);
    return status;
}

static Status read_case_groups(const ClassReading *reading, const cJSON *list, const TestcaseSet *set,
                               ClassProblem *problem)
{
    Status status = STATUS_OK;
    if (list == NULL)
        return STATUS_OK;
    problem->groups = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->groups);
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

static Status read_rung(const ClassReading *reading, const cJSON *rung, const Problem *found, ClassProblem *problem,
                        ClassBand *band)
{
    Ladder ladder;
    Text names = {0};
    Status status = ladder_read(found, &ladder, reading->why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < ladder.count && band->rung == NULL; i++) {
        const char *name = ladder.rungs[i].time.name;
        const size_t length = strlen(name) - strlen(".cu");
        if (strcmp(name, rung->valuestring) == 0 ||
            (strlen(rung->valuestring) == length && strncmp(name, rung->valuestring, length) == 0))
            band->rung = arena_string(&reading->class->arena, name);
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
    ladder_free(&ladder);
    return status;
}

static Status read_band(const ClassReading *reading, const cJSON *item, const Problem *found, ClassProblem *problem)
{
    static const JsonKey number_keys[] = {{"at_least", JSON_NUMBER, true}, {"points", JSON_NUMBER, true}};
    static const JsonKey rung_keys[] = {{"rung", JSON_STRING, true}, {"points", JSON_NUMBER, true}};
    const bool is_rung = problem->measure == MEASURE_RUNG;
    ClassBand band = {0};
    const ClassBand *before = problem->band_count == 0 ? NULL : &problem->bands[problem->band_count - 1];
    Status status = json_check(reading->file, item, is_rung ? rung_keys : number_keys, LENGTH_OF(rung_keys),
                               reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, item, "points", 0, MAX_POINTS, &band.points, reading->why);
    if (status == STATUS_OK && is_rung)
        status = read_rung(reading, json_get(item, "rung"), found, problem, &band);
    if (status == STATUS_OK && !is_rung)
        status = json_number(reading->file, item, "at_least", 0, measures[problem->measure].most, &band.at_least,
                             reading->why);
    if (status != STATUS_OK)
        return status;
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

static Status read_measure(const ClassReading *reading, const cJSON *item, ClassMeasure *measure)
{
    for (size_t i = MEASURE_ROOFLINE; i < LENGTH_OF(measures); i++)
        if (strcmp(measures[i].name, item->valuestring) == 0)
            *measure = (ClassMeasure)i;
    return *measure != MEASURE_NONE
               ? STATUS_OK
               : json_fail(reading->file, item, reading->why,
                           "expected \"roofline\", \"rung\" or \"percentile\", found \"%s\"", item->valuestring);
}

static Status read_speed(const ClassReading *reading, const cJSON *object, const Problem *found, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"measure", JSON_STRING, true}, {"bands", JSON_ARRAY, true}};
    const cJSON *list = json_get(object, "bands");
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_measure(reading, json_get(object, "measure"), &problem->measure);
    if (status != STATUS_OK)
        return status;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one band");
    problem->bands = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof *problem->bands);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_band(reading, item, found, problem);
    return status;
}

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static Status read_points(const ClassReading *reading, const cJSON *object, const Problem *found,
                          const TestcaseSet *set, ClassProblem *problem)
{
    static const JsonKey keys[] = {
        {"accepted", JSON_NUMBER, false}, {"cases", JSON_ARRAY, false}, {"speed", JSON_OBJECT, false}};
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, object, "accepted", 0, MAX_POINTS, &problem->accepted, reading->why);
    if (status == STATUS_OK)
        status = read_case_groups(reading, json_get(object, "cases"), set, problem);
    if (status == STATUS_OK)
        status = read_speed(reading, json_get(object, "speed"), found, problem);
    if (status == STATUS_OK && !(class_problem_points(problem) > 0))
        return json_fail(reading->file, object, reading->why, "expected more than 0 points in all");
    return status;
}

static MUST_USE Status class_problem_read(const ClassReading *reading, const cJSON *item, ClassProblem *problem)
{
    static const JsonKey keys[] = {{"problem", JSON_STRING, true}, {"points", JSON_OBJECT, true}};
    Problem found;
    TestcaseSet set;
    Message unfit = {0};
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status != STATUS_OK)
        return status;
    const cJSON *id = json_get(item, "problem");
    if (problem_read(id->valuestring, &found, &unfit) != STATUS_OK)
        return json_fail(reading->file, id, reading->why, "%s", unfit.text);
    problem->problem = arena_string(&reading->class->arena, id->valuestring);
    status = testcases_read(&found, &set, reading->why);
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

static Status read_moment(const ClassReading *reading, const cJSON *item, bool earlier, ClassTime *time)
{
    Message unfit = {0};
    if (class_time_parse(item->valuestring, &reading->class->zone, earlier, &reading->class->arena, time, &unfit) !=
        STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

static Status read_late(const ClassReading *reading, const cJSON *object, ClassLate *late)
{
    static const JsonKey keys[] = {
        {"grace_minutes", JSON_NUMBER, false}, {"percent_per_day", JSON_NUMBER, false}, {"days", JSON_NUMBER, false}};
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_integer(reading->file, object, "grace_minutes", 0, MAX_GRACE_MINUTES, &late->grace_minutes,
                              reading->why);
    if (status == STATUS_OK)
        status = json_number(reading->file, object, "percent_per_day", 0, 100, &late->percent_per_day, reading->why);
    if (status == STATUS_OK)
        status = json_integer(reading->file, object, "days", 0, MAX_LATE_DAYS, &late->days, reading->why);
    if (status == STATUS_OK && late->percent_per_day > 0 && late->days == 0)
        return json_fail(reading->file, object, reading->why,
                         "\"percent_per_day\" needs \"days\", the number of days for which late ones count");
    return status;
}

static Status read_times(const ClassReading *reading, const cJSON *item, ClassAssignment *assignment)
{
    ClassTime due = {0};
    const cJSON *opens = json_get(item, "opens");
    Status status = read_late(reading, json_get(item, "late"), &assignment->late);
    if (status == STATUS_OK)
        status = read_moment(reading, json_get(item, "due"), false, &due);
    if (status != STATUS_OK)
        return status;
    assignment->deadline = class_deadline_of(due, &assignment->late, &reading->class->zone, &reading->class->arena);
    assignment->opens.utc_s = INT64_MIN;
    if (opens != NULL)
        status = read_moment(reading, opens, true, &assignment->opens);
    if (status == STATUS_OK && assignment->opens.utc_s >= due.utc_s)
        return json_fail(reading->file, json_get(item, "due"), reading->why,
                         "expected a time after \"opens\" (%s), found %s", assignment->opens.written, due.written);
    return status;
}

/* ---- who sees what when ------------------------------------------------------------------------------------------ */

static Status read_show(const ClassReading *reading, const cJSON *object, const char *key, ClassShow *show)
{
    static const char *const names[] = {[SHOW_ALWAYS] = "always", [SHOW_CLOSED] = "closed", [SHOW_NEVER] = "never"};
    const cJSON *item = json_get(object, key);
    if (item == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < LENGTH_OF(names); i++)
        if (strcmp(item->valuestring, names[i]) == 0) {
            *show = (ClassShow){.kind = (ClassShowKind)i};
            return STATUS_OK;
        }
    show->kind = SHOW_FROM;
    if (class_time_parse(item->valuestring, &reading->class->zone, false, &reading->class->arena, &show->from, NULL) !=
        STATUS_OK)
        return json_fail(
            reading->file, item, reading->why,
            "expected \"always\", \"closed\", \"never\" or a time such as \"2026-11-09T23:59\", found \"%s\"",
            item->valuestring);
    return STATUS_OK;
}

static Status read_shows(const ClassReading *reading, const cJSON *object, ClassAssignment *assignment)
{
    static const JsonKey keys[] = {
        {"points", JSON_STRING, false}, {"board", JSON_STRING, false}, {"sources", JSON_STRING, false}};
    assignment->points.kind = SHOW_CLOSED;
    assignment->board.kind = SHOW_ALWAYS;
    assignment->sources.kind = SHOW_NEVER;
    if (object == NULL)
        return STATUS_OK;
    Status status = json_check(reading->file, object, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_show(reading, object, "points", &assignment->points);
    if (status == STATUS_OK)
        status = read_show(reading, object, "board", &assignment->board);
    return status == STATUS_OK ? read_show(reading, object, "sources", &assignment->sources) : status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static Status read_person(const ClassReading *reading, const cJSON *item, const char **person)
{
    Message unfit = {0};
    if (!cJSON_IsString(item))
        return json_fail(reading->file, item, reading->why, "expected the name of a person");
    if (person_check(item->valuestring, &unfit) != STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    *person = arena_string(&reading->class->arena, item->valuestring);
    return STATUS_OK;
}

static Status read_people(const ClassReading *reading, const cJSON *list, ClassGroup *group)
{
    Status status = STATUS_OK;
    group->people = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof *group->people);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        status = read_person(reading, item, &group->people[group->person_count]);
        for (size_t i = 0; i < group->person_count && status == STATUS_OK; i++)
            if (strcmp(group->people[i], group->people[group->person_count]) == 0)
                return json_fail(reading->file, item, reading->why, "\"%s\" is listed twice in group \"%s\"",
                                 group->people[i], group->name);
        group->person_count++;
    }
    return status;
}

static const ClassGroup *group_named(const ClassFile *class, const char *name)
{
    for (size_t i = 0; i < class->group_count; i++)
        if (strcmp(class->groups[i].name, name) == 0)
            return &class->groups[i];
    return NULL;
}

static Status read_group(const ClassReading *reading, const cJSON *item)
{
    static const JsonKey keys[] = {{"name", JSON_STRING, true}, {"people", JSON_ARRAY, true}};
    ClassFile *class = reading->class;
    ClassGroup *group = &class->groups[class->group_count];
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = class_read_name(reading, json_get(item, "name"), &group->name);
    if (status == STATUS_OK && group_named(class, group->name) != NULL)
        return json_fail(reading->file, json_get(item, "name"), reading->why, "there are two groups \"%s\"",
                         group->name);
    class->group_count++;
    return status == STATUS_OK ? read_people(reading, json_get(item, "people"), group) : status;
}

static Status read_groups(const ClassReading *reading, const cJSON *list)
{
    Status status = STATUS_OK;
    if (list == NULL)
        return STATUS_OK;
    reading->class->groups = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof(ClassGroup));
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_group(reading, item);
    return status;
}

static Status read_groups_of(const ClassReading *reading, const cJSON *list, ClassAssignment *assignment)
{
    if (list == NULL)
        return STATUS_OK;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected a group; without this key it is for everybody");
    assignment->groups = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list),
                                     sizeof *assignment->groups);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        const ClassGroup *group = cJSON_IsString(item) ? group_named(reading->class, item->valuestring) : NULL;
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

static Status read_counts(const ClassReading *reading, const cJSON *item, ClassCounts *counts)
{
    if (item == NULL)
        return STATUS_OK;
    if (strcmp(item->valuestring, "best") != 0 && strcmp(item->valuestring, "last") != 0)
        return json_fail(reading->file, item, reading->why, "expected \"best\" or \"last\", found \"%s\"",
                         item->valuestring);
    *counts = strcmp(item->valuestring, "best") == 0 ? COUNTS_BEST : COUNTS_LAST;
    return STATUS_OK;
}

static Status read_id(const ClassReading *reading, const cJSON *item, ClassAssignment *assignment)
{
    const cJSON *id = json_get(item, "id");
    if (!problem_id_is_valid(id->valuestring))
        return json_fail(reading->file, id, reading->why,
                         "expected lower-case letters, digits and dashes such as \"week-1\", found \"%s\"",
                         id->valuestring);
    if (class_assignment(reading->class, id->valuestring) != NULL)
        return json_fail(reading->file, id, reading->why, "there are two assignments \"%s\"", id->valuestring);
    assignment->id = arena_string(&reading->class->arena, id->valuestring);
    assignment->title = assignment->id;
    return json_get(item, "title") == NULL ? STATUS_OK
                                           : class_read_name(reading, json_get(item, "title"), &assignment->title);
}

static Status read_problems(const ClassReading *reading, const cJSON *list, ClassAssignment *assignment)
{
    Status status = STATUS_OK;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one problem");
    assignment->problems = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof(ClassProblem));
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

static Status read_assignment(const ClassReading *reading, const cJSON *item)
{
    static const JsonKey keys[] = {
        {"id", JSON_STRING, true},     {"title", JSON_STRING, false}, {"opens", JSON_STRING, false},
        {"due", JSON_STRING, true},    {"late", JSON_OBJECT, false},  {"counts", JSON_STRING, false},
        {"groups", JSON_ARRAY, false}, {"show", JSON_OBJECT, false},  {"problems", JSON_ARRAY, true},
    };
    ClassAssignment assignment = {0};
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_id(reading, item, &assignment);
    if (status == STATUS_OK)
        status = read_times(reading, item, &assignment);
    if (status == STATUS_OK)
        status = read_counts(reading, json_get(item, "counts"), &assignment.counts);
    if (status == STATUS_OK)
        status = read_groups_of(reading, json_get(item, "groups"), &assignment);
    if (status == STATUS_OK)
        status = read_shows(reading, json_get(item, "show"), &assignment);
    if (status == STATUS_OK)
        status = read_problems(reading, json_get(item, "problems"), &assignment);
    reading->class->assignments[reading->class->assignment_count++] = assignment;
    return status;
}

static Status read_assignments(const ClassReading *reading, const cJSON *list)
{
    Status status = STATUS_OK;
    ClassFile *class = reading->class;
    if (list->child == NULL)
        return json_fail(reading->file, list, reading->why, "expected at least one assignment");
    class->assignments = arena_array(&class->arena, (size_t)cJSON_GetArraySize(list), sizeof *class->assignments);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_assignment(reading, item);
    return status;
}

/* ---- extensions -------------------------------------------------------------------------------------------------- */

/* Where there are no groups, everybody may be in the class. */
static Status check_extension(const ClassReading *reading, const cJSON *item, const ClassExtension *extension)
{
    const ClassAssignment *assignment = extension->assignment;
    const cJSON *person = json_get(item, "person");
    if (reading->class->group_count > 0 && !class_has_person(reading->class, extension->person))
        return json_fail(reading->file, person, reading->why, "no group holds \"%s\"", extension->person);
    if (!class_takes_part(assignment, extension->person))
        return json_fail(reading->file, person, reading->why, "\"%s\" is in no group of assignment \"%s\"",
                         extension->person, assignment->id);
    if (class_extension(reading->class, assignment, extension->person) != NULL)
        return json_fail(reading->file, person, reading->why, "\"%s\" has two extensions of assignment \"%s\"",
                         extension->person, assignment->id);
    if (extension->deadline.due.utc_s <= assignment->deadline.due.utc_s)
        return json_fail(reading->file, json_get(item, "due"), reading->why,
                         "expected a time after that of assignment \"%s\" (%s), found %s", assignment->id,
                         assignment->deadline.due.written, extension->deadline.due.written);
    return STATUS_OK;
}

static Status read_assignment_of(const ClassReading *reading, const cJSON *item, ClassExtension *extension)
{
    const cJSON *id = json_get(item, "assignment");
    ClassTime due = {0};
    extension->assignment = class_assignment(reading->class, id->valuestring);
    if (extension->assignment == NULL)
        return json_fail(reading->file, id, reading->why, "there is no assignment \"%s\"", id->valuestring);
    Status status = read_moment(reading, json_get(item, "due"), false, &due);
    extension->deadline = class_deadline_of(due, &extension->assignment->late, &reading->class->zone,
                                            &reading->class->arena);
    return status;
}

static Status read_extension(const ClassReading *reading, const cJSON *item)
{
    static const JsonKey keys[] = {{"person", JSON_STRING, true},
                                   {"assignment", JSON_STRING, true},
                                   {"due", JSON_STRING, true},
                                   {"why", JSON_STRING, true},
                                   {"by", JSON_STRING, true}};
    ClassFile *class = reading->class;
    ClassExtension extension = {0};
    Status status = json_check(reading->file, item, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = read_person(reading, json_get(item, "person"), &extension.person);
    if (status == STATUS_OK)
        status = read_assignment_of(reading, item, &extension);
    if (status == STATUS_OK)
        status = class_read_name(reading, json_get(item, "why"), &extension.why);
    if (status == STATUS_OK)
        status = read_person(reading, json_get(item, "by"), &extension.by);
    if (status == STATUS_OK)
        status = check_extension(reading, item, &extension);
    if (status == STATUS_OK)
        class->extensions[class->extension_count++] = extension;
    return status;
}

static Status read_extensions(const ClassReading *reading, const cJSON *list)
{
    Status status = STATUS_OK;
    if (list == NULL)
        return STATUS_OK;
    reading->class->extensions = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list),
                                             sizeof *reading->class->extensions);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next)
        status = read_extension(reading, item);
    return status;
}

/* ---- other files ------------------------------------------------------------------------------------------------- */

static Status read_paths(const ClassReading *reading, const cJSON *list, const char ***paths, size_t *count)
{
    Status status = STATUS_OK;
    const char *slash = strrchr(reading->class->path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - reading->class->path) + 1;
    if (list == NULL)
        return STATUS_OK;
    *paths = arena_array(&reading->class->arena, (size_t)cJSON_GetArraySize(list), sizeof **paths);
    for (const cJSON *item = list->child; item != NULL && status == STATUS_OK; item = item->next) {
        const char *path = NULL;
        status = class_read_name(reading, item, &path);
        if (status == STATUS_OK)
            (*paths)[(*count)++] = path[0] == '/' ? path
                                                  : arena_printf(&reading->class->arena, "%.*s%s", folder,
                                                                 reading->class->path, path);
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
    Status status = check_paths(file, "handed_out", file->handed_out, file->handed_out_count, why);
    return status == STATUS_OK ? check_paths(file, "earlier", file->earlier, file->earlier_count, why) : status;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static Status read_zone(const ClassReading *reading, const cJSON *item)
{
    Message unfit = {0};
    if (zone_read(item->valuestring, &reading->class->arena, &reading->class->zone, &unfit) != STATUS_OK)
        return json_fail(reading->file, item, reading->why, "%s", unfit.text);
    return STATUS_OK;
}

static Status read_keys(const ClassReading *reading)
{
    static const JsonKey keys[] = {
        {"schema", JSON_NUMBER, true},     {"title", JSON_STRING, false},     {"zone", JSON_STRING, true},
        {"groups", JSON_ARRAY, false},     {"assignments", JSON_ARRAY, true}, {"extensions", JSON_ARRAY, false},
        {"handed_out", JSON_ARRAY, false}, {"earlier", JSON_ARRAY, false},
    };
    ClassFile *class = reading->class;
    const cJSON *root = reading->file->root;
    int64_t schema = 0;
    Status status = json_check(reading->file, root, keys, LENGTH_OF(keys), reading->why);
    if (status == STATUS_OK)
        status = json_integer(reading->file, root, "schema", 1, 1, &schema, reading->why);
    if (status == STATUS_OK && json_get(root, "title") != NULL)
        status = class_read_name(reading, json_get(root, "title"), &class->title);
    if (status == STATUS_OK)
        status = read_zone(reading, json_get(root, "zone"));
    if (status == STATUS_OK)
        status = read_groups(reading, json_get(root, "groups"));
    if (status == STATUS_OK)
        status = read_assignments(reading, json_get(root, "assignments"));
    if (status == STATUS_OK)
        status = read_extensions(reading, json_get(root, "extensions"));
    if (status == STATUS_OK)
        status = read_paths(reading, json_get(root, "handed_out"), &class->handed_out, &class->handed_out_count);
    if (status == STATUS_OK)
        status = read_paths(reading, json_get(root, "earlier"), &class->earlier, &class->earlier_count);
    return status;
}

Status class_file_read(const char *path, ClassFile *class, Message *why)
{
    JsonFile file = {0};
    *class = (ClassFile){.title = ""};
    const ClassReading reading = {&file, class, why};
    class->path = arena_string(&class->arena, path);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        class_file_free(class);
        return fail(STATUS_NOT_FOUND, why, "%s: there is no such file, expected a class.json", path);
    }
    Status status = json_read(path, MAX_CLASS_BYTES, &file, why);
    if (status == STATUS_OK)
        status = read_keys(&reading);
    json_free(&file);
    if (status != STATUS_OK)
        class_file_free(class);
    return status;
}
