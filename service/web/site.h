/* site.h - where pages lie, and what surrounds each of them.
 *
 * A server gives pages at addresses (/submissions/12); a report is a folder of files (submission-12.html). The pages
 * themselves do not know which it is: every link comes from here.  */
#ifndef SERVICE_WEB_SITE_H
#define SERVICE_WEB_SITE_H

#include "base/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Site {
    const char *title;  /* what this judge is called; NULL: ConvJudge */
    bool is_static;     /* files of a report: nobody logs in, and there is nothing to hand in */
    bool is_alone;      /* with is_static: one file, with the style in it and without links to others */
    const char *person; /* who has logged in; NULL: nobody */
    bool is_teacher, is_admin;
    const char *zone; /* of all times on the page; NULL: UTC */
} Site;

/* The files that pages need: a server gives them as /static/style.css and /static/live.js, a report has style.css beside it. */
extern const char style_css[], live_js[], editor_js[];

/* Shows {{#page name}} of service/web/pages/ with what surrounds it, and deletes the values. */
void site_show(Text *page, const Site *site, const char *name, cJSON *values);

/* Names of the files of a report. */
void problem_file(Text *name, const char *id);
void submission_file(Text *name, int64_t number);
void starter_file(Text *name, const char *problem);

#endif
