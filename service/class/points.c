#include "service/class/points.h"

#include "base/text.h"
#include "service/class/class_time.h"
#include "service/class/points_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSED_OVER_NAMED = 3 }; /* submissions that do not count, in a reason */

typedef enum PointsStanding { COUNTS, IS_WITHDRAWN, CAME_BEFORE, CAME_TOO_LATE, CAME_AGAIN } PointsStanding;

typedef struct PointsCandidate { /* a submission for the problem */
    const SubmissionFact *fact;
    PointsStanding standing;
    size_t days_late;
    int64_t late_s;
    PointsPart *parts; /* the rest only if it counts */
    size_t part_count;
    double gained; /* before what is taken off */
    double points, possible;
} PointsCandidate;

typedef struct Counting {
    const ClassFile *file;
    const ClassAssignment *assignment;
    const ClassProblem *problem;
    const ClassDeadline *deadline;
    const ClassExtension *extension;
    PointsCandidate *candidates;
    size_t count;
    Arena *arena;
} Counting;

static double to_hundredths(double points)
{
    return round(100 * points) / 100;
}

/* ---- in time or not ----------------------------------------------------------------------------------------------- */

static void find_days(const ClassDeadline *deadline, PointsCandidate *candidate)
{
    const int64_t received_s = candidate->fact->received_s;
    if (received_s > deadline->due.utc_s)
        candidate->late_s = received_s - deadline->due.utc_s;
    if (received_s <= deadline->grace_end_s)
        return;
    candidate->days_late = 1;
    while (candidate->days_late <= deadline->day_count && received_s > deadline->day_ends_s[candidate->days_late - 1])
        candidate->days_late++;
    if (candidate->days_late > deadline->day_count)
        candidate->standing = CAME_TOO_LATE;
}

/* Where the system that it was exported from says that it was late, but not by how much, it is a day. */
static void find_lateness(const Counting *counting, PointsCandidate *candidate)
{
    if (candidate->fact->has_received)
        find_days(counting->deadline, candidate);
    else if (candidate->fact->marked_late)
        candidate->days_late = 1;
    if (candidate->days_late > counting->deadline->day_count)
        candidate->standing = CAME_TOO_LATE;
}

/* Late, and the same as an earlier one that counts. */
static bool repeats(const Counting *counting, const PointsCandidate *candidate)
{
    for (const PointsCandidate *before = counting->candidates; before < candidate; before++)
        if (before->standing == COUNTS && strcmp(before->fact->source_hash, candidate->fact->source_hash) == 0)
            return candidate->days_late > 0;
    return false;
}

static PointsStanding standing_of(const Counting *counting, PointsCandidate *candidate)
{
    const SubmissionFact *fact = candidate->fact;
    if (fact->is_withdrawn)
        return IS_WITHDRAWN;
    if (fact->has_received && fact->received_s < counting->assignment->opens.utc_s)
        return CAME_BEFORE;
    find_lateness(counting, candidate);
    return candidate->standing == COUNTS && repeats(counting, candidate) ? CAME_AGAIN : candidate->standing;
}

/* ---- what each gives ---------------------------------------------------------------------------------------------- */

/* The share of its points that a late submission keeps. */
static double kept_share(const Counting *counting, const PointsCandidate *candidate)
{
    return fmax(0, 1 - (double)candidate->days_late * counting->assignment->late.percent_per_day / 100);
}

static void weigh(const Counting *counting, PointsCandidate *candidate)
{
    double possible = 0;
    candidate->parts = points_parts_of(counting->problem, candidate->fact, counting->arena, &candidate->part_count);
    for (size_t i = 0; i < candidate->part_count; i++) {
        candidate->gained += candidate->parts[i].points;
        possible += candidate->parts[i].possible;
    }
    candidate->points = to_hundredths(candidate->gained * kept_share(counting, candidate));
    candidate->possible = to_hundredths(possible * kept_share(counting, candidate));
}

static void list_candidates(Counting *counting, const SubmissionFact *facts, size_t fact_count)
{
    counting->candidates = arena_array(counting->arena, fact_count + 1, sizeof *counting->candidates);
    for (size_t i = 0; i < fact_count; i++) {
        if (strcmp(facts[i].problem, counting->problem->problem) != 0)
            continue;
        PointsCandidate *candidate = &counting->candidates[counting->count];
        *candidate = (PointsCandidate){.fact = &facts[i]};
        candidate->standing = standing_of(counting, candidate);
        if (candidate->standing == COUNTS)
            weigh(counting, candidate);
        counting->count++;
    }
}

