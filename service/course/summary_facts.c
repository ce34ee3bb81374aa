#include "service/course/summary_facts.h"

#include "grader/problem/problem.h"
#include "service/course/extensions.h"
#include "service/store/judgings.h"

#include <string.h>

typedef struct Telling {
    Store *store;
    const ClassFile *class;
    Facts *facts;
    size_t *first_tasks; /* of each assignment: the number of its first problem's task */
} Telling;

static Status add_tasks(const Telling *telling, size_t assignment, Message *why)
{
    const ClassAssignment *added = &telling->class->assignments[assignment];
    Status status = STATUS_OK;
    telling->first_tasks[assignment] = telling->facts->task_count;
    for (size_t i = 0; i < added->problem_count && status == STATUS_OK; i++) {
        Problem problem;
        status = problem_read(added->problems[i].problem, &problem, why);
        if (status != STATUS_OK)
            break;
        facts_add_task(telling->facts, &(FactTask){added->id, added->title, problem.id, problem.title});
        problem_free(&problem);
    }
    return status;
}

/* The documents of a submission are read one after the other: all at once would take too much memory. */
static Status add_submission(const Telling *telling, size_t task, size_t person, const SubmissionFact *fact,
                             Message *why)
{
    Arena arena = {0};
    const StoredSubmission *row = fact->row;
    const char *result = NULL, *source = NULL;
    FactCase *cases = arena_array(&arena, fact->case_count + 1, sizeof *cases);
    size_t case_count = 0;
    for (size_t i = 0; i < fact->case_count; i++)
        if (fact->cases[i].verdict[0] != '\0')
            cases[case_count++] = (FactCase){fact->cases[i].name, strcmp(fact->cases[i].verdict, "Accepted") == 0};
    Status status = judgings_document(telling->store, row->judging, "result", &arena, &result, why);
    if (status == STATUS_OK && result != NULL)
        status = submissions_source(telling->store, row->source_hash, &arena, &source, why);
    if (status == STATUS_OK)
        facts_add_submission(telling->facts,
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

static Status add_assignment(const Telling *telling, const PersonScores *scores, size_t person,
                             const AssignmentPoints *points, Message *why)
{
    const ClassAssignment *assignment = points->assignment;
    const size_t first = telling->first_tasks[assignment - telling->class->assignments];
    const PersonFacts *own = scores->facts;
    Status status = STATUS_OK;
    bool has_any = false;
    for (size_t i = 0; i < own->count && status == STATUS_OK; i++) {
        const SubmissionFact *fact = &own->facts[i];
        const ClassProblem *problem = class_problem(assignment, fact->problem);
        const bool belongs = !fact->has_received ||
                             showing_belongs(telling->class, assignment, own->person, fact->received_s);
        if (problem == NULL || !belongs || fact->is_withdrawn)
            continue;
        has_any = true;
        status = add_submission(telling, first + (size_t)(problem - assignment->problems), person, fact, why);
    }
    facts_expect(telling->facts, person, assignment->id);
    if (has_any)
        facts_add_points(telling->facts, &(FactPoints){person, assignment->id, points->points, points->most});
    return status;
}

Status summary_facts_read(Store *store, const Scores *scores, Facts *facts, Message *why)
{
    const Telling telling = {store, scores->class, facts,
                             arena_array(&facts->arena, scores->class->assignment_count, sizeof(size_t))};
    Status status = STATUS_OK;
    for (size_t i = 0; i < scores->class->assignment_count && status == STATUS_OK; i++)
        status = add_tasks(&telling, i, why);
    for (size_t i = 0; i < scores->count && status == STATUS_OK; i++) {
        const PersonScores *person = &scores->people[i];
        const size_t number = facts_person(facts, person->facts->person);
        for (size_t k = 0; k < person->count && status == STATUS_OK; k++)
            status = add_assignment(&telling, person, number, &person->assignments[k], why);
    }
    return status;
}
