#include "service/grading/class_report.h"

#include "grader/terminal/terminal.h"
#include "service/store/service_store.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 16, SHOWN_ASIDE = 5 };

/* ---- one submission ---------------------------------------------------------------------------------------------- */

static const char *what_came_of(const HandedIn *item)
{
    if (strcmp(item->state, "held") == 0)
        return "the judge failed";
    if (strcmp(item->state, "cancelled") == 0)
        return "withdrawn";
    return item->verdict[0] == '\0' ? "waiting" : item->verdict;
}

void class_report_add_item(const HandedIn *item, Text *text)
{
    terminal_add_line(text, item->file->person);
    text_printf(text, ", %s: %s (", item->problem, what_came_of(item));
    terminal_add_line(text, item->file->origin);
    text_add(text, item->file->marked_late ? ", marked late)\n" : ")\n");
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

typedef struct ReportKind {
    const char *name;
    size_t count;
} ReportKind;

static int compare_kinds(const void *a, const void *b)
{
    const ReportKind *first = a, *second = b;
    return first->count == second->count ? strcmp(first->name, second->name) : first->count < second->count ? 1 : -1;
}

static size_t count_kinds(const ClassRun *run, ReportKind kinds[MOST_KINDS])
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t k = 0;
        if (run->items[i].same_as != NULL)
            continue;
        while (k < count && strcmp(kinds[k].name, what_came_of(&run->items[i])) != 0)
            k++;
        if (k == count && count < MOST_KINDS)
            kinds[count++].name = what_came_of(&run->items[i]);
        if (k < count)
            kinds[k].count++;
    }
    qsort(kinds, count, sizeof *kinds, compare_kinds);
    return count;
}

static void add_counts(const ClassRun *run, Text *text)
{
    ReportKind kinds[MOST_KINDS] = {{NULL, 0}};
    size_t people = 0, submissions = 0;
    for (size_t i = 0; i < run->count; i++) {
        submissions += run->items[i].same_as == NULL;
        people += i == 0 || strcmp(run->items[i].file->person, run->items[i - 1].file->person) != 0;
    }
    text_printf(text, "%zu submission%s of %zu %s", submissions, submissions == 1 ? "" : "s", people,
                people == 1 ? "person" : "people");
    const size_t count = count_kinds(run, kinds);
    for (size_t k = 0; k < count; k++)
        text_printf(text, "%s %zu %s", k == 0 ? ":" : ",", kinds[k].count, kinds[k].name);
    text_add(text, "\n");
}

static void add_duplicates(const ClassRun *run, Text *text)
{
    for (size_t i = 0; i < run->count; i++) {
        const HandedIn *item = &run->items[i];
        if (item->same_as == NULL)
            continue;
        text_add(text, "  counted once: ");
        terminal_add_line(text, item->file->origin);
        text_add(text, " is the same as ");
        terminal_add_line(text, item->same_as);
        text_add(text, "\n");
    }
}

static void add_failures(const ClassRun *run, Text *text)
{
    for (size_t i = 0; i < run->count; i++) {
        const HandedIn *item = &run->items[i];
        if (item->same_as != NULL || strcmp(item->state, "held") != 0)
            continue;
        text_add(text, "  not judged, the same command tries again: ");
        terminal_add_line(text, item->file->origin);
        text_add(text, ": ");
        terminal_add_line(text, item->failure);
        text_add(text, "\n");
    }
}

static void add_refusals(const Intake *intake, Text *text)
{
    for (size_t i = 0; i < intake->refused_count; i++) {
        text_add(text, "  refused: ");
        terminal_add_line(text, intake->refused[i].origin);
        text_add(text, ": ");
        terminal_add_line(text, intake->refused[i].why);
        text_add(text, "\n");
    }
}

static void add_aside(const Intake *intake, Text *text)
{
    const size_t count = intake->left_aside_count;
    if (count == 0)
        return;
    text_printf(text, "  left aside, neither sources nor archives: ");
    for (size_t i = 0; i < count && i < SHOWN_ASIDE; i++) {
        text_add(text, i == 0 ? "" : ", ");
        terminal_add_line(text, intake->left_aside[i]);
    }
    if (count > SHOWN_ASIDE)
        text_printf(text, " and %zu more", count - SHOWN_ASIDE);
    text_add(text, "\n");
}

void class_report_add_summary(const ClassRun *run, Text *text)
{
    add_counts(run, text);
    add_duplicates(run, text);
    add_failures(run, text);
    add_refusals(run->intake, text);
    add_aside(run->intake, text);
}

bool class_report_has_trouble(const ClassRun *run)
{
    bool has_trouble = run->intake->refused_count > 0;
    for (size_t i = 0; i < run->count; i++)
        has_trouble = has_trouble || strcmp(run->items[i].state, "held") == 0;
    return has_trouble;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Names may hold bytes that are not UTF-8, which JSON cannot. */
static void put_name(cJSON *object, const char *key, const char *name)
{
    Text text = {0};
    terminal_add_line(&text, name);
    cJSON_AddStringToObject(object, key, text.data == NULL ? "" : text.data);
    text_free(&text);
}

static void put_if_any(cJSON *object, const char *key, const char *value)
{
    if (value != NULL && value[0] != '\0')
        put_name(object, key, value);
}

static cJSON *item_json(const HandedIn *item)
{
    cJSON *object = cJSON_CreateObject();
    put_name(object, "person", item->file->person);
    cJSON_AddStringToObject(object, "problem", item->problem);
    put_if_any(object, "assignment", item->file->assignment);
    put_name(object, "origin", item->file->origin);
    cJSON_AddNumberToObject(object, "version", item->file->version);
    if (item->file->received_s != 0)
        cJSON_AddStringToObject(object, "received_utc", utc_of(item->file->received_s).text);
    cJSON_AddBoolToObject(object, "marked_late", item->file->marked_late);
    cJSON_AddNumberToObject(object, "submission", (double)item->submission);
    cJSON_AddBoolToObject(object, "is_new", item->is_new);
    put_if_any(object, "same_as", item->same_as);
    cJSON_AddStringToObject(object, "state", item->state);
    put_if_any(object, "verdict", item->verdict);
    put_if_any(object, "failure", item->failure);
    return object;
}

cJSON *class_report_json(const ClassRun *run, const char *state)
{
    cJSON *root = cJSON_CreateObject(), *list;
    cJSON_AddNumberToObject(root, "schema", 1);
    put_name(root, "state", state);
    list = cJSON_AddArrayToObject(root, "submissions");
    for (size_t i = 0; i < run->count; i++)
        cJSON_AddItemToArray(list, item_json(&run->items[i]));
    list = cJSON_AddArrayToObject(root, "refused");
    for (size_t i = 0; i < run->intake->refused_count; i++) {
        cJSON *object = cJSON_CreateObject();
        put_name(object, "origin", run->intake->refused[i].origin);
        put_name(object, "why", run->intake->refused[i].why);
        cJSON_AddItemToArray(list, object);
    }
    list = cJSON_AddArrayToObject(root, "left_aside");
    for (size_t i = 0; i < run->intake->left_aside_count; i++) {
        Text text = {0};
        terminal_add_line(&text, run->intake->left_aside[i]);
        cJSON_AddItemToArray(list, cJSON_CreateString(text.data));
        text_free(&text);
    }
    return root;
}
