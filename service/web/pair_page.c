/* pair_page.c - one pair of similar sources, side by side, for teachers.
 *
 * The address names the pair by its runs, or by the run and the beginning of the further source's hash, since tomorrow's list has
 * another order.  */
#include "service/web/pair_page.h"

#include "grader/problem/problem.h"
#include "service/store/service_store.h"
#include "service/web/answer.h"
#include "service/web/html.h"
#include "service/web/parts.h"
#include "service/web/site_answers.h"

#include <stdio.h>
#include <string.h>

/* ==== pair page =================================================================================================== */

/* A page stays below 300 KB or so. */
enum { COLOURS = 6, MOST_LINES = 1500, MOST_BYTES = 100000 };

static const char letters[] = "ab";

/* ---- the lines --------------------------------------------------------------------------------------------------- */

static bool holds(PairLines lines, int line)
{
    return lines.first <= line && line <= lines.last;
}

/* The number of the first part with this line, from 1; 0: none. */
static size_t part_at(const PairPage *pair, int side, int line)
{
    for (size_t i = 0; i < pair->part_count; i++)
        if (holds(pair->parts[i].lines[side], line))
            return i + 1;
    return 0;
}

static const PairLines *handed_out_at(const PairSide *side, int line)
{
    for (size_t i = 0; i < side->handed_out_count; i++)
        if (holds(side->handed_out[i], line))
            return &side->handed_out[i];
    return NULL;
}

static void add_lines(Text *page, PairLines lines)
{
    if (lines.first == lines.last)
        html_add(page, "line %d", lines.first);
    else
        html_add(page, "lines %d to %d", lines.first, lines.last);
}

/* The number of the part; on its first line it leads to the other side. */
static void add_mark(Text *page, const PairPage *pair, int side, int line, size_t part)
{
    html_raw(page, "<td class=\"mark\">");
    if (part > 0 && pair->parts[part - 1].lines[side].first == line) {
        const PairLines other = pair->parts[part - 1].lines[!side];
        html_add(page, "<a href=\"#%c%d\">%zu<span class=\"unseen\">: the same as ", letters[!side], other.first, part);
        add_lines(page, other);
        html_raw(page, " of the other source</span></a>");
    } else if (part > 0) {
        html_add(page, "%zu", part);
    }
    html_raw(page, "</td>");
}

static void add_line(Text *page, const PairPage *pair, int side, int line, const char *text, size_t length)
{
    const size_t part = part_at(pair, side, line);
    html_add(page, "<tr id=\"%c%d\"", letters[side], line);
    if (part > 0)
        html_add(page, " class=\"shared p%zu\"", (part - 1) % COLOURS + 1);
    html_add(page, "><th scope=\"row\">%d</th>", line);
    add_mark(page, pair, side, line, part);
    html_raw(page, "<td class=\"text\">");
    html_bytes(page, text, length > 0 && text[length - 1] == '\r' ? length - 1 : length);
    html_raw(page, "</td></tr>\n");
}

static void add_gap(Text *page, PairLines lines)
{
    html_raw(page, "<tr class=\"gap\"><td colspan=\"3\">Handed out: ");
    add_lines(page, lines);
    html_raw(page, "</td></tr>\n");
}

static void add_source(Text *page, const PairPage *pair, int side)
{
    const PairSide *one = &pair->sides[side];
    const char *at = one->source;
    int line = 0;
    html_add(
        page,
        "<div class=\"source\" role=\"group\" aria-label=\"Source %s\" tabindex=\"0\">\n<table>\n<thead><tr>"
        "<th scope=\"col\">Line</th><th scope=\"col\">Part</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n",
        one->name);
    while (*at != '\0' && line < MOST_LINES && at - one->source < MOST_BYTES) {
        const size_t length = strcspn(at, "\n"), room = (size_t)(MOST_BYTES - (at - one->source));
        const PairLines *left_out = handed_out_at(one, ++line);
        if (left_out == NULL)
            add_line(page, pair, side, line, at, length < room ? length : room);
        else if (left_out->first == line)
            add_gap(page, *left_out);
        at += length + (at[length] == '\n');
    }
    html_raw(page, "</tbody>\n</table>\n</div>\n");
    if (*at != '\0')
        html_raw(page, "<p class=\"note\">The rest is not shown here.</p>\n");
}

