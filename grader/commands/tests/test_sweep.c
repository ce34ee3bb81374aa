#include "base/tests/unit.h"

#include "grader/commands/command_time.h"

#include <stdio.h>
#include <string.h>

#define SETTABLE(name, value) "#ifndef " name "\n#define " name " " value "\n#endif\n"
#define LIST "// problem: conv1d\n// sweep: BLOCK=4,8,16 TILE=1,2\n"

static void parse(const char *source, Sweep *sweep)
{
    Message why;
    if (sweep_parse("x.cu", source, sweep, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static void every_combination_comes_once_with_the_last_macro_changing_fastest(void **state)
{
    static const char *const names[] = {"BLOCK=4 TILE=1", "BLOCK=4 TILE=2",  "BLOCK=8 TILE=1",
                                        "BLOCK=8 TILE=2", "BLOCK=16 TILE=1", "BLOCK=16 TILE=2"};
    Sweep sweep;
    parse(LIST SETTABLE("BLOCK", "8") SETTABLE("TILE", "1"), &sweep);
    assert_int_equal(sweep.combinations, COUNT_OF(names));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Text name = {0};
        sweep_add_name(&sweep, i, &name);
        assert_string_equal(name.data, names[i]);
        text_free(&name);
    }
    assert_string_equal(sweep_value(&sweep, 3, 0), "8");
    assert_string_equal(sweep_value(&sweep, 3, 1), "2");
    sweep_free(&sweep);
}

static void a_combination_is_defined_before_the_text_whose_lines_keep_their_numbers(void **state)
{
    static const char source[] = "// sweep: N=1,2\n" SETTABLE("N", "7") "int x;\n";
    Sweep sweep;
    Text text = {0};
    parse(source, &sweep);
    sweep_add_source(&sweep, 1, source, &text);
    assert_string_equal(text.data, "#define N 2\n#line 1\n// sweep: N=1,2\n#ifndef N\n#define N 7\n#endif\nint x;\n");
    text_free(&text);
    sweep_free(&sweep);
}

static void the_files_own_values_are_found(void **state)
{
    static const char source[] = "  //sweep:  A=1\tB=2,3  \r\n"
                                 "# ifndef A // as it is\n#  define\tA  42 // wide\n#endif\n#ifndef B\n#endif\n"
                                 "#define BB 9\n";
    Sweep sweep;
    Text text = {0};
    parse(source, &sweep);
    sweep_add_defaults(&sweep, source, &text);
    assert_string_equal(text.data, "A=42");
    text_free(&text);
    sweep_free(&sweep);
}

static void numbers_and_names_are_values(void **state)
{
    Sweep sweep;
    parse("// sweep: T=float,double,unsigned_char W=-1,0x10,1.5f\n" SETTABLE("T", "float") SETTABLE("W", "1"), &sweep);
    assert_int_equal(sweep.combinations, 9);
    assert_string_equal(sweep_value(&sweep, 0, 1), "-1");
    sweep_free(&sweep);
}

#define THIRTEEN "1,2,3,4,5,6,7,8,9,10,11,12,13,"

static void what_is_no_sweep_is_refused_with_its_line(void **state)
{
    static const struct Row {
        const char *source, *message;
        Status status;
    } rows[] = {
        {"int x;\n", "x.cu: no line", STATUS_NOT_FOUND},
        {"/* sweep: N=1 */\n", "x.cu: no line", STATUS_NOT_FOUND},
        {"\n// sweep:\n", "x.cu:2: expected NAME=VALUE", STATUS_BAD_INPUT},
        {"// sweep: N\n", "x.cu:1: expected NAME=VALUE,VALUE..., found \"N\"", STATUS_BAD_INPUT},
        {"// sweep: N=\n", "\"\" is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=1,,2\n", "\"\" is not a value for N, expected a number or a name", STATUS_BAD_INPUT},
        {"// sweep: 2N=1\n", "\"2N\" is not the name of a macro", STATUS_BAD_INPUT},
        {"// sweep: =1\n", "\"\" is not the name of a macro", STATUS_BAD_INPUT},
        {"// sweep: N=1;system(0)\n", "is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=$(x)\n", "is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=1/0\n", "is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=1\\\n", "is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=--1\n", "is not a value for N", STATUS_BAD_INPUT},
        {"// sweep: N=1\n#define N 1\n",
         "x.cu:1: N cannot be set from outside: expected #ifndef N, #define N ..., #endif in the file",
         STATUS_BAD_INPUT},
        {"// sweep: N=1\n" SETTABLE("NN", "1"), "N cannot be set from outside", STATUS_BAD_INPUT},
        {"// sweep: A=1,2,3,4,5,6,7,8,9 B=1,2,3,4,5,6,7,8,9 C=1,2,3,4,5,6,7,8,9\n",
         "too many combinations, expected at most 512", STATUS_BAD_INPUT},
        {"// sweep: N=" THIRTEEN THIRTEEN THIRTEEN THIRTEEN THIRTEEN "\n", "N has too many values, expected at most 64",
         STATUS_BAD_INPUT},
        {"// sweep: A=1 B=1 C=1 D=1 E=1 F=1 G=1 H=1 I=1\n", "I is one macro too many, expected at most 8",
         STATUS_BAD_INPUT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Sweep sweep;
        Message why = {0};
        assert_int_equal(sweep_parse("x.cu", rows[i].source, &sweep, &why), rows[i].status);
        if (strstr(why.text, rows[i].message) == NULL)
            fail_test("row %zu: %s", i, why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_comes_once_with_the_last_macro_changing_fastest),
        cmocka_unit_test(a_combination_is_defined_before_the_text_whose_lines_keep_their_numbers),
        cmocka_unit_test(the_files_own_values_are_found),
        cmocka_unit_test(numbers_and_names_are_values),
        cmocka_unit_test(what_is_no_sweep_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
