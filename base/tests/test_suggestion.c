#include "base/tests/unit.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const char commands[] = "grade, leaderboard, check, check-problem, calibrate";
static const char problems[] = "conv1d, conv1d-same, conv2d, conv2d-same, gaussian-blur";
static const char devices[] = "auto, cuda, sim";

/* A word, the known names, and the name that is suggested; "" for none. */
static const struct {
    const char *word, *names, *expected;
} rows[] = {
    {"grad", commands, "grade"},
    {"garde", commands, "grade"}, /* two neighbours swapped are one edit */
    {"Grade", commands, "grade"}, /* case does not matter */
    {"leaderbord", commands, "leaderboard"},
    {"leaderboards", commands, "leaderboard"},
    {"calib", commands, "calibrate"}, /* a beginning */
    {"chek", commands, "check"},
    {"check_problem", commands, "check-problem"},
    {"check-prob", commands, "check-problem"},
    {"foo", commands, ""},
    {"help", commands, ""},
    {"g", commands, ""},
    {"", commands, ""},
    {"con1d", problems, "conv1d"},
    {"conv1d-smae", problems, "conv1d-same"},
    {"gaussian_blurr", problems, "gaussian-blur"},
    {"conv9", problems, ""}, /* two edits of five characters are too many */
    {"../conv1d", problems, "conv1d"},
    {"smi", devices, "sim"},
    {"sim", devices, ""}, /* a known name is not misspelt */
    {"cdua", devices, "cuda"},
    {"tpu", devices, ""},
    {"wrong answr", "Accepted, Wrong Answer", "Wrong Answer"},
    {"grade", "", ""},
};

static void the_nearest_name_is_suggested_where_one_is_near(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char expected[100] = "";
        if (rows[i].expected[0] != '\0')
            snprintf(expected, sizeof expected, "did you mean '%s'? ", rows[i].expected);
        Suggestion found = suggestion_for(rows[i].word, rows[i].names);
        if (strcmp(found.text, expected) != 0)
            fail_test("'%s': \"%s\", expected \"%s\"", rows[i].word, found.text, expected);
    }
}

static void the_first_of_equally_near_names_is_suggested(void **state)
{
    assert_string_equal(suggestion_for("conv3d", "conv1d, conv2d").text, "did you mean 'conv1d'? ");
    assert_string_equal(suggestion_for("conv2x", "conv1d, conv2d").text, "did you mean 'conv2d'? ");
}

static void words_and_names_of_any_length_are_safe(void **state)
{
    char word[400], names[800];
    memset(word, 'a', sizeof word);
    for (size_t length = 0; length < sizeof word - 1; length += 13) {
        snprintf(names, sizeof names, "%.*s, %.*sb", (int)length, word, (int)length, word);
        char cut[400];
        snprintf(cut, sizeof cut, "%.*s", (int)length, word);
        Suggestion found = suggestion_for(cut, names);
        assert_true(strlen(found.text) < sizeof found.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_suggested_where_one_is_near),
        cmocka_unit_test(the_first_of_equally_near_names_is_suggested),
        cmocka_unit_test(words_and_names_of_any_length_are_safe),
    };
    return cmocka_run_group_tests_name("suggestion", tests, NULL, NULL);
}
