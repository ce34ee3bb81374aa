#include "base/tests/unit.h"

#include "service/web/parts.h"

#include <string.h>

static void a_list_says_which_times_are_modelled(void **state)
{
    const Site site = {.person = "ada"};
    const SubmissionLine rows[] = {
        {.number = 3,
         .problem = "conv1d",
         .file_name = "a.cu",
         .state = "judged",
         .verdict = "Accepted",
         .device = "sim-h200",
         .time = {0.1, 0.005}},
        {.number = 2,
         .problem = "conv1d",
         .file_name = "a.cu",
         .state = "judged",
         .verdict = "Accepted",
         .device = "nvidia-h200",
         .time = {0.2, 0.005}},
        {.number = 1,
         .problem = "conv1d",
         .file_name = "a.cu",
         .state = "judged",
         .verdict = "Wrong Answer",
         .device = "sim-h200"},
        {.number = 0, .problem = "conv1d", .file_name = "a.cu", .state = "waiting"},
    };
    Text page = {0};
    submission_list(&page, &site, "Submissions", false, rows, COUNT_OF(rows));
    const char *label = strstr(page.data, "modelled");
    assert_non_null(strstr(page.data, "µs<span class=\"more\">modelled</span></td>"));
    assert_null(strstr(label + 1, "modelled"));
    text_free(&page);
}

static void the_sign_of_a_verdict_stays_with_its_first_word(void **state)
{
    Text page = {0};
    verdict_mark(&page, "Memory Limit Exceeded");
    verdict_mark(&page, "waiting");
    assert_non_null(strstr(page.data, "\u00A0Memory</span> Limit Exceeded</span>"));
    assert_non_null(strstr(page.data, "\u00A0waiting</span></span>"));
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_says_which_times_are_modelled),
        cmocka_unit_test(the_sign_of_a_verdict_stays_with_its_first_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
