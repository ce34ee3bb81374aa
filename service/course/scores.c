#include "service/course/scores.h"

#include "base/record.h"
#include "base/terminal.h"
#include "service/course/class_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ==== points parts ================================================================================================ */

enum { CASES_NAMED = 5 }; /* of a group, in a reason */

static const char ACCEPTED[] = "Accepted";

bool points_is_decided(const SubmissionFact *fact)
{
    return fact->is_judged && strcmp(fact->verdict, "Judge Error") != 0;
}

static bool is_accepted(const SubmissionFact *fact)
{
    return fact->is_judged && strcmp(fact->verdict, ACCEPTED) == 0;
}

/* A sentence in the arena; NULL: none is wanted. */
__attribute__((format(printf, 2, 3))) static const char *say(Arena *words_in, const char *format, ...)
{
    Text text = {0};
    va_list values;
    if (words_in == NULL)
        return "";
    va_start(values, format);
    text_vprintf(&text, format, values);
    va_end(values);
    return text_move(&text, words_in);
}

/* "3 of 4: " and why, the same for the student unless `told` says otherwise. */
static void conclude(PointsPart *part, double points, double possible, const char *why, const char *told,
                     Arena *words_in)
{
    part->points = points;
    part->possible = possible;
    part->reason = say(words_in, "%.15g of %.15g: %s", points, part->most, why);
    part->told = told == NULL ? part->reason : say(words_in, "%.15g of %.15g: %s", points, part->most, told);
}

static const char *why_undecided(const SubmissionFact *fact)
{
    return fact->is_judged ? "the judge failed, so a teacher has to look" : "it is not judged yet";
}

/* ---- the verdict -------------------------------------------------------------------------------------------------- */

static PointsPart accepted_part(const ClassProblem *problem, const SubmissionFact *fact, Arena *words_in)
{
    PointsPart part = {.kind = PART_ACCEPTED, .name = "accepted", .most = problem->accepted};
    if (!points_is_decided(fact))
        conclude(&part, 0, part.most, why_undecided(fact), NULL, words_in);
    else
        conclude(&part, is_accepted(fact) ? part.most : 0, is_accepted(fact) ? part.most : 0, fact->verdict, NULL,
                 words_in);
    return part;
}

/* ---- a group of cases --------------------------------------------------------------------------------------------- */

static const CaseFact *case_named(const SubmissionFact *fact, const char *name)
{
    for (size_t i = 0; i < fact->case_count; i++)
        if (strcmp(fact->cases[i].name, name) == 0)
            return &fact->cases[i];
    return NULL;
}

typedef struct GroupCount {
    size_t failed, open; /* open: whether it is accepted is not known */
    size_t named;        /* in `text` */
    bool is_hidden;      /* one that is not accepted is hidden */
    Text text;           /* "'prime sizes' is Wrong Answer, 'ramp input' was not run" */
} GroupCount;

static void name_case(GroupCount *count, const char *name, const char *what)
{
    if (count->named++ < CASES_NAMED)
        text_printf(&count->text, "%s'%s' %s", count->named > 1 ? ", " : "", name, what);
}

/* An accepted submission has passed all cases, those of a revision that had other names as well. */
static void count_case(GroupCount *count, const SubmissionFact *fact, const char *name)
{
    const CaseFact *item = case_named(fact, name);
    const char *verdict = item == NULL ? "" : item->verdict;
    if (is_accepted(fact) || strcmp(verdict, ACCEPTED) == 0)
        return;
    count->is_hidden = count->is_hidden || item == NULL || item->is_hidden;
    if (verdict[0] != '\0') {
        char words[80] = "is ";
        count->failed++;
        strncat(words, verdict, sizeof words - strlen(words) - 1);
        name_case(count, name, words);
    } else if (fact->has_all_cases) {
        count->failed++;
        name_case(count, name, "was not run");
    } else {
        count->open++;
        name_case(count, name, "was not judged, since an earlier case ended the judging");
    }
}

