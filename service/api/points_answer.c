#include "service/api/points_answer.h"

#include "base/json.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/class/points_parts.h"
#include "service/scores/class_facts.h"

#include <string.h>
#include <time.h>

/* The first assignment that is for the author and has the problem. */
static const ClassAssignment *assignment_of(const ClassFile *class, const StoredSubmission *row)
{
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_takes_part(&class->assignments[i], row->person) &&
            class_problem(&class->assignments[i], row->problem) != NULL)
            return &class->assignments[i];
    return NULL;
}

static const SubmissionFact *fact_of(const PersonFacts *person, int64_t submission)
{
    for (size_t i = 0; i < person->count; i++)
        if (person->facts[i].id == submission)
            return &person->facts[i];
    return NULL;
}

/* The sentences are those for students, which name no hidden case. */
static cJSON *parts_item(const PointsPart *parts, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", parts[i].name);
        json_put_number(item, "points", parts[i].points);
        json_put_number(item, "most", parts[i].most);
        cJSON_AddStringToObject(item, "text", parts[i].told);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static void answer(Visit *visit, const ClassAssignment *assignment, const SubmissionFact *fact, bool shown)
{
    size_t count;
    const PointsPart *parts = points_parts_of(class_problem(assignment, fact->problem), fact, visit->arena, &count);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "submission", (double)fact->id);
    cJSON_AddStringToObject(object, "assignment", assignment->id);
    cJSON_AddBoolToObject(object, "shown", shown);
    cJSON_AddItemToObject(object, "parts", parts_item(parts, count));
    answer_json(visit, 200, object);
}

void points_answer(Visit *visit)
{
    const ClassFile *class = class_of(visit);
    StoredSubmission row;
    PersonFacts person;
    Message why;
    if (!visible_submission(visit, &row))
        return;
    const ClassAssignment *assignment = class == NULL ? NULL : assignment_of(class, &row);
    if (assignment == NULL) {
        answer_error(visit, 404, "submission %lld is for no assignment of the class", (long long)row.id);
        return;
    }
    const bool shown = class_shows(class, assignment, &assignment->points, (int64_t)time(NULL));
    if (!shown && visit->person.role < PERSON_TEACHER && !visit->hands_in_only) {
        answer_error(visit, 403, "the points of %s are not shown yet", assignment->title);
        return;
    }
    Status status = class_facts_of_person(visit->service->store, class, row.person_id, visit->arena, &person, &why);
    const SubmissionFact *fact = status == STATUS_OK ? fact_of(&person, row.id) : NULL;
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    else if (fact == NULL)
        answer_error(visit, 404, "submission %lld counts for nothing: it was not for the ranking", (long long)row.id);
    else if (!points_is_decided(fact))
        answer_error(visit, 409, "submission %lld is not judged yet", (long long)row.id);
    else
        answer(visit, assignment, fact, shown);
}
