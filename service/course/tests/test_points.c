#include "base/tests/unit.h"

#include "service/course/class_file.h"
#include "service/course/scores.h"

#include <string.h>

/* conv1d: 4 for the verdict, 1 for the samples, 3 for two hidden cases, up to 2 for speed; due on a Monday evening. */
typedef struct Fixture {
    ClassFile file;
    ClassAssignment assignment;
    ClassProblem problem;
    ClassCaseGroup groups[2];
    ClassBand bands[2];
    ClassExtension extension;
} Fixture;

static const char *sample_names[] = {"example", "moving average"};
static const char *hidden_names[] = {"prime sizes", "ramp input"};

static ClassTime moment(Fixture *fixture, const char *written)
{
    ClassTime time;
    Message why;
    if (class_time_parse(written, &fixture->file.zone, false, &fixture->file.arena, &time, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return time;
}

static void set_due(Fixture *fixture, const char *due, ClassLate late)
{
    fixture->assignment.late = late;
    fixture->assignment.deadline = class_deadline_of(moment(fixture, due), &late, &fixture->file.zone,
                                                     &fixture->file.arena);
}

static Fixture *fixture_new(void)
{
    static Fixture fixture;
    fixture = (Fixture){0};
    Message why;
    assert_int_equal(zone_read("Europe/Berlin", &fixture.file.arena, &fixture.file.zone, &why), STATUS_OK);
    fixture.groups[0] = (ClassCaseGroup){.name = "samples", .cases = sample_names, .case_count = 2, .points = 1};
    fixture.groups[1] = (ClassCaseGroup){.name = "odd sizes", .cases = hidden_names, .case_count = 2, .points = 3};
    fixture.bands[0] = (ClassBand){.at_least = 0.05, .points = 1};
    fixture.bands[1] = (ClassBand){.at_least = 0.25, .points = 2};
    fixture.problem = (ClassProblem){.problem = "conv1d",
                                     .accepted = 4,
                                     .groups = fixture.groups,
                                     .group_count = 2,
                                     .measure = MEASURE_ROOFLINE,
                                     .bands = fixture.bands,
                                     .band_count = 2};
    fixture.assignment = (ClassAssignment){
        .id = "week-1", .title = "week-1", .problems = &fixture.problem, .problem_count = 1};
    fixture.assignment.opens = moment(&fixture, "2026-11-02T08:00");
    set_due(&fixture, "2026-11-09T23:59", (ClassLate){10, 10, 3});
    fixture.file.assignments = &fixture.assignment;
    fixture.file.assignment_count = 1;
    return &fixture;
}

static const CaseFact all_accepted[] = {{"example", false, "Accepted"},
                                        {"moving average", false, "Accepted"},
                                        {"prime sizes", true, "Accepted"},
                                        {"ramp input", true, "Accepted"}};
static const CaseFact one_wrong[] = {{"example", false, "Accepted"},
                                     {"moving average", false, "Accepted"},
                                     {"prime sizes", true, "Wrong Answer"},
                                     {"ramp input", true, "Accepted"}};

/* Received at a local time, accepted and fast, as number `id`. */
static SubmissionFact good(Fixture *fixture, int64_t id, const char *received)
{
    return (SubmissionFact){.id = id,
                            .problem = "conv1d",
                            .has_received = received != NULL,
                            .received_s = received == NULL ? 0 : moment(fixture, received).utc_s,
                            .source_hash = id == 1   ? "one"
                                           : id == 2 ? "two"
                                                     : "three",
                            .is_judged = true,
                            .verdict = "Accepted",
                            .text = "",
                            .cases = all_accepted,
                            .case_count = 4,
                            .has_all_cases = true,
                            .standing = RUN_RANKED,
                            .standing_why = "",
                            .time_ms = 1.5,
                            .roofline = 0.3,
                            .percentile = 60,
                            .rungs_known = true};
}

static SubmissionFact wrong(Fixture *fixture, int64_t id, const char *received)
{
    SubmissionFact fact = good(fixture, id, received);
    fact.verdict = "Wrong Answer";
    fact.cases = one_wrong;
    fact.standing = RUN_NONE;
    fact.time_ms = 0;
    fact.roofline = -1;
    return fact;
}

static SubmissionFact waiting(Fixture *fixture, int64_t id, const char *received)
{
    SubmissionFact fact = wrong(fixture, id, received);
    fact.is_judged = false;
    fact.verdict = "";
    fact.case_count = 0;
    return fact;
}

static ProblemPoints count(Fixture *fixture, const SubmissionFact *facts, size_t fact_count)
{
    const PersonFacts ada = {.person = "ada", .facts = (SubmissionFact *)facts, .count = fact_count};
    const AssignmentPoints all = points_of(&fixture->file, &fixture->assignment, &ada, &fixture->file.arena);
    assert_float_equal(all.points, all.problems[0].points, 0);
    assert_int_equal(all.is_final, all.problems[0].is_final);
    return all.problems[0];
}

static void expect(const ProblemPoints *points, double value, bool is_final, const char *words)
{
    if (points->points != value || points->is_final != is_final || strstr(points->reason, words) == NULL)
        fail_test("expected %g%s with '%s', found %g%s: %s", value, is_final ? "" : ", not final,", words,
                  points->points, points->is_final ? "" : ", not final,", points->reason);
}

static void done(Fixture *fixture)
{
    arena_free(&fixture->file.arena);
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

static void every_point_has_a_reason(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    const SubmissionFact fact = good(fixture, 1, "2026-11-05T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    assert_float_equal(points.most, 10, 0);
    assert_int_equal(points.part_count, 4);
    expect(
        &points, 10, true,
        "Submission 1 counts, received 2026-11-05 12:00. 4 of 4: Accepted. 1 of 1: samples: all 2 cases are accepted. "
        "3 of 3: odd sizes: all 2 cases are accepted. 2 of 2: speed: 1.5 ms, a roofline share of 30 %.");
    assert_string_equal(points.reason, points.told);
    done(fixture);
}

static void a_group_gives_all_or_nothing_and_students_learn_no_hidden_name(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    const SubmissionFact fact = wrong(fixture, 1, "2026-11-05T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(
        &points, 1, true,
        "0 of 4: Wrong Answer. 1 of 1: samples: all 2 cases are accepted. 0 of 3: odd sizes: 'prime sizes' is Wrong Answer. "
        "0 of 2: speed: only an accepted submission gets points for it.");
    assert_non_null(strstr(points.told, "0 of 3: odd sizes: not all cases are accepted."));
    assert_null(strstr(points.told, "prime"));
    done(fixture);
}

static void what_a_sample_shows_is_told(void **state)
{
    static const CaseFact cases[] = {{"example", false, "Run-Time Error"}, {"moving average", false, ""}};
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = wrong(fixture, 1, "2026-11-05T12:00");
    fact.cases = cases;
    fact.case_count = 2;
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0, true, "samples: 'example' is Run-Time Error, 'moving average' was not run.");
    assert_non_null(strstr(points.told, "samples: 'example' is Run-Time Error, 'moving average' was not run."));
    assert_non_null(strstr(points.told, "odd sizes: not all cases are accepted."));
    done(fixture);
}

/* Without the verdicts of all cases, only a failed one decides. */
static void cases_after_the_one_that_ended_the_judging_are_open(void **state)
{
    static const CaseFact cases[] = {{"example", false, "Accepted"},
                                     {"moving average", false, "Accepted"},
                                     {"prime sizes", true, ""},
                                     {"ramp input", true, "Wrong Answer"}};
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = wrong(fixture, 1, "2026-11-05T12:00");
    fact.cases = cases;
    fact.has_all_cases = false;
    ProblemPoints points = count(fixture, &fact, 1);
    expect(
        &points, 1, true,
        "odd sizes: 'prime sizes' was not judged, since an earlier case ended the judging, 'ramp input' is Wrong Answer.");
    fact.case_count = 3;
    points = count(fixture, &fact, 1);
    expect(&points, 1, false, "Not final: it may become 4.");
    assert_non_null(strstr(points.told, "odd sizes: not all cases were judged."));
    done(fixture);
}

static void a_group_of_one_case_says_so(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->groups[1].case_count = 1;
    const SubmissionFact fact = good(fixture, 1, "2026-11-05T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 10, true, "3 of 3: odd sizes: its case is accepted.");
    done(fixture);
}

static void a_long_group_names_its_first_cases(void **state)
{
    static const char *names[] = {"a", "b", "c", "d", "e", "f", "g"};
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->groups[1].cases = names;
    fixture->groups[1].case_count = 7;
    const SubmissionFact fact = wrong(fixture, 1, "2026-11-05T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 1, true, "'e' was not run, and 2 more.");
    done(fixture);
}

static void what_does_not_compile_gets_nothing(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = wrong(fixture, 1, "2026-11-05T12:00");
    fact.verdict = "Compile Error";
    fact.case_count = 0;
    fact.has_all_cases = false;
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0, true, "0 of 4: Compile Error. 0 of 1: samples: Compile Error.");
    done(fixture);
}

static void what_is_not_judged_or_failed_by_the_judge_is_open(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = waiting(fixture, 1, "2026-11-05T12:00");
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0, false, "0 of 4: it is not judged yet. 0 of 1: samples: it is not judged yet.");
    expect(&points, 0, false, "Not final: it may become 10.");
    fact.is_judged = true;
    fact.verdict = "Judge Error";
    points = count(fixture, &fact, 1);
    expect(&points, 0, false, "0 of 4: the judge failed, so a teacher has to look.");
    done(fixture);
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

static void a_band_begins_at_its_threshold(void **state)
{
    static const struct {
        double roofline, points;
        const char *words;
    } rows[] = {{0.0499, 8, "0 of 2: speed: 1.5 ms, a roofline share of 4.99 %; 1 from 5 % on."},
                {0.05, 9, "1 of 2: speed: 1.5 ms, a roofline share of 5 %; 2 from 25 % on."},
                {0.25, 10, "2 of 2: speed: 1.5 ms, a roofline share of 25 %."},
                {1.2, 10, "2 of 2: speed"}};
    (void)state;
    Fixture *fixture = fixture_new();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SubmissionFact fact = good(fixture, 1, "2026-11-05T12:00");
        fact.roofline = rows[i].roofline;
        const ProblemPoints points = count(fixture, &fact, 1);
        expect(&points, rows[i].points, true, rows[i].words);
    }
    done(fixture);
}

static void rungs_and_percentiles_are_measures_too(void **state)
{
    static const char *reached[] = {"naive.cu", "tiled.cu"};
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = good(fixture, 1, "2026-11-05T12:00");
    fixture->problem.measure = MEASURE_RUNG;
    fixture->bands[0].rung = "tiled.cu";
    fixture->bands[1].rung = "best.cu";
    fact.rungs_reached = reached;
    fact.rung_count = 2;
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 9, true, "1 of 2: speed: 1.5 ms, as fast as tiled.cu; 2 from best.cu on.");
    fact.rung_count = 1;
    points = count(fixture, &fact, 1);
    expect(&points, 8, true, "slower than the reference solutions that give points; 1 from tiled.cu on.");
    fact.rungs_known = false;
    points = count(fixture, &fact, 1);
    expect(&points, 8, false, "the times of the reference solutions are not known, so its speed is open.");
    fixture->problem.measure = MEASURE_PERCENTILE;
    fixture->bands[0].at_least = 50;
    fixture->bands[1].at_least = 100;
    points = count(fixture, &fact, 1);
    expect(&points, 9, true, "percentile 60 among the reference solutions; 2 from percentile 100 on.");
    fact.percentile = -1;
    points = count(fixture, &fact, 1);
    expect(&points, 8, false, "the times of the reference solutions are not known, so its percentile is open.");
    done(fixture);
}

static void speed_that_is_in_doubt_waits_for_a_teacher(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = good(fixture, 1, "2026-11-05T12:00");
    fact.standing = RUN_QUARANTINED;
    fact.standing_why = "far ahead";
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 8, false,
           "the run waits in quarantine (far ahead), so 2 wait for a teacher. Not final: it may become 10.");
    assert_non_null(strstr(points.told, "speed: the run waits in quarantine, so its points wait for a teacher"));
    fact.standing = RUN_UNRANKED;
    fact.standing_why = "the GPU was shared";
    points = count(fixture, &fact, 1);
    expect(&points, 8, false, "the run does not rank (the GPU was shared), so 2 wait for a teacher");
    fact.standing = RUN_RETRACTED;
    points = count(fixture, &fact, 1);
    expect(&points, 8, true, "but a teacher has retracted the run");
    fact.standing = RUN_REJECTED;
    points = count(fixture, &fact, 1);
    expect(&points, 8, true, "but a teacher has rejected the run");
    fact.standing = RUN_QUARANTINED;
    fact.roofline = 0.01;
    points = count(fixture, &fact, 1);
    expect(&points, 8, true, "a roofline share of 1 %; 1 from 5 % on");
    fact.roofline = -1;
    points = count(fixture, &fact, 1);
    expect(&points, 8, false, "the roofline of the device is not known, so its speed is open");
    fact.time_ms = 0;
    points = count(fixture, &fact, 1);
    expect(&points, 8, false, "it was not timed, so its speed is open");
    done(fixture);
}

/* ---- late ---------------------------------------------------------------------------------------------------------- */

static void each_day_begun_costs_its_percent(void **state)
{
    static const struct {
        const char *received;
        double points;
        size_t days;
        const char *words;
    } rows[] = {
        {"2026-11-09T23:59:00", 10, 0, "received 2026-11-09 23:59."},
        {"2026-11-09T23:59:01", 10, 0, "00:00:01 after the deadline but within the grace."},
        {"2026-11-10T00:09:00", 10, 0, "00:10:00 after the deadline but within the grace."},
        {"2026-11-10T00:09:01", 9, 1, "00:10:01 after the deadline. 4 of 4"},
        {"2026-11-10T23:59:00", 9, 1, "For 1 day late 10 % are taken off: 10 becomes 9."},
        {"2026-11-10T23:59:01", 8, 2, "For 2 days late 20 % are taken off: 10 becomes 8."},
        {"2026-11-12T23:59:00", 7, 3, "3 d 00:00:00 after the deadline."},
        {"2026-11-12T23:59:01", 0, 0, "No submission counts. Submission 1 came too late to count."},
    };
    (void)state;
    Fixture *fixture = fixture_new();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const SubmissionFact fact = good(fixture, 1, rows[i].received);
        const ProblemPoints points = count(fixture, &fact, 1);
        expect(&points, rows[i].points, true, rows[i].words);
        assert_int_equal(points.days_late, rows[i].days);
    }
    done(fixture);
}

