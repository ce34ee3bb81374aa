#include "service/api/class_answers.h"

#include "base/json.h"
#include "grader/problem/problem_read.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/class/class_time.h"

#include <time.h>

/* ---- assignments ------------------------------------------------------------------------------------------------- */

static const char *state_name(DueState state)
{
    static const char *const names[] = {
        [DUE_NOT_OPEN] = "not open", [DUE_IN_TIME] = "open", [DUE_LATE] = "late", [DUE_CLOSED] = "closed"};
    return names[state];
}

static cJSON *assignment_item(const ClassFile *file, const Due *due, int64_t now_s)
{
    const ClassAssignment *assignment = due->assignment;
    Text text = {0};
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "assignment", assignment->id);
    cJSON_AddStringToObject(item, "title", assignment->title);
    cJSON *problems = cJSON_AddArrayToObject(item, "problems");
    for (size_t i = 0; i < assignment->problem_count; i++)
        cJSON_AddItemToArray(problems, cJSON_CreateString(assignment->problems[i].problem));
    cJSON_AddStringToObject(item, "state", state_name(due->state));
    if (assignment->opens.written != NULL)
        cJSON_AddStringToObject(item, "opens_utc", class_time_utc(assignment->opens.utc_s).text);
    cJSON_AddStringToObject(item, "due", class_time_local(&file->zone, due->deadline->due.utc_s).text);
    cJSON_AddStringToObject(item, "zone", file->zone.name);
    cJSON_AddStringToObject(item, "due_utc", class_time_utc(due->deadline->due.utc_s).text);
    cJSON_AddStringToObject(item, "closes_utc", class_time_utc(class_last_moment(due->deadline)).text);
    due_add_outlook(&text, file, due, now_s);
    cJSON_AddStringToObject(item, "text", text.data);
    text_free(&text);
    return item;
}

void class_answer_assignments(Visit *visit)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "assignments");
    for (size_t i = 0; file != NULL && i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, visit->person.name, now_s);
        if (visit->person.role >= PERSON_TEACHER || class_takes_part(assignment, visit->person.name))
            cJSON_AddItemToArray(list, assignment_item(file, &due, now_s));
    }
    answer_json(visit, 200, object);
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static cJSON *source_item(const Visit *visit, const StoredSubmission *row)
{
    int64_t person;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "submission", (double)row->id);
    cJSON_AddStringToObject(item, "person", visible_name(visit, row->person, &person));
    cJSON_AddStringToObject(item, "problem", row->problem);
    cJSON_AddStringToObject(item, "file_name", class_file_name(visit, row));
    cJSON_AddStringToObject(item, "received", row->received_utc);
    if (row->time.ms > 0 && !class_hides_board_from(visit, row->problem)) {
        json_put_number(item, "score_ms", row->time.ms);
        json_put_number(item, "uncertainty", row->time.uncertainty);
        cJSON_AddStringToObject(item, "device", row->device);
    }
    return item;
}

void class_answer_sources(Visit *visit)
{
    Problem problem;
    StoredSubmission *rows;
    size_t count = 0;
    Message why;
    Status status = problem_read(visit->argument, &problem, &why);
    if (status == STATUS_OK) {
        status = class_open_sources(visit, problem.id, &rows, &count, &why);
        problem_free(&problem);
    }
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "sources");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, source_item(visit, &rows[i]));
    answer_json(visit, 200, object);
}

void class_answer_source(Visit *visit)
{
    StoredSubmission row;
    const char *source;
    if (!class_readable_source(visit, &row, &source))
        return;
    if (source == NULL) {
        answer_error(visit, 404, "the source of submission %lld is not kept", (long long)row.id);
        return;
    }
    cJSON *item = source_item(visit, &row);
    cJSON_AddStringToObject(item, "source", source);
    answer_json(visit, 200, item);
}