static const PointsCandidate *choose(const Counting *counting)
{
    const PointsCandidate *chosen = NULL;
    for (size_t i = 0; i < counting->count; i++) {
        const PointsCandidate *candidate = &counting->candidates[i];
        if (candidate->standing != COUNTS)
            continue;
        if (chosen == NULL || counting->assignment->counts == COUNTS_LAST || candidate->points > chosen->points ||
            (candidate->points == chosen->points && candidate->possible > chosen->possible &&
             !points_is_decided(chosen->fact)))
            chosen = candidate;
    }
    return chosen;
}

/* With "best", any that could still give more. */
static const PointsCandidate *who_may_give_more(const Counting *counting, const PointsCandidate *chosen)
{
    for (size_t i = 0; i < counting->count && counting->assignment->counts == COUNTS_BEST; i++) {
        const PointsCandidate *candidate = &counting->candidates[i];
        if (candidate->standing == COUNTS && candidate != chosen && candidate->possible > chosen->points)
            return candidate;
    }
    return NULL;
}

/* ---- in words ----------------------------------------------------------------------------------------------------- */

typedef struct Duration {
    char text[40];
} Duration;

/* "2 d 03:00:05" */
static Duration duration_of(int64_t seconds)
{
    Duration duration;
    const int64_t day_s = 24 * 3600, rest = seconds % day_s;
    char days[24] = "";
    if (seconds >= day_s)
        snprintf(days, sizeof days, "%d d ", (int)(seconds / day_s));
    snprintf(duration.text, sizeof duration.text, "%s%02d:%02d:%02d", days, (int)(rest / 3600), (int)(rest / 60 % 60),
             (int)(rest % 60));
    return duration;
}

static void add_when(Text *text, const Counting *counting, const PointsCandidate *candidate)
{
    const SubmissionFact *fact = candidate->fact;
    if (!fact->has_received && fact->marked_late)
        text_add(text, ", whose time nobody knows but which was marked late and is taken for one day late");
    else if (!fact->has_received)
        text_add(text, ", whose time nobody knows and which is taken to be in time");
    else
        text_printf(text, ", received %s", class_time_local(&counting->file->zone, fact->received_s).text);
    if (candidate->late_s > 0 && candidate->days_late == 0)
        text_printf(text, ", %s after the deadline but within the grace", duration_of(candidate->late_s).text);
    else if (candidate->late_s > 0)
        text_printf(text, ", %s after the deadline", duration_of(candidate->late_s).text);
}

static size_t count_counting(const Counting *counting)
{
    size_t count = 0;
    for (size_t i = 0; i < counting->count; i++)
        count += counting->candidates[i].standing == COUNTS;
    return count;
}

static void add_choice(Text *text, const Counting *counting, const PointsCandidate *chosen)
{
    const size_t eligible = count_counting(counting);
    const bool is_best = counting->assignment->counts == COUNTS_BEST;
    text_printf(text, "Submission %" PRId64 " counts", chosen->fact->id);
    if (eligible > 1)
        text_printf(text, ", the %s of %zu", is_best ? "best" : "last", eligible);
    add_when(text, counting, chosen);
    text_add(text, ".");
}

static void add_extension(Text *text, const Counting *counting)
{
    if (counting->extension != NULL)
        text_printf(text, " The deadline was extended to %s by %s: %s.",
                    class_time_local(&counting->file->zone, counting->extension->deadline.due.utc_s).text,
                    counting->extension->by, counting->extension->why);
}

static const char *why_passed_over(PointsStanding standing)
{
    switch (standing) {
    case IS_WITHDRAWN: return "was withdrawn";
    case CAME_BEFORE: return "came before the assignment opened";
    case CAME_TOO_LATE: return "came too late to count";
    case CAME_AGAIN: return "repeats an earlier one late and replaces nothing";
    case COUNTS: break;
    }
    return "";
}

