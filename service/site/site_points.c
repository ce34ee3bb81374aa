/* site_points.c - points: a person's own once they are shown, and those of all with the summary for teachers.  */
#include "service/site/site_answers.h"

#include "service/api/answer.h"
#include "service/api/class_rules.h"
#include "service/classroom/extensions.h"
#include "service/pages/class_pages.h"
#include "service/scores/scores_csv.h"
#include "service/scores/summary_facts.h"
#include "service/store/service_store.h"
#include "service/summary/class_summary.h"
#include "service/summary/summary_page.h"

#include <string.h>
#include <time.h>

enum { RECORDS = 200 };

static const char *title_of(const Visit *visit)
{
    const ClassFile *class = class_of(visit);
    return class->title[0] == '\0' ? visit->service->config->title : class->title;
}

/* ---- one person -------------------------------------------------------------------------------------------------- */

static AssignmentResult result_of(const Visit *visit, const AssignmentPoints *points)
{
    ProblemResult *problems = arena_array(visit->arena, points->assignment->problem_count + 1, sizeof *problems);
    for (size_t i = 0; i < points->assignment->problem_count; i++)
        problems[i] = (ProblemResult){.problem = points->problems[i].problem->problem,
                                      .points = points->problems[i].points,
                                      .most = points->problems[i].most,
                                      .reason = visit->person.role >= PERSON_TEACHER ? points->problems[i].reason
                                                                                     : points->problems[i].told};
    return (AssignmentResult){.title = points->assignment->title,
                              .points = points->points,
                              .most = points->most,
                              .is_final = points->is_final,
                              .problems = problems,
                              .problem_count = points->assignment->problem_count};
}

Status site_fill_points(const Visit *visit, const Person *person, PersonPage *page, Message *why)
{
    const ClassFile *class = class_of(visit);
    const bool is_teacher = visit->person.role >= PERSON_TEACHER;
    PersonFacts facts;
    if (class == NULL)
        return STATUS_OK;
    Status status = class_facts_of_person(visit->service->store, class, person->id, visit->arena, &facts, why);
    AssignmentResult *results = arena_array(visit->arena, class->assignment_count + 1, sizeof *results);
    for (size_t i = 0; i < class->assignment_count && status == STATUS_OK; i++) {
        const ClassAssignment *assignment = &class->assignments[i];
        if (!class_takes_part(assignment, person->name) ||
            (!is_teacher && !class_shows(class, assignment, &assignment->points, time(NULL))))
            continue;
        const AssignmentPoints points = points_of(class, assignment, person->name, facts.facts, facts.count,
                                                  visit->arena);
        results[page->result_count++] = result_of(visit, &points);
    }
    page->results = results;
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* False: there is no class, or its points cannot be read, which has been answered. */
static bool read_scores(Visit *visit, Scores *scores)
{
    Message why;
    if (class_of(visit) == NULL) {
        answer_error(visit, 404, "this server has no class; its setting \"class\" names a class.json");
        return false;
    }
    Status status = scores_read(visit->service->store, class_of(visit), visit->arena, scores, &why);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

static void fill_cells(const PersonScores *person, const ClassFile *class, PointsCell *cells)
{
    for (size_t k = 0; k < person->count; k++) {
        const AssignmentPoints *points = &person->assignments[k];
        cells[points->assignment - class->assignments] = (PointsCell){.points = points->points,
                                                                      .most = points->most,
                                                                      .is_known = true,
                                                                      .is_final = points->is_final,
                                                                      .is_extended = points->extension != NULL};
    }
}

static void fill_points(const Visit *visit, const Scores *scores, PointsPage *page)
{
    const ClassFile *class = scores->class;
    const char **titles = arena_array(visit->arena, class->assignment_count + 1, sizeof *titles);
    const char **people = arena_array(visit->arena, scores->count + 1, sizeof *people);
    PointsCell *cells = arena_array(visit->arena, scores->count * class->assignment_count + 1, sizeof *cells);
    for (size_t i = 0; i < class->assignment_count; i++)
        titles[i] = class->assignments[i].title;
    for (size_t i = 0; i < scores->count; i++) {
        people[i] = scores->people[i].facts->person;
        fill_cells(&scores->people[i], class, &cells[i * class->assignment_count]);
    }
    page->title = title_of(visit);
    page->assignments = titles;
    page->assignment_count = class->assignment_count;
    page->people = people;
    page->people_count = scores->count;
    page->cells = cells;
}

static Status fill_extensions(const Visit *visit, PointsPage *page, Message *why)
{
    ExtensionRecord *records;
    Status status = extensions_records(visit->service->store, RECORDS, visit->arena, &records, &page->extension_count,
                                       why);
    if (status != STATUS_OK)
        return status;
    ExtensionLine *lines = arena_array(visit->arena, page->extension_count + 1, sizeof *lines);
    for (size_t i = 0; i < page->extension_count; i++)
        lines[i] = (ExtensionLine){records[i].time_utc, records[i].person, records[i].action, records[i].object};
    page->extensions = lines;
    return STATUS_OK;
}

void site_points(Visit *visit)
{
    const Site site = site_of(visit);
    Scores scores;
    PointsPage page = {0};
    Message why;
    if (!read_scores(visit, &scores))
        return;
    fill_points(visit, &scores, &page);
    Status status = fill_extensions(visit, &page, &why);
    if (status == STATUS_OK)
        page_points(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}

void site_points_csv(Visit *visit)
{
    Scores scores;
    if (!read_scores(visit, &scores))
        return;
    visit->reply->type = "text/csv; charset=utf-8";
    http_reply_header(visit->reply, "Content-Disposition", "attachment; filename=\"scores.csv\"");
    scores_csv(&scores, visit->arena, &visit->reply->body);
}

void site_summary(Visit *visit)
{
    const Site site = site_of(visit);
    Scores scores;
    Facts facts = {0};
    Message why;
    if (!read_scores(visit, &scores))
        return;
    Status status = summary_facts_read(visit->service->store, &scores, &facts, &why);
    if (status == STATUS_OK) {
        const Summary summary = summary_of(&facts, title_of(visit), utc_now().text, visit->arena);
        summary_page(&visit->reply->body, &site, &summary);
    } else {
        answer_failure(visit, status, &why);
    }
    facts_free(&facts);
}
