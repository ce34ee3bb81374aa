#include "service/classroom/showing.h"

bool showing_board(const ClassFile *file, const char *problem, int64_t now_s)
{
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && !class_shows(file, assignment, &assignment->board, now_s))
            return false;
    }
    return true;
}

bool showing_belongs(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t received_s)
{
    return class_takes_part(assignment, person) && received_s >= assignment->opens.utc_s &&
           received_s <= class_last_moment(class_deadline(file, assignment, person));
}

const ClassAssignment *showing_source(const ClassFile *file, const char *problem, const char *reader,
                                      const char *author, int64_t received_s, int64_t now_s)
{
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        if (class_problem(assignment, problem) != NULL && class_takes_part(assignment, reader) &&
            showing_belongs(file, assignment, author, received_s) && now_s > class_closes_s(file, assignment) &&
            class_shows(file, assignment, &assignment->sources, now_s))
            return assignment;
    }
    return NULL;
}