/* ---- a side ------------------------------------------------------------------------------------------------------ */

static void add_side(Text *page, const Site *site, const PairPage *pair, int side)
{
    const PairSide *one = &pair->sides[side];
    char title[48];
    html_add(page, "<section aria-labelledby=\"side-%c\">\n<h2 id=\"side-%c\">%s</h2>\n<p class=\"under\">",
             letters[side], letters[side], one->name);
    html_name(page, one->file);
    if (one->submission > 0) {
        snprintf(title, sizeof title, "submission %lld", (long long)one->submission);
        html_raw(page, ", ");
        link_submission(page, site, one->submission, title);
    } else if (!one->is_persons) {
        html_raw(page, ", a further source");
    }
    html_add(page, "<br>In the other one: %s of the source", figure_percent(one->source_share).text);
    html_add(page, ", %s of the device code</p>\n", figure_percent(one->code_share).text);
    if (one->source != NULL)
        add_source(page, pair, side);
    else
        html_raw(page, "<p>The database of this server lacks its source.</p>\n");
    html_raw(page, "</section>\n");
}

static void add_part_lines(Text *page, int side, PairLines lines)
{
    html_add(page, "<td><a href=\"#%c%d\">", letters[side], lines.first);
    add_lines(page, lines);
    html_raw(page, "</a></td>");
}

static void add_parts(Text *page, const PairPage *pair)
{
    if (pair->part_count == 0) {
        html_raw(page, "<p>No part of the sources is the same; only the device code is.</p>\n");
        return;
    }
    details_begin(page, "Parts in common");
    html_add(page, "<p class=\"note\">Names, numbers, comments and line breaks do not count.</p>\n");
    table_begin(page, "Parts in common", "Part|One|Other");
    for (size_t i = 0; i < pair->part_count; i++) {
        html_add(page, "<tr><th scope=\"row\">%zu</th>", i + 1);
        for (int side = 0; side < 2; side++)
            add_part_lines(page, side, pair->parts[i].lines[side]);
        html_raw(page, "</tr>\n");
    }
    table_end(page);
    details_end(page);
}

void page_pair(Text *page, const Site *site, const PairPage *pair)
{
    page_begin(page, site, "Similar pair");
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, pair->problem, pair->problem);
    html_add(page, ", as of %s. <a href=\"/teacher#similar\">All pairs</a></p>\n", figure_moment(pair->time_utc).text);
    html_add(page, "<p class=\"prose\">%s A pair says where to look, not who copied.</p>\n",
             pair->same_source         ? "Both are the same text."
             : pair->same_machine_code ? "Both compile to the same machine code."
                                       : "");
    add_parts(page, pair);
    html_raw(page, "<div class=\"pair\">\n");
    add_side(page, site, pair, 0);
    add_side(page, site, pair, 1);
    html_raw(page, "</div>\n");
    page_end(page, site);
}

/* ==== site pair =================================================================================================== */

enum { MOST_LINE = 1000000 };

static bool is_problem(const Visit *visit, const char *id)
{
    const char **problems;
    size_t count;
    if (problem_list(visit->arena, &problems, &count, NULL) != STATUS_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(problems[i], id) == 0)
            return true;
    return false;
}

/* [first, last]; false for anything else. */
static bool read_lines(const cJSON *item, PairLines *lines)
{
    const cJSON *first = cJSON_GetArrayItem(item, 0), *last = cJSON_GetArrayItem(item, 1);
    if (!cJSON_IsNumber(first) || !cJSON_IsNumber(last) || !(first->valuedouble >= 1) ||
        !(last->valuedouble >= first->valuedouble) || !(last->valuedouble <= MOST_LINE))
        return false;
    *lines = (PairLines){first->valueint, last->valueint};
    return true;
}