static void without_late_days_the_grace_is_the_end(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    set_due(fixture, "2026-11-09T23:59", (ClassLate){0, 0, 0});
    SubmissionFact fact = good(fixture, 1, "2026-11-09T23:59");
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 10, true, "counts");
    fact = good(fixture, 1, "2026-11-09T23:59:01");
    points = count(fixture, &fact, 1);
    expect(&points, 0, true, "came too late to count");
    done(fixture);
}

static void more_than_everything_is_never_taken_off(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    set_due(fixture, "2026-11-09T23:59", (ClassLate){0, 60, 2});
    const SubmissionFact fact = good(fixture, 1, "2026-11-11T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0, true, "For 2 days late 100 % are taken off: 10 becomes 0.");
    done(fixture);
}

/* On 25 October 2026 clocks go back in Berlin: the day of a deadline on the evening before has 25 hours. */
static void a_late_day_is_longer_when_clocks_go_back(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->assignment.opens.utc_s = 0;
    set_due(fixture, "2026-10-24T23:59", (ClassLate){0, 10, 3});
    SubmissionFact fact = good(fixture, 1, "2026-10-25T23:59");
    assert_int_equal(fact.received_s - fixture->assignment.deadline.due.utc_s, 25 * 3600);
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 9, true, "1 d 01:00:00 after the deadline. ");
    fact = good(fixture, 1, "2026-10-25T23:59:01");
    points = count(fixture, &fact, 1);
    expect(&points, 8, true, "For 2 days late");
    set_due(fixture, "2026-03-28T23:59", (ClassLate){0, 10, 3}); /* and 23 hours in spring */
    fact = good(fixture, 1, "2026-03-29T23:59");
    points = count(fixture, &fact, 1);
    expect(&points, 9, true, "23:00:00 after the deadline. ");
    done(fixture);
}

