#include "service/store/tests/made_service.h"

#include "service/store/judgings.h"

static void the_anchor_of_a_sitting_is_read(void **state)
{
    const AnchorTime time = host_times_anchor(
        "{\"anchor\": {\"name\": \"tiled.cu\", \"before_ms\": 0.1, \"after_ms\": 0.102, \"drift\": 0.02}}", &arena);
    assert_string_equal(time.name, "tiled.cu");
    assert_true(time.ms > 0.10099 && time.ms < 0.10101);
    assert_true(time.drift > 0.0199 && time.drift < 0.0201);
    static const char *const without[] = {NULL, "", "{}", "{\"anchor\": 7}", "{\"anchor\": {\"name\": \"tiled.cu\"}}"};
    for (size_t i = 0; i < COUNT_OF(without); i++)
        assert_null(host_times_anchor(without[i], &arena).name);
}

/* Two H200 in different hosts timed a 56 us kernel 1 to 2 us apart. */
static void machines_agree_within_what_both_are_uncertain_by(void **state)
{
    const AnchorTime one = {"tiled.cu", 0.0560, 0.001};
    assert_true(host_times_agree(one, (AnchorTime){"tiled.cu", 0.0566, 0}));
    assert_false(host_times_agree(one, (AnchorTime){"tiled.cu", 0.0570, 0}));
    assert_true(host_times_agree(one, (AnchorTime){"tiled.cu", 0.0570, 0.01}));
    assert_false(host_times_agree((AnchorTime){"tiled.cu", 0.0580, 0}, one));
    assert_true(host_times_agree(one, (AnchorTime){"naive.cu", 1, 0}));
    assert_true(host_times_agree(one, (AnchorTime){0}));
}

static Run run_at(const char *sitting, const char *rank_status)
{
    return (Run){.board = {.problem = "conv1d", .revision = "r1", .device = "nvidia-h200", .epoch = 1},
                 .time_utc = "2026-01-31T12:00:00Z",
                 .person = "ada",
                 .device_name = "Test",
                 .driver = "none",
                 .toolkit = "13.0",
                 .judge = "1",
                 .sandbox = "full",
                 .verdict = "Accepted",
                 .rank_status = rank_status,
                 .time = {1.5, 0.005},
                 .machine_code = "c0de",
                 .source_hash = "50ce",
                 .source = "// nothing",
                 .file_name = "x.cu",
                 .sitting = sitting,
                 .cases = "[]"};
}

static const char *reviewed(Run run)
{
    const char *rank_status;
    must(host_times_review(store, &run, &arena, &rank_status, &why));
    return rank_status;
}

static void a_run_of_another_machine_waits_for_a_teacher(void **state)
{
    static const char here[] = "{\"anchor\": {\"name\": \"tiled.cu\", \"before_ms\": 0.056, \"after_ms\": 0.056}}",
                      near[] = "{\"anchor\": {\"name\": \"tiled.cu\", \"before_ms\": 0.0562, \"after_ms\": 0.0563}}",
                      there[] = "{\"anchor\": {\"name\": \"tiled.cu\", \"before_ms\": 0.058, \"after_ms\": 0.058}}";
    assert_string_equal(reviewed(run_at(there, "ranked")), "ranked"); /* the first one sets the board's machine */
    for (int i = 0; i < 3; i++) {
        const Run run = run_at(here, "ranked"), other = run_at(there, "quarantined: another reason");
        must(store_add_run(store, &run, NULL, &why));
        must(store_add_run(store, &other, NULL, &why)); /* does not rank, so it does not count */
    }
    assert_string_equal(reviewed(run_at(near, "ranked")), "ranked");
    assert_string_equal(reviewed(run_at("{}", "ranked")), "ranked"); /* a simulated GPU */
    assert_string_equal(reviewed(run_at(there, "not ranked: not accepted")), "not ranked: not accepted");
    assert_string_equal(
        reviewed(run_at(there, "ranked")),
        "quarantined: this machine times tiled.cu at 0.058 ms and those of the board at 0.056 ms, which "
        "differ by more than they are uncertain by");
    Run elsewhere = run_at(there, "ranked");
    elsewhere.board.device = "nvidia-h100";
    assert_string_equal(reviewed(elsewhere), "ranked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_anchor_of_a_sitting_is_read, new_service, remove_service),
        cmocka_unit_test(machines_agree_within_what_both_are_uncertain_by),
        cmocka_unit_test_setup_teardown(a_run_of_another_machine_waits_for_a_teacher, new_service, remove_service),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
