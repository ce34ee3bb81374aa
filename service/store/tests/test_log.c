#include "base/tests/unit.h"

#include "service/store/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A value, and how a line shows it. */
static const struct {
    const char *value, *shown;
} rows[] = {
    {"sim-h200", "sim-h200"},
    {"", "\"\""},
    {"two words", "\"two words\""},
    {"a=b", "\"a=b\""},
    {"say \"hi\"", "\"say \\\"hi\\\"\""},
    {"back\\slash", "\"back\\\\slash\""},
    {"x\nlevel=error event=forged", "\"x\\nlevel=error event=forged\""},
    {"\033[2J\177", "\"\\x1b[2J\\x7f\""},
    {"Zo\xC3\xAB", "Zo\xC3\xAB"},
    {"\xE8\xA8\x88\xF0\x9F\x99\x82", "\xE8\xA8\x88\xF0\x9F\x99\x82"},
    {"\xC2\x9B", "\"\\xc2\\x9b\""},
    {"a\xE2\x80\xAE"
     "b",
     "\"a\\xe2\\x80\\xae"
     "b\""},
    {"a\xE2\x81\xA6", "\"a\\xe2\\x81\\xa6\""},
    {"\xE2\x80\x93", "\xE2\x80\x93"}, /* a dash */
    {"bad \xFF\xC3", "\"bad \\xff\\xc3\""},
};

static void values_are_quoted_where_they_need_it(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Log log = {{0}};
        log_text(&log, "key", rows[i].value);
        if (strncmp(log.line.data, " key=", 5) != 0 || strcmp(log.line.data + 5, rows[i].shown) != 0)
            fail_test("row %zu: %s, expected %s", i, log.line.data, rows[i].shown);
        text_free(&log.line);
    }
}

static void an_event_is_one_line_on_standard_error(void **state)
{
    char line[200] = "";
    int saved = dup(STDERR_FILENO), ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    Log log = log_begin(LEVEL_WARNING, "claimed");
    log_integer(&log, "judging", 12);
    log_seconds(&log, "seconds", 1.5);
    log_end(&log);
    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    assert_true(read(ends[0], line, sizeof line - 1) > 0);
    close(saved);
    close(ends[0]);
    close(ends[1]);
    int year, end = 0;
    sscanf(line, "time=%4d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &year, &end);
    assert_true(end > 0 && year >= 2026);
    assert_string_equal(line + end, " level=warning event=claimed judging=12 seconds=1.500\n");
    assert_null(log.line.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_quoted_where_they_need_it),
        cmocka_unit_test(an_event_is_one_line_on_standard_error),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