static void points_are_rounded_to_hundredths(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->problem.accepted = 0.333;
    fixture->problem.group_count = fixture->problem.band_count = 0;
    const SubmissionFact fact = good(fixture, 1, "2026-11-10T12:00");
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0.3, true, "0.333 becomes 0.3.");
    done(fixture);
}

static void an_extension_moves_the_deadline_of_one_person(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    const SubmissionFact fact = good(fixture, 1, "2026-11-17T12:00");
    fixture->extension = (ClassExtension){
        .person = "ada", .assignment = &fixture->assignment, .why = "ill", .by = "grace"};
    fixture->extension.deadline = class_deadline_of(moment(fixture, "2026-11-16T23:59"), &fixture->assignment.late,
                                                    &fixture->file.zone, &fixture->file.arena);
    fixture->file.extensions = &fixture->extension;
    fixture->file.extension_count = 1;
    const ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 9, true, "The deadline was extended to 2026-11-16 23:59 by grace: ill.");
    const PersonFacts bob = {.person = "bob", .facts = (SubmissionFact *)&fact, .count = 1};
    const AssignmentPoints other = points_of(&fixture->file, &fixture->assignment, &bob, &fixture->file.arena);
    expect(&other.problems[0], 0, true, "came too late to count");
    done(fixture);
}

