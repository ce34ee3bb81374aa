#include "service/store/tests/made_service.h"

#include "base/tests/patience.h"
#include "base/tests/refusal.h"

#include "service/queue/head.h"

/* A head without its thread: each test takes the steps by itself. */
static Head head;
static char spool[80];

static int new_head(void **state)
{
    if (new_service(state) != 0)
        return -1;
    snprintf(spool, sizeof spool, "%s/spool", folder);
    head = (Head){
        .options = {.state = folder, .spool = spool, .lease_s = 10}, .store = store, .lock = PTHREAD_MUTEX_INITIALIZER};
    return spool_make(spool, &why) == STATUS_OK ? 0 : -1;
}

static int remove_head(void **state)
{
    watch_free(&head.watch);
    return remove_service(state);
}

static const char *last_attempt(void)
{
    return asked("SELECT outcome || ': ' || why FROM attempt ORDER BY n DESC LIMIT 1");
}

static Status start_without_threads(Message *said)
{
    Head *started;
    refuse_processes();
    return head_start(&head.options, &started, said);
}

static void a_head_that_gets_no_thread_does_not_start(void **state)
{
    assert_string_equal(said_by_child(start_without_threads), "no thread can be started");
}

static void a_source_that_is_lost_is_no_fault_of_its_author(void **state)
{
    handed_in(admitted("ada").id, "a");
    must(database_run(store, "DROP TRIGGER sources_are_never_deleted", &why));
    must(database_run(store, "DELETE FROM sources", &why));
    must(head_offer(&head, &why));
    assert_string_equal(last_attempt(), "worker_failed: the store has lost the source");
}

static void a_worker_that_lives_may_not_judge_for_ever(void **state)
{
    bool claimed;
    handed_in(admitted("ada").id, "a");
    must(head_offer(&head, &why));
    SpoolClaim claim = {.id = {1, 1}, .worker = "w", .count = 1, .step = ""};
    must(spool_claim(spool, claim.id, claim.worker, &claimed, &why));
    assert_true(claimed);
    must(head_look_at_claims(&head, &why));
    passed_over_s = 1e6;
    must(spool_beat(spool, &claim, &why));
    must(head_look_at_claims(&head, &why));
    assert_string_equal(last_attempt(), "lost: it took longer than all limits of the problem together");
}

#define test_of_head(function) cmocka_unit_test_setup_teardown(function, new_head, remove_head)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_of_head(a_head_that_gets_no_thread_does_not_start),
        test_of_head(a_source_that_is_lost_is_no_fault_of_its_author),
        test_of_head(a_worker_that_lives_may_not_judge_for_ever),
    };
    return cmocka_run_group_tests_name("head", tests, NULL, NULL);
}
