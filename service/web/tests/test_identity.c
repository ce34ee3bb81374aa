#include "base/tests/unit.h"

#include "service/web/api.h"

static void a_user_without_a_name_is_nobody(void **state)
{
    const HttpRequest request = {.door = DOOR_SOCKET, .peer = (uid_t)-1};
    Visit visit = {.request = &request};
    Message why;
    assert_int_equal(identity_find(&visit, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "user 4294967295 of this host has no name");
    assert_false(visit.is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_user_without_a_name_is_nobody)};
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