static void the_mark_of_another_system_counts_where_no_time_is_known(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = good(fixture, 1, NULL);
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 10, true, "Its time of receipt is unknown, so it is treated as on time.");
    fact.marked_late = true;
    points = count(fixture, &fact, 1);
    expect(&points, 9, true,
           "Its time of receipt is unknown, and it was marked late, so it is treated as one day late.");
    set_due(fixture, "2026-11-09T23:59", (ClassLate){10, 0, 0});
    points = count(fixture, &fact, 1);
    expect(&points, 0, true, "came too late to count");
    fact = good(fixture, 1, "2026-11-09T12:00");
    fact.marked_late = true;
    points = count(fixture, &fact, 1);
    expect(&points, 10, true, "received 2026-11-09 12:00");
    done(fixture);
}

/* ---- which one counts ----------------------------------------------------------------------------------------------- */

static void the_best_counts_after_what_is_taken_off(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact facts[] = {wrong(fixture, 1, "2026-11-05T12:00"), good(fixture, 2, "2026-11-10T12:00"),
                              good(fixture, 3, "2026-11-11T12:00")};
    ProblemPoints points = count(fixture, facts, 3);
    expect(&points, 9, true, "Submission 2 counts, the best of 3");
    facts[1] = good(fixture, 2, "2026-11-11T12:00");
    points = count(fixture, facts, 3);
    expect(&points, 8, true, "Submission 2 counts"); /* of equals the earlier */
    done(fixture);
}