static void conclude_group(PointsPart *part, const ClassCaseGroup *group, GroupCount *count, Arena *words_in)
{
    const bool is_open = count->failed == 0 && count->open > 0, passed = count->failed + count->open == 0;
    if (count->named > CASES_NAMED)
        text_printf(&count->text, ", and %zu more", count->named - CASES_NAMED);
    if (passed)
        conclude(part, part->most, part->most,
                 say(words_in, group->case_count == 1 ? "%s: its case is accepted" : "%s: all %zu cases are accepted",
                     group->name, group->case_count),
                 NULL, words_in);
    else
        conclude(part, 0, is_open ? part->most : 0, say(words_in, "%s: %s", group->name, count->text.data),
                 !count->is_hidden
                     ? NULL
                     : say(words_in, is_open ? "%s: not all cases were judged" : "%s: not all cases are accepted",
                           group->name),
                 words_in);
}

/* Without a case that was judged there is only the verdict, such as Compile Error. */
static PointsPart group_part(const ClassCaseGroup *group, const SubmissionFact *fact, Arena *words_in)
{
    PointsPart part = {.kind = PART_CASES, .name = group->name, .most = group->points};
    GroupCount count = {0};
    if (!points_is_decided(fact)) {
        conclude(&part, 0, part.most, say(words_in, "%s: %s", group->name, why_undecided(fact)), NULL, words_in);
    } else if (strcmp(fact->verdict, "Compile Error") == 0) {
        conclude(&part, 0, 0, say(words_in, "%s: %s", group->name, fact->verdict), NULL, words_in);
    } else {
        for (size_t i = 0; i < group->case_count; i++)
            count_case(&count, fact, group->cases[i]);
        conclude_group(&part, group, &count, words_in);
    }
    text_free(&count.text);
    return part;
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

static bool reaches(const ClassProblem *problem, const ClassBand *band, const SubmissionFact *fact)
{
    switch (problem->measure) {
    case MEASURE_ROOFLINE: return fact->roofline >= band->at_least;
    case MEASURE_PERCENTILE: return fact->percentile >= band->at_least;
    case MEASURE_RUNG: return text_is_among(band->rung, fact->rungs_reached, fact->rung_count);
    case MEASURE_NONE: break;
    }
    return false;
}

/* The highest that is reached; NULL: none. */
static const ClassBand *band_of(const ClassProblem *problem, const SubmissionFact *fact)
{
    const ClassBand *found = NULL;
    for (size_t i = 0; i < problem->band_count; i++)
        if (reaches(problem, &problem->bands[i], fact))
            found = &problem->bands[i];
    return found;
}

/* Why the measure says nothing of this submission; NULL: it does. */
static const char *why_unknown(const ClassProblem *problem, const SubmissionFact *fact)
{
    if (!(fact->time_ms > 0))
        return "it was not timed, so its speed is open";
    if (problem->measure == MEASURE_ROOFLINE && !(fact->roofline >= 0))
        return "the roofline of the device is not known, so its speed is open";
    if (problem->measure == MEASURE_RUNG && !fact->rungs_known)
        return "the times of the reference solutions are not known, so its speed is open";
    if (problem->measure == MEASURE_PERCENTILE && !(fact->percentile >= 0))
        return "the times of the reference solutions are not known, so its percentile is open";
    return NULL;
}

static const char *threshold(const ClassProblem *problem, const ClassBand *band, Arena *words_in)
{
    switch (problem->measure) {
    case MEASURE_ROOFLINE: return say(words_in, "%.15g %%", 100 * band->at_least);
    case MEASURE_PERCENTILE: return say(words_in, "percentile %.15g", band->at_least);
    case MEASURE_RUNG: return band->rung;
    case MEASURE_NONE: break;
    }
    return "";
}

/* "a roofline share of 31 %, at least 25 %; the next band begins at 50 %" */
static const char *speed_words(const ClassProblem *problem, const ClassBand *band, const SubmissionFact *fact,
                               Arena *words_in)
{
    const ClassBand *next = band == NULL                                       ? problem->bands
                            : band + 1 == problem->bands + problem->band_count ? NULL
                                                                               : band + 1;
    const char *found = problem->measure == MEASURE_ROOFLINE
                            ? say(words_in, "a roofline share of %.3g %%", 100 * fact->roofline)
                        : problem->measure == MEASURE_PERCENTILE
                            ? say(words_in, "percentile %.3g among the reference solutions", fact->percentile)
                        : band == NULL ? "slower than the reference solutions that give points"
                                       : say(words_in, "as fast as %s", band->rung);
    const char *beyond = next == NULL
                             ? ""
                             : say(words_in, "; %.15g from %s on", next->points, threshold(problem, next, words_in));
    return say(words_in, "speed: %.4g ms, %s%s", fact->time_ms, found, beyond);
}

static void conclude_speed(PointsPart *part, const ClassProblem *problem, const SubmissionFact *fact, Arena *words_in)
{
    const ClassBand *band = band_of(problem, fact);
    const double points = band == NULL ? 0 : band->points;
    const char *words = speed_words(problem, band, fact, words_in);
    if (points == 0) {
        conclude(part, 0, 0, words, NULL, words_in);
        return;
    }
    switch (fact->standing) {
    case RUN_RANKED: conclude(part, points, points, words, NULL, words_in); return;
    case RUN_QUARANTINED:
        conclude(part, 0, points,
                 say(words_in, "%s; the run waits in quarantine (%s), so %.15g wait for a teacher", words,
                     fact->standing_why, points),
                 say(words_in, "speed: the run waits in quarantine, so its points wait for a teacher"), words_in);
        return;
    case RUN_RETRACTED:
    case RUN_REJECTED:
        conclude(part, 0, 0,
                 say(words_in, "%s; but a teacher has %s the run", words,
                     fact->standing == RUN_RETRACTED ? "retracted" : "rejected"),
                 NULL, words_in);
        return;
    case RUN_NONE:
    case RUN_UNRANKED:
        conclude(part, 0, points,
                 say(words_in, "%s; the run does not rank (%s), so %.15g wait for a teacher", words, fact->standing_why,
                     points),
                 NULL, words_in);
        return;
    }
}

static PointsPart speed_part(const ClassProblem *problem, const SubmissionFact *fact, Arena *words_in)
{
    PointsPart part = {.kind = PART_SPEED, .name = "speed", .most = problem->bands[problem->band_count - 1].points};
    const char *unknown = why_unknown(problem, fact);
    if (!points_is_decided(fact))
        conclude(&part, 0, part.most, say(words_in, "speed: %s", why_undecided(fact)), NULL, words_in);
    else if (!is_accepted(fact))
        conclude(&part, 0, 0, "speed: only an accepted submission gets points for it", NULL, words_in);
    else if (unknown != NULL)
        conclude(&part, 0, part.most, say(words_in, "speed: %s", unknown), NULL, words_in);
    else
        conclude_speed(&part, problem, fact, words_in);
    return part;
}

PointsPart *points_parts_of(const ClassProblem *problem, const SubmissionFact *fact, Arena *words_in, Arena *arena,
                            size_t *count)
{
    PointsPart *parts = arena_array(arena, problem->group_count + 2, sizeof *parts);
    *count = 0;
    if (problem->accepted > 0)
        parts[(*count)++] = accepted_part(problem, fact, words_in);
    for (size_t i = 0; i < problem->group_count; i++)
        parts[(*count)++] = group_part(&problem->groups[i], fact, words_in);
    if (problem->band_count > 0)
        parts[(*count)++] = speed_part(problem, fact, words_in);
    return parts;
}

/* ==== result points =============================================================================================== */

static const ClassAssignment *assignment_with(const ClassFile *class, const char *problem)
{
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_problem(&class->assignments[i], problem) != NULL)
            return &class->assignments[i];
    return NULL;
}

