#include "base/tests/unit.h"

#include "base/json.h"

#include <string.h>

/* Each row is refused with this message. */
static const struct {
    const char *text, *message;
} refused[] = {
    {"", "f.json:1: not valid JSON"},
    {"[1]", "expected an object"},
    {"{\"a\": 1} x", "f.json:1: not valid JSON from here on: 'x'"},
    {"{\n \"a\": 1,\n}", "f.json:3"},
    {"{\"a\": 1,\n \"a\": 2}", "f.json:2: a: this key is repeated; it is also on line 1"},
    {"{\"a\": [{\"b\": 1,\n\n \"b\": 2}]}", "f.json:3: b: this key is repeated"},
    {"{\"a\": 01}", "01: not a JSON number"},
    {"{\"a\": \"\xff\"}", "not UTF-8"},
    {"{\"n\": 1, \"Name\": \"x\"}", "f.json:1: Name: unknown key"},
    {"{\n\"n\": \"1\"}", "f.json:2: n: expected a number"},
    {"{\"name\": \"x\"}", "the key \"n\" is missing"},
    {"{\"name\": \"x\",\n \"n\": 1.5}", "f.json:2: n: expected a whole number from 0 to 9"},
    {"{\"n\": 10}", "f.json:1: n: expected a whole number from 0 to 9"},
};

static Status read_record(const char *text, Message *why)
{
    static const JsonKey keys[] = {{"n", JSON_NUMBER, true}, {"name", JSON_STRING, false}, {"a", JSON_ANY, false}};
    JsonFile file;
    int64_t n = 0;
    Status status = json_parse("f.json", text, strlen(text), &file, why);
    if (status != STATUS_OK)
        return status;
    status = json_check(&file, file.root, keys, 3, why);
    if (status == STATUS_OK)
        status = json_integer(&file, file.root, "n", 0, 9, &n, why);
    json_free(&file);
    return status;
}

static void bad_files_are_refused_with_line_and_key(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        Message why = {0};
        assert_int_equal(read_record(refused[i].text, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, refused[i].message);
    }
}

static void a_good_file_is_accepted(void **state)
{
    Message why = {0};
    assert_int_equal(read_record("{\"n\": 7, \"name\": \"a \\\" b\", \"a\": [-1.5e3, {\"b\": null}]}\n", &why),
                     STATUS_OK);
}

static void numbers_read_back_as_themselves(void **state)
{
    const double values[] = {0.1, 1.0 / 3, 1e300, -5e-324, 16777217, 10, 0};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        cJSON *object = cJSON_CreateObject();
        Text text = {0};
        JsonFile file;
        Message why;
        json_put_number(object, "v", values[i]);
        json_print(object, &text);
        assert_int_equal(json_parse("t", text.data, text.length, &file, &why), STATUS_OK);
        assert_true(json_get(file.root, "v")->valuedouble == values[i]);
        assert_true(values[i] != 10 || strstr(text.data, "10") != NULL); /* not 1e+01 */
        json_free(&file);
        text_free(&text);
        cJSON_Delete(object);
    }
}

static void a_document_keeps_its_digits(void **state)
{
    static const char document[] =
        "{\"a\": [0.1234567890123456, 1e+300, -7, 0], \"b\": {\"c\": 0.16269999999999998, \"d\": 100000000}}";
    Text text = {0}, line = {0};
    JsonFile file;
    Message why;
    assert_int_equal(json_parse("t", document, sizeof document - 1, &file, &why), STATUS_OK);
    json_keep_digits(file.root);
    json_print(file.root, &text);
    for (size_t i = 0; i < text.length; i++)
        if (strchr("\t\n", text.data[i]) == NULL)
            text_append(&line, &text.data[i], 1);
    assert_string_equal(
        line.data, "{\"a\":[0.1234567890123456, 1e+300, -7, 0],\"b\":{\"c\":0.16269999999999998,\"d\":100000000}}");
    json_free(&file);
    text_free(&text);
    text_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_line_and_key),
        cmocka_unit_test(a_good_file_is_accepted),
        cmocka_unit_test(numbers_read_back_as_themselves),
        cmocka_unit_test(a_document_keeps_its_digits),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
