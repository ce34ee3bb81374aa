#include "base/tests/unit.h"

#include "service/store/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Status read_text(const char *text, Config *config, Message *why)
{
    char path[] = "/tmp/convjudge-config-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    Status status = config_read(path, config, why);
    unlink(path);
    return status;
}

/* Each row is refused with this message. */
static const struct {
    const char *text, *message;
} refused[] = {
    {"{\"listen\": 8080}", ":1: listen: expected a string"},
    {"{\"listen\": \"8080\"}", "listen: expected \"ADDRESS:PORT\" such as \"127.0.0.1:8080\", or \"\", found \"8080\""},
    {"{\"listen\": \":8080\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"listen\": \"::1:8080\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"listen\": \"[::1:8080\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"listen\": \"127.0.0.1:80800\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"listen\": \"127.0.0.1:80x\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"listen\": \"127.0.0.1:\"}", "listen: expected \"ADDRESS:PORT\""},
    {"{\"socket\": \"run/socket\"}", "socket: expected a path from the root, found \"run/socket\""},
    {"{\"state\": \"\"}", "state: expected a path from the root, found \"\""},
    {"{\n\"lissen\": \"\"}", ":2: lissen: unknown key; did you mean 'listen'?"},
    {"{\"public\": true,\n\"public\": false}", ":2: public: this key is repeated"},
    {"{\"admins\": \"root\"}", "admins: expected an array"},
    {"{\"admins\": [\"root\", 7]}", "admins: expected a list of names"},
    {"{\"admins\": [\"\"]}", "admins: expected a list of names"},
    {"{\"teachers\": [\"ada\", \"ada\"]}", "\"ada\" is listed twice"},
    {"{\"teachers\": [\"a\\nb\"]}", "expected no control character"},
    {"{\"penalty_s\": -1}", "penalty_s: expected a number from 0"},
    {"{\"lease_s\": 1}", "lease_s: expected a number from 10"},
    {"{\"budget_device_s\": {\"rank\": 0}}", "rank: expected a number from 1"},
    {"{\"budget_device_s\": {\"test\": 1}}", "test: unknown key"},
    {"{\"pages\": {\"title\": \"\"}}", "title: expected a text that is not empty"},
    {"{\"engine\": \"pbs\"}", ":1: engine: expected \"workers\" or \"slurm\", found \"pbs\""},
    {"{\"slurm\": {\"nodes\": 2}}", "nodes: unknown key"},
    {"{\"slurm\": {\"pilots\": 0}}", "pilots: expected a whole number from 1 to 1000"},
    {"{\"slurm\": {\"time_minutes\": 4}}", "time_minutes: expected a whole number from 5"},
    {"{\"slurm\": {\"device\": \"\"}}", "device: expected a text that is not empty"},
    {"{\"slurm\": {\"options\": [7]}}", "options: expected a list of names"},
    {"{\"proxy_socket\": {\"path\": \"/run/proxy\"}}", "the key \"user\" is missing"},
    {"{\"proxy_socket\": {\"path\": \"/run/convjudge/socket\", \"user\": \"www-data\"}}",
     "proxy_socket: expected another path than that of \"socket\""},
};

static void what_is_wrong_is_refused_with_its_place(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        Config config;
        Message why = {0};
        assert_int_equal(read_text(refused[i].text, &config, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: \"%s\"", i, why.text);
        config_free(&config);
    }
}

static void names_and_paths_have_a_longest_length(void **state)
{
    Config config;
    Message why;
    char text[400], name[301];
    memset(name, 'x', sizeof name - 1);
    name[300] = '\0';
    snprintf(text, sizeof text, "{\"admins\": [\"%s\"]}", name);
    assert_int_equal(read_text(text, &config, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected at most 256 bytes, found 300"));
    config_free(&config);
    snprintf(text, sizeof text, "{\"socket\": \"/%.120s\"}", name);
    assert_int_equal(read_text(text, &config, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "socket: expected a path of fewer than 108 bytes"));
    config_free(&config);
}

static void an_empty_file_is_a_whole_configuration(void **state)
{
    Config config;
    Message why;
    assert_int_equal(read_text("{}", &config, &why), STATUS_OK);
    assert_string_equal(config.listen, "127.0.0.1:8080");
    assert_string_equal(config.socket, "/run/convjudge/socket");
    assert_null(config.proxy_socket.path);
    assert_true(config.penalty_s == 60);
    assert_true(names_hold(&config.workers, "auto"));
    assert_false(names_hold(&config.admins, "root"));
    config_free(&config);
}

static void what_is_printed_reads_back_as_the_same(void **state)
{
    static const char *const text =
        "{\"listen\": \"[::1]:8081\", \"socket\": \"/a\", \"proxy_socket\": {\"path\": \"/b\", \"user\": \"www-data\"},"
        " \"state\": \"/c\", \"class\": \"/d/class.json\", \"admins\": [\"root\"], \"teachers\": [\"ada\", \"bob\"], \"workers\": [], \"penalty_s\": 0.1,"
        " \"engine\": \"slurm\", \"slurm\": {\"partition\": \"gpu\", \"pilots\": 4,"
        " \"options\": [\"--mem=64G\"], \"program\": [\"x\", \"--bind\", \"/a\", \"--bind\", \"/b\"]},"
        " \"budget_device_s\": {\"practice\": 7}, \"lease_s\": 11, \"pages\": {\"title\": \"GPU 101\"}, \"public\": false}";
    Config config, again;
    Message why;
    Text first = {0}, second = {0};
    assert_int_equal(read_text(text, &config, &why), STATUS_OK);
    config_print(&config, &first);
    assert_int_equal(read_text(first.data, &again, &why), STATUS_OK);
    config_print(&again, &second);
    assert_string_equal(first.data, second.data);
    assert_string_equal(again.proxy_socket.header, "X-Remote-User");
    assert_int_equal(again.workers.count, 0);
    assert_true(again.practice_device_s == 7);
    assert_int_equal(again.engine, ENGINE_SLURM);
    assert_string_equal(again.slurm.partition, "gpu");
    assert_string_equal(again.slurm.gres, "gpu:1");
    assert_int_equal(again.slurm.pilots, 4);
    assert_int_equal(again.slurm.time_minutes, 240);
    assert_int_equal(again.slurm.program.count, 5); /* a word may be repeated */
    assert_false(again.is_public);
    text_free(&first);
    text_free(&second);
    config_free(&config);
    config_free(&again);
}

static void a_file_that_is_named_must_exist(void **state)
{
    Config config;
    Message why;
    assert_int_equal(config_read("/nowhere/config.json", &config, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "/nowhere/config.json: there is no such file of settings");
    setenv("CONVJUDGE_CONFIG", "/nowhere/else.json", 1);
    assert_int_equal(config_read(NULL, &config, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "/nowhere/else.json: there is no such file of settings");
    unsetenv("CONVJUDGE_CONFIG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
        cmocka_unit_test(names_and_paths_have_a_longest_length),
        cmocka_unit_test(an_empty_file_is_a_whole_configuration),
        cmocka_unit_test(what_is_printed_reads_back_as_the_same),
        cmocka_unit_test(a_file_that_is_named_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