static RunStanding result_points_standing_of(const char *rank_status)
{
    if (strcmp(rank_status, "ranked") == 0)
        return RUN_RANKED;
    return strncmp(rank_status, "quarantined", strlen("quarantined")) == 0 ? RUN_QUARANTINED : RUN_UNRANKED;
}

static SubmissionFact fact_of(const cJSON *result, const char *verdicts, const CaseNames *names, Arena *arena)
{
    const char *rank_status = outcome_string(result, "rank_status"), *colon = strstr(rank_status, ": ");
    SubmissionFact fact = {.problem = names->problem,
                           .is_judged = true,
                           .verdict = outcome_string(result, "verdict"),
                           .text = outcome_string(result, "text"),
                           .standing = result_points_standing_of(rank_status),
                           .standing_why = colon == NULL ? rank_status : colon + 2,
                           .roofline = NAN,
                           .percentile = NAN};
    Text text = {0};
    json_print(result, &text);
    judged_fact_fill(&fact, text.data, verdicts, names, arena);
    text_free(&text);
    return fact;
}

static OutcomePoints *points_from(const PointsPart *parts, size_t count, Arena *arena)
{
    OutcomePoints *points = arena_array(arena, count, sizeof *points);
    for (size_t i = 0; i < count; i++)
        points[i] = (OutcomePoints){.name = arena_string(arena, parts[i].name),
                                    .points = parts[i].points,
                                    .most = parts[i].most,
                                    .reason = arena_string(arena, parts[i].told)};
    return points;
}