static void read_parts(const Visit *visit, const cJSON *pair, PairPage *page)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(pair, "parts"), *item;
    PairPart *parts = arena_array(visit->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *parts);
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *lines = cJSON_GetObjectItemCaseSensitive(item, "lines");
        PairPart *part = &parts[page->part_count];
        page->part_count += read_lines(cJSON_GetArrayItem(lines, 0), &part->lines[0]) &&
                            read_lines(cJSON_GetArrayItem(lines, 1), &part->lines[1]);
    }
    page->parts = parts;
}

static double share_at(const cJSON *pair, const char *key, int side)
{
    const cJSON *share = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(pair, key), side);
    return cJSON_IsNumber(share) ? share->valuedouble : 0;
}

static const char *text_of(const Visit *visit, const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text == NULL ? NULL : arena_string(visit->arena, text);
}

static void read_handed_out(const Visit *visit, const cJSON *program, PairSide *side)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(program, "handed_out"), *item;
    PairLines *lines = arena_array(visit->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *lines);
    cJSON_ArrayForEach(item, list)
    {
        side->handed_out_count += read_lines(item, &lines[side->handed_out_count]);
    }
    side->handed_out = lines;
}

/* People's sources are in the database, by their hash; the others are in the file itself. */
static Status read_side(const Visit *visit, const cJSON *found, const cJSON *pair, int index, PairSide *side,
                        Message *why)
{
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(pair, index == 0 ? "a" : "b");
    const char *hash = text_of(visit, program, "source_hash"), *file = text_of(visit, program, "file");
    side->is_persons = text_of(visit, program, "person") != NULL;
    side->name = text_of(visit, program, side->is_persons ? "person" : "from");
    side->file = file == NULL ? "" : file;
    side->name = side->name == NULL ? "?" : side->name;
    side->submission = similar_submission(visit, program);
    side->source_share = share_at(pair, "source", index);
    side->code_share = share_at(pair, "device_code", index);
    read_handed_out(visit, program, side);
    if (hash == NULL)
        return STATUS_OK;
    if (!side->is_persons) {
        side->source = text_of(visit, cJSON_GetObjectItemCaseSensitive(found, "texts"), hash);
        return STATUS_OK;
    }
    return submissions_source(visit->service->store, hash, visit->arena, &side->source, why);
}

static const cJSON *find_pair(const Visit *visit, const cJSON *found, const char *key)
{
    const cJSON *pair;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(found, "pairs"))
    {
        if (key != NULL && strcmp(similar_key(visit, pair), key) == 0)
            return pair;
    }
    return NULL;
}

static Status show(Visit *visit, const cJSON *found, const cJSON *pair, time_t changed, Message *why)
{
    const Site site = site_of(visit);
    PairPage page = {.problem = visit->argument, .time_utc = arena_string(visit->arena, utc_of((int64_t)changed).text)};
    Status status = read_side(visit, found, pair, 0, &page.sides[0], why);
    if (status == STATUS_OK)
        status = read_side(visit, found, pair, 1, &page.sides[1], why);
    if (status != STATUS_OK)
        return status;
    read_parts(visit, pair, &page);
    page.same_source = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(pair, "same_source"));
    page.same_machine_code = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(pair, "same_machine_code"));
    page_pair(&visit->reply->body, &site, &page);
    return STATUS_OK;
}

void site_pair(Visit *visit)
{
    time_t changed = 0;
    Message why;
    cJSON *found = is_problem(visit, visit->argument) ? similar_file(visit, visit->argument, &changed) : NULL;
    const cJSON *pair = find_pair(visit, found, http_query(visit->request, "pair"));
    Status status = pair == NULL ? fail(STATUS_NOT_FOUND, &why, "there is no such pair any more")
                                 : show(visit, found, pair, changed, &why);
    cJSON_Delete(found);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
}
