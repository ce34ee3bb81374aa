#include "service/store/tests/made_service.h"

#include "base/hash.h"
#include "base/json.h"
#include "service/course/class_file.h"
#include "service/course/class_summary.h"
#include "service/course/facts.h"
#include "service/course/scores.h"
#include "service/store/judgings.h"

/* A class of two people in a group, with one assignment: 4 points for the verdict of conv1d, 3 for two hidden cases, and up to 2
 * for the rungs of its ladder. */
static ClassFile class;
static ClassAssignment assignment;
static ClassProblem problem;
static ClassCaseGroup cases;
static ClassBand bands[2];
static ClassGroup group;
static const char *people[] = {"bob", "=1+1"};
static const char *case_names[] = {"kernel of one", "one element"};

static void make_class(void)
{
    ClassTime due;
    Message unfit;
    class = (ClassFile){
        .title = "", .groups = &group, .group_count = 1, .assignments = &assignment, .assignment_count = 1};
    assert_int_equal(zone_read("Europe/Berlin", &class.arena, &class.zone, &unfit), STATUS_OK);
    assert_int_equal(class_time_parse("2098-01-01T00:00", &class.zone, false, &class.arena, &due, &unfit), STATUS_OK);
    group = (ClassGroup){"tutorial, 1", people, 2};
    cases = (ClassCaseGroup){"odd", case_names, 2, 3};
    bands[0] = (ClassBand){.rung = "naive.cu", .points = 1};
    bands[1] = (ClassBand){.rung = "tiled.cu", .points = 2};
    problem = (ClassProblem){.problem = "conv1d",
                             .accepted = 4,
                             .groups = &cases,
                             .group_count = 1,
                             .measure = MEASURE_RUNG,
                             .bands = bands,
                             .band_count = 2};
    assignment = (ClassAssignment){.id = "week-1", .title = "week-1", .problems = &problem, .problem_count = 1};
    assignment.opens.utc_s = INT64_MIN;
    assignment.deadline = class_deadline_of(due, &assignment.late, &class.zone, &class.arena);
}

static const char accepted[] =
    "{\"verdict\": \"Accepted\", \"score_ms\": 1.0, \"uncertainty\": 0.01, \"roofline\": 0.4,"
    " \"percentile\": {\"references\": {\"n\": 2, \"value\": 75}},"
    " \"references\": [{\"name\": \"tiled.cu\", \"score_ms\": 0.5, \"uncertainty\": 0.01},"
    "                  {\"name\": \"naive.cu\", \"score_ms\": 1.005, \"uncertainty\": 0.01}],"
    " \"cases\": [{\"name\": \"sample\", \"verdict\": \"Accepted\", \"timed\": false, \"sizes\": {}},"
    "             {\"name\": \"hidden 1\", \"verdict\": \"Accepted\", \"timed\": false},"
    "             {\"name\": \"big\", \"verdict\": \"Accepted\", \"timed\": true, \"sizes\": {}}]}";
static const char wrong[] =
    "{\"verdict\": \"Wrong Answer\", \"references\": [],"
    " \"cases\": [{\"name\": \"sample\", \"verdict\": \"Accepted\", \"timed\": false, \"sizes\": {}},"
    "             {\"name\": \"hidden 1\", \"verdict\": \"Accepted\", \"timed\": false},"
    "             {\"name\": \"hidden 2\", \"verdict\": \"Wrong Answer\", \"timed\": false},"
    "             {\"name\": \"hidden 3\", \"verdict\": \"not run\", \"timed\": false}]}";

static int64_t hands_in(const char *name, const char *file_name)
{
    static int key;
    int64_t id;
    bool is_new;
    HandIn row = {.person = admitted(name).id,
                  .key = arena_printf(&arena, "%d", ++key),
                  .problem = "conv1d",
                  .revision = "r1",
                  .mode = "rank"};
    row.sizes = "";
    row.file_name = file_name;
    row.source = row.key;
    row.source_hash = arena_string(&arena, hash_of_one(row.key, strlen(row.key)).hex);
    must(submissions_hand_in(store, &row, &rule, &id, &is_new, &why));
    return id;
}

static const char *verdicts; /* of all cases, as the next judging finds them */

static void judged(int64_t submission, const char *verdict, const char *result, const char *rank_status)
{
    int64_t attempt;
    RecordingOutcome outcome;
    const StoredSubmission row = stored(submission);
    const Run run = {.board = {"conv1d", "r1", "sim-h200", 1},
                     .time_utc = row.received_utc,
                     .person = row.person,
                     .device_name = "d",
                     .driver = "d",
                     .toolkit = "t",
                     .judge = "j",
                     .sandbox = "full",
                     .verdict = verdict,
                     .rank_status = rank_status,
                     .time = {1, 0.01},
                     .source_hash = row.source_hash,
                     .source = "x",
                     .file_name = row.file_name,
                     .sitting = "{}",
                     .cases = "[]"};
    must(judgings_offer(store, row.judging, "w", &attempt, &why));
    const Recording recording = {.judging = row.judging,
                                 .attempt = attempt,
                                 .verdict = verdict,
                                 .text = "",
                                 .device = "sim-h200",
                                 .case_verdicts = verdicts,
                                 .run = rank_status == NULL ? NULL : &run,
                                 .result = result};
    must(judgings_record(store, &recording, &outcome, &why));
}

