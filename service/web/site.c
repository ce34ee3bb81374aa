#include "service/web/site.h"

#include "service/web/html.h"
#include "service/web/template.h"

#include <inttypes.h>

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
__asm__(".section .rodata\n"
        ".global style_css\n"
        "style_css:\n"
        ".incbin \"service/web/style.css\"\n"
        ".byte 0\n"
        ".global live_js\n"
        "live_js:\n"
        ".incbin \"service/web/live.js\"\n"
        ".byte 0\n"
        ".previous\n");

/* ---- links ------------------------------------------------------------------------------------------------------- */

void problem_file(Text *name, const char *id)
{
    text_add(name, "problem-");
    html_url_part(name, id);
    text_add(name, ".html");
}

void starter_file(Text *name, const char *problem)
{
    text_add(name, "starter-");
    html_url_part(name, problem);
    text_add(name, ".cu");
}

void submission_file(Text *name, int64_t number)
{
    text_printf(name, "submission-%" PRId64 ".html", number);
}

void link_problem(Text *page, const Site *site, const char *id, const char *text)
{
    html_raw(page, "<a href=\"");
    if (site->is_static) {
        problem_file(page, id);
    } else {
        html_raw(page, "/problems/");
        html_url_part(page, id);
    }
    html_add(page, "\">%s</a>", text);
}

void link_submission(Text *page, const Site *site, int64_t number, const char *text)
{
    html_raw(page, "<a href=\"");
    if (site->is_static)
        submission_file(page, number);
    else
        text_printf(page, "/submissions/%" PRId64, number);
    html_add(page, "\">%s</a>", text);
}

void link_person(Text *page, const Site *site, const char *person)
{
    if (site->is_static) {
        html_text(page, person);
        return;
    }
    html_raw(page, "<a href=\"/people/");
    html_url_part(page, person);
    html_add(page, "\">%s</a>", person);
}

/* ---- what surrounds a page --------------------------------------------------------------------------------------- */

static const char *title_of(const Site *site)
{
    return site->title == NULL ? "ConvJudge" : site->title;
}

static void add_navigation(Text *page, const Site *site)
{
    if (site->is_alone)
        return;
    html_raw(page, "<header class=\"site\">\n<nav aria-label=\"Site\">\n");
    html_add(page, "<a class=\"home\" href=\"%s\">%s</a>\n", site->is_static ? "index.html" : "/", title_of(site));
    if (site->person != NULL) {
        html_raw(page, "<a href=\"/people/");
        html_url_part(page, site->person);
        html_raw(page, "\">Submissions</a>\n");
    }
    if (site->is_teacher || site->is_admin)
        html_raw(page, "<a href=\"/teacher\">Class</a>\n");
    if (site->is_admin)
        html_raw(page, "<a href=\"/admin\">Operation</a>\n");
    if (site->person != NULL)
        html_add(page,
                 "<form class=\"who\" method=\"post\" action=\"/logout\"><span class=\"name\">%s</span> <button "
                 "class=\"plain\">Log out</button></form>\n",
                 site->person);
    else if (!site->is_static)
        html_raw(page, "<a class=\"who\" href=\"/login\">Log in</a>\n");
    html_raw(page, "</nav>\n</header>\n");
}

static void begin(Text *page, const Site *site, const char *title, bool is_live)
{
    const char *folder = site->is_static ? "" : "/static/";
    html_raw(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"referrer\" content=\"same-origin\">\n<link rel=\"icon\" href=\"data:,\">\n");
    html_add(page, "<title>%s - %s</title>\n", title, title_of(site));
    if (site->is_alone)
        text_add(page, "<style>\n"), text_add(page, style_css), text_add(page, "</style>\n");
    else
        html_add(page, "<link rel=\"stylesheet\" href=\"%sstyle.css\">\n", folder);
    if (is_live)
        html_add(page, "<script src=\"%slive.js\" defer></script>\n", folder);
    html_raw(page, "</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    add_navigation(page, site);
    html_add(page, "<main id=\"content\" tabindex=\"-1\">\n<h1>%s</h1>\n", title);
}

void page_begin(Text *page, const Site *site, const char *title)
{
    begin(page, site, title, false);
}

void page_begin_live(Text *page, const Site *site, const char *title)
{
    begin(page, site, title, !site->is_static);
}

void site_show(Text *page, const Site *site, const char *name, cJSON *values)
{
    cJSON *shown = cJSON_AddObjectToObject(values, "site");
    Text style = {0};
    values_put(shown, "title=%s person=%s", title_of(site), site->person);
    cJSON_AddBoolToObject(shown, "is_static", site->is_static);
    cJSON_AddBoolToObject(shown, "is_alone", site->is_alone);
    cJSON_AddBoolToObject(shown, "is_teacher", site->is_teacher || site->is_admin);
    cJSON_AddBoolToObject(shown, "is_admin", site->is_admin);
    if (site->is_alone)
        text_add(&style, style_css);
    values_markup(shown, "style", &style);
    template_show(page, name, values);
    cJSON_Delete(values);
}

void page_end(Text *page, const Site *site)
{
    html_add(page,
             "</main>\n<footer class=\"site\"><p>ConvJudge judges CUDA convolution kernels.%s</p></footer>\n"
             "</body>\n</html>\n",
             site->is_static && !site->is_alone ? " This page is a copy of its leaderboard." : "");
}
