#include "service/web/parts.h"

#include "base/tensor.h"
#include "service/web/board_plots.h"
#include "service/web/html.h"
#include "service/web/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- boards ------------------------------------------------------------------------------------------------------ */

enum { MOST_ROWS = 300 }; /* of all boards together, at least 50 of each */

/* People with the same rank tie; so does anyone whose time does not differ from theirs. */
static bool ties_with_neighbour(const BoardPage *board, size_t i)
{
    size_t rank = board->standings[i].rank;
    return (i > 0 && board->standings[i - 1].rank == rank) ||
           (i + 1 < board->standing_count && board->standings[i + 1].rank == rank);
}

static void add_standing(Text *page, const Site *site, const BoardPage *board, size_t i)
{
    const Standing *standing = &board->standings[i];
    int64_t submission = board->submissions == NULL ? 0 : board->submissions[i];
    bool is_reader = site->person != NULL && strcmp(site->person, standing->person) == 0;
    html_raw(page, is_reader ? "<tr class=\"you\">" : "<tr>");
    html_add(page, "<th scope=\"row\" class=\"number\">%zu%s</th><td class=\"who\">", standing->rank,
             ties_with_neighbour(board, i) ? " =" : "");
    if (submission > 0)
        link_submission(page, site, submission, standing->person);
    else
        html_text(page, standing->person);
    html_add(page, "</td><td class=\"number\">%s</td>", figure_measured(standing->time).text);
    if (standing->percentile.n >= 10)
        html_add(page, "<td class=\"number spare\">%.0f</td>", standing->percentile.value);
    else if (standing->percentile.n > 0)
        html_add(page, "<td class=\"number spare\">%zu of %zu</td>", standing->percentile.slower,
                 standing->percentile.n);
    else
        html_raw(page, "<td class=\"spare\"></td>");
    html_add(page, "<td class=\"spare nowrap\">%s</td></tr>\n", figure_day(standing->time_utc).text);
}

static void add_rows(Text *page, const Site *site, const BoardPage *board, const char *label, size_t first, size_t end)
{
    bool has_percentiles = board->standing_count > 10;
    table_begin_wide(page, label,
                     has_percentiles ? ">Rank|Name|>Time|>-Percentile|-Date" : ">Rank|Name|>Time|>-Faster than|-Date");
    for (size_t i = first; i < end; i++)
        add_standing(page, site, board, i);
    table_end(page);
}

/* Of a long board the first rows and the reader's own are shown at once. */
static void add_standings(Text *page, const Site *site, const BoardPage *board, size_t most)
{
    enum { FIRST_ROWS = 15 };
    size_t count = board->standing_count < most ? board->standing_count : most;
    size_t first = count <= FIRST_ROWS + 5 ? count : FIRST_ROWS;
    if (count == 0) {
        html_raw(page, "<p>Nobody yet.</p>\n");
        return;
    }
    add_rows(page, site, board, "Board", 0, first);
    for (size_t i = first; i < board->standing_count; i++)
        if (site->person != NULL && strcmp(site->person, board->standings[i].person) == 0)
            add_rows(page, site, board, "Your place", i, i + 1);
    if (count > first) {
        details_begin(page, "The others");
        add_rows(page, site, board, "The others", first, count);
        details_end(page);
    }
    if (board->standing_count > most)
        html_add(page, "<p class=\"note\">%zu more are not shown.</p>\n", board->standing_count - most);
    html_raw(
        page,
        "<p class=\"note\">A rank with = is shared: those times do not differ by more than their uncertainties.</p>\n");
}

static void add_groups(Text *page, const ProblemPage *problem)
{
    if (problem->groups == NULL || problem->groups[0] == NULL)
        return;
    html_raw(page, "<nav aria-label=\"Groups\"><ul class=\"links\">\n<li><a href=\"?#boards\"");
    html_raw(page, problem->group == NULL ? " aria-current=\"true\">Everybody</a></li>\n" : ">Everybody</a></li>\n");
    for (const char *const *group = problem->groups; *group != NULL; group++) {
        html_raw(page, "<li><a href=\"?group=");
        html_url_part(page, *group);
        html_raw(page, "#boards\"");
        if (problem->group != NULL && strcmp(problem->group, *group) == 0)
            html_raw(page, " aria-current=\"true\"");
        html_add(page, ">%s</a></li>\n", *group);
    }
    html_raw(page, "</ul></nav>\n");
}

static void add_board(Text *page, const Site *site, const BoardPage *board, size_t number, size_t most)
{
    static const MeasuredTime nobody = {0};
    char id[40];
    html_add(page, "<h3>%s%s</h3>\n", board->device_name != NULL ? board->device_name : board->device,
             board->modelled ? ", modelled times" : "");
    add_standings(page, site, board, most);
    html_raw(page, "<div class=\"plots\">\n");
    snprintf(id, sizeof id, "times-%zu", number);
    plot_times(page, id, board, nobody);
    snprintf(id, sizeof id, "best-%zu", number);
    plot_history(page, id, "The best time over the weeks", "Who", board->best, board->best_count);
    plot_ladder(page, board, nobody);
    html_raw(page, "</div>\n");
}

