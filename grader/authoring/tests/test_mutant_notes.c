/* What is noted about mutants: those that are right, by the author, and those that need not be judged again, by the judge. */
#include "base/tests/unit.h"

#include "grader/authoring/equivalent_mutants.h"
#include "grader/authoring/mutant_log.h"
#include "grader/tests/home.h"

/* ---- equivalent_mutants.json ------------------------------------------------------------------------------------- */

#define NOTES "solutions/blend/equivalent_mutants.json"

static const char notes[] =
    "{\"schema\": 1, \"equivalent\": [\n"
    " {\"why\": \"both are zero\", \"mutants\": [\n"
    "  {\"solution\": \"naive.cu\", \"line\": \"x = 0;\", \"mutant\": \"x = y;\"},\n"
    "  {\"solution\": \"naive.cu\", \"line\": \"i++;\", \"mutant\": \"\", \"occurrence\": 2}]},\n"
    " {\"why\": \"no such block\", \"mutants\": [\n"
    "  {\"solution\": \"tiled.cu\", \"line\": \"a < b\", \"mutant\": \"a <= b\"}]}]}\n";

static void a_note_holds_for_its_solution_lines_and_occurrence(void **state)
{
    static const struct {
        const char *solution, *line, *mutant;
        int occurrence;
        bool noted;
    } rows[] = {
        {"naive.cu", "x = 0;", "x = y;", 0, true},  {"naive.cu", "x = 0;", "x = y;", 1, false},
        {"tiled.cu", "x = 0;", "x = y;", 0, false}, {"naive.cu", "x = 1;", "x = y;", 0, false},
        {"naive.cu", "x = 0;", "x = z;", 0, false}, {"naive.cu", "i++;", "", 2, true},
        {"naive.cu", "i++;", "", 1, false},         {"tiled.cu", "a < b", "a <= b", 0, true},
    };
    EquivalentMutants known;
    Message why = {0};
    home_write(NOTES, notes);
    assert_int_equal(equivalent_mutants_read("blend", &known, &why), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (equivalent_mutants_find(&known, rows[i].solution, rows[i].line, rows[i].mutant, rows[i].occurrence) !=
            rows[i].noted)
            fail_test("row %zu", i);
    assert_int_equal(equivalent_mutants_check(&known, &why), STATUS_OK);
    equivalent_mutants_free(&known);
}

static void a_note_that_names_no_mutant_is_an_error_with_its_line(void **state)
{
    EquivalentMutants known;
    Message why = {0};
    home_write(NOTES, notes);
    assert_int_equal(equivalent_mutants_read("blend", &known, &why), STATUS_OK);
    assert_true(equivalent_mutants_find(&known, "naive.cu", "x = 0;", "x = y;", 0));
    assert_int_equal(equivalent_mutants_check(&known, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "equivalent_mutants.json:4: "));
    assert_non_null(strstr(why.text, "accepted/naive.cu has no mutant with this line and this change so often"));
    assert_true(equivalent_mutants_find(&known, "naive.cu", "i++;", "", 2));
    assert_int_equal(equivalent_mutants_check(&known, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "equivalent_mutants.json:6: "));
    assert_non_null(strstr(why.text, "tiled.cu has no mutant with this line and this change, or has several, which "
                                     "\"occurrence\" tells apart"));
    equivalent_mutants_free(&known);
}

static void without_the_file_nothing_is_noted(void **state)
{
    EquivalentMutants known;
    Message why = {0};
    assert_int_equal(equivalent_mutants_read("other", &known, &why), STATUS_OK);
    assert_int_equal(known.count, 0);
    assert_false(equivalent_mutants_find(&known, "naive.cu", "x = 0;", "x = y;", 0));
    assert_int_equal(equivalent_mutants_check(&known, &why), STATUS_OK);
    equivalent_mutants_free(&known);
}

static void a_slip_in_the_notes_is_named(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } rows[] = {
        {"\"schema\": 1", "\"schema\": 2", ":1: schema: expected a whole number from 1 to 1"},
        {"\"schema\": 1, ", "", "the key \"schema\" is missing"},
        {"both are zero", "", ":2: why: expected some text"},
        {"\"why\": \"both are zero\"", "\"because\": \"\"", "because: unknown key"},
        {"\"line\": \"x = 0;\"", "\"line\": \"\"", "line: expected some text"},
        {"\"solution\": \"tiled.cu\"", "\"solution\": \"\"", "solution: expected some text"},
        {"\"mutant\": \"x = y;\"", "\"mutants\": 1", "mutants: unknown key"},
        {"\"occurrence\": 2", "\"occurrence\": 0", "occurrence: expected a whole number from 1 to 1000"},
        {"\"occurrence\": 2", "\"occurrence\": 1001", "occurrence: expected a whole number from 1 to 1000"},
        {"{\"solution\": \"tiled.cu\", \"line\": \"a < b\", \"mutant\": \"a <= b\"}", "",
         "expected at least one mutant"},
        {"]}]}\n", "]}]", "equivalent_mutants.json"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        EquivalentMutants known;
        Message why = {0};
        char *content = replaced(notes, rows[i].from, rows[i].to);
        home_write(NOTES, content);
        free(content);
        Status status = equivalent_mutants_read("blend", &known, &why);
        if (status != STATUS_BAD_INPUT || strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: status %d, \"%s\", expected \"%s\"", i, status, why.text, rows[i].message);
        equivalent_mutants_free(&known);
    }
}

/* ---- the log of mutants ------------------------------------------------------------------------------------------ */

static const char *log_path(void)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/mutants.log", home);
    return path;
}

