#include "base/tests/unit.h"

#include "service/web/site_answers.h"
#include "service/web/template.h"

#include <string.h>

static void a_list_says_which_times_are_modelled(void **state)
{
    cJSON *values = cJSON_Parse(
        "{\"recent\": [{\"number\": 3, \"device\": \"sim-h200\", \"time_ms\": 0.1, \"uncertainty\": 0.005}, {\"number\": 2,"
        " \"device\": \"nvidia-h200\", \"time_ms\": 0.2, \"uncertainty\": 0.005}, {\"number\": 1, \"device\": \"sim-h200\","
        " \"time_ms\": 0}, {\"number\": 0, \"device\": null, \"time_ms\": 0}]}");
    Text page = {0};
    template_try(&page, "{{#each recent}}{{>time_cell}}{{/each}}", values);
    cJSON_Delete(values);
    const char *label = strstr(page.data, "modelled");
    assert_non_null(strstr(page.data, "µs<span class=\"more\">modelled</span></td>"));
    assert_null(strstr(label + 1, "modelled"));
    text_free(&page);
}

static void the_sign_of_a_verdict_stays_with_its_first_word(void **state)
{
    cJSON *values = cJSON_Parse("{\"a\": \"Memory Limit Exceeded\", \"b\": \"waiting\"}");
    Text page = {0};
    template_try(&page, "{{a|verdict}}{{b|verdict}}", values);
    cJSON_Delete(values);
    assert_non_null(strstr(page.data, "\u00A0Memory</span> Limit Exceeded</span>"));
    assert_non_null(strstr(page.data, "\u00A0waiting</span></span>"));
    text_free(&page);
}

static void an_error_says_of_what_kind_it_is(void **state)
{
    static const struct {
        int status;
        const char *words;
    } rows[] = {{401, "Who are you?"},       {403, "Not for you"},      {404, "There is no such page"},
                {413, "Too large"},          {429, "Too many at once"}, {500, "The judge cannot answer now"},
                {409, "This cannot be done"}};
    const Config config = {.title = "Judge"};
    Service service = {.config = &config};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        HttpReply reply = {0};
        Visit visit = {.service = &service, .reply = &reply};
        site_error(&visit, rows[i].status, "why <b>");
        assert_int_equal(reply.status, rows[i].status);
        if (strstr(reply.body.data, rows[i].words) == NULL || strstr(reply.body.data, "<p>why &lt;b&gt;</p>") == NULL)
            fail_test("%d: %s", rows[i].status, reply.body.data);
        text_free(&reply.body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_says_which_times_are_modelled),
        cmocka_unit_test(an_error_says_of_what_kind_it_is),
        cmocka_unit_test(the_sign_of_a_verdict_stays_with_its_first_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
