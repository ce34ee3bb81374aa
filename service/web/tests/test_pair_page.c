#include "base/tests/unit.h"

#include "service/web/pair_page.h"

#include <string.h>

static const Site teacher = {.person = "emmy", .is_teacher = true};

/* Four lines each, of which the second and third are part 1; the fourth was handed out. */
static PairPage a_pair(void)
{
    static const PairPart parts[] = {{{{2, 3}, {5, 6}}}};
    static const PairLines handed_out[] = {{4, 4}};
    return (PairPage){.problem = "conv1d",
                      .time_utc = "2026-11-23T03:00:00Z",
                      .sides = {{.name = "a<i>da",
                                 .file = "<b>.cu",
                                 .is_persons = true,
                                 .submission = 4,
                                 .source = "one\n<script>\n</pre>\nfour",
                                 .source_share = 0.5,
                                 .code_share = 1,
                                 .handed_out = handed_out,
                                 .handed_out_count = 1},
                                {.name = "/srv/2025", .file = "x.cu", .source = "\n\n\n\n<script>\r\n\x1b</pre>\nsix"}},
                      .parts = parts,
                      .part_count = 1};
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
    const PairPage pair = a_pair();
    page_pair(&page, &teacher, &pair);
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
    const PairPage pair = a_pair();
    page_pair(&page, &teacher, &pair);
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
    Text page = {0};
    PairPage pair = a_pair();
    pair.part_count = 0;
    pair.sides[0].source = NULL;
    pair.same_source = true;
    page_pair(&page, &teacher, &pair);
    holds(&page, "The database of this server lacks its source.");
    holds(&page, "No part of the sources is the same; only the");
    holds(&page, "Both are the same text. A pair says where to look, not who copied.");
    pair.same_source = false;
    pair.same_machine_code = true;
    text_free(&page);
    page_pair(&page, &teacher, &pair);
    holds(&page, "to the same machine code.");
    text_free(&page);
}

static void a_long_source_is_cut(void **state)
{
    Text page = {0}, source = {0};
    PairPage pair = a_pair();
    for (int i = 0; i < 5000; i++)
        text_add(&source, "x\n");
    pair.sides[1].source = source.data;
    page_pair(&page, &teacher, &pair);
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
