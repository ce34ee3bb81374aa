#include "base/tests/unit.h"

#include "service/web/template.h"

#include <inttypes.h>
#include <string.h>

static const char values[] =
    "{\"name\": \"<b>\\\"Ada\\\"</b>\", \"nothing\": null, \"zero\": 0, \"seven\": 7, \"empty\": [], \"state\": \"open\","
    " \"words\": [\"one\", \"two\", \"three\"], \"inner\": {\"name\": \"deep\", \"rows\": [{\"a\": 1}, {\"a\": 2}]},"
    " \"hidden\": \"a\\u202eb\", \"time_ms\": 0.1627, \"uncertainty\": 0.005, \"site\": {\"is_static\": false}}";

static const struct {
    const char *markup, *shown;
} rows[] = {
    {"a {{name}} b", "a &lt;b&gt;&quot;Ada&quot;&lt;/b&gt; b"},
    {"<a href=\"/{{name|url}}\">", "<a href=\"/%3Cb%3E%22Ada%22%3C%2Fb%3E\">"},
    {"<a title=\"{{name}}\">", "<a title=\"&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;\">"},
    {"{{hidden}}", "a[U+202E]b"},
    {"{{seven}} {{inner.name}} {{nothing}}.", "7 deep ."},
    {"{{time_ms|measured}}", "162.7\u00A0±\u00A00.8\u00A0µs"},
    {"{{gone?}}{{gone?|percent}}{{gone?|moment}}", "-"},
    {"{{#if seven}}yes{{else}}no{{/if}} {{#if zero}}yes{{else}}no{{/if}} {{#if empty}}yes{{/if}}", "yes no "},
    {"{{#if !seven}}yes{{/if}}{{#if !gone?}}no{{/if}}", "no"},
    {"{{#if state = open}}open{{/if}}{{#if state = closed}}closed{{/if}}", "open"},
    {"{{#each words}}{{#if loop = 1}}{{else}}, {{/if}}{{loop}} {{this}}{{/each}}", "1 one, 2 two, 3 three"},
    {"{{#each words 2}}{{this}} {{/each}}{{#more words 2}}and {{this}}{{/more}}{{#more words 3}}none{{/more}}",
     "one two and 1"},
    {"{{#each empty}}x{{else}}none{{/each}}", "none"},
    {"{{#with inner}}{{name}}{{#each rows}} {{a}}{{root.seven}}{{/each}}{{/with}}{{#with nothing}}x{{else}}!{{/with}}",
     "deep 17 27!"},
    {"{{#if seven}}{{#if zero}}a{{else}}{{#if seven}}b{{/if}}{{/if}}{{/if}}", "b"},
    {"{{#set title}}<i>{{state}}</i>{{/set}}{{{root.title}}}{{{title}}}", "<i>open</i><i>open</i>"},
    {"{{! a remark }}{{>person_link name}}",
     "<a href=\"/people/%3Cb%3E%22Ada%22%3C%2Fb%3E\">&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;</a>"},
    {"a\n  {{#if seven}}\n    b\n  {{/if}}\n  c\n", "a\nb\nc\n"},
    {"{{#table All {state} doors|Door|>-{inner.name} ones}}\n<tr></tr>\n{{/table}}",
     "<div class=\"scroll\" role=\"group\" aria-label=\"All open doors\" tabindex=\"0\">\n<table class=\"plain\">\n<thead><tr>"
     "<th scope=\"col\">Door</th><th scope=\"col\" class=\"number spare\">deep ones</th></tr></thead>\n<tbody>\n<tr></tr>\n"
     "</tbody>\n</table>\n</div>\n"},
    /* mistakes */
    {"one\n{{two}}", "one\n[test.html:2: {{two}} has no value]\n"},
    {"{{inner.seven}}", "[test.html:1: {{inner.seven}} has no value]\n"},
    {"{{#with inner}}{{seven}}{{/with}}", "[test.html:1: {{seven}} has no value]\n"},
    {"{{#each gone}}x{{/each}}", "[test.html:1: {{gone}} has no value]\n"},
    {"{{{name}}}", "[test.html:1: {{name}} is no markup]\n"},
    {"{{words}}", "[test.html:1: {{words}} is no single value]\n"},
    {"\n\n{{#if seven}}x", "\n\n[test.html:3: {{#if}} has no end]\n"},
    {"{{#if seven}}x{{/each}}", "[test.html:1: {{/each}} ends {{#if}}]\nx"},
    {"x{{/if}}", "x[test.html:1: nothing that {{if}} could belong to]\n"},
    {"{{else}}", "[test.html:1: nothing that {{else}} could belong to]\n"},
    {"{{>nowhere}}", "[test.html:1: there is no page nowhere]\n"},
    {"{{name|capitals}}", "[test.html:1: there is no filter capitals]\n&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;"},
};