static Scores read_scores(void)
{
    Scores scores;
    must(scores_read(store, &class, 0, SIZE_MAX, &arena, &scores, &why));
    return scores;
}

static const char *csv(void)
{
    const Scores scores = read_scores();
    Text text = {0};
    scores_csv(&scores, &text);
    const char *copy = arena_string(&arena, text.data);
    text_free(&text);
    return copy;
}

static void holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_test("expected '%s' in:\n%s", part, text);
}

static const ProblemPoints *points_of_person(const Scores *scores, const char *name)
{
    for (size_t i = 0; i < scores->count; i++)
        if (strcmp(scores->people[i].facts->person, name) == 0)
            return &scores->people[i].assignments[0].problems[0];
    fail_test("there is no %s", name);
    return NULL;
}

static void expect_points(const ProblemPoints *points, double value, const char *words)
{
    assert_float_equal(points->points, value, 0);
    holds(points->reason, words);
}

/* ---- tests -------------------------------------------------------------------------------------------------------- */

static void facts_come_from_the_store(void **state)
{
    make_class();
    const int64_t first = hands_in("bob", "a.cu"), second = hands_in("bob", "b.cu");
    judged(first, "Wrong Answer", wrong, "not ranked: Wrong Answer");
    judged(second, "Accepted", accepted, "ranked");
    const Scores scores = read_scores();
    const ProblemPoints *points = points_of_person(&scores, "bob");
    assert_int_equal(points->counts->id, second);
    assert_float_equal(points->points, 8, 0);
    holds(points->reason, "1 of 2: speed: 1 ms, as fast as naive.cu; 2 from tiled.cu on");
    assert_float_equal(points->counts->roofline, 0.4, 1e-9);
    assert_float_equal(points->counts->percentile, 75, 1e-9);
    assert_int_equal(points->counts->case_count, 0); /* all have passed */
    assert_true(points->counts[-1].id == first && points->counts[-1].case_count > 0);
    class_file_free(&class);
}

/* testcases/conv1d/hidden.json begins with "one element" and "kernel of one". */
static void hidden_cases_get_their_names(void **state)
{
    make_class();
    judged(hands_in("bob", "a.cu"), "Wrong Answer", wrong, "not ranked: Wrong Answer");
    const Scores scores = read_scores();
    const ProblemPoints *points = points_of_person(&scores, "bob");
    holds(points->reason, "odd: 'kernel of one' is Wrong Answer.");
    assert_true(points->counts->cases[2].is_hidden);
    assert_string_equal(points->counts->cases[1].name, "one element");
    class_file_free(&class);
}

/* What `grade --all-cases` found stands above what result.json may tell, which here says less. */
static void the_verdicts_of_all_cases_decide(void **state)
{
    make_class();
    const char *wanted[] = {"conv1d", "conv2d"};
    bool is_wanted;
    must(case_verdicts_want(store, wanted, 2, &why));
    must(case_verdicts_want(store, wanted, 1, &why));
    must(case_verdicts_are_wanted(store, "conv1d", &is_wanted, &why));
    assert_true(is_wanted);
    must(case_verdicts_are_wanted(store, "conv2d", &is_wanted, &why));
    assert_false(is_wanted);
    verdicts = "{\"cases\": [{\"name\": \"one element\", \"hidden\": true, \"verdict\": \"Accepted\"},"
               " {\"name\": \"kernel of one\", \"hidden\": true, \"verdict\": \"Accepted\"},"
               " {\"name\": \"ramp input\", \"hidden\": true, \"verdict\": \"not run\"}]}";
    judged(hands_in("bob", "a.cu"), "Wrong Answer", wrong, "not ranked: Wrong Answer");
    verdicts = NULL;
    const Scores scores = read_scores();
    const ProblemPoints *points = points_of_person(&scores, "bob");
    expect_points(points, 3, "0 of 4: Wrong Answer. 3 of 3: odd: all 2 cases are accepted.");
    assert_true(points->counts->has_all_cases);
    assert_string_equal(points->counts->cases[2].verdict, "");
    class_file_free(&class);
}

