#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/tests/record_pages.h"
#include "grader/judge/result_json.h"
#include "grader/report/explain_report.h"
#include "grader/report/look.h"
#include "grader/report/trace.h"
#include "grader/report/report_leaderboard.h"
#include "harness/device/ceilings.h"
#include "service/commands/operate.h"
#include "service/course/class_read.h"
#include "service/store/config.h"

/* What docs/reference/ prints from the rows of the code: tables of formats.md, each between two lines, a comment that names it
 * and END; and the schemas. `build/service/commands/tests/test_formats write` prints them anew. */

static const char PAGE[] = "docs/reference/formats.md", END[] = "<!-- end of rows -->\n";

static const struct {
    const char *name;
    const RecordTable *table;
} tables[] = {
    {"problem.json", &problem_table},       {"result.json", &result_table},    {"class.json", &class_table},
    {"quarantine", &quarantine_table},      {"a batch", &rejudge_batch_table}, {"rejudged", &rejudge_row_table},
    {"explain.json", &explain_table},       {"trace.json", &trace_table},      {"look.json", &look_table},
    {"references.json", &references_table}, {"device.json", &ceilings_table},
};

/* The page with all tables as the rows print them. */
static void print_page(const Text *page, Text *out)
{
    const char *rest = page->data;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        char begin[80];
        snprintf(begin, sizeof begin, "<!-- rows of %s -->\n", tables[i].name);
        const char *from = strstr(rest, begin), *to = from == NULL ? NULL : strstr(from, END);
        if (to == NULL)
            fail_test("%s: expected \"%s\" in the order of this test's table, and \"%s\" below it", PAGE, begin, END);
        from += strlen(begin);
        text_append(out, rest, (size_t)(from - rest));
        print_markdown(tables[i].table, out);
        rest = to;
    }
    text_add(out, rest);
}

static void the_page_has_the_rows_of_the_code(void **state)
{
    Text page = {0}, expected = {0};
    Message why;
    if (text_read_file(PAGE, 1 << 20, &page, &why) != STATUS_OK)
        fail_test("%s", why.text);
    print_page(&page, &expected);
    if (strcmp(page.data, expected.data) != 0)
        fail_test("%s differs from the rows of the code: run %s write", PAGE,
                  "build/service/commands/tests/test_formats");
    text_free(&page);
    text_free(&expected);
}

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *path;
    const RecordTable *table;
} schemas[] = {{"docs/reference/config.schema.json", &config_table},
               {"docs/reference/problem.schema.json", &problem_table},
               {"docs/reference/class.schema.json", &class_table}};

static void print_schema_file(size_t which, Text *out)
{
    JsonFile file;
    Message why;
    if (json_read(schemas[which].path, 1 << 20, &file, &why) != STATUS_OK)
        fail_test("%s", why.text);
    print_schema(schemas[which].table, file.root, out);
    json_free(&file);
}

static void the_schemas_have_the_rows_of_the_code(void **state)
{
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        Text is = {0}, expected = {0};
        Message why;
        assert_int_equal(text_read_file(schemas[i].path, 1 << 20, &is, &why), STATUS_OK);
        print_schema_file(i, &expected);
        if (strcmp(is.data, expected.data) != 0)
            fail_test("%s differs from the rows of the code: run %s write", schemas[i].path,
                      "build/service/commands/tests/test_formats");
        text_free(&is);
        text_free(&expected);
    }
}

/* A row with a limit, an obligation or a name of its own shows in the schema, whatever that said. */
static void a_schema_follows_its_rows(void **state)
{
    static const char *const names[] = {"one", "two", NULL};
    typedef struct Part {
        int number;
        const char *name;
    } Part;
    RECORD(part_table, Part, ROW(Part, number, "number", .required = true, .low = 2, .high = 5),
           ROW(Part, name, "name", .names = names));
    JsonFile said;
    Message why;
    Text out = {0};
    const char text[] = "{\"title\": \"t\", \"properties\": {\"number\": {\"type\": \"number\"}, \"old\": {}}}";
    assert_int_equal(json_parse("part", text, strlen(text), &said, &why), STATUS_OK);
    print_schema(&part_table, said.root, &out);
    assert_non_null(strstr(out.data, "\"required\": [\"number\"]"));
    assert_non_null(strstr(out.data, "\"number\": {\"type\": \"integer\", \"minimum\": 2, \"maximum\": 5}"));
    assert_non_null(strstr(out.data, "\"name\": {\"enum\": [\"one\", \"two\"]}"));
    assert_null(strstr(out.data, "old"));
    text_free(&out);
    json_free(&said);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int write_all(void)
{
    Text page = {0}, written = {0};
    Message why;
    Status status = text_read_file(PAGE, 1 << 20, &page, &why);
    if (status == STATUS_OK) {
        print_page(&page, &written);
        status = text_write_file(PAGE, &written, &why);
    }
    for (size_t i = 0; i < COUNT_OF(schemas) && status == STATUS_OK; i++) {
        Text schema = {0};
        print_schema_file(i, &schema);
        status = text_write_file(schemas[i].path, &schema, &why);
        text_free(&schema);
    }
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n", why.text);
    text_free(&page);
    text_free(&written);
    return status == STATUS_OK ? 0 : 2;
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_rows_of_the_code),
        cmocka_unit_test(the_schemas_have_the_rows_of_the_code),
        cmocka_unit_test(a_schema_follows_its_rows),
    };
    if (argument_count == 2 && strcmp(arguments[1], "write") == 0)
        return write_all();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
