#include "service/store/tests/made_service.h"

#include "base/tests/patience.h"

#include "service/web/answer.h"

static ClockWatch watch;

/* What /healthz answers; its status is in *status. */
static const char *health(Queue *queue, int *status)
{
    static char answered[400];
    const Config config = {.state = folder};
    Service service = {.config = &config, .store = store, .queue = queue, .clock = watch};
    HttpReply reply = {0};
    Visit visit = {.service = &service, .reply = &reply, .arena = &arena};
    assert_string_equal(operating_routes[0].path, "/healthz");
    operating_routes[0].answer(&visit);
    *status = reply.status;
    snprintf(answered, sizeof answered, "%s", reply.body.data);
    text_free(&reply.body);
    return answered;
}

static void a_queue_in_trouble_is_told_until_it_is_over(void **state)
{
    Queue *queue;
    int status;
    must(queue_start(&(QueueOptions){.state = folder, .lease_s = 10}, store, &queue, &why));
    queue_tick(queue);
    assert_string_equal(health(queue, &status), "ok\n");
    must(database_run(store, "ALTER TABLE drained RENAME TO dried", &why));
    passed_over_s = 1;
    queue_tick(queue);
    const char *answer = health(queue, &status);
    assert_int_equal(status, 503);
    assert_non_null(strstr(answer, "the queue is in trouble: "));
    must(database_run(store, "ALTER TABLE dried RENAME TO drained", &why));
    passed_over_s = 2;
    queue_tick(queue);
    assert_string_equal(health(queue, &status), "ok\n");
    watch = (ClockWatch){.jumped_s = 100, .last_before = 7};
    answer = health(queue, &status);
    assert_int_equal(status, 503);
    assert_non_null(strstr(answer, "the clock has jumped by +100 s: submissions after 7"));
    watch = (ClockWatch){0};
    queue_stop(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {test(a_queue_in_trouble_is_told_until_it_is_over)};
    return cmocka_run_group_tests_name("operating_routes", tests, NULL, NULL);
}
