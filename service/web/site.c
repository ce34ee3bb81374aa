#include "service/web/site.h"

#include "base/html.h"
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
        ".global editor_js\n"
        "editor_js:\n"
        ".incbin \"service/web/editor.js\"\n"
        ".byte 0\n"
        ".previous\n");

/* ---- files of a report ------------------------------------------------------------------------------------------- */

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

/* ---- what surrounds a page --------------------------------------------------------------------------------------- */

void site_show(Text *page, const Site *site, const char *name, cJSON *values)
{
    cJSON *shown = cJSON_AddObjectToObject(values, "site");
    Text style = {0};
    values_put(shown, "title=%s person=%s", site->title == NULL ? "ConvJudge" : site->title, site->person);
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
