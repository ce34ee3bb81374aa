#include "service/scores/scores_json.h"

#include "base/json.h"
#include "service/class/class_time.h"

enum { SCORES_SCHEMA = 1 };

static cJSON *part_item(const PointsPart *part)
{
    static const char *const kinds[] = {[PART_ACCEPTED] = "accepted", [PART_CASES] = "cases", [PART_SPEED] = "speed"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", kinds[part->kind]);
    cJSON_AddStringToObject(object, "name", part->name);
    json_put_number(object, "points", part->points);
    json_put_number(object, "most", part->most);
    cJSON_AddStringToObject(object, "reason", part->reason);
    cJSON_AddStringToObject(object, "told", part->told);
    return object;
}

static void put_counting(cJSON *object, const PersonScores *person, const ProblemPoints *points)
{
    const SubmissionFact *fact = points->counts;
    if (fact == NULL)
        return;
    json_put_number(object, "submission", (double)fact->id);
    cJSON_AddStringToObject(object, "file", scores_row(person, fact)->file_name);
    cJSON_AddStringToObject(object, "verdict", fact->verdict);
    if (fact->has_received)
        cJSON_AddStringToObject(object, "received_utc", class_time_utc(fact->received_s).text);
    json_put_number(object, "late_s", (double)points->late_s);
    json_put_number(object, "days_late", (double)points->days_late);
    json_put_number(object, "taken_off", points->taken_off);
}

static cJSON *problem_item(const PersonScores *person, const ProblemPoints *points)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "problem", points->problem->problem);
    json_put_number(object, "points", points->points);
    json_put_number(object, "most", points->most);
    cJSON_AddBoolToObject(object, "final", points->is_final);
    put_counting(object, person, points);
    cJSON_AddStringToObject(object, "reason", points->reason);
    cJSON_AddStringToObject(object, "told", points->told);
    cJSON *parts = cJSON_AddArrayToObject(object, "parts");
    for (size_t i = 0; i < points->part_count; i++)
        cJSON_AddItemToArray(parts, part_item(&points->parts[i]));
    return object;
}

static cJSON *assignment_item(const PersonScores *person, const AssignmentPoints *points)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "assignment", points->assignment->id);
    json_put_number(object, "points", points->points);
    json_put_number(object, "most", points->most);
    cJSON_AddBoolToObject(object, "final", points->is_final);
    if (points->extension != NULL)
        cJSON_AddStringToObject(object, "extended_utc", class_time_utc(points->extension->deadline.due.utc_s).text);
    cJSON *problems = cJSON_AddArrayToObject(object, "problems");
    for (size_t i = 0; i < points->assignment->problem_count; i++)
        cJSON_AddItemToArray(problems, problem_item(person, &points->problems[i]));
    return object;
}

void scores_json(const Scores *scores, Arena *arena, Text *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCORES_SCHEMA);
    cJSON_AddStringToObject(root, "title", scores->class->title);
    cJSON *people = cJSON_AddArrayToObject(root, "people");
    for (size_t i = 0; i < scores->count; i++) {
        const PersonScores *person = &scores->people[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "person", person->facts->person);
        cJSON_AddStringToObject(object, "groups", scores_groups(scores->class, person->facts->person, arena));
        cJSON *assignments = cJSON_AddArrayToObject(object, "assignments");
        for (size_t k = 0; k < person->count; k++)
            cJSON_AddItemToArray(assignments, assignment_item(person, &person->assignments[k]));
        cJSON_AddItemToArray(people, object);
    }
    json_print(root, text);
    cJSON_Delete(root);
}
