#include "service/summary/mistakes.h"

#include <stdlib.h>
#include <string.h>

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

void mistakes_count(const Facts *facts, const FactSubmission *const *own, size_t count, TaskSummary *summary,
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

void mistakes_find_stuck(const Facts *facts, const FactSubmission *const *own, size_t count, TaskSummary *summary,
                         Arena *arena)
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
