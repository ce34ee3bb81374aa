#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/record.h"
#include "grader/judge/result_json.h"
#include "grader/report/explain_report.h"
#include "grader/report/trace.h"
#include "grader/report/report_leaderboard.h"
#include "harness/device/ceilings.h"
#include "service/commands/operate.h"
#include "service/course/class_read.h"
#include "service/store/config.h"

/* Tables of docs/reference/formats.md that are printed from the rows of the code, each between two lines: a comment that names it, and
 * END. `build/service/commands/tests/test_formats write` prints them anew. */

static const char PAGE[] = "docs/reference/formats.md", END[] = "<!-- end of rows -->\n";

static const struct {
    const char *name;
    const RecordTable *table;
} tables[] = {
    {"problem.json", &problem_table},  {"result.json", &result_table},    {"class.json", &class_table},
    {"quarantine", &quarantine_table}, {"a batch", &rejudge_batch_table}, {"rejudged", &rejudge_row_table},
    {"explain.json", &explain_table},  {"trace.json", &trace_table},      {"references.json", &references_table},
    {"device.json", &ceilings_table},
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
        record_print_markdown(tables[i].table, out);
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

static int write_page(void)
{
    Text page = {0}, written = {0};
    Message why;
    Status status = text_read_file(PAGE, 1 << 20, &page, &why);
    if (status == STATUS_OK) {
        print_page(&page, &written);
        status = text_write_file(PAGE, &written, &why);
    }
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n", why.text);
    text_free(&page);
    text_free(&written);
    return status == STATUS_OK ? 0 : 2;
}

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

/* What a schema says of a key, after "$ref". */
static const cJSON *resolved(const cJSON *root, const cJSON *item)
{
    const char *name = json_string(item, "$ref");
    return name == NULL ? item : json_get(json_get(root, "definitions"), name + strlen("#/definitions/"));
}

static bool is_listed(const cJSON *list, const char *word)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (strcmp(item->valuestring, word) == 0)
            return true;
    }
    return false;
}

static void has_number(const char *key, const cJSON *said, const char *name, double expected)
{
    const cJSON *item = json_get(said, name);
    if (item == NULL || item->valuedouble != expected)
        fail_test("%s: the schema has another \"%s\" than the row's %.15g", key, name, expected);
}

static void schema_has(const cJSON *root, const cJSON *object, const RecordTable *table);

static void schema_has_row(const cJSON *root, const cJSON *said, const RecordRow *row)
{
    const char *type = json_string(said, "type");
    const bool is_whole = row->kind == RECORD_INTEGER || row->kind == RECORD_UNSIGNED;
    if (row->kind == RECORD_SCHEMA)
        has_number(row->key, said, "const", row->low);
    else if (row->table != NULL)
        schema_has(root, said, row->table);
    else if (row->names != NULL)
        for (size_t i = 0; row->names[i] != NULL; i++)
            assert_true(is_listed(json_get(said, "enum"), row->names[i]));
    else if (is_whole || row->kind == RECORD_DOUBLE) {
        assert_string_equal(type, is_whole ? "integer" : "number");
        has_number(row->key, said, "minimum", row->low);
        has_number(row->key, said, "maximum", row->high);
    }
}

/* The same keys, required ones, kinds and limits as the rows. */
static void schema_has(const cJSON *root, const cJSON *object, const RecordTable *table)
{
    const cJSON *properties = json_get(object, "properties");
    for (const RecordRow *row = table->rows; row < table->rows + table->count; row++) {
        const cJSON *said = json_get(properties, row->key);
        if (said == NULL)
            fail_test("%s is not in the schema", row->key);
        if (is_listed(json_get(object, "required"), row->key) != row->required)
            fail_test("%s: the schema and the row differ in whether it is required", row->key);
        schema_has_row(root, resolved(root, said), row);
    }
    assert_int_equal(cJSON_GetArraySize(properties), table->count);
}

static void the_schemas_have_the_rows_of_the_code(void **state)
{
    static const struct {
        const char *path;
        const RecordTable *table;
    } schemas[] = {{"docs/reference/config.schema.json", &config_table},
                   {"docs/reference/problem.schema.json", &problem_table}};
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        JsonFile file;
        Message why;
        if (json_read(schemas[i].path, 1 << 20, &file, &why) != STATUS_OK)
            fail_test("%s", why.text);
        schema_has(file.root, file.root, schemas[i].table);
        json_free(&file);
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_rows_of_the_code),
        cmocka_unit_test(the_schemas_have_the_rows_of_the_code),
    };
    if (argument_count == 2 && strcmp(arguments[1], "write") == 0)
        return write_page();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
