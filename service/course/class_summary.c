#include "service/course/class_summary.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== mistakes ==================================================================================================== */

/* The same mistake, made by several people, or by one person again and again. */

/* Nothing that the judge could not do is a mistake of a student's. */
static bool is_mistake(const FactSubmission *submission)
{
    return submission->failure.kind[0] != '\0' && strcmp(submission->failure.verdict, "Judge Error") != 0;
}

static bool is_same(const Failure *a, const Failure *b)
{
    return strcmp(a->verdict, b->verdict) == 0 && strcmp(a->kind, b->kind) == 0;
}

static MistakeExample example_of(const Facts *facts, const FactSubmission *submission)
{
    return (MistakeExample){.person = facts->people[submission->person],
                            .file_name = submission->file_name,
                            .submission = submission->number,
                            .line = submission->failure.line,
                            .line_text = submission->failure.line_text};
}

/* ---- common mistakes --------------------------------------------------------------------------------------------- */

static MistakeCount *mistake_of(TaskSummary *summary, size_t *room, const Failure *failure, Arena *arena)
{
    for (size_t i = 0; i < summary->mistake_count; i++)
        if (strcmp(summary->mistakes[i].verdict, failure->verdict) == 0 &&
            strcmp(summary->mistakes[i].kind, failure->kind) == 0)
            return &summary->mistakes[i];
    summary->mistakes = arena_grown(arena, summary->mistakes, summary->mistake_count, room, sizeof *summary->mistakes);
    summary->mistakes[summary->mistake_count] = (MistakeCount){.verdict = failure->verdict, .kind = failure->kind};
    return &summary->mistakes[summary->mistake_count++];
}

/* Where a person is an example already, the later submission is the better one, if it has a line or the earlier one has none. Where
 * all places are taken, one with a line takes the place of one without. */
static void keep_example(const Facts *facts, MistakeCount *mistake, const FactSubmission *submission)
{
    const MistakeExample example = example_of(facts, submission);
    MistakeExample *worst = NULL;
    for (size_t i = 0; i < mistake->example_count; i++) {
        MistakeExample *held = &mistake->examples[i];
        if (held->person == example.person) {
            *held = example.line > 0 || held->line == 0 ? example : *held;
            return;
        }
        worst = worst == NULL && held->line == 0 ? held : worst;
    }
    if (mistake->example_count < SUMMARY_EXAMPLES)
        mistake->examples[mistake->example_count++] = example;
    else if (worst != NULL && example.line > 0)
        *worst = example;
}

static int by_people(const void *a, const void *b)
{
    const MistakeCount *x = a, *y = b;
    if (x->people != y->people)
        return x->people < y->people ? 1 : -1;
    if (x->submissions != y->submissions)
        return x->submissions < y->submissions ? 1 : -1;
    return strcmp(x->kind, y->kind);
}

static bool is_first_of_its_kind(const FactSubmission *const *own, size_t at)
{
    for (size_t i = at; i > 0 && own[i - 1]->person == own[at]->person; i--)
        if (is_same(&own[i - 1]->failure, &own[at]->failure))
            return false;
    return true;
}

/* `own` are the submissions of a task, those of one person one after the other in the order of their receipt. */
static void mistakes_count(const Facts *facts, const FactSubmission *const *own, size_t count, TaskSummary *summary,
                           Arena *arena)
{
    size_t room = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_mistake(own[i]))
            continue;
        MistakeCount *mistake = mistake_of(summary, &room, &own[i]->failure, arena);
        mistake->submissions++;
        mistake->people += is_first_of_its_kind(own, i);
        keep_example(facts, mistake, own[i]);
    }
    if (summary->mistake_count > 0)
        qsort(summary->mistakes, summary->mistake_count, sizeof *summary->mistakes, by_people);
}

/* ---- who is stuck ------------------------------------------------------------------------------------------------ */

/* The failure that a person's submissions show most often; of equally many the latest. */
static StuckPerson most_frequent(const Facts *facts, const FactSubmission *const *own, size_t count)
{
    StuckPerson stuck = {0};
    for (size_t last = count; last > 0; last--) {
        const FactSubmission *newest = own[last - 1];
        size_t same = 0, first = 0;
        if (!is_mistake(newest))
            continue;
        for (size_t i = count; i > 0; i--)
            if (is_same(&own[i - 1]->failure, &newest->failure)) {
                same++;
                first = i - 1;
            }
        if (same > stuck.submissions)
            stuck = (StuckPerson){.person = facts->people[newest->person],
                                  .verdict = newest->failure.verdict,
                                  .kind = newest->failure.kind,
                                  .since_utc = own[first]->received_utc,
                                  .last_utc = newest->received_utc,
                                  .submissions = same,
                                  .example = example_of(facts, newest)};
    }
    return stuck;
}