static MutantLog *opened(void)
{
    MutantLog *log;
    Message why = {0};
    if (mutant_log_open(log_path(), "blend", &log, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return log;
}

static Text source(int number)
{
    Text text = {0};
    text_printf(&text, "mutant %d", number);
    return text;
}

/* Adds mutants `first` to `last` - 1, each with a fate of its own. */
static void add(int first, int last)
{
    MutantLog *log = opened();
    Message why = {0};
    for (int i = first; i < last; i++) {
        Text text = source(i);
        MutantFate fate = FATE_SURVIVED;
        assert_false(mutant_log_knows(log, &text, &fate));
        assert_int_equal(fate, FATE_SURVIVED);
        assert_int_equal(mutant_log_add(log, &text, i % FATES, &why), STATUS_OK);
        text_free(&text);
    }
    mutant_log_close(log);
}

static void expect_known(int count)
{
    MutantLog *log = opened();
    for (int i = 0; i < count; i++) {
        Text text = source(i);
        MutantFate fate = FATES;
        const bool survived = i % FATES == FATE_SURVIVED;
        if (mutant_log_knows(log, &text, &fate) == survived || (int)fate != (survived ? FATES : i % FATES))
            fail_test("mutant %d: fate %d", i, (int)fate);
        text_free(&text);
    }
    mutant_log_close(log);
}

static void all_but_survivors_are_known_when_the_log_is_opened_again(void **state)
{
    add(0, 0);
    expect_known(0);
    add(0, 5);
    expect_known(5);
    add(5, 5 * FATES);
    expect_known(5 * FATES);
    remove(log_path());
}

static void lines_of_the_log_that_are_none_are_passed_over(void **state)
{
    add(0, 1);
    FILE *file = fopen(log_path(), "a");
    fputs("no line\n0123 found\n0123 lost\n\nabcdef", file);
    fclose(file);
    expect_known(1);
    remove(log_path());
}

static void with_other_cases_nothing_is_known(void **state)
{
    static const char *const files[] = {"problems/blend/problem.json", "testcases/blend/sample.json",
                                        "testcases/blend/hidden.json"};
    static const char *const contents[] = {home_problem, home_sample, home_hidden};
    add(0, 4);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        Text changed = {0}, text = source(0);
        MutantFate fate;
        text_printf(&changed, "%s ", contents[i]);
        home_write(files[i], changed.data);
        MutantLog *log = opened();
        assert_false(mutant_log_knows(log, &text, &fate));
        mutant_log_close(log);
        home_write(files[i], contents[i]);
        text_free(&changed);
        text_free(&text);
        expect_known(4);
    }
    remove(log_path());
}

static void a_log_that_cannot_be_opened_is_named(void **state)
{
    MutantLog *log;
    Message why = {0};
    assert_int_equal(mutant_log_open("/no/such/folder/log", "blend", &log, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "/no/such/folder/log: No such file or directory");
    mutant_log_close(log);
    assert_int_not_equal(mutant_log_open(log_path(), "other", &log, &why), STATUS_OK);
    assert_non_null(strstr(why.text, "problems/other/problem.json"));
    mutant_log_close(log);
    mutant_log_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_holds_for_its_solution_lines_and_occurrence),
        cmocka_unit_test(a_note_that_names_no_mutant_is_an_error_with_its_line),
        cmocka_unit_test(without_the_file_nothing_is_noted),
        cmocka_unit_test(a_slip_in_the_notes_is_named),
        cmocka_unit_test(all_but_survivors_are_known_when_the_log_is_opened_again),
        cmocka_unit_test(lines_of_the_log_that_are_none_are_passed_over),
        cmocka_unit_test(with_other_cases_nothing_is_known),
        cmocka_unit_test(a_log_that_cannot_be_opened_is_named),
    };
    return cmocka_run_group_tests_name("mutant_notes", tests, home_with_problem, home_remove);
}
