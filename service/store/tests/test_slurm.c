#include "service/store/tests/made_service.h"

#include "base/tests/refusal.h"

#include "service/store/slurm.h"

static Status start_without_threads(Message *said)
{
    static const SlurmSettings settings = {.server = "", .logs = ""};
    const SlurmOptions options = {.settings = &settings, .state = folder, .server = "socket", .program = "convjudge"};
    Slurm *slurm;
    refuse_processes();
    return slurm_start(&options, &slurm, said);
}

static void without_a_thread_no_pilot_is_kept(void **state)
{
    assert_string_equal(said_by_child(start_without_threads), "no thread can be started");
}

int main(void)
{
    const struct CMUnitTest tests[] = {test(without_a_thread_no_pilot_is_kept)};
    return cmocka_run_group_tests_name("slurm", tests, NULL, NULL);
}
