#include "service/summary/task_summary.h"

#include "service/summary/mistakes.h"

#include <stdlib.h>
#include <string.h>

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

TaskSummary task_summary_of(const Facts *facts, size_t task, Arena *arena)
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