static void what_waits_is_withdrawn_or_in_quarantine_is_told_apart(void **state)
{
    make_class();
    bool done;
    const int64_t waits = hands_in("bob", "a.cu");
    Scores scores = read_scores();
    const ProblemPoints *points = points_of_person(&scores, "bob");
    assert_false(points->is_final);
    holds(points->reason, "it is not judged yet");
    must(judgings_withdraw(store, waits, &done, &why));
    scores = read_scores();
    holds(points_of_person(&scores, "bob")->reason, "was withdrawn");
    judged(hands_in("bob", "b.cu"), "Accepted", accepted, "quarantined: far ahead");
    scores = read_scores();
    holds(points_of_person(&scores, "bob")->reason, "the run waits in quarantine (far ahead), so 1 wait for a teacher");
    class_file_free(&class);
}

/* The worker has recorded no run. */
static void an_accepted_file_in_no_leaderboard_waits_for_a_teacher(void **state)
{
    make_class();
    judged(hands_in("bob", "a.cu"), "Accepted", accepted, NULL);
    const Scores scores = read_scores();
    holds(points_of_person(&scores, "bob")->reason,
          "the run does not rank (it is in no leaderboard), so 1 wait for a teacher");
    class_file_free(&class);
}

static void only_what_was_handed_in_for_the_ranking_counts(void **state)
{
    make_class();
    judged(hands_in("bob", "a.cu"), "Accepted", accepted, "ranked");
    must(database_run(store, "UPDATE submission SET mode = 'test'", &why));
    const Scores scores = read_scores();
    holds(points_of_person(&scores, "bob")->reason, "Nothing was submitted.");
    class_file_free(&class);
}

static void who_is_in_no_group_gets_a_row_unless_a_teacher(void **state)
{
    make_class();
    hands_in("carol", "a.cu");
    hands_in("grace", "a.cu");
    must(people_set_role(store, admitted("grace").id, PERSON_TEACHER, &why));
    Scores scores = read_scores();
    assert_int_equal(scores.count, 3);
    assert_string_equal(scores.people[0].facts->person, "=1+1");
    assert_string_equal(scores.people[1].facts->person, "bob");
    assert_string_equal(scores.people[2].facts->person, "carol");
    const ClassGroup *groups[] = {&group};
    assignment.groups = groups;
    assignment.group_count = 1;
    scores = read_scores();
    assert_int_equal(scores.count, 2);
    size_t count;
    const Stranger *strangers = scores_strangers(&scores, SIZE_MAX, &arena, &count);
    assert_int_equal(count, 1);
    assert_string_equal(strangers[0].person, "carol");
    assert_null(strangers[0].nearest);
    class_file_free(&class);
}

static void the_time_of_another_system_counts(void **state)
{
    make_class();
    const int64_t first = hands_in("bob", "a.cu"), second = hands_in("bob", "b.cu");
    char sql[300];
    snprintf(
        sql, sizeof sql,
        "INSERT INTO taken_in (submission, origin, received_s, marked_late) VALUES (%lld, 'bob/a.cu', 1000, 1), (%lld, 'bob/b.cu', NULL, 1)",
        (long long)first, (long long)second);
    must(database_run(store, sql, &why));
    const Scores scores = read_scores();
    const PersonFacts *facts = scores.people[1].facts;
    assert_int_equal(facts->facts[0].received_s, 1000);
    assert_true(facts->facts[0].has_received);
    assert_false(facts->facts[1].has_received);
    assert_true(facts->facts[1].marked_late);
    class_file_free(&class);
}

static void a_refused_file_is_refused_and_not_missing(void **state)
{
    make_class();
    must(database_run(store,
                      "INSERT INTO refused_file VALUES ('/in', 'bob.zip', 'bob', '', 'is no archive that can be read'),"
                      " ('/in', 'bob' || CAST(x'fc' AS TEXT) || '.zip', 'bob', '', 'is damaged'),"
                      " ('/in', 'week-2/bob.cu', 'bob', 'week-2', 'the file is empty')",
                      &why));
    Scores scores = read_scores();
    assert_string_equal(points_of_person(&scores, "bob")->reason,
                        "'bob.zip' was refused: is no archive that can be read. 'bob?.zip' was refused: is damaged.");
    assert_string_equal(points_of_person(&scores, "bob")->told, points_of_person(&scores, "bob")->reason);
    holds(points_of_person(&scores, "=1+1")->reason, "Nothing was submitted.");
    Facts facts = {0};
    must(summary_facts_read(store, &scores, &facts, &why));
    const Summary summary = summary_of(&facts, "", "", &arena);
    assert_int_equal(summary.assignments[0].nothing_count, 1);
    assert_int_equal(summary.assignments[0].refused_count, 1);
    holds(summary.assignments[0].refused[0]->refused, "'bob.zip' was refused");
    facts_free(&facts);
    class_file_free(&class);
}