static void add_passed_over(Text *text, const Counting *counting)
{
    size_t passed_over = 0;
    for (size_t i = 0; i < counting->count; i++) {
        const PointsCandidate *candidate = &counting->candidates[i];
        if (candidate->standing == COUNTS || passed_over++ >= PASSED_OVER_NAMED)
            continue;
        text_printf(text, " Submission %" PRId64 " %s.", candidate->fact->id, why_passed_over(candidate->standing));
    }
    if (passed_over > PASSED_OVER_NAMED)
        text_printf(text, " %zu more do not count.", passed_over - PASSED_OVER_NAMED);
}

static void add_taken_off(Text *text, const Counting *counting, const PointsCandidate *chosen)
{
    if (chosen->days_late > 0)
        text_printf(text, " For %zu %s late %.15g %% are taken off: %.15g becomes %.15g.", chosen->days_late,
                    chosen->days_late == 1 ? "day" : "days", 100 * (1 - kept_share(counting, chosen)), chosen->gained,
                    chosen->points);
}

static void add_open(Text *text, const Counting *counting, const PointsCandidate *chosen)
{
    const PointsCandidate *other = who_may_give_more(counting, chosen);
    if (other != NULL)
        text_printf(text, " Not final: submission %" PRId64 " may give up to %.15g.", other->fact->id, other->possible);
    else if (chosen->possible > chosen->points)
        text_printf(text, " Not final: it may become %.15g.", chosen->possible);
}

static const char *words_of(const Counting *counting, const PointsCandidate *chosen, bool for_student)
{
    Text text = {0};
    add_choice(&text, counting, chosen);
    add_extension(&text, counting);
    for (size_t i = 0; i < chosen->part_count; i++)
        text_printf(&text, " %s.", for_student ? chosen->parts[i].told : chosen->parts[i].reason);
    add_taken_off(&text, counting, chosen);
    add_passed_over(&text, counting);
    add_open(&text, counting, chosen);
    const char *words = arena_copy(counting->arena, text.data, text.length);
    text_free(&text);
    return words;
}

static const char *words_without(const Counting *counting)
{
    Text text = {0};
    text_add(&text, counting->count == 0 ? "Nothing was handed in." : "Nothing that was handed in counts.");
    add_extension(&text, counting);
    add_passed_over(&text, counting);
    const char *words = arena_copy(counting->arena, text.data, text.length);
    text_free(&text);
    return words;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static ProblemPoints points_of_problem(Counting *counting)
{
    const PointsCandidate *chosen = choose(counting);
    ProblemPoints points = {
        .problem = counting->problem, .most = to_hundredths(class_problem_points(counting->problem)), .is_final = true};
    if (chosen == NULL) {
        points.reason = points.told = words_without(counting);
        return points;
    }
    points.counts = chosen->fact;
    points.days_late = chosen->days_late;
    points.late_s = chosen->late_s;
    points.parts = chosen->parts;
    points.part_count = chosen->part_count;
    points.points = chosen->points;
    points.taken_off = to_hundredths(chosen->gained) - chosen->points;
    points.is_final = !(chosen->possible > chosen->points) && who_may_give_more(counting, chosen) == NULL;
    points.reason = words_of(counting, chosen, false);
    points.told = words_of(counting, chosen, true);
    return points;
}

AssignmentPoints points_of(const ClassFile *file, const ClassAssignment *assignment, const char *person,
                           const SubmissionFact *facts, size_t fact_count, Arena *arena)
{
    AssignmentPoints all = {.assignment = assignment,
                            .extension = class_extension(file, assignment, person),
                            .problems = arena_array(arena, assignment->problem_count, sizeof *all.problems),
                            .is_final = true};
    for (size_t i = 0; i < assignment->problem_count; i++) {
        Counting counting = {.file = file,
                             .assignment = assignment,
                             .problem = &assignment->problems[i],
                             .deadline = class_deadline(file, assignment, person),
                             .extension = all.extension,
                             .arena = arena};
        list_candidates(&counting, facts, fact_count);
        all.problems[i] = points_of_problem(&counting);
        all.points += all.problems[i].points;
        all.most += all.problems[i].most;
        all.is_final = all.is_final && all.problems[i].is_final;
    }
    all.points = to_hundredths(all.points);
    all.most = to_hundredths(all.most);
    return all;
}