static void each_construct_shows_its_value_or_its_mistake(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cJSON *object = cJSON_Parse(values);
        Text page = {0};
        assert_non_null(object);
        template_try(&page, rows[i].markup, object);
        if (strcmp(page.data == NULL ? "" : page.data, rows[i].shown) != 0)
            fail_test("%s\nexpected: %s\nfound:    %s", rows[i].markup, rows[i].shown, page.data);
        text_free(&page);
        cJSON_Delete(object);
    }
}

/* Also what stands in branches that no test takes. */
static void the_markup_of_every_page_is_sound(void **state)
{
    static const struct {
        const char *markup, *fault;
    } faulty[] = {{"{{#if a}}{{#oops b}}{{/oops}}{{/if}}", "there is no {{#oops}}"},
                  {"{{#if a}}{{else}}{{b|oops}}{{/if}}", "there is no filter oops"},
                  {"{{#each a}}{{#if b}}{{/each}}", "{{#each}} has no end"},
                  {"<a b=\"c\" class={{d}}>", "an attribute stands within double quotes"},
                  {"{{#with a}}{{>oops}}{{/with}}", "there is no page oops"},
                  {"{{#table Label without heads}}x{{/table}}", "a table has heads"}};
    Text faults = {0};
    template_check(&faults);
    if (faults.length > 0)
        fail_test("%s", faults.data);
    for (size_t i = 0; i < COUNT_OF(faulty); i++) {
        Text page = {0};
        template_try(&page, faulty[i].markup, NULL);
        if (page.data == NULL || strstr(page.data, faulty[i].fault) == NULL)
            fail_test("%s: %s", faulty[i].markup, page.data);
        text_free(&page);
    }
    text_free(&faults);
}

static void values_have_names_types_and_a_place(void **state)
{
    cJSON *object = cJSON_CreateObject();
    const char *volatile nothing = NULL; /* gcc warns about a NULL that it sees */
    Text page = {0}, markup = {0};
    values_put(object, "name=%s none=%s count=%zu big=%" PRId64 " is=%d share=%g digits=%.1f", "Ada", nothing,
               (size_t)3, (int64_t)1234567890123, true, 0.25, 2.345);
    values_time(values_row(cJSON_AddArrayToObject(object, "rows")), (MeasuredTime){.ms = 0.5, .uncertainty = 0});
    text_add(&markup, "<b>");
    values_markup(object, "markup", &markup);
    char *text = cJSON_PrintUnformatted(object);
    assert_string_equal(text,
                        "{\"name\":\"Ada\",\"none\":null,\"count\":3,\"big\":1234567890123,\"is\":1,\"share\":0.25,"
                        "\"digits\":\"2.3\",\"rows\":[{\"time_ms\":0.5,\"uncertainty\":0}],\"markup\":<b>}");
    template_try(&page, "{{big}} {{{markup}}} {{markup}}", object);
    assert_string_equal(page.data, "1234567890123 <b> [test.html:1: {{markup}} is markup]\n");
    text_free(&page);
    cJSON_free(text);
    cJSON_Delete(object);
}

static void a_value_that_no_page_shows_is_found(void **state)
{
    cJSON *object = cJSON_Parse("{\"words\": \"a\", \"text\": \"b\", \"list\": [{\"thing\": 1}]}"),
          *document = cJSON_Parse("{\"other\": 1}");
    Text page = {0};
    cJSON_AddItemReferenceToObject(object, "site", document);
    template_show(&page, "error", object);
    assert_non_null(strstr(page.data, "[error: nothing shows the value list]"));
    assert_non_null(strstr(page.data, "[error: nothing shows the value thing]"));
    assert_null(strstr(page.data, "value text]"));
    assert_null(strstr(page.data, "value other]"));
    text_free(&page);
    cJSON_Delete(object);
    cJSON_Delete(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_construct_shows_its_value_or_its_mistake),
        cmocka_unit_test(the_markup_of_every_page_is_sound),
        cmocka_unit_test(values_have_names_types_and_a_place),
        cmocka_unit_test(a_value_that_no_page_shows_is_found),
    };
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
