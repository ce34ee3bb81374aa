#include "base/tests/unit.h"

#include "service/store/slurm.h"

#include <string.h>

static void pilots_are_started_only_while_something_waits(void **state)
{
    static const struct {
        int64_t waiting, alive, most, started;
    } rows[] = {
        {0, 0, 4, 0},                         /* nothing waits */
        {1, 0, 4, 1},                         /* the first comes at once */
        {SUBMISSIONS_PER_PILOT, 0, 4, 1},     /* a minute's work is not worth a second one */
        {SUBMISSIONS_PER_PILOT + 1, 0, 4, 2}, /* more is */
        {SUBMISSIONS_PER_PILOT + 1, 1, 4, 1}, /* those that are there count */
        {SUBMISSIONS_PER_PILOT, 1, 4, 0},     /* and are enough */
        {1000, 0, 4, 4},                      /* never more than configured */
        {1000, 3, 4, 1},
        {1000, 4, 4, 0}, /* together with those that are there */
        {1000, 9, 4, 0}, /* also where there are too many already */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (pilots_to_start(rows[i].waiting, rows[i].alive, rows[i].most) != rows[i].started)
            fail_test("row %zu", i);
}

static void pauses_grow_up_to_five_minutes(void **state)
{
    assert_true(pilots_pause_s(0) == 0);
    assert_true(pilots_pause_s(1) == 2);
    assert_true(pilots_pause_s(2) == 4);
    assert_true(pilots_pause_s(6) == 64);
    assert_true(pilots_pause_s(9) == 300);
    assert_true(pilots_pause_s(1000000) == 300);
}

static void a_list_of_squeue_is_read(void **state)
{
    static const char text[] = "17|RUNNING|None\n18|PENDING|Resources\n19|PENDING|PartitionDown\n"
                               "20|COMPLETING|None\n21|REQUEUED|BeginTime\n22|NODE_FAIL|NodeDown\n";
    static const PilotState states[] = {PILOT_RUNNING, PILOT_PENDING, PILOT_PENDING,
                                        PILOT_ENDING,  PILOT_PENDING, PILOT_ENDING};
    Arena arena = {0};
    PilotJob *pilots;
    size_t count;
    Message why;
    assert_int_equal(pilots_parse(text, &arena, &pilots, &count, &why), STATUS_OK);
    assert_int_equal(count, COUNT_OF(states));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pilots[i].job, 17 + (int64_t)i);
        assert_int_equal(pilots[i].state, states[i]);
    }
    assert_true(pilots_is_ordinary(pilots[1].reason));
    assert_false(pilots_is_ordinary(pilots[2].reason));
    assert_int_equal(pilots_parse("", &arena, &pilots, &count, &why), STATUS_OK);
    assert_int_equal(count, 0);
    arena_free(&arena);
}

static void other_words_of_squeue_are_no_list(void **state)
{
    static const char *const texts[] = {"slurm_load_jobs error: Unable to contact slurm controller\n", "17\n",
                                        "17|RUNNING\n", "x17|RUNNING|None\n", "0|RUNNING|None\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Arena arena = {0};
        PilotJob *pilots;
        size_t count;
        Message why = {0};
        assert_int_equal(pilots_parse(texts[i], &arena, &pilots, &count, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "squeue: expected \"JOB|STATE|REASON\", found \""));
        arena_free(&arena);
    }
}

static void jobs_are_known_by_number(void **state)
{
    assert_int_equal(pilots_job_of_sbatch("17"), 17);
    assert_int_equal(pilots_job_of_sbatch("17;cluster"), 17);
    assert_int_equal(pilots_job_of_sbatch("Submitted batch job 17"), 0);
    assert_int_equal(pilots_job_of_sbatch(""), 0);
    assert_int_equal(pilots_job_of_worker("slurm-17-0-a1b2c3"), 17);
    assert_int_equal(pilots_job_of_worker("slurm-17-2-a1b2c3"), 17);
    assert_int_equal(pilots_job_of_worker("own-1"), 0);
    assert_int_equal(pilots_job_of_worker("slurm-x-0"), 0);
}

static void a_pilot_that_the_list_lacks_has_ended(void **state)
{
    KnownPilots known = {0};
    KnownPilot ended;
    for (int64_t job = 1; job <= 40; job++)
        known_pilots_see(&known, job);
    assert_true(known_pilots_note_claim(&known, 3));
    assert_false(known_pilots_note_claim(&known, 99));
    assert_int_equal(known.count, 40);
    known_pilots_begin(&known);
    for (int64_t job = 4; job <= 40; job++)
        known_pilots_see(&known, job);
    for (int i = 0; i < 3; i++) {
        assert_true(known_pilots_take_ended(&known, &ended));
        assert_true(ended.job <= 3);
        assert_true(ended.has_claimed == (ended.job == 3));
    }
    assert_false(known_pilots_take_ended(&known, &ended));
    assert_int_equal(known.count, 37);
    known_pilots_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pilots_are_started_only_while_something_waits),
        cmocka_unit_test(pauses_grow_up_to_five_minutes),
        cmocka_unit_test(a_list_of_squeue_is_read),
        cmocka_unit_test(other_words_of_squeue_are_no_list),
        cmocka_unit_test(jobs_are_known_by_number),
        cmocka_unit_test(a_pilot_that_the_list_lacks_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