static Status count_points(const ClassFile *class, Arena *arena, Outcome *outcome, Message *why)
{
    const char *problem = outcome_string(outcome->result, "problem");
    const ClassAssignment *assignment = assignment_with(class, problem);
    CaseNames names;
    if (assignment == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: no assignment has the problem %s", class->path, problem);
    TRY(case_names_read(problem, arena, &names, why));
    const SubmissionFact fact = fact_of(outcome->result, outcome->case_verdicts, &names, arena);
    if (!points_is_decided(&fact))
        return STATUS_OK;
    const PointsPart *parts = points_parts_of(class_problem(assignment, problem), &fact, arena, arena,
                                              &outcome->point_count);
    outcome->points = points_from(parts, outcome->point_count, arena);
    outcome->points_are_public = class_shows(class, assignment, &assignment->points, (int64_t)time(NULL));
    return STATUS_OK;
}

Status result_points(const char *class_path, Arena *arena, Outcome *outcome, Message *why)
{
    ClassFile class;
    Status status = class_file_read(class_path, &class, why);
    TRY(status);
    if (outcome != NULL)
        status = count_points(&class, arena, outcome, why);
    class_file_free(&class);
    return status;
}

/* ==== points ====================================================================================================== */

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
    const PersonFacts *person;
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

/* A submission that its export marks as late, without a time, counts as one day late. */
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

static PointsStanding points_standing_of(const Counting *counting, PointsCandidate *candidate)
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
    candidate->parts = points_parts_of(counting->problem, candidate->fact, NULL, counting->arena,
                                       &candidate->part_count);
    for (size_t i = 0; i < candidate->part_count; i++) {
        candidate->gained += candidate->parts[i].points;
        possible += candidate->parts[i].possible;
    }
    candidate->points = to_hundredths(candidate->gained * kept_share(counting, candidate));
    candidate->possible = to_hundredths(possible * kept_share(counting, candidate));
}

static void list_candidates(Counting *counting)
{
    const SubmissionFact *facts = counting->person->facts;
    const size_t fact_count = counting->person->count;
    counting->candidates = arena_array(counting->arena, fact_count + 1, sizeof *counting->candidates);
    for (size_t i = 0; i < fact_count; i++) {
        if (strcmp(facts[i].problem, counting->problem->problem) != 0)
            continue;
        PointsCandidate *candidate = &counting->candidates[counting->count];
        *candidate = (PointsCandidate){.fact = &facts[i]};
        candidate->standing = points_standing_of(counting, candidate);
        if (candidate->standing == COUNTS)
            weigh(counting, candidate);
        counting->count++;
    }
}

