/* What the author notes about mutants: those that are right. */
#include "base/tests/unit.h"

#include "grader/commands/mutant_trial.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_names_mutants_of_its_line_by_texts_by_kind_or_all),
        cmocka_unit_test(a_note_that_names_no_mutant_is_an_error_with_its_line),
        cmocka_unit_test(a_note_that_is_not_well_formed_is_an_error_with_its_line),
        cmocka_unit_test(a_mutant_is_told_as_its_note_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