static void the_last_counts_even_if_it_is_worse(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->assignment.counts = COUNTS_LAST;
    SubmissionFact facts[] = {good(fixture, 1, "2026-11-05T12:00"), wrong(fixture, 2, "2026-11-06T12:00"),
                              good(fixture, 3, "2026-11-20T12:00")};
    const ProblemPoints points = count(fixture, facts, 3);
    expect(&points, 1, true, "Submission 2 counts, the last of 2");
    expect(&points, 1, true, "Submission 3 came too late to count.");
    done(fixture);
}

static void the_same_file_again_and_late_replaces_nothing(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    fixture->assignment.counts = COUNTS_LAST;
    SubmissionFact facts[] = {good(fixture, 1, "2026-11-05T12:00"), good(fixture, 2, "2026-11-10T12:00")};
    facts[1].source_hash = "one";
    ProblemPoints points = count(fixture, facts, 2);
    expect(&points, 10, true, "Submission 1 counts, received 2026-11-05 12:00.");
    expect(&points, 10, true, "Submission 2 repeats an earlier one late and replaces nothing.");
    facts[1].source_hash = "changed";
    points = count(fixture, facts, 2);
    expect(&points, 9, true, "Submission 2 counts, the last of 2");
    facts[1] = good(fixture, 2, "2026-11-06T12:00"); /* in time it does replace */
    facts[1].source_hash = "one";
    points = count(fixture, facts, 2);
    expect(&points, 10, true, "Submission 2 counts, the last of 2");
    facts[0].is_withdrawn = true; /* nothing that counts is repeated */
    facts[1] = good(fixture, 2, "2026-11-10T12:00");
    facts[1].source_hash = "one";
    points = count(fixture, facts, 2);
    expect(&points, 9, true, "Submission 2 counts, received");
    expect(&points, 9, true, "Submission 1 was withdrawn.");
    done(fixture);
}