static void add_boards(Text *page, const Site *site, const ProblemPage *problem)
{
    size_t most = problem->board_count > 0 ? MOST_ROWS / problem->board_count : MOST_ROWS;
    most = most < 50 ? 50 : most;
    html_raw(page, "<section aria-labelledby=\"boards\">\n<h2 id=\"boards\">Board</h2>\n");
    if (problem->hides_board) {
        html_raw(page, "<p>The board is not shown now.</p>\n</section>\n");
        return;
    }
    add_groups(page, problem);
    if (problem->board_count == 0)
        html_raw(page, "<p>Nobody ranks yet.</p>\n");
    for (size_t i = 0; i < problem->board_count; i++)
        add_board(page, site, &problem->boards[i], i + 1, most);
    html_raw(page, "</section>\n");
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void add_sizes(Text *page, const Problem *problem, const Sizes *sizes)
{
    const char *separator = "";
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE) {
            html_add(page, "%s%s %s", separator, problem->parameters[i].name,
                     figure_whole((double)sizes->values[i]).text);
            separator = ", ";
        }
}

/* Rows of a small array of two dimensions stand on lines of their own. */
static void add_values(Text *page, const char *name, const Tensor *tensor)
{
    enum { MOST = 256 };
    size_t count = tensor_count(tensor), row = tensor->rank < 2 ? count : count / tensor->shape[0];
    html_add(page, "<dt><code>%s</code></dt><dd><pre tabindex=\"0\"><code>", name);
    for (size_t i = 0; i < count && i < MOST; i++)
        html_add(page, "%s%.7g", i == 0 ? "" : i % row == 0 ? "\n" : "  ", element_load(tensor->type, tensor->data, i));
    html_add(page, "%s</code></pre></dd>\n", count > MOST ? " …" : "");
}

static void add_source(Text *page, const char *name, const CaseSource *source)
{
    html_add(page, "<dt><code>%s</code></dt><dd>", name);
    switch (source->kind) {
    case SOURCE_FILE: html_raw(page, "from a file"); break;
    case SOURCE_PERTURBED: html_raw(page, "from a file, each value changed a little"); break;
    case SOURCE_UNIFORM: html_add(page, "random numbers from %g to %g", source->a, source->b); break;
    case SOURCE_NORMAL: html_add(page, "random numbers, normal, mean %g, deviation %g", source->a, source->b); break;
    case SOURCE_INTEGERS: html_add(page, "random whole numbers from %g to %g", source->a, source->b); break;
    case SOURCE_IMPULSE: html_add(page, "%g at one place, 0 elsewhere", source->a); break;
    case SOURCE_RAMP: html_add(page, "%g, then %g more for each element", source->a, source->b); break;
    case SOURCE_CONSTANT: html_add(page, "%g everywhere", source->a); break;
    case SOURCE_VALUES: break;
    }
    html_raw(page, "</dd>\n");
}

static void add_sample(Text *page, const Problem *problem, const Testcase *sample)
{
    html_add(page, "<h3>%s</h3>\n<p>", sample->name);
    add_sizes(page, problem, &sample->sizes);
    html_raw(page, "</p>\n<dl class=\"sample\">\n");
    for (size_t i = 0; i < problem->parameter_count; i++) {
        if (problem->parameters[i].role != ROLE_IN)
            continue;
        if (sample->sources[i].kind == SOURCE_VALUES)
            add_values(page, problem->parameters[i].name, &sample->sources[i].literal);
        else
            add_source(page, problem->parameters[i].name, &sample->sources[i]);
    }
    if (sample->expected.data != NULL)
        add_values(page, problem->parameters[problem_output(problem)].name, &sample->expected);
    html_raw(page, "</dl>\n");
}

static void add_timed(Text *page, const Problem *problem, const TestcaseSet *set)
{
    html_raw(page, "<section aria-labelledby=\"timed\">\n<h2 id=\"timed\">Timed sizes</h2>\n");
    table_begin(page, "Timed cases", "Case|>Operations|>Least bytes moved");
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *item = &set->cases[i];
        if (item->group != CASE_TIMED)
            continue;
        html_add(page, "<tr><th scope=\"row\">%s<span class=\"more quiet\">", item->name);
        add_sizes(page, problem, &item->sizes);
        html_add(page, "</span></th><td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
                 figure_whole((double)item->operations).text, figure_whole((double)item->bytes).text);
    }
    table_end(page);
    html_raw(page, "</section>\n");
}

static void add_cases(Text *page, const ProblemPage *problem)
{
    const TestcaseSet *set = problem->testcases;
    size_t hidden = 0, timed = 0;
    if (set == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"samples\">\n<h2 id=\"samples\">Samples</h2>\n");
    for (size_t i = 0; i < set->count; i++) {
        hidden += set->cases[i].group == CASE_HIDDEN;
        timed += set->cases[i].group == CASE_TIMED;
        if (set->cases[i].group == CASE_SAMPLE)
            add_sample(page, problem->problem, &set->cases[i]);
    }
    html_add(page, "<p>Besides, there are %zu hidden cases.</p>\n</section>\n", hidden);
    if (timed > 0)
        add_timed(page, problem->problem, set);
}