static PointsCandidate *choose(const Counting *counting)
{
    PointsCandidate *chosen = NULL;
    for (size_t i = 0; i < counting->count; i++) {
        PointsCandidate *candidate = &counting->candidates[i];
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
        text_add(text, ". Its time of receipt is unknown, and it was marked late, so it is treated as one day late");
    else if (!fact->has_received)
        text_add(text, ". Its time of receipt is unknown, so it is treated as on time");
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

/* Whoever has handed in a broken archive has not handed in nothing. Names of files may hold bytes that are not UTF-8, which tables and JSON
 * must not. */
const char *points_refused(const PersonFacts *person, const ClassAssignment *assignment, Arena *arena)
{
    Text words = {0};
    for (size_t i = 0; i < person->refused_count; i++) {
        const RefusedFact *refused = &person->refused[i];
        if (refused->assignment[0] == '\0' || strcmp(refused->assignment, assignment->id) == 0)
            terminal_print(&words, "%s'%s' was refused: %s.", words.length == 0 ? "" : " ", refused->origin,
                           refused->why);
    }
    return words.length == 0 ? NULL : text_move(&words, arena);
}

static const char *words_without(const Counting *counting)
{
    Text text = {0};
    const char *refused = points_refused(counting->person, counting->assignment, counting->arena);
    text_add(&text, counting->count > 0 ? "No submission counts."
                    : refused == NULL   ? "Nothing was submitted."
                                        : refused);
    add_extension(&text, counting);
    add_passed_over(&text, counting);
    const char *words = arena_copy(counting->arena, text.data, text.length);
    text_free(&text);
    return words;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static const char *overridden(const Counting *counting, const ProblemPoints *counted, const char *words)
{
    const ClassOverride *override = counted->override;
    return arena_printf(counting->arena, "Set to %.15g by %s: %s. Counted: %.15g. %s", override->points, override->by,
                        override->why, counted->points, words);
}

static void apply_override(const Counting *counting, ProblemPoints *points)
{
    points->override = class_override(counting->file, counting->assignment, counting->person->person,
                                      counting->problem->problem);
    if (points->override == NULL)
        return;
    points->reason = overridden(counting, points, points->reason);
    points->told = overridden(counting, points, points->told);
    points->points = to_hundredths(points->override->points);
    points->is_final = true;
}

static ProblemPoints count_problem(Counting *counting)
{
    PointsCandidate *chosen = choose(counting);
    ProblemPoints points = {
        .problem = counting->problem, .most = to_hundredths(class_problem_points(counting->problem)), .is_final = true};
    if (chosen == NULL) {
        points.reason = points.told = words_without(counting);
        return points;
    }
    chosen->parts = points_parts_of(counting->problem, chosen->fact, counting->arena, counting->arena,
                                    &chosen->part_count);
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

AssignmentPoints points_of(const ClassFile *file, const ClassAssignment *assignment, const PersonFacts *person,
                           Arena *arena)
{
    AssignmentPoints all = {.assignment = assignment,
                            .extension = class_extension(file, assignment, person->person),
                            .problems = arena_array(arena, assignment->problem_count, sizeof *all.problems),
                            .is_final = true};
    for (size_t i = 0; i < assignment->problem_count; i++) {
        Counting counting = {.file = file,
                             .assignment = assignment,
                             .problem = &assignment->problems[i],
                             .deadline = class_deadline(file, assignment, person->person),
                             .extension = all.extension,
                             .person = person,
                             .arena = arena};
        list_candidates(&counting);
        all.problems[i] = count_problem(&counting);
        apply_override(&counting, &all.problems[i]);
        all.points += all.problems[i].points;
        all.most += all.problems[i].most;
        all.is_final = all.is_final && all.problems[i].is_final;
    }
    all.points = to_hundredths(all.points);
    all.most = to_hundredths(all.most);
    return all;
}

/* ==== scores ====================================================================================================== */

/* ---- counting ----------------------------------------------------------------------------------------------------- */

/* The groups that hold a person: "tutorial 1, tutorial 3"; "". */
static const char *groups_of(const ClassFile *class, const char *person, Arena *arena)
{
    const char *groups = "";
    for (size_t i = 0; i < class->group_count; i++)
        for (size_t k = 0; k < class->groups[i].person_count; k++)
            if (strcmp(class->groups[i].people[k], person) == 0)
                groups = arena_printf(arena, "%s%s%s", groups, groups[0] == '\0' ? "" : ", ", class->groups[i].name);
    return groups;
}

static void score_person(const ClassFile *class, const PersonFacts *facts, PersonScores *scores, Arena *arena)
{
    *scores = (PersonScores){.facts = facts,
                             .groups = groups_of(class, facts->person, arena),
                             .assignments = arena_array(arena, class->assignment_count, sizeof *scores->assignments)};
    for (size_t i = 0; i < class->assignment_count; i++)
        if (class_takes_part(&class->assignments[i], facts->person))
            scores->assignments[scores->count++] = points_of(class, &class->assignments[i], facts, arena);
}

Status scores_read(Store *store, const ClassFile *class, size_t first, size_t most, Arena *arena, Scores *scores,
                   Message *why)
{
    ClassFacts facts;
    TRY(class_facts_read(store, class, first, most, arena, &facts, why));
    *scores = (Scores){.class = class,
                       .people = arena_array(arena, facts.count, sizeof *scores->people),
                       .all = facts.all,
                       .strangers = facts.strangers,
                       .stranger_count = facts.stranger_count};
    for (size_t i = 0; i < facts.count; i++) {
        score_person(class, &facts.people[i], &scores->people[scores->count], arena);
        scores->count += scores->people[scores->count].count > 0;
    }
    return STATUS_OK;
}

Stranger *scores_strangers(const Scores *scores, size_t most, Arena *arena, size_t *count)
{
    *count = scores->stranger_count < most ? scores->stranger_count : most;
    Stranger *list = arena_array(arena, *count, sizeof *list);
    for (size_t i = 0; i < *count; i++)
        list[i] = (Stranger){scores->strangers[i], class_nearest(scores->class, scores->strangers[i], arena)};
    return list;
}

/* ---- for people --------------------------------------------------------------------------------------------------- */

void scores_print(const Scores *scores, Text *text)
{
    for (size_t i = 0; i < scores->count; i++) {
        const PersonScores *person = &scores->people[i];
        text_add_printable(text, person->facts->person, strlen(person->facts->person));
        for (size_t k = 0; k < person->count; k++) {
            const AssignmentPoints *points = &person->assignments[k];
            text_printf(text, "%s %s %.15g of %.15g%s", k == 0 ? ":" : ",", points->assignment->id, points->points,
                        points->most, points->is_final ? "" : " (not final)");
        }
        text_add(text, "\n");
    }
    Arena arena = {0};
    size_t count;
    const Stranger *strangers = scores_strangers(scores, SIZE_MAX, &arena, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(text, "in no group: ");
        text_add_printable(text, strangers[i].person, strlen(strangers[i].person));
        text_printf(text, "%s%s\n", strangers[i].nearest == NULL ? "" : "; nearest name: ",
                    strangers[i].nearest == NULL ? "" : strangers[i].nearest);
    }
    arena_free(&arena);
}

/* ==== scores csv ================================================================================================== */

/* A spreadsheet takes a cell for a formula that begins with one of these; some part cells at semicolons or tabs. */
static bool begins_formula(const char *text, size_t at)
{
    return strchr("=+-@\t\r", text[at]) != NULL && (at == 0 || strchr(",;\t\r\n", text[at - 1]) != NULL);
}

void csv_add_cell(Text *text, const char *cell, const char *end)
{
    const bool quoted = strpbrk(cell, "\",;\t\r\n") != NULL || cell[0] == ' ';
    text_add(text, quoted ? "\"" : "");
    for (size_t i = 0; cell[i] != '\0'; i++) {
        if (begins_formula(cell, i))
            text_add(text, "'");
        if (cell[i] == '"')
            text_add(text, "\"");
        text_append(text, &cell[i], 1);
    }
    text_printf(text, "%s%s", quoted ? "\"" : "", end);
}

static void add_submission(const Scores *scores, const ProblemPoints *points, Text *text)
{
    const SubmissionFact *fact = points->counts;
    char number[32] = "", late[32] = "";
    if (fact != NULL)
        snprintf(number, sizeof number, "%" PRId64, fact->id);
    if (fact != NULL && points->late_s > 0)
        snprintf(late, sizeof late, "%" PRId64, points->late_s);
    csv_add_cell(text, number, ",");
    csv_add_cell(text, fact == NULL ? "" : fact->row->file_name, ",");
    csv_add_cell(text, fact == NULL ? "" : fact->verdict, ",");
    csv_add_cell(
        text, fact == NULL || !fact->has_received ? "" : class_time_local(&scores->class->zone, fact->received_s).text,
        ",");
    csv_add_cell(text, late, ",");
}

static void add_row(const Scores *scores, const PersonScores *person, const AssignmentPoints *assignment,
                    const ProblemPoints *points, Text *text)
{
    csv_add_cell(text, person->facts->person, ",");
    csv_add_cell(text, person->facts->id, ",");
    csv_add_cell(text, person->groups, ",");
    csv_add_cell(text, assignment->assignment->id, ",");
    csv_add_cell(text, points->problem->problem, ",");
    text_printf(text, "%.15g,%.15g,%s,", points->points, points->most, points->is_final ? "yes" : "no");
    add_submission(scores, points, text);
    csv_add_cell(text, points->reason, "\r\n");
}

void scores_csv(const Scores *scores, Text *text)
{
    text_add(
        text,
        "person,id,groups,assignment,problem,points,most,final,submission,file,verdict,received,late_s,reason\r\n");
    for (size_t i = 0; i < scores->count; i++) {
        const PersonScores *person = &scores->people[i];
        for (size_t k = 0; k < person->count; k++)
            for (size_t n = 0; n < person->assignments[k].assignment->problem_count; n++)
                add_row(scores, person, &person->assignments[k], &person->assignments[k].problems[n], text);
    }
}

/* ==== scores json ================================================================================================= */

static const char *const part_kinds[] = {
    [PART_ACCEPTED] = "accepted", [PART_CASES] = "cases", [PART_SPEED] = "speed", NULL};

/* clang-format off */

RECORD_WHEN(is_received, SubmissionFact, it->has_received)
RECORD_WHEN(has_counted, ProblemPoints, it->counts != NULL)
RECORD_WHEN(is_extended, AssignmentPoints, it->extension != NULL)
RECORD_PUT(put_file, SubmissionFact, cJSON_AddStringToObject(object, row->key, it->row->file_name))
RECORD_PUT(put_received, SubmissionFact, cJSON_AddStringToObject(object, row->key, class_time_utc(it->received_s).text))
RECORD_PUT(put_problem, ProblemPoints, cJSON_AddStringToObject(object, row->key, it->problem->problem))
RECORD_PUT(put_assignment, AssignmentPoints, cJSON_AddStringToObject(object, row->key, it->assignment->id))
RECORD_PUT(put_extended, AssignmentPoints, cJSON_AddStringToObject(object, row->key, class_time_utc(it->extension->deadline.due.utc_s).text))
RECORD_PUT(put_person, PersonScores, cJSON_AddStringToObject(object, row->key, it->facts->person))
RECORD_PUT(put_id, PersonScores, cJSON_AddStringToObject(object, row->key, it->facts->id))
RECORD_WHEN(has_override, ProblemPoints, it->override != NULL)
RECORD_PUT(put_overridden_by, ProblemPoints, cJSON_AddStringToObject(object, row->key, it->override->by))
RECORD_PUT(put_title, Scores, cJSON_AddStringToObject(object, row->key, it->class->title))

RECORD(part_table, PointsPart,
    ROW(PointsPart, kind, "kind", .names = part_kinds),
    ROW(PointsPart, name, "name"),
    ROW(PointsPart, points, "points"),
    ROW(PointsPart, most, "most"),
    ROW(PointsPart, reason, "reason"),
    ROW(PointsPart, told, "told"));

RECORD(counted_table, SubmissionFact,
    ROW(SubmissionFact, id, "submission"),
    ROW_HAND("file", .put = put_file),
    ROW(SubmissionFact, verdict, "verdict"),
    ROW_HAND("received_utc", .when = is_received, .put = put_received));

RECORD(problem_table, ProblemPoints,
    ROW_HAND("problem", .put = put_problem),
    ROW(ProblemPoints, points, "points"),
    ROW(ProblemPoints, most, "most"),
    ROW(ProblemPoints, is_final, "final"),
    ROW_BEHIND(ProblemPoints, counts, NULL, counted_table),
    ROW(ProblemPoints, late_s, "late_s", .when = has_counted),
    ROW(ProblemPoints, days_late, "days_late", .when = has_counted),
    ROW(ProblemPoints, taken_off, "taken_off", .when = has_counted),
    ROW_HAND("overridden_by", .when = has_override, .put = put_overridden_by),
    ROW(ProblemPoints, reason, "reason"),
    ROW(ProblemPoints, told, "told"),
    ROW_LIST(ProblemPoints, parts, part_count, "parts", part_table));

RECORD_PUT(put_problems, AssignmentPoints, record_write_list(&problem_table, it->problems, it->assignment->problem_count, root, object, row->key))

RECORD(assignment_table, AssignmentPoints,
    ROW_HAND("assignment", .put = put_assignment),
    ROW(AssignmentPoints, points, "points"),
    ROW(AssignmentPoints, most, "most"),
    ROW(AssignmentPoints, is_final, "final"),
    ROW_HAND("extended_utc", .when = is_extended, .put = put_extended),
    ROW_HAND("problems", .put = put_problems));

RECORD(person_table, PersonScores,
    ROW_HAND("person", .put = put_person),
    ROW_HAND("id", .put = put_id),
    ROW(PersonScores, groups, "groups"),
    ROW_LIST(PersonScores, assignments, count, "assignments", assignment_table));

RECORD(scores_table, Scores,
    ROW_SCHEMA("schema", 1),
    ROW_HAND("title", .put = put_title),
    ROW_LIST(Scores, people, count, "people", person_table));

/* clang-format on */

void scores_json(const Scores *scores, Text *text)
{
    record_print(&scores_table, scores, text);
}