static int by_count(const void *a, const void *b)
{
    const StuckPerson *x = a, *y = b;
    if (x->submissions != y->submissions)
        return x->submissions < y->submissions ? 1 : -1;
    return strcmp(x->person, y->person);
}

static void mistakes_find_stuck(const Facts *facts, const FactSubmission *const *own, size_t count,
                                TaskSummary *summary, Arena *arena)
{
    summary->stuck = arena_array(arena, facts->people_count + 1, sizeof *summary->stuck);
    for (size_t begin = 0, end; begin < count; begin = end) {
        bool is_solved = false;
        for (end = begin; end < count && own[end]->person == own[begin]->person; end++)
            is_solved = is_solved || strcmp(own[end]->failure.verdict, "Accepted") == 0;
        const StuckPerson stuck = most_frequent(facts, own + begin, is_solved ? 0 : end - begin);
        if (stuck.submissions >= STUCK_LEAST)
            summary->stuck[summary->stuck_count++] = stuck;
    }
    qsort(summary->stuck, summary->stuck_count, sizeof *summary->stuck, by_count);
}

/* ==== points summary ============================================================================================== */

/* The least of 0.5, 1, 2, 5, 10, ... with which all fits into the bins; a small class needs few of them. */
static double width_of(double most, size_t count)
{
    enum { FEWEST_BINS = 5 };
    static const double steps[] = {1, 2, 5};
    const size_t bins = count < FEWEST_BINS ? FEWEST_BINS : count > SUMMARY_MAX_BINS - 1 ? SUMMARY_MAX_BINS - 1 : count;
    double unit = 0.5;
    for (int i = 0; most / unit > (double)bins; i++)
        unit = steps[i % 3] * pow(10, floor(i / 3.0));
    return unit;
}

PointsSummary points_summary_of(double *values, size_t count, double most)
{
    PointsSummary summary = {.count = count, .most = most};
    if (count == 0)
        return summary;
    qsort(values, count, sizeof *values, order_numbers);
    const double top = fmax(fmax(most, values[count - 1]), 0.5);
    double sum = 0;
    summary.width = width_of(top, count);
    summary.bin_count = (size_t)ceil(top / summary.width - 1e-9);
    for (size_t i = 0; i < count; i++) {
        const double at = floor(values[i] / summary.width + 1e-9);
        const size_t bin = at < 0 ? 0 : at >= (double)summary.bin_count ? summary.bin_count - 1 : (size_t)at;
        summary.bins[bin]++;
        sum += values[i];
    }
    summary.mean = sum / (double)count;
    summary.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    summary.lowest = values[0];
    summary.highest = values[count - 1];
    return summary;
}

/* ==== task summary ================================================================================================ */

/* What became of one task. */

static bool is_accepted(const FactSubmission *submission)
{
    return strcmp(submission->failure.verdict, "Accepted") == 0;
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static int by_submissions(const void *a, const void *b)
{
    const VerdictCount *x = a, *y = b;
    if (x->submissions != y->submissions)
        return x->submissions < y->submissions ? 1 : -1;
    return strcmp(x->verdict, y->verdict);
}

static VerdictCount *count_of(TaskSummary *summary, size_t *room, const char *verdict, Arena *arena)
{
    for (size_t i = 0; i < summary->verdict_count; i++)
        if (strcmp(summary->verdicts[i].verdict, verdict) == 0)
            return &summary->verdicts[i];
    summary->verdicts = arena_grown(arena, summary->verdicts, summary->verdict_count, room, sizeof *summary->verdicts);
    summary->verdicts[summary->verdict_count] = (VerdictCount){.verdict = verdict};
    return &summary->verdicts[summary->verdict_count++];
}

static void count_verdicts(const Facts *facts, TaskSummary *summary, const FactSubmission *const *own, Arena *arena)
{
    size_t room = 0;
    const char **states = arena_array(arena, facts->people_count + 1, sizeof *states);
    for (size_t i = 0; i < summary->submissions; i++) {
        const char **state = &states[own[i]->person];
        count_of(summary, &room, own[i]->failure.verdict, arena)->submissions++;
        summary->people += *state == NULL;
        if (*state == NULL || strcmp(*state, "Accepted") != 0)
            *state = own[i]->failure.verdict;
    }
    for (size_t i = 0; i < facts->people_count; i++)
        if (states[i] != NULL) {
            count_of(summary, &room, states[i], arena)->people++;
            summary->solved += strcmp(states[i], "Accepted") == 0;
        }
    if (summary->verdict_count > 0)
        qsort(summary->verdicts, summary->verdict_count, sizeof *summary->verdicts, by_submissions);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

typedef struct CaseTable {
    CaseCount *cases; /* in the order in which they first came */
    size_t *last; /* 1 + the person who has run it last, so that people are counted once where they follow each other */
    size_t count, room, last_room;
} CaseTable;

static size_t find_case(CaseTable *table, const char *name, size_t guess, Arena *arena)
{
    if (guess < table->count && strcmp(table->cases[guess].name, name) == 0)
        return guess;
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->cases[i].name, name) == 0)
            return i;
    table->cases = arena_grown(arena, table->cases, table->count, &table->room, sizeof *table->cases);
    table->last = arena_grown(arena, table->last, table->count, &table->last_room, sizeof *table->last);
    table->cases[table->count] = (CaseCount){.name = name};
    table->last[table->count] = 0;
    return table->count++;
}

