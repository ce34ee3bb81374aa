#include "grader/ranking/review.h"

#include "base/arena.h"
#include "base/clock.h"
#include "grader/judge/judge.h"
#include "base/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Medians of the same code, repeated, are within 1 % of each other in one process (measured); blocks in different processes
 * differ by more, which three of them do not always show. The difference that matters is the review factor, at
 * least 1.05 and mostly 1.3. */
static const double LEAST_DIFFERENCE = 0.05;
static const double COMBINED_UNCERTAINTIES = 2;

static const double MOST_OF_ROOFLINE = 2;

/* ---- what is suspect --------------------------------------------------------------------------------------------- */

/* How many times faster a case is than what is known of it; infinity: nothing is known. */
static double lead_of(const CaseResult *item, double known_ms)
{
    if (known_ms > 0)
        return known_ms / item->time.ms;
    return item->roofline > 0 ? item->roofline : INFINITY;
}

const CaseResult *review_suspect(const Result *result, const KnownTime *known)
{
    const CaseResult *suspect = NULL;
    double longest = result->problem->review_factor;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (!(item->time.ms > 0) || !(lead_of(item, known[i].best_ms) > longest))
            continue;
        suspect = item;
        longest = lead_of(item, known[i].best_ms);
    }
    return suspect;
}

/* The first case that is beyond the roofline and far ahead of all that was looked at; NULL: none. */
static const CaseResult *beyond_roofline(const Result *result, const KnownTime *known)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->time.ms > 0 && item->roofline > MOST_OF_ROOFLINE &&
            lead_of(item, known[i].vetted_ms) > result->problem->review_factor)
            return item;
    }
    return NULL;
}

/* ---- holding two sittings against each other --------------------------------------------------------------------- */

static bool times_differ(MeasuredTime a, MeasuredTime b)
{
    double apart_ms = fabs(a.ms - b.ms), uncertainty_ms = hypot(a.ms * a.uncertainty, b.ms * b.uncertainty);
    return !(apart_ms <= fmax(COMBINED_UNCERTAINTIES * uncertainty_ms, LEAST_DIFFERENCE * fmin(a.ms, b.ms)));
}

/* The first case with two times that differ, or with one time only; NULL: none. */
static const CaseResult *differing_case(const Result *result)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i], *second = result_second_case(result, item);
        if (item->time.ms > 0 && (second == NULL || times_differ(item->time, second->time)))
            return item;
    }
    return NULL;
}

bool review_differs(const Result *result)
{
    return result->second != NULL && differing_case(result) != NULL;
}

static void describe_difference(const Result *result, const CaseResult *item, char *text, size_t size)
{
    const CaseResult *second = result_second_case(result, item);
    if (second == NULL)
        snprintf(text, size, "\"%s\" has no time in the second sitting", item->name);
    else
        snprintf(text, size, "\"%s\" took %s, and %s in a second sitting", item->name,
                 quantity_time(item->time.ms).text, quantity_time(second->time.ms).text);
}

void review_judge(const Result *result, const KnownTime *known, char *text, size_t size)
{
    const Result *second = result->second;
    const CaseResult *differing = differing_case(result), *beyond = beyond_roofline(result, known);
    text[0] = '\0';
    if (second->verdict == VERDICT_TIME_LIMIT_EXCEEDED)
        snprintf(text, size, "what was left of the grading's time was too short for a second sitting");
    else if (second->verdict != VERDICT_ACCEPTED)
        snprintf(text, size, "in a second sitting it got %s", verdict_name(second->verdict));
    else if (strcmp(second->compiled.machine_code.hex, result->compiled.machine_code.hex) != 0)
        snprintf(text, size, "the compiler made other code of it for a second sitting");
    else if (second->unsteady[0] != '\0')
        snprintf(text, size, "in a second sitting, %s", second->unsteady);
    else if (differing != NULL)
        describe_difference(result, differing, text, size);
    else if (beyond != NULL)
        snprintf(text, size, "\"%s\" took %s, %s times faster than the direct roofline", beyond->name,
                 quantity_time(beyond->time.ms).text, quantity_ratio(beyond->roofline).text);
}

/* ---- the second sitting ------------------------------------------------------------------------------------------ */

static void tell_of_review(Progress *progress, const Result *result, const CaseResult *suspect)
{
    Text text = {0};
    text_printf(&text, "\"%s\" took %s", suspect->name, quantity_time(suspect->time.ms).text);
    if (suspect->known_ms > 0)
        text_printf(&text, ", the best known is %s (%s)", quantity_time(suspect->known_ms).text, suspect->known_of);
    else if (suspect->roofline > 0)
        text_printf(&text, ", %s times faster than the direct roofline", quantity_ratio(suspect->roofline).text);
    text_printf(&text, ": timed again, which takes about %.0f s",
                ceil(result->seconds.start + result->seconds.open + result->seconds.timed));
    progress_begin(progress, "review", 0);
    progress_end(progress, text.data);
    text_free(&text);
}

/* The result of a second sitting that could not be taken through a fault of the judge says so. */
static void take_second_sitting(const JudgeJob *first, Result *result, char *fault, size_t size)
{
    JudgeJob job = *first;
    Message why = {0};
    double start_s = now_s();
    job.secret = NULL;
    job.device = result->device.handle;
    job.timed_only = true;
    job.second_sitting = true;
    job.profiles = NULL;
    result->second = zeroed(1, sizeof *result->second);
    if (judge_submission(&job, result->second, &why) != STATUS_OK)
        snprintf(fault, size, "the second sitting failed: %.260s", why.text);
    result->seconds.second = now_s() - start_s;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void quarantine(Result *result, const char *reason)
{
    const size_t size = sizeof result->rank_status;
    snprintf(result->rank_status, size, "quarantined: %.*s", (int)(size - sizeof "quarantined: "), reason);
    result_warn(result,
                "this result waits in quarantine: it is accepted, but has no rank until a teacher has looked at it "
                "(convjudge quarantine)");
}

static void keep_known(Result *result, const KnownTime *known)
{
    for (size_t i = 0; i < result->case_count; i++) {
        result->cases[i].known_ms = known[i].best_ms;
        result->cases[i].known_of = known[i].of == NULL ? "" : arena_string(&result->arena, known[i].of);
    }
}

static void review(const JudgeJob *first, const CaseResult *suspect, const KnownTime *known, Result *result)
{
    char text[sizeof result->rank_status] = "";
    tell_of_review(first->progress, result, suspect);
    take_second_sitting(first, result, text, sizeof text);
    if (text[0] == '\0')
        review_judge(result, known, text, sizeof text);
    progress_begin(first->progress, "second sitting", 0);
    progress_end(first->progress, text[0] == '\0' ? "the same times" : text);
    if (text[0] != '\0')
        quarantine(result, text);
}

Status review_result(Store *store, const JudgeJob *first, Result *result, Message *why)
{
    Arena arena = {0};
    KnownTime *known;
    Status status = known_times_read(store, result, &arena, &known, why);
    if (status == STATUS_OK) {
        keep_known(result, known);
        const CaseResult *suspect = review_suspect(result, known);
        if (suspect == NULL)
            suspect = beyond_roofline(result, known);
        if (suspect != NULL)
            review(first, suspect, known, result);
    }
    arena_free(&arena);
    return status;
}
