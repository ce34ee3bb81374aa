#include "base/html.h"
#include "service/web/parts.h"

#include <cmark.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

/* The page's own heading is the title; those of the statement stand below the page's section. */
static void lower_headings(cmark_node *document)
{
    cmark_node *next;
    for (cmark_node *node = cmark_node_first_child(document); node != NULL; node = next) {
        next = cmark_node_next(node);
        if (cmark_node_get_type(node) != CMARK_NODE_HEADING)
            continue;
        int level = cmark_node_get_heading_level(node);
        if (level == 1)
            cmark_node_free(node);
        else
            cmark_node_set_heading_level(node, level < 6 ? level + 1 : 6);
    }
}

/* Between statements a link names a file, ../ID/statement.md; on the page it leads to that problem's page. */
static void lead_to_pages(cmark_node *document)
{
    static const char up[] = "../", file[] = "/statement.md";
    cmark_iter *iter = cmark_iter_new(document);
    while (cmark_iter_next(iter) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        const char *id = cmark_node_get_type(node) == CMARK_NODE_LINK ? cmark_node_get_url(node) : "";
        if (strncmp(id, up, strlen(up)) != 0)
            continue;
        id += strlen(up);
        if (id[0] == '.' || strcmp(id + strcspn(id, "/"), file) != 0)
            continue;
        Text page = {0};
        text_add(&page, "/problems/");
        text_append(&page, id, strcspn(id, "/"));
        cmark_node_set_url(node, page.data);
        text_free(&page);
    }
    cmark_iter_free(iter);
}

/* Code blocks scroll sideways, so a keyboard must reach them. */
static void add_with_reachable_code(Text *page, const char *html)
{
    static const char tag[] = "<pre>";
    const char *found;
    while ((found = strstr(html, tag)) != NULL) {
        text_append(page, html, (size_t)(found - html));
        html_raw(page, "<pre tabindex=\"0\">");
        html = found + strlen(tag);
    }
    html_raw(page, html);
}

static char *render(const char *markdown, size_t length)
{
    cmark_node *document = cmark_parse_document(markdown, length, CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8);
    lower_headings(document);
    lead_to_pages(document);
    char *html = cmark_render_html(document, CMARK_OPT_DEFAULT);
    cmark_node_free(document);
    return html;
}

static void add_blocks(Text *page, const char *markdown, size_t length)
{
    char *html = render(markdown, length);
    add_with_reachable_code(page, html);
    free(html);
}

/* A cell is a line of text; the paragraph around it is left out. */
static void add_cell(Text *page, const char *markdown, size_t length)
{
    char *html = render(markdown, length);
    size_t size = strlen(html);
    if (strncmp(html, "<p>", 3) == 0 && size >= 8 && strcmp(html + size - 5, "</p>\n") == 0)
        text_append(page, html + 3, size - 8);
    else
        html_raw(page, html);
    free(html);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

static bool is_row(const char *line)
{
    return line[0] == '|';
}

static bool is_separator(const char *line)
{
    size_t length = strcspn(line, "\n");
    return is_row(line) && strspn(line, "|-: ") >= length && memchr(line, '-', length) != NULL;
}

/* Calls for each cell of a row: the text between two bars that are not in code and have no backslash before them. */
static void add_row(Text *page, const char *row, bool is_head)
{
    const char *at = row + 1, *start = at;
    bool in_code = false, is_first = true;
    html_raw(page, "<tr>");
    for (; *at != '\n' && *at != '\0'; at++) {
        in_code ^= *at == '`';
        if (*at != '|' || in_code || at[-1] == '\\')
            continue;
        const char *tag = is_head || is_first ? "th" : "td";
        html_add(page, "<%s", tag);
        if (is_head || is_first)
            html_add(page, " scope=\"%s\"", is_head ? "col" : "row");
        html_raw(page, ">");
        add_cell(page, start, (size_t)(at - start));
        html_add(page, "</%s>", tag);
        start = at + 1;
        is_first = false;
    }
    html_raw(page, "</tr>\n");
}

/* Adds the table at `line` and returns what follows it. */
static const char *add_table(Text *page, const char *line)
{
    html_raw(page, "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n<table>\n<thead>\n");
    add_row(page, line, true);
    line += line_length(line);
    line += line_length(line); /* the separator */
    html_raw(page, "</thead>\n<tbody>\n");
    for (; is_row(line); line += line_length(line))
        add_row(page, line, false);
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    return line;
}

void statement_html(Text *page, const char *markdown)
{
    const char *start = markdown, *at = markdown;
    while (*at != '\0') {
        if (is_row(at) && is_separator(at + line_length(at))) {
            add_blocks(page, start, (size_t)(at - start));
            start = at = add_table(page, at);
        } else {
            at += line_length(at);
        }
    }
    add_blocks(page, start, (size_t)(at - start));
}
