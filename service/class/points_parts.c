#include "service/class/points_parts.h"

#include "base/text.h"

#include <string.h>

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

/* "3 of 4: " and why, the same for the student unless `told` says otherwise. */
static void conclude(PointsPart *part, double points, double possible, const char *why, const char *told, Arena *arena)
{
    part->points = points;
    part->possible = possible;
    part->reason = arena_printf(arena, "%.15g of %.15g: %s", points, part->most, why);
    part->told = told == NULL ? part->reason : arena_printf(arena, "%.15g of %.15g: %s", points, part->most, told);
}

static const char *why_undecided(const SubmissionFact *fact)
{
    return fact->is_judged ? "the judge failed, so a teacher has to look" : "it is not judged yet";
}

/* ---- the verdict -------------------------------------------------------------------------------------------------- */

static PointsPart accepted_part(const ClassProblem *problem, const SubmissionFact *fact, Arena *arena)
{
    PointsPart part = {.kind = PART_ACCEPTED, .name = "accepted", .most = problem->accepted};
    if (!points_is_decided(fact))
        conclude(&part, 0, part.most, why_undecided(fact), NULL, arena);
    else
        conclude(&part, is_accepted(fact) ? part.most : 0, is_accepted(fact) ? part.most : 0, fact->verdict, NULL,
                 arena);
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

static void conclude_group(PointsPart *part, const ClassCaseGroup *group, GroupCount *count, Arena *arena)
{
    const bool is_open = count->failed == 0 && count->open > 0, passed = count->failed + count->open == 0;
    if (count->named > CASES_NAMED)
        text_printf(&count->text, ", and %zu more", count->named - CASES_NAMED);
    if (passed)
        conclude(part, part->most, part->most,
                 arena_printf(arena,
                              group->case_count == 1 ? "%s: its case is accepted" : "%s: all %zu cases are accepted",
                              group->name, group->case_count),
                 NULL, arena);
    else
        conclude(part, 0, is_open ? part->most : 0, arena_printf(arena, "%s: %s", group->name, count->text.data),
                 !count->is_hidden
                     ? NULL
                     : arena_printf(arena, is_open ? "%s: not all cases were judged" : "%s: not all cases are accepted",
                                    group->name),
                 arena);
}

/* Without a case that was judged there is only the verdict, such as Compile Error. */
static PointsPart group_part(const ClassCaseGroup *group, const SubmissionFact *fact, Arena *arena)
{
    PointsPart part = {.kind = PART_CASES, .name = group->name, .most = group->points};
    GroupCount count = {0};
    if (!points_is_decided(fact)) {
        conclude(&part, 0, part.most, arena_printf(arena, "%s: %s", group->name, why_undecided(fact)), NULL, arena);
    } else if (strcmp(fact->verdict, "Compile Error") == 0) {
        conclude(&part, 0, 0, arena_printf(arena, "%s: %s", group->name, fact->verdict), NULL, arena);
    } else {
        for (size_t i = 0; i < group->case_count; i++)
            count_case(&count, fact, group->cases[i]);
        conclude_group(&part, group, &count, arena);
    }
    text_free(&count.text);
    return part;
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

static bool reaches_rung(const SubmissionFact *fact, const char *rung)
{
    for (size_t i = 0; i < fact->rung_count; i++)
        if (strcmp(fact->rungs_reached[i], rung) == 0)
            return true;
    return false;
}

static bool reaches(const ClassProblem *problem, const ClassBand *band, const SubmissionFact *fact)
{
    switch (problem->measure) {
    case MEASURE_ROOFLINE: return fact->roofline >= band->at_least;
    case MEASURE_PERCENTILE: return fact->percentile >= band->at_least;
    case MEASURE_RUNG: return reaches_rung(fact, band->rung);
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

static const char *threshold(const ClassProblem *problem, const ClassBand *band, Arena *arena)
{
    switch (problem->measure) {
    case MEASURE_ROOFLINE: return arena_printf(arena, "%.15g %%", 100 * band->at_least);
    case MEASURE_PERCENTILE: return arena_printf(arena, "percentile %.15g", band->at_least);
    case MEASURE_RUNG: return band->rung;
    case MEASURE_NONE: break;
    }
    return "";
}

/* "a roofline share of 31 %, at least 25 %; the next band begins at 50 %" */
static const char *speed_words(const ClassProblem *problem, const ClassBand *band, const SubmissionFact *fact,
                               Arena *arena)
{
    const ClassBand *next = band == NULL                                       ? problem->bands
                            : band + 1 == problem->bands + problem->band_count ? NULL
                                                                               : band + 1;
    const char *found = problem->measure == MEASURE_ROOFLINE
                            ? arena_printf(arena, "a roofline share of %.3g %%", 100 * fact->roofline)
                        : problem->measure == MEASURE_PERCENTILE
                            ? arena_printf(arena, "percentile %.3g among the reference solutions", fact->percentile)
                        : band == NULL ? "slower than the reference solutions that give points"
                                       : arena_printf(arena, "as fast as %s", band->rung);
    const char *beyond = next == NULL
                             ? ""
                             : arena_printf(arena, "; %.15g from %s on", next->points, threshold(problem, next, arena));
    return arena_printf(arena, "speed: %.4g ms, %s%s", fact->time_ms, found, beyond);
}

static void conclude_speed(PointsPart *part, const ClassProblem *problem, const SubmissionFact *fact, Arena *arena)
{
    const ClassBand *band = band_of(problem, fact);
    const double points = band == NULL ? 0 : band->points;
    const char *words = speed_words(problem, band, fact, arena);
    if (points == 0) {
        conclude(part, 0, 0, words, NULL, arena);
        return;
    }
    switch (fact->standing) {
    case RUN_RANKED: conclude(part, points, points, words, NULL, arena); return;
    case RUN_QUARANTINED:
        conclude(part, 0, points,
                 arena_printf(arena, "%s; the run waits in quarantine (%s), so %.15g wait for a teacher", words,
                              fact->standing_why, points),
                 arena_printf(arena, "speed: the run waits in quarantine, so its points wait for a teacher"), arena);
        return;
    case RUN_RETRACTED:
    case RUN_REJECTED:
        conclude(part, 0, 0,
                 arena_printf(arena, "%s; but a teacher has %s the run", words,
                              fact->standing == RUN_RETRACTED ? "retracted" : "rejected"),
                 NULL, arena);
        return;
    case RUN_NONE:
    case RUN_UNRANKED:
        conclude(part, 0, points,
                 arena_printf(arena, "%s; the run does not rank (%s), so %.15g wait for a teacher", words,
                              fact->standing_why, points),
                 NULL, arena);
        return;
    }
}

static PointsPart speed_part(const ClassProblem *problem, const SubmissionFact *fact, Arena *arena)
{
    PointsPart part = {.kind = PART_SPEED, .name = "speed", .most = problem->bands[problem->band_count - 1].points};
    const char *unknown = why_unknown(problem, fact);
    if (!points_is_decided(fact))
        conclude(&part, 0, part.most, arena_printf(arena, "speed: %s", why_undecided(fact)), NULL, arena);
    else if (!is_accepted(fact))
        conclude(&part, 0, 0, "speed: only an accepted submission gets points for it", NULL, arena);
    else if (unknown != NULL)
        conclude(&part, 0, part.most, arena_printf(arena, "speed: %s", unknown), NULL, arena);
    else
        conclude_speed(&part, problem, fact, arena);
    return part;
}

PointsPart *points_parts_of(const ClassProblem *problem, const SubmissionFact *fact, Arena *arena, size_t *count)
{
    PointsPart *parts = arena_array(arena, problem->group_count + 2, sizeof *parts);
    *count = 0;
    if (problem->accepted > 0)
        parts[(*count)++] = accepted_part(problem, fact, arena);
    for (size_t i = 0; i < problem->group_count; i++)
        parts[(*count)++] = group_part(&problem->groups[i], fact, arena);
    if (problem->band_count > 0)
        parts[(*count)++] = speed_part(problem, fact, arena);
    return parts;
}
