#include "base/tests/unit.h"

#include "service/web/site_answers.h"
#include "service/web/template.h"

#include <string.h>

static const Site teacher = {.person = "emmy", .is_teacher = true};

/* Four lines each, of which the second and third are part 1; the fourth was handed out. */
static const char a_pair[] =
    "{\"a\": {\"person\": \"a<i>da\", \"file\": \"<b>.cu\", \"handed_out\": [[4, 4]]}, \"b\": {\"from\": \"/srv/2025\", \"file\": "
    "\"x.cu\"}, \"source\": [0.5, 0], \"device_code\": [1, 0], \"parts\": [{\"lines\": [[2, 3], [5, 6]]}, {\"lines\": [[0, 3]]}]}";
static const PairSource sources[] = {{"one\n<script>\n</pre>\nfour", 4}, {"\n\n\n\n<script>\r\n\x1b</pre>\nsix", 0}};

static void draw(Text *page, const char *json, const PairSource *of)
{
    cJSON *pair = cJSON_Parse(json), *values = pair_values(pair, of);
    values_put(values, "problem=%s time_utc=%s", "conv1d", "2026-11-23T03:00:00Z");
    site_show(page, &teacher, "pair", values);
    assert_null(strstr(page->data, ".html:"));
    cJSON_Delete(pair);
}

static void holds(const Text *page, const char *text)
{
    if (strstr(page->data, text) == NULL)
        fail_test("the page lacks: %s\n%s", text, page->data);
}

static void lacks(const Text *page, const char *text)
{
    if (strstr(page->data, text) != NULL)
        fail_test("the page holds: %s", text);
}

static void a_part_has_its_number_and_colour_on_both_sides(void **state)
{
    Text page = {0};
    draw(&page, a_pair, sources);
    holds(&page, "<tr id=\"a2\" class=\"shared p1\"><th scope=\"row\">2</th><td class=\"mark\"><a href=\"#b5\">1<span "
                 "class=\"unseen\">: the same as lines 5 to 6 of the other source</span></a></td><td "
                 "class=\"text\">&lt;script&gt;</td></tr>");
    holds(&page, "<tr id=\"a3\" class=\"shared p1\"><th scope=\"row\">3</th><td class=\"mark\">1</td><td "
                 "class=\"text\">&lt;/pre&gt;</td></tr>");
    holds(&page, "<tr id=\"b6\" class=\"shared p1\">");
    holds(&page, "<tr id=\"a1\"><th");
    holds(&page, "<tr class=\"gap\"><td colspan=\"3\">Handed out: line 4</td></tr>");
    lacks(&page, "id=\"a4\"");
    holds(&page, "Parts in common");
    holds(&page, "Names, numbers, comments and line breaks do not count.");
    text_free(&page);
}

static void names_and_texts_are_escaped(void **state)
{
    Text page = {0};
    draw(&page, a_pair, sources);
    lacks(&page, "<script>");
    lacks(&page, "\x1b");
    lacks(&page, "a<i>da");
    lacks(&page, "<b>.cu");
    holds(&page, "a&lt;i&gt;da");
    holds(&page, ", a further source");
    holds(&page, "In the other one: 50.0\u00A0% of the source, 100\u00A0% of the device code</p>");
    text_free(&page);
}

static void what_is_unknown_is_said(void **state)
{
    static const PairSource unknown[] = {{NULL, 4}, {"x", 0}};
    Text page = {0};
    draw(&page, "{\"same_source\": true}", unknown);
    holds(&page, "The database of this server lacks its source.");
    holds(&page, "No part of the sources is the same; only the");
    holds(&page, "Both are the same text. A pair says where to look, not who copied.");
    text_free(&page);
    draw(&page, "{\"same_machine_code\": true}", unknown);
    holds(&page, "to the same machine code.");
    text_free(&page);
}

static void a_long_source_is_cut(void **state)
{
    Text page = {0}, source = {0};
    for (int i = 0; i < 5000; i++)
        text_add(&source, "x\n");
    const PairSource of[] = {sources[0], {source.data, 0}};
    draw(&page, a_pair, of);
    holds(&page, "id=\"b1500\"");
    lacks(&page, "id=\"b1501\"");
    holds(&page, "The rest is not shown here.");
    text_free(&page);
    text_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_has_its_number_and_colour_on_both_sides),
        cmocka_unit_test(names_and_texts_are_escaped),
        cmocka_unit_test(what_is_unknown_is_said),
        cmocka_unit_test(a_long_source_is_cut),
    };
    return cmocka_run_group_tests_name("pair_page", tests, NULL, NULL);
}
