#include "service/pages/appeals_view.h"

#include "grader/report/report_appeal.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

/* ---- one appeal -------------------------------------------------------------------------------------------------- */

static void add_figure(Text *page, MeasuredTime time, size_t rank)
{
    html_add(page, "<td class=\"number\">%s</td><td class=\"number\">", figure_measured(time).text);
    if (rank > 0)
        html_add(page, "%zu", rank);
    html_raw(page, "</td>");
}

static void add_words(Text *page, const AppealedTime *time)
{
    html_add(page, "<td>%s</td>", !(time->again.ms > 0) ? time->verdict : time->agrees ? "agree" : "differ");
}

static void add_times(Text *page, const Appeal *appeal)
{
    table_begin(page, "First and new figures", "Who|>First|>Rank there|>Again|>Rank there|The two");
    for (size_t i = 0; i < appeal->count; i++) {
        const AppealedTime *time = &appeal->times[i];
        html_raw(page, time->run == appeal->run ? "<tr class=\"you\">" : "<tr>");
        html_add(page, "<th scope=\"row\">%s</th>", time->person);
        add_figure(page, time->first, time->first_rank);
        add_figure(page, time->again, time->again_rank);
        add_words(page, time);
        html_raw(page, "</tr>\n");
    }
    table_end(page);
}

static void add_appeal(Text *page, const Appeal *appeal)
{
    html_add(
        page,
        "<p class=\"prose\">%s: %s had the run timed again, with new data, in turn with its neighbours on the board",
        figure_moment(appeal->time_utc).text, appeal->person);
    html_add(page, "%s%s. The outcome: %s.", *appeal->why == '\0' ? "" : ": ", appeal->why,
             report_appeal_words(appeal_own_time(appeal)));
    if (appeal->rank > 0)
        html_add(page, " Its rank on the board was %zu.", appeal->rank);
    if (appeal->rank_again > 0)
        html_add(page, " By the new figures alone it would be %zu.", appeal->rank_again);
    html_raw(page, "</p>\n");
    add_times(page, appeal);
}

void appeals_of_submission(Text *page, const BoardPage *board, int64_t run)
{
    bool is_first = true;
    for (size_t i = 0; board != NULL && run != 0 && i < board->appeal_count; i++) {
        if (board->appeals[i].run != run)
            continue;
        if (is_first)
            html_raw(page,
                     "<section aria-labelledby=\"appeals\">\n<h2 id=\"appeals\">Timed again</h2>\n"
                     "<p class=\"note\">The ranks in the table are those among the runs that were timed again. No time "
                     "and no rank is replaced until a teacher decides.</p>\n");
        is_first = false;
        add_appeal(page, &board->appeals[i]);
    }
    if (!is_first)
        html_raw(page, "</section>\n");
}

/* ---- all of a board ---------------------------------------------------------------------------------------------- */

void appeals_below_board(Text *page, const BoardPage *board)
{
    if (board->appeal_count == 0)
        return;
    details_begin(page, "Runs that were timed again");
    table_begin(page, "Runs that were timed again", "Who|>First|>Rank|>Again|>Rank by it|The two|-When");
    for (size_t i = 0; i < board->appeal_count; i++) {
        const Appeal *appeal = &board->appeals[i];
        const AppealedTime *own = appeal_own_time(appeal);
        html_add(page, "<tr><th scope=\"row\">%s</th>", own->person);
        add_figure(page, own->first, appeal->rank);
        add_figure(page, own->again, appeal->rank_again);
        add_words(page, own);
        html_add(page, "<td class=\"spare nowrap\">%s</td></tr>\n", figure_day(appeal->time_utc).text);
    }
    table_end(page);
    details_end(page);
}