static void a_teacher_sets_points_and_the_counted_ones_stay_in_the_reason(void **state)
{
    make_class();
    judged(hands_in("bob", "a.cu"), "Accepted", accepted, "ranked");
    ClassOverride override = {.person = "bob",
                              .assignment = &assignment,
                              .problem = "conv1d",
                              .points = 2.5,
                              .why = "copied half of it",
                              .by = "grace"};
    class.overrides = &override;
    class.override_count = 1;
    const Scores scores = read_scores();
    const ProblemPoints *points = points_of_person(&scores, "bob");
    assert_float_equal(points->points, 2.5, 0);
    assert_float_equal(scores.people[1].assignments[0].points, 2.5, 0);
    holds(points->reason, "Set to 2.5 by grace: copied half of it. Counted: 8. Submission 1 counts");
    class_file_free(&class);
}

static void the_id_of_the_roster_or_of_the_export_is_in_the_table(void **state)
{
    make_class();
    char sql[200];
    snprintf(sql, sizeof sql, "INSERT INTO taken_in VALUES (%lld, 'moorbob_17_42_a.cu', NULL, 0, '17')",
             (long long)hands_in("bob", "a.cu"));
    must(database_run(store, sql, &why));
    holds(csv(), "\r\nbob,17,\"tutorial");
    ClassSpelling spelling = {"u0815", "bob", true};
    class.spellings = &spelling;
    class.spelling_count = 1;
    holds(csv(), "\r\nbob,u0815,\"tutorial");
    class_file_free(&class);
}

static void one_person_alone_has_the_same_facts(void **state)
{
    PersonFacts facts;
    make_class();
    judged(hands_in("bob", "a.cu"), "Accepted", accepted, "ranked");
    hands_in("carol", "a.cu");
    must(class_facts_of_person(store, &class, "bob", &arena, &facts, &why));
    assert_int_equal(facts.count, 1);
    assert_string_equal(facts.person, "bob");
    assert_string_equal(facts.facts[0].verdict, "Accepted");
    class_file_free(&class);
}

static void the_table_is_plain_text_for_every_spreadsheet(void **state)
{
    make_class();
    judged(hands_in("=1+1", "x;=2\"\t@b.cu"), "Compile Error", "{}", "not ranked: Compile Error");
    const char *table = csv();
    holds(table,
          "person,id,groups,assignment,problem,points,most,final,submission,file,verdict,received,late_s,reason\r\n");
    holds(table, "\r\n'=1+1,,\"tutorial, 1\",week-1,conv1d,0,9,yes,1,\"x;'=2\"\"\t'@b.cu\",Compile Error,");
    holds(table, "\r\nbob,,\"tutorial, 1\",week-1,conv1d,0,9,yes,,,,,,Nothing was submitted.\r\n");
    assert_string_equal(table, csv());
    class_file_free(&class);
}

static void json_has_the_same_and_the_parts(void **state)
{
    make_class();
    judged(hands_in("bob", "a.cu"), "Accepted", accepted, "ranked");
    const Scores scores = read_scores();
    Text text = {0};
    scores_json(&scores, &text);
    cJSON *root = cJSON_Parse(text.data);
    const cJSON *bob = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "people"), 1);
    const cJSON *week = cJSON_GetArrayItem(cJSON_GetObjectItem(bob, "assignments"), 0);
    assert_float_equal(cJSON_GetObjectItem(week, "points")->valuedouble, 8, 0);
    const cJSON *conv = cJSON_GetArrayItem(cJSON_GetObjectItem(week, "problems"), 0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(conv, "parts")), 3);
    assert_string_equal(cJSON_GetObjectItem(conv, "file")->valuestring, "a.cu");
    cJSON_Delete(root);
    text_free(&text);
    scores_print(&scores, &text);
    assert_string_equal(text.data, "=1+1: week-1 0 of 9\nbob: week-1 8 of 9\n");
    text_free(&text);
    class_file_free(&class);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(facts_come_from_the_store),
        test(hidden_cases_get_their_names),
        test(the_verdicts_of_all_cases_decide),
        test(what_waits_is_withdrawn_or_in_quarantine_is_told_apart),
        test(an_accepted_file_in_no_leaderboard_waits_for_a_teacher),
        test(only_what_was_handed_in_for_the_ranking_counts),
        test(who_is_in_no_group_gets_a_row_unless_a_teacher),
        test(the_time_of_another_system_counts),
        test(a_refused_file_is_refused_and_not_missing),
        test(a_teacher_sets_points_and_the_counted_ones_stay_in_the_reason),
        test(the_id_of_the_roster_or_of_the_export_is_in_the_table),
        test(one_person_alone_has_the_same_facts),
        test(the_table_is_plain_text_for_every_spreadsheet),
        test(json_has_the_same_and_the_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
