#include "base/tests/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/commands/exchange.h"
#include "service/commands/output.h"
#include "service/commands/server.h"

static int no_settings(void **state)
{
    setenv("HOME", "/nowhere", 1);
    return unsetenv("CONVJUDGE_SERVER") + unsetenv("CONVJUDGE_TOKEN") + unsetenv("CONVJUDGE_PATIENCE_SECONDS");
}

static Server found(const char *option)
{
    Server server;
    Message why;
    if (server_find(option, &server, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return server;
}

static void the_option_stands_above_the_environment(void **state)
{
    assert_string_equal(found(NULL).place, "/run/convjudge/socket");
    setenv("CONVJUDGE_SERVER", "", 1);
    assert_string_equal(found(NULL).place, "/run/convjudge/socket");
    setenv("CONVJUDGE_SERVER", "https://judge.example.org/", 1);
    assert_string_equal(found(NULL).place, "https://judge.example.org");
    assert_true(found(NULL).is_encrypted && !found(NULL).is_socket);
    assert_string_equal(found("here").place, "here");
    assert_true(found("here").is_socket && found("here").interrupt == INTERRUPT_NONE);
}

static void a_token_stays_on_this_machine_or_is_encrypted(void **state)
{
    static const char *const allowed[] = {"http://localhost:8080",     "http://LOCALHOST",
                                          "http://127.0.0.1",          "http://[::1]:80",
                                          "https://judge.example.org", "https://judge.example.org:8443/courses"};
    static const char *const refused[] = {
        "http://judge.example.org", "http://127.0.0.2",  "http://[::2]",
        "http://0x7f.1.example",    "http://localhost.", "http://localhost@judge.example.org"};
    Server server;
    Message why;
    setenv("CONVJUDGE_TOKEN", "secret\n", 1);
    for (size_t i = 0; i < COUNT_OF(allowed); i++)
        assert_string_equal(found(allowed[i]).token, "secret");
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (server_find(refused[i], &server, &why) != STATUS_BAD_INPUT)
            fail_test("%s was not refused", refused[i]);
    assert_string_equal(found("socket").token, "");
    unsetenv("CONVJUDGE_TOKEN");
    assert_string_equal(found("http://judge.example.org").token, "");
}

static void a_query_is_escaped(void **state)
{
    Message why;
    char long_name[1000];
    ApiPath path = api_path("submissions?limit=%d", 7);
    assert_int_equal(api_add_query(&path, "person", "a&b=c d\n", &why), STATUS_OK);
    assert_int_equal(api_add_query(&path, "problem", NULL, &why), STATUS_OK);
    assert_int_equal(api_add_number(&path, "before", 12, &why), STATUS_OK);
    assert_string_equal(path.text, "/api/v1/submissions?limit=7&person=a%26b%3Dc%20d%0A&before=12");
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(api_add_query(&path, "person", long_name, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "person: 999 bytes are too many for a name");
}

static Status find_with_a_token_that_cannot_be_inspected(Message *why)
{
    Server server;
    refuse_call(SYS_newfstatat, EIO); /* glibc has used both for fstat() */
    refuse_call(SYS_fstat, EIO);
    return server_find("http://localhost", &server, why);
}

static void a_token_that_cannot_be_inspected_is_named(void **state)
{
    char folder[] = "/tmp/test_server.XXXXXX", command[300], expected[200];
    assert_non_null(mkdtemp(folder));
    setenv("HOME", folder, 1);
    snprintf(command, sizeof command, "mkdir -p %1$s/.config/convjudge && echo secret >%1$s/.config/convjudge/token",
             folder);
    assert_int_equal(system(command), 0);
    snprintf(expected, sizeof expected, "%s/.config/convjudge/token: cannot be inspected: Input/output error", folder);
    assert_string_equal(said_by_child(find_with_a_token_that_cannot_be_inspected), expected);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_option_stands_above_the_environment, no_settings),
        cmocka_unit_test_setup(a_token_stays_on_this_machine_or_is_encrypted, no_settings),
        cmocka_unit_test_setup(a_query_is_escaped, no_settings),
        cmocka_unit_test_setup(a_token_that_cannot_be_inspected_is_named, no_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
