/* What is noted about mutants: those that are right, by the author, and those that need not be judged again, by the judge. */
#include "base/tests/unit.h"

#include "grader/commands/mutant_trial.h"
#include "grader/tests/home.h"

/* ---- notes in a source ------------------------------------------------------------------------------------------- */

static const char source_text[] =
    "void f(int *x, int n)\n"
    "{\n"
    "    for (int i = 0; i < n; i++) // all // also right: `<` to `<=`, narrow index: there is one element more\n"
    "        // also right: any mutant: nobody reads it\n"
    "        // afterwards\n"
    "        x[i] = 0;\n"
    "    x[0] =  1  ; // also right: `x[0] = 1` to ``: it is 1 // also right: `1` to `2`, `x ... 1` to `x`: or 2\n"
    "}\n";

/* A mutant of the first place behind `line` where `before` stands. */
static Mutant mutant_of(int line, const char *mistake, const char *before, const char *after)
{
    const char *at = source_text;
    for (int i = 1; i < line; i++)
        at = strchr(at, '\n') + 1;
    at = strstr(at, before);
    return (Mutant){.mistake = mistake,
                    .line = line,
                    .offset = (size_t)(at - source_text),
                    .length = strlen(before),
                    .text = after};
}

static void a_note_names_mutants_of_its_line_by_texts_by_kind_or_all(void **state)
{
    static const struct {
        int line;
        const char *mistake, *before, *after;
        bool noted;
    } rows[] = {
        {3, "off by one", "<", "<=", true},      {3, "off by one", "<", ">", false},
        {3, "off by one", "i <", "i <=", false}, {3, "narrow index", "int", "short", true},
        {6, "anything", "0", "1", true},         {7, "anything", "x[0] =  1", " ", true},
        {7, "anything", "1", "2", true},         {7, "anything", "0", "2", false},
        {7, "anything", "x[0] =  1", "x", true}, {7, "anything", "x[0]", "x", false},
        {8, "anything", "}", "", false},
    };
    MutantNotes notes;
    Message why = {0};
    assert_int_equal(mutant_notes_read("a.cu", source_text, &notes, &why), STATUS_OK);
    assert_int_equal(notes.count, 6);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Mutant mutant = mutant_of(rows[i].line, rows[i].mistake, rows[i].before, rows[i].after);
        if (mutant_notes_find(&notes, source_text, &mutant) != rows[i].noted)
            fail_test("row %zu", i);
    }
    mutant_notes_free(&notes);
}

static void a_note_that_names_no_mutant_is_an_error_with_its_line(void **state)
{
    static const char *const errors[] = {"a.cu:3: this line has no mutant that turns `<` into `<=`",
                                         "a.cu:3: this line has no mutant of the kind 'narrow index'",
                                         "a.cu:6: this line has no mutant of the kind 'any mutant'"};
    const Mutant mutants[] = {mutant_of(3, "off by one", "<", "<="), mutant_of(3, "narrow index", "int", "short"),
                              mutant_of(6, "halo", "0", "1"),        mutant_of(7, "halo", "x[0] =  1", ""),
                              mutant_of(7, "halo", "1", "2"),        mutant_of(7, "halo", "x[0] =  1", "x")};
    MutantNotes notes;
    Message why = {0};
    assert_int_equal(mutant_notes_read("a.cu", source_text, &notes, &why), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(mutants); i++) {
        if (i < COUNT_OF(errors)) {
            assert_int_equal(mutant_notes_check("a.cu", &notes, &why), STATUS_BAD_INPUT);
            assert_string_equal(why.text, errors[i]);
        }
        assert_true(mutant_notes_find(&notes, source_text, &mutants[i]));
    }
    assert_int_equal(mutant_notes_check("a.cu", &notes, &why), STATUS_OK);
    mutant_notes_free(&notes);
}

static void a_note_that_is_not_well_formed_is_an_error_with_its_line(void **state)
{
    static const char *const tails[] = {"",
                                        "`<`",
                                        "`<` to",
                                        "`<` to `<=",
                                        "`<` to `<=`",
                                        "`<` to `<=`:",
                                        "`<` to `<=`: ",
                                        "`<` to `<=`, : no",
                                        "any mutant",
                                        "any mutant:",
                                        "`<` to `<=` no: no"};
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        MutantNotes notes;
        Message why = {0};
        char text[200];
        snprintf(text, sizeof text, "int a; // also right: any mutant: fine\nint b; // also right: %s\nint c: 1;\n",
                 tails[i]);
        if (mutant_notes_read("a.cu", text, &notes, &why) != STATUS_BAD_INPUT ||
            strstr(why.text, "a.cu:2: expected a note such as \"// also right: `<` to `<=`: WHY\"") == NULL)
            fail_test("row %zu: \"%s\"", i, why.text);
        mutant_notes_free(&notes);
    }
}

static void a_mutant_is_told_as_its_note_names_it(void **state)
{
    const Mutant mutant = mutant_of(7, "halo", "x[0] =  1", "\n x[1]");
    Text text = {0};
    mutant_note_add(source_text, &mutant, &text);
    assert_string_equal(text.data, "`x[0] = 1` to `x[1]`");
    text_free(&text);
    Mutant shortcut = mutant_of(7, "shortcut for zeros", "x", "y");
    shortcut.shown = "y";
    mutant_note_add(source_text, &shortcut, &text);
    assert_string_equal(text.data, "shortcut for zeros");
    text_free(&text);
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
        cmocka_unit_test(a_note_names_mutants_of_its_line_by_texts_by_kind_or_all),
        cmocka_unit_test(a_note_that_names_no_mutant_is_an_error_with_its_line),
        cmocka_unit_test(a_note_that_is_not_well_formed_is_an_error_with_its_line),
        cmocka_unit_test(a_mutant_is_told_as_its_note_names_it),
        cmocka_unit_test(all_but_survivors_are_known_when_the_log_is_opened_again),
        cmocka_unit_test(lines_of_the_log_that_are_none_are_passed_over),
        cmocka_unit_test(with_other_cases_nothing_is_known),
        cmocka_unit_test(a_log_that_cannot_be_opened_is_named),
    };
    return cmocka_run_group_tests_name("mutant_notes", tests, home_with_problem, home_remove);
}
