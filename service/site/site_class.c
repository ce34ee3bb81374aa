/* site_class.c - what class.json adds to pages: deadlines, and the sources of others.  */
#include "service/site/site_answers.h"

#include "grader/problem/problem_read.h"
#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/api/visible.h"
#include "service/class/class_file.h"
#include "service/classroom/due.h"
#include "service/pages/class_pages.h"

#include <ctype.h>
#include <time.h>

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* Who has not logged in sees what holds for everybody. */
static const char *person_of(const Visit *visit)
{
    return visit->is_known ? visit->person.name : "";
}

static const char *moved(Arena *arena, Text *text)
{
    const char *copy = arena_copy(arena, text->data == NULL ? "" : text->data, text->length);
    text_free(text);
    return copy;
}

static bool concerns(const Visit *visit, const ClassAssignment *assignment)
{
    return class_takes_part(assignment, person_of(visit)) || (visit->is_known && visit->person.role >= PERSON_TEACHER);
}

const char *const *site_deadlines(const Visit *visit, const char *problem)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    size_t count = 0;
    if (file == NULL)
        return NULL;
    const char **sentences = arena_array(visit->arena, file->assignment_count + 1, sizeof *sentences);
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, person_of(visit), now_s);
        Text text = {0};
        if (class_problem(assignment, problem) == NULL || !concerns(visit, assignment))
            continue;
        text_printf(&text, "%s: ", assignment->title);
        due_add_outlook(&text, file, &due, now_s);
        text_add(&text, ".");
        sentences[count++] = moved(visit->arena, &text);
    }
    return sentences;
}

const char *const *site_counts_for(const Visit *visit, const StoredSubmission *row)
{
    Due *dues = NULL;
    const size_t count = class_dues_of(visit->service, row, visit->arena, &dues);
    const char **sentences = arena_array(visit->arena, count + 1, sizeof *sentences);
    for (size_t i = 0; i < count; i++) {
        Text text = {0};
        due_add_submission(&text, class_of(visit), &dues[i], time(NULL));
        text_add(&text, ".");
        text.data[0] = (char)toupper((unsigned char)text.data[0]);
        sentences[i] = moved(visit->arena, &text);
    }
    return sentences;
}

void site_fill_assignments(const Visit *visit, IndexPage *page)
{
    const ClassFile *file = class_of(visit);
    const int64_t now_s = time(NULL);
    if (file == NULL)
        return;
    AssignmentLine *lines = arena_array(visit->arena, file->assignment_count + 1, sizeof *lines);
    for (size_t i = 0; i < file->assignment_count; i++) {
        const ClassAssignment *assignment = &file->assignments[i];
        const Due due = due_of(file, assignment, person_of(visit), now_s);
        Text text = {0};
        if (!concerns(visit, assignment))
            continue;
        const char **problems = arena_array(visit->arena, assignment->problem_count + 1, sizeof *problems);
        for (size_t k = 0; k < assignment->problem_count; k++)
            problems[k] = assignment->problems[k].problem;
        due_add_outlook(&text, file, &due, now_s);
        lines[page->assignment_count++] = (AssignmentLine){assignment->title, problems, moved(visit->arena, &text)};
    }
    page->assignments = lines;
}

/* ---- sources of others ------------------------------------------------------------------------------------------- */

static OpenSource open_source(const Visit *visit, const StoredSubmission *row, const char *title)
{
    int64_t person;
    const bool has_time = row->time.ms > 0 && !class_hides_board_from(visit, row->problem);
    return (OpenSource){.submission = row->id,
                        .person = visible_name(visit, row->person, &person),
                        .file_name = class_file_name(visit, row),
                        .received = row->received_utc,
                        .problem = row->problem,
                        .problem_title = title,
                        .time = has_time ? row->time : (MeasuredTime){0},
                        .device = has_time ? row->device : ""};
}

static Status read_title(const Visit *visit, const char *id, const char **title, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    *title = arena_string(visit->arena, problem.title);
    problem_free(&problem);
    return STATUS_OK;
}

void site_sources(Visit *visit)
{
    const Site site = site_of(visit);
    const char *title;
    StoredSubmission *rows;
    size_t count = 0;
    Message why;
    Status status = read_title(visit, visit->argument, &title, &why);
    if (status == STATUS_OK)
        status = class_open_sources(visit, visit->argument, &rows, &count, &why);
    if (status != STATUS_OK) {
        answer_failure(visit, status, &why);
        return;
    }
    OpenSource *sources = arena_array(visit->arena, count + 1, sizeof *sources);
    for (size_t i = 0; i < count; i++)
        sources[i] = open_source(visit, &rows[i], title);
    page_sources(&visit->reply->body, &site, visit->argument, title, sources, count);
}

void site_source(Visit *visit)
{
    const Site site = site_of(visit);
    StoredSubmission row;
    const char *source, *title;
    if (!class_readable_source(visit, &row, &source))
        return;
    title = row.problem;
    if (read_title(visit, row.problem, &title, NULL) != STATUS_OK)
        title = row.problem; /* the problem is gone, and its name remains */
    OpenSource shown = open_source(visit, &row, title);
    shown.source = source;
    page_source(&visit->reply->body, &site, &shown);
}