static void what_comes_before_the_assignment_opens_does_not_count(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact fact = good(fixture, 1, "2026-11-02T07:59:59");
    ProblemPoints points = count(fixture, &fact, 1);
    expect(&points, 0, true, "Submission 1 came before the assignment opened.");
    fact = good(fixture, 1, "2026-11-02T08:00");
    points = count(fixture, &fact, 1);
    expect(&points, 10, true, "counts");
    done(fixture);
}

static void one_that_may_still_give_more_keeps_the_points_open(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact facts[] = {wrong(fixture, 1, "2026-11-05T12:00"), waiting(fixture, 2, "2026-11-06T12:00")};
    ProblemPoints points = count(fixture, facts, 2);
    expect(&points, 1, false, "Submission 1 counts, the best of 2");
    expect(&points, 1, false, "Not final: submission 2 may give up to 10.");
    facts[0] = good(fixture, 1, "2026-11-05T12:00");
    points = count(fixture, facts, 2);
    expect(&points, 10, true, "Submission 1 counts");
    fixture->assignment.counts = COUNTS_LAST;
    points = count(fixture, facts, 2);
    expect(&points, 0, false, "Submission 2 counts, the last of 2");
    done(fixture);
}

static void nothing_handed_in_gives_nothing(void **state)
{
    (void)state;
    Fixture *fixture = fixture_new();
    SubmissionFact other = good(fixture, 1, "2026-11-05T12:00");
    other.problem = "conv2d";
    ProblemPoints points = count(fixture, &other, 1);
    expect(&points, 0, true, "Nothing was submitted.");
    assert_null(points.counts);
    points = count(fixture, NULL, 0);
    expect(&points, 0, true, "Nothing was submitted.");
    SubmissionFact facts[5];
    for (int i = 0; i < 5; i++) {
        facts[i] = good(fixture, i + 1, "2026-11-20T12:00");
    }
    points = count(fixture, facts, 5);
    expect(&points, 0, true, "Submission 3 came too late to count. 2 more do not count.");
    done(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_has_a_reason),
        cmocka_unit_test(a_group_gives_all_or_nothing_and_students_learn_no_hidden_name),
        cmocka_unit_test(what_a_sample_shows_is_told),
        cmocka_unit_test(cases_after_the_one_that_ended_the_judging_are_open),
        cmocka_unit_test(a_group_of_one_case_says_so),
        cmocka_unit_test(a_long_group_names_its_first_cases),
        cmocka_unit_test(what_does_not_compile_gets_nothing),
        cmocka_unit_test(what_is_not_judged_or_failed_by_the_judge_is_open),
        cmocka_unit_test(a_band_begins_at_its_threshold),
        cmocka_unit_test(rungs_and_percentiles_are_measures_too),
        cmocka_unit_test(speed_that_is_in_doubt_waits_for_a_teacher),
        cmocka_unit_test(each_day_begun_costs_its_percent),
        cmocka_unit_test(without_late_days_the_grace_is_the_end),
        cmocka_unit_test(more_than_everything_is_never_taken_off),
        cmocka_unit_test(a_late_day_is_longer_when_clocks_go_back),
        cmocka_unit_test(points_are_rounded_to_hundredths),
        cmocka_unit_test(an_extension_moves_the_deadline_of_one_person),
        cmocka_unit_test(the_mark_of_another_system_counts_where_no_time_is_known),
        cmocka_unit_test(the_best_counts_after_what_is_taken_off),
        cmocka_unit_test(the_last_counts_even_if_it_is_worse),
        cmocka_unit_test(the_same_file_again_and_late_replaces_nothing),
        cmocka_unit_test(what_comes_before_the_assignment_opens_does_not_count),
        cmocka_unit_test(one_that_may_still_give_more_keeps_the_points_open),
        cmocka_unit_test(nothing_handed_in_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