static int by_person(const void *a, const void *b)
{
    const FactSubmission *const *x = a, *const *y = b;
    if ((*x)->person != (*y)->person)
        return (*x)->person < (*y)->person ? -1 : 1;
    return (*x > *y) - (*x < *y); /* the order in which they were received */
}

static void count_cases(TaskSummary *summary, const FactSubmission *const *by_people, Arena *arena)
{
    CaseTable table = {0};
    for (size_t i = 0; i < summary->submissions; i++)
        for (size_t k = 0; k < by_people[i]->case_count; k++) {
            const FactCase *item = &by_people[i]->cases[k];
            const size_t at = find_case(&table, item->name, k, arena);
            table.cases[at].passed += item->is_passed;
            table.cases[at].failed += !item->is_passed;
            table.cases[at].people += table.last[at] != by_people[i]->person + 1;
            table.last[at] = by_people[i]->person + 1;
        }
    summary->case_count = table.count;
    summary->never_failed = arena_array(arena, table.count + 1, sizeof *summary->never_failed);
    summary->never_passed = arena_array(arena, table.count + 1, sizeof *summary->never_passed);
    for (size_t i = 0; i < table.count; i++) {
        if (table.cases[i].failed == 0)
            summary->never_failed[summary->never_failed_count++] = table.cases[i];
        if (table.cases[i].passed == 0)
            summary->never_passed[summary->never_passed_count++] = table.cases[i];
    }
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static TaskBoard *board_of(const Facts *facts, TaskSummary *summary, size_t *room, const FactSubmission *submission,
                           Arena *arena)
{
    for (size_t i = 0; i < summary->board_count; i++)
        if (strcmp(summary->boards[i].device, submission->device) == 0)
            return &summary->boards[i];
    summary->boards = arena_grown(arena, summary->boards, summary->board_count, room, sizeof *summary->boards);
    TaskBoard *board = &summary->boards[summary->board_count++];
    *board = (TaskBoard){.device = submission->device, .is_modelled = submission->is_modelled};
    board->people = arena_array(arena, facts->people_count + 1, sizeof *board->people);
    return board;
}

static int by_time(const void *a, const void *b)
{
    const Standing *x = a, *y = b;
    if (x->time.ms < y->time.ms || x->time.ms > y->time.ms)
        return x->time.ms < y->time.ms ? -1 : 1;
    return strcmp(x->person, y->person);
}

static void keep_best(const Facts *facts, TaskBoard *board, const FactSubmission *submission)
{
    const char *person = facts->people[submission->person];
    for (size_t i = 0; i < board->people_count; i++)
        if (board->people[i].person == person) {
            if (submission->time.ms < board->people[i].time.ms)
                board->people[i].time = submission->time;
            return;
        }
    board->people[board->people_count++] = (Standing){.person = person, .time = submission->time};
}

/* The newest submission knows the newest times of the references. */
static void take_times(const Facts *facts, TaskSummary *summary, const FactSubmission *const *own, Arena *arena)
{
    size_t room = 0;
    for (size_t i = 0; i < summary->submissions; i++) {
        if (!is_accepted(own[i]) || !(own[i]->time.ms > 0))
            continue;
        TaskBoard *board = board_of(facts, summary, &room, own[i], arena);
        keep_best(facts, board, own[i]);
        if (own[i]->reference_count > 0) {
            board->references = own[i]->references;
            board->reference_count = own[i]->reference_count;
        }
    }
    for (size_t i = 0; i < summary->board_count; i++) {
        TaskBoard *board = &summary->boards[i];
        qsort(board->people, board->people_count, sizeof *board->people, by_time);
        board->reached = arena_array(arena, board->reference_count + 1, sizeof *board->reached);
        for (size_t k = 0; k < board->reference_count; k++)
            for (size_t person = 0; person < board->people_count; person++)
                board->reached[k] += !time_is_faster(board->references[k].time, board->people[person].time);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static TaskSummary task_summary_of(const Facts *facts, size_t task, Arena *arena)
{
    TaskSummary summary = {.task = &facts->tasks[task]};
    const FactSubmission **own = arena_array(arena, facts->submission_count + 1, sizeof *own);
    for (size_t i = 0; i < facts->submission_count; i++)
        if (facts->submissions[i].task == task)
            own[summary.submissions++] = &facts->submissions[i];
    count_verdicts(facts, &summary, own, arena);
    take_times(facts, &summary, own, arena);
    qsort(own, summary.submissions, sizeof *own, by_person);
    count_cases(&summary, own, arena);
    mistakes_count(facts, own, summary.submissions, &summary, arena);
    mistakes_find_stuck(facts, own, summary.submissions, &summary, arena);
    return summary;
}

/* ==== class summary =============================================================================================== */

static PointsSummary points_in(const Facts *facts, const char *assignment, Arena *arena)
{
    double *values = arena_array(arena, facts->points_count + 1, sizeof *values), most = 0;
    size_t count = 0;
    for (size_t i = 0; i < facts->points_count; i++)
        if (strcmp(facts->points[i].assignment, assignment) == 0) {
            values[count++] = facts->points[i].points;
            most = fmax(most, facts->points[i].most);
        }
    return points_summary_of(values, count, most);
}

static void list_nothing(const Facts *facts, AssignmentSummary *summary, Arena *arena)
{
    bool *has = arena_array(arena, facts->people_count + 1, sizeof *has);
    for (size_t i = 0; i < facts->submission_count; i++)
        if (strcmp(facts->tasks[facts->submissions[i].task].assignment, summary->id) == 0)
            has[facts->submissions[i].person] = true;
    summary->nothing = arena_array(arena, facts->people_count + 1, sizeof *summary->nothing);
    summary->refused = arena_array(arena, facts->people_count + 1, sizeof *summary->refused);
    for (size_t i = 0; i < facts->expectation_count; i++) {
        const FactExpectation *expected = &facts->expectations[i];
        if (strcmp(expected->assignment, summary->id) != 0)
            continue;
        summary->expected++;
        if (!has[expected->person] && expected->refused != NULL)
            summary->refused[summary->refused_count++] = expected;
        else if (!has[expected->person])
            summary->nothing[summary->nothing_count++] = facts->people[expected->person];
    }
    qsort(summary->nothing, summary->nothing_count, sizeof *summary->nothing, order_texts);
}

static AssignmentSummary *assignment_of(Summary *summary, const FactTask *task)
{
    for (size_t i = 0; i < summary->assignment_count; i++)
        if (strcmp(summary->assignments[i].id, task->assignment) == 0)
            return &summary->assignments[i];
    AssignmentSummary *added = &summary->assignments[summary->assignment_count++];
    *added = (AssignmentSummary){.id = task->assignment, .title = task->assignment_title};
    return added;
}

Summary summary_of(const Facts *facts, const char *title, const char *time_utc, Arena *arena)
{
    Summary summary = {
        .title = arena_string(arena, title), .time_utc = arena_string(arena, time_utc), .people = facts->people};
    summary.assignments = arena_array(arena, facts->task_count + 1, sizeof *summary.assignments);
    for (size_t i = 0; i < facts->task_count; i++) {
        AssignmentSummary *assignment = assignment_of(&summary, &facts->tasks[i]);
        if (assignment->tasks == NULL)
            assignment->tasks = arena_array(arena, facts->task_count, sizeof *assignment->tasks);
        assignment->tasks[assignment->task_count++] = task_summary_of(facts, i, arena);
    }
    for (size_t i = 0; i < summary.assignment_count; i++) {
        summary.assignments[i].points = points_in(facts, summary.assignments[i].id, arena);
        list_nothing(facts, &summary.assignments[i], arena);
    }
    return summary;
}
