#include "base/tests/unit.h"

#include "service/commands/doctor.h"

#include <string.h>

static void add_three(Checkup *checkup)
{
    checkup_add(checkup, CHECKUP_OK, "nvcc", "", "%d.%d", 13, 0);
    checkup_add(checkup, CHECKUP_NOTE, "disk", "It is slow. Buy another one.", "40 ms");
    checkup_add(checkup, CHECKUP_OK, "name", "", "with\033[31mcolour");
}

static void words_are_folded_under_each_other(void **state)
{
    Checkup checkup = {0};
    Text text = {0};
    add_three(&checkup);
    checkup_print(&checkup, 40, &text);
    assert_string_equal(text.data, "ok       nvcc            13.0\n"
                                   "note     disk            40 ms\n"
                                   "                         It is slow. Buy\n"
                                   "                         another one.\n"
                                   "ok       name            with?[31mcolour\n"
                                   "Grading works here.\n");
    text_free(&text);
    checkup_free(&checkup);
}

static void what_is_missing_forbids_grading(void **state)
{
    Checkup checkup = {0};
    Text text = {0};
    add_three(&checkup);
    assert_true(checkup_allows_grading(&checkup));
    checkup_add(&checkup, CHECKUP_MISSING, "gcc", "It compiles.", "none");
    assert_false(checkup_allows_grading(&checkup));
    checkup_json(&checkup, &text);
    assert_non_null(strstr(text.data, "\"grading_works\":\tfalse"));
    assert_non_null(strstr(text.data, "\"level\":\t\"missing\""));
    text_free(&text);
    checkup_free(&checkup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_folded_under_each_other),
        cmocka_unit_test(what_is_missing_forbids_grading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
