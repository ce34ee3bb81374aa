#include "service/pages/appeals_view.h"

#include "grader/report/report_appeal.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* ---- what is asked for ----------------------------------------------------------------------------------------- */

static const char *state_words(const AskedAppeal *asked)
{
    if (strcmp(asked->state, "asked") == 0)
        return "A teacher has not decided yet.";
    if (strcmp(asked->state, "refused") == 0)
        return "Refused.";
    return asked->is_done ? "Granted, and timed again." : "Granted: the run will be timed again.";
}

static void add_question(Text *page, int64_t submission)
{
    html_add(page,
             "<form class=\"block\" method=\"post\" action=\"/submissions/%" PRId64
             "/appeal\">\n<div><label for=\"appeal\">Why the time should be measured again</label><input id=\"appeal\" "
             "name=\"why\" type=\"text\" required maxlength=\"500\" autocomplete=\"off\"></div>\n<button "
             "class=\"plain\">Ask for an appeal</button>\n</form>\n",
             submission);
}

void appeal_requests_of_submission(Text *page, const SubmissionPage *submission)
{
    if (submission->asked_count == 0 && !submission->can_appeal)
        return;
    html_raw(page, "<section aria-labelledby=\"asked\">\n<h2 id=\"asked\">Appeal</h2>\n");
    if (submission->asked_count == 0)
        html_raw(page,
                 "<p class=\"prose\">If you doubt the time, ask for an appeal: a teacher may let the run be timed "
                 "again beside its neighbours on the board, and both figures are shown.</p>\n");
    for (size_t i = 0; i < submission->asked_count; i++) {
        const AskedAppeal *asked = &submission->asked[i];
        html_add(page, "<p class=\"prose\">Asked on %s: “%s” %s", figure_moment(asked->asked_utc).text, asked->why,
                 state_words(asked));
        if (asked->answer[0] != '\0')
            html_add(page, " The teacher says: “%s”", asked->answer);
        html_raw(page, "</p>\n");
    }
    if (submission->can_appeal)
        add_question(page, submission->number);
    html_raw(page, "</section>\n");
}

static void add_decision(Text *page, const AskedAppeal *asked)
{
    html_add(page,
             "<form class=\"block\" method=\"post\" action=\"/teacher/appeals/%" PRId64
             "\">\n<div><label for=\"appeal%" PRId64 "\">What to say to it</label><input id=\"appeal%" PRId64
             "\" name=\"why\" type=\"text\" maxlength=\"500\" autocomplete=\"off\"></div>\n"
             "<div class=\"buttons\"><button name=\"decision\" value=\"grant\">Grant it</button> <button "
             "name=\"decision\" value=\"refuse\">Refuse it</button></div>\n</form>\n",
             asked->id, asked->id, asked->id);
}

void appeal_requests_to_decide(Text *page, const Site *site, const AskedAppeal *asked, size_t count)
{
    if (count == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"appeals\">\n<h2 id=\"appeals\">Appeals</h2>\n");
    for (size_t i = 0; i < count; i++) {
        char title[48];
        snprintf(title, sizeof title, "Submission %" PRId64, asked[i].submission);
        html_raw(page, "<h3>");
        link_submission(page, site, asked[i].submission, title);
        html_add(page, " by %s</h3>\n<p class=\"prose\">Asked on %s: “%s”</p>\n", asked[i].person,
                 figure_moment(asked[i].asked_utc).text, asked[i].why);
        if (strcmp(asked[i].state, "asked") == 0)
            add_decision(page, &asked[i]);
        else
            html_add(page,
                     "<p class=\"prose\">Granted. On a host with the device: <code>convjudge appeal %" PRId64
                     "</code>.</p>\n",
                     asked[i].run);
    }
    html_raw(page, "</section>\n");
}
