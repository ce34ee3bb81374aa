#include "service/store/tests/made_service.h"

#include "base/tests/patience.h"

#include "service/web/answer.h"

/* What /healthz answers; its status is in *status. */
static const char *health(Head *head, int *status)
{
    static char answered[400];
    Service service = {.store = store, .head = head};
    HttpReply reply = {0};
    Visit visit = {.service = &service, .reply = &reply, .arena = &arena};
    assert_string_equal(operating_routes[0].path, "/healthz");
    operating_routes[0].answer(&visit);
    *status = reply.status;
    snprintf(answered, sizeof answered, "%s", reply.body.data);
    text_free(&reply.body);
    return answered;
}

/* The clock advances only once the head has met the trouble. */
static void a_spool_that_cannot_be_read_is_told(void **state)
{
    char spool[80], claimed[90];
    Head *head;
    int status;
    snprintf(spool, sizeof spool, "%s/spool", folder);
    snprintf(claimed, sizeof claimed, "%s/claimed", spool);
    const HeadOptions options = {.state = folder, .spool = spool, .lease_s = 10, .workers_come_later = true};
    must(head_start(&options, &head, &why));
    assert_string_equal(health(head, &status), "ok\n");
    assert_int_equal(rmdir(claimed), 0);
    while (head_health(head).trouble.text[0] == '\0')
        usleep(1000);
    passed_over_s = 31;
    const char *answer = health(head, &status);
    head_stop(head);
    assert_int_equal(status, 503);
    assert_non_null(strstr(answer, "the spool has not been looked at for 3"));
    assert_non_null(strstr(answer, "/spool/claimed: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {test(a_spool_that_cannot_be_read_is_told)};
    return cmocka_run_group_tests_name("operating_routes", tests, NULL, NULL);
}