/* ---- limits and timed sizes -------------------------------------------------------------------------------------- */

static void add_limits(Text *page, const Problem *problem)
{
    const ProblemLimits *limits = &problem->limits;
    html_raw(page, "<section aria-labelledby=\"limits\">\n<h2 id=\"limits\">Limits</h2>\n<dl class=\"facts\">\n");
    page_fact(page, "Device memory", figure_bytes((double)limits->device_bytes).text);
    page_fact(page, "Host memory", figure_bytes((double)limits->host_bytes).text);
    page_fact(page, "CPU time of a call", figure_duration(limits->host_seconds).text);
    page_fact(page, "Whole time of a call", figure_duration(limits->wall_seconds).text);
    page_fact(page, "Warp instructions of a call, simulated", figure_whole((double)limits->warp_instructions).text);
    page_fact(page, "Source", figure_bytes((double)limits->source_bytes).text);
    html_raw(page, "</dl>\n</section>\n");
}

static void add_starter(Text *page, const Site *site, const ProblemPage *problem)
{
    if (problem->starter == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"starter\">\n<h2 id=\"starter\">Starter</h2>\n<p><a download=\"");
    html_add(page, "%s.cu\" href=\"", problem->problem->id);
    if (site->is_static) {
        starter_file(page, problem->problem->id);
    } else {
        html_raw(page, "/problems/");
        html_url_part(page, problem->problem->id);
        html_raw(page, "/starter.cu");
    }
    html_add(
        page,
        "\">Download %s.cu</a></p>\n<details>\n<summary>Show it</summary>\n<pre tabindex=\"0\"><code>%s</code></pre>\n</details>\n</section>\n",
        problem->problem->id, problem->starter);
}

/* ---- handing in -------------------------------------------------------------------------------------------------- */

static void add_form(Text *page, const ProblemPage *problem)
{
    if (problem->key == NULL)
        return;
    html_raw(
        page,
        "<section aria-labelledby=\"submit\">\n<h2 id=\"submit\">Hand in</h2>\n<form class=\"block\" method=\"post\" "
        "enctype=\"multipart/form-data\" action=\"/problems/");
    html_url_part(page, problem->problem->id);
    html_add(page, "/submit\">\n<input type=\"hidden\" name=\"key\" value=\"%s\">\n", problem->key);
    html_raw(
        page,
        "<div><label for=\"file\">A file</label><input id=\"file\" name=\"file\" type=\"file\" accept=\".cu,.c\"></div>\n"
        "<div><label for=\"code\">or its text</label><textarea id=\"code\" name=\"source\" spellcheck=\"false\" "
        "autocomplete=\"off\" autocapitalize=\"off\"></textarea></div>\n"
        "<div><label for=\"mode\">What for</label><select id=\"mode\" name=\"mode\">\n"
        "<option value=\"rank\">rank: all cases, with times</option>\n"
        "<option value=\"test\">test: samples and hidden cases, without times</option>\n"
        "<option value=\"try\">try: the samples; nothing is kept</option>\n</select></div>\n"
        "<button>Hand in</button>\n</form>\n</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

void page_problem(Text *page, const Site *site, const ProblemPage *problem)
{
    page_begin(page, site, problem->problem->title);
    html_add(page, "<p class=\"under\"><code>%s</code>, %s</p>\n", problem->problem->id, problem->problem->difficulty);
    html_raw(page, "<nav aria-label=\"On this page\"><ul class=\"links\">\n<li><a href=\"#boards\">Board</a></li>\n"
                   "<li><a href=\"#statement\">Statement</a></li>\n<li><a href=\"#samples\">Samples</a></li>\n"
                   "<li><a href=\"#limits\">Limits</a></li>\n");
    if (problem->starter != NULL)
        html_raw(page, "<li><a href=\"#starter\">Starter</a></li>\n");
    if (problem->key != NULL)
        html_raw(page, "<li><a href=\"#submit\">Hand in</a></li>\n");
    if (problem->has_sources) {
        html_raw(page, "<li><a href=\"/problems/");
        html_url_part(page, problem->problem->id);
        html_raw(page, "/sources\">Sources of others</a></li>\n");
    }
    html_raw(page, "</ul></nav>\n");
    for (const char *const *sentence = problem->deadlines; sentence != NULL && *sentence != NULL; sentence++)
        html_add(page, "<p class=\"prose\"><strong>%s</strong></p>\n", *sentence);
    add_boards(page, site, problem);
    html_raw(page,
             "<section aria-labelledby=\"statement\">\n<h2 id=\"statement\">Statement</h2>\n<div class=\"prose\">\n");
    statement_html(page, problem->statement);
    html_raw(page, "</div>\n</section>\n");
    add_cases(page, problem);
    add_limits(page, problem->problem);
    add_starter(page, site, problem);
    add_form(page, problem);
    page_end(page, site);
}
