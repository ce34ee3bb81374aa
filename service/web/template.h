/* template.h - pages as markup with named values: service/web/pages/ holds the markup, and a tree of cJSON the values.
 *
 * Markup   {{name}} is a value, as text; {{a.b}} a member of a member; {{this}} the item itself, {{loop}} its number from 1;
 *          {{root.name}} begins at the page's values. Names are those of the innermost each or with, and of nothing else.
 *          {{name|filter}} shows a value as `template_filters` say: {{received|moment}}.
 *          {{{name}}} is markup that C has made, set by values_markup() alone.
 *          {{#if name}} .. {{else}} .. {{/if}}, also {{#if !name}} and {{#if name = text}}. Null, 0, "", false and an empty list are false.
 *          {{#each list}} .. {{else}} .. {{/each}}, for an empty list what follows the else; {{#each list 200}} stops there, and {{#more list
 *          200}} .. {{/more}} is for a longer one, with {{this}} the number of what is left out. {{#with object}} .. {{else}} .. {{/with}}
 *          {{#table label|head|>head}} .. {{/table}} is a table that scrolls sideways where it is too wide, {{#wide ..}} one as wide as the page.
 *          The label is its name for screen readers; heads of numbers begin with '>', those that a phone does not show with '-'
 *          (">-GB/s"); {name} stands for a value. Each row begins with a <th scope="row">.
 *          {{#set name}} .. {{/set}} keeps markup as {{{root.name}}}. {{>part}} and {{>part name}} show another template. {{! remark }}
 *          A tag alone on its line leaves no line, and indentation is left out.
 * Escaping each value goes through html.h, so that it is safe between tags and in attributes within double quotes.
 * Errors   a name without a value, a value without a name, and whatever is wrong with the markup stand on the page itself, as
 *          "[admin.html:12: {{x}} has no value]", which every test of pages looks for. {{name?}} may be absent, as in documents that others
 *          wrote: it shows nothing, and is false.  */
#ifndef SERVICE_WEB_TEMPLATE_H
#define SERVICE_WEB_TEMPLATE_H

#include "base/text.h"
#include "leaderboard/store.h"

#include <cjson/cJSON.h>

/* ==== templates =================================================================================================== */

/* Shows {{#page name}} of service/web/pages/. */
void template_show(Text *page, const char *name, cJSON *values);

/* What is wrong with any of them, a line each; nothing: they are sound. */
void template_check(Text *faults);
/* The same of markup like that of a file, with its result for values; for tests. */
void template_try(Text *page, const char *markup, cJSON *values);

typedef struct Filtered {
    const cJSON *value;  /* NULL: absent, and the name says that it may be */
    const cJSON *holder; /* the object that has it; NULL: none */
    const cJSON *root;
} Filtered;

typedef struct Filter {
    const char *name;
    void (*add)(Text *page, const Filtered *filtered);
} Filter;

extern const Filter template_filters[]; /* up to a name that is NULL */

/* ==== values ====================================================================================================== */

/* Sets values, each by name and conversion: values_put(row, "name=%s judged=%d share=%g", ...). NULL for %s is null. Numbers stay numbers,
 * except with digits: "%.1f". */
__attribute__((format(printf, 2, 3))) void values_put(cJSON *object, const char *format, ...);
/* As "time_ms" and "uncertainty", for {{time_ms|measured}}. */
void values_time(cJSON *object, MeasuredTime time);
/* Takes the markup. */
void values_markup(cJSON *object, const char *name, Text *markup);
/* A further object of the list. */
cJSON *values_row(cJSON *list);
/* The rows of a statement as objects of a list, with the names of its columns. The types are those of database_bind(). */
MUST_USE Status values_query(Store *store, cJSON *list, Message *why, const char *sql, const char *types, ...);

#endif
