#include "service/pages/pages.h"

#include "grader/terminal/quantity.h"
#include "service/pages/board_plots.h"
#include "service/pages/figure.h"
#include "service/pages/html.h"
#include "service/pages/parts.h"
#include "service/pages/source_view.h"
#include "service/pages/submission_cases.h"
#include "service/pages/submission_times.h"
#include "service/pages/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- while it waits and runs ------------------------------------------------------------------------------------- */

static bool has_ended(const SubmissionPage *submission)
{
    return strcmp(submission->state, "waiting") != 0 && strcmp(submission->state, "judging") != 0;
}

static void add_waiting_words(Text *page, const SubmissionPage *submission)
{
    if (strcmp(submission->state, "judging") == 0) {
        if (submission->step == NULL)
            html_raw(page, "It is being judged.");
        else if (submission->total > 0)
            html_add(page, "%s: %" PRId64 " of %" PRId64, submission->step, submission->done, submission->total);
        else
            html_text(page, submission->step);
        return;
    }
    if (submission->ahead == 0) {
        html_raw(page, "It is next.");
        return;
    }
    html_add(page, submission->ahead == 1 ? "%" PRId64 " submission is ahead" : "%" PRId64 " submissions are ahead",
             submission->ahead);
    if (submission->expected_s > 0)
        html_add(page, ", about %s", figure_duration(submission->expected_s).text);
    html_raw(page, ".");
}

/* live.js fills in the same elements at each event. */
static void add_progress(Text *page, const SubmissionPage *submission)
{
    bool is_judging = strcmp(submission->state, "judging") == 0;
    html_add(page, "<div class=\"verdict wait\" data-events=\"/api/v1/submissions/%" PRId64 "/events\">\n",
             submission->number);
    html_raw(page, "<div class=\"words\" role=\"status\">\n<p class=\"name\">");
    icon(page, "wait");
    html_add(page, "<span class=\"state\">%s</span></p>\n<p class=\"status-text\">",
             is_judging ? "Being judged" : "Waiting");
    add_waiting_words(page, submission);
    html_raw(page, "</p>\n");
    if (submission->total > 0)
        html_add(page, "<progress aria-label=\"Progress\" max=\"%" PRId64 "\" value=\"%" PRId64 "\"></progress>\n",
                 submission->total, submission->done);
    else
        html_raw(page, "<progress aria-label=\"Progress\"></progress>\n");
    html_raw(page, "</div>\n<p class=\"again\"><a href=\"\">Look again</a></p>\n");
    if (submission->can_withdraw)
        html_add(page,
                 "<form method=\"post\" action=\"/submissions/%" PRId64 "/withdraw\"><button class=\"plain\">Withdraw "
                 "it</button></form>\n",
                 submission->number);
    html_raw(page, "</div>\n");
}

/* ---- the verdict in one glance ----------------------------------------------------------------------------------- */

/* A person ranks with the fastest submission, which may be another one. */
static const char *rank_name(const SubmissionPage *submission, MeasuredTime score)
{
    const BoardPage *board = submission->board;
    for (size_t i = 0; board != NULL && i < board->standing_count; i++)
        if (strcmp(board->standings[i].person, submission->person) == 0 &&
            time_is_faster(board->standings[i].time, score))
            return "Rank, by a faster one";
    return "Rank";
}

static void add_score(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    MeasuredTime score = view_time(result, "score_ms");
    if (!(score.ms > 0))
        return;
    html_add(page, "<dl>\n<div><dt>Time%s</dt><dd>%s</dd></div>\n", view_true(result, "modelled") ? " (modelled)" : "",
             figure_measured(score).text);
    if (submission->rank > 0)
        html_add(page, "<div><dt>%s</dt><dd>%" PRId64 " of %" PRId64 "</dd></div>\n", rank_name(submission, score),
                 submission->rank, submission->of);
    if (view_number(result, "roofline") > 0)
        html_add(page, "<div><dt>Of the roofline</dt><dd>%s</dd></div>\n",
                 figure_percent(view_number(result, "roofline")).text);
    html_raw(page, "</dl>\n");
}

static void add_verdict(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    const char *verdict = view_text(result, "verdict"), *class = verdict_class(verdict);
    html_add(page, "<div class=\"verdict %s\">\n<div class=\"words\">\n<p class=\"name\">", class);
    icon(page, class);
    html_add(page, "%s</p>\n", verdict);
    if (*view_text(result, "text") != '\0') {
        html_raw(page, "<p>");
        html_code(page, view_text(result, "text"));
        html_raw(page, "</p>\n");
    }
    if (submission->retracted != NULL)
        html_add(page, "<p>Hidden by a teacher: %s</p>\n", submission->retracted);
    else if (*view_text(result, "rank_status") != '\0')
        html_add(page, "<p class=\"quiet\">%s</p>\n", view_text(result, "rank_status"));
    html_raw(page, "</div>\n");
    add_score(page, submission);
    html_raw(page, "</div>\n");
}

static void add_state(Text *page, const char *class, const char *name, const char *text)
{
    html_add(page, "<div class=\"verdict %s\"><div class=\"words\"><p class=\"name\">", class);
    icon(page, class);
    html_add(page, "%s</p><p>%s</p></div></div>\n", name, text);
}

static void add_glance(Text *page, const SubmissionPage *submission)
{
    if (!has_ended(submission))
        add_progress(page, submission);
    else if (strcmp(submission->state, "withdrawn") == 0)
        add_state(page, "none", "Withdrawn", "Its author took it back before it was judged.");
    else if (strcmp(submission->state, "held") == 0)
        add_state(page, "wait", "Held", "The judge failed, not the submission. A person will look at it.");
    else if (submission->result != NULL)
        add_verdict(page, submission);
    else
        add_state(page, "none", "Judged", "The judge keeps no details of it.");
}

/* ---- the parts of a result --------------------------------------------------------------------------------------- */

static void add_share(Text *page, const cJSON *percentiles, const char *key, const char *name)
{
    const cJSON *percentile = view_item(percentiles, key), *interval = view_item(percentile, "interval");
    double n = view_number(percentile, "n");
    if (!(n > 0))
        return;
    html_add(page, "<div><dt>%s</dt><dd>faster than %s of %s", name,
             figure_whole(view_number(percentile, "slower")).text, figure_whole(n).text);
    if (view_number(percentile, "tied") > 0)
        html_add(page, ", %s tied", figure_whole(view_number(percentile, "tied")).text);
    if (n >= 10 && cJSON_GetArraySize(interval) == 2)
        html_add(page, ": percentile %.0f (%.0f to %.0f)", view_number(percentile, "value"),
                 cJSON_GetArrayItem(interval, 0)->valuedouble, cJSON_GetArrayItem(interval, 1)->valuedouble);
    html_raw(page, "</dd></div>\n");
}

static void add_warnings(Text *page, const cJSON *warnings)
{
    const cJSON *warning;
    if (cJSON_GetArraySize(warnings) == 0)
        return;
    html_raw(page, "<section aria-labelledby=\"warnings\">\n<h2 id=\"warnings\">Warnings</h2>\n<ul class=\"prose\">\n");
    cJSON_ArrayForEach(warning, warnings)
    {
        html_raw(page, "<li>");
        html_code(page, cJSON_IsString(warning) ? warning->valuestring : "");
        html_raw(page, "</li>\n");
    }
    html_raw(page, "</ul>\n</section>\n");
}

static void add_times(Text *page, const SubmissionPage *submission)
{
    static const BoardPage nothing = {0};
    MeasuredTime score = view_time(submission->result, "score_ms");
    const BoardPage *board = submission->board == NULL ? &nothing : submission->board;
    const cJSON *percentiles = view_item(submission->result, "percentile");
    if (!(score.ms > 0))
        return;
    html_raw(page, "<section aria-labelledby=\"times\">\n<h2 id=\"times\">Times</h2>\n");
    if (percentiles != NULL) {
        html_raw(page, "<dl class=\"facts\">\n");
        add_share(page, percentiles, "references", "Among the reference solutions");
        add_share(page, percentiles, "class", "Among the class, when it was judged");
        html_raw(page, "</dl>\n");
    }
    html_raw(page, "<div class=\"plots\">\n");
    plot_times(page, "times-plot", board, score);
    plot_ladder(page, board, score);
    submission_roofline(page, submission);
    html_raw(page, "</div>\n");
    submission_timed_cases(page, submission);
    submission_spread(page, submission);
    html_raw(page, "</section>\n");
}

static void add_source(Text *page, const SubmissionPage *submission)
{
    if (submission->source == NULL && submission->explain == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"source\">\n<h2 id=\"source\">");
    html_raw(page, submission->explain != NULL ? "Where the time goes</h2>\n" : "Source</h2>\n");
    if (submission->explain != NULL)
        explanation(page, submission->explain);
    if (submission->explain != NULL && submission->source != NULL)
        html_raw(page, "<h3>Source</h3>\n");
    if (submission->source != NULL)
        source_view(page, submission->source, submission->explain);
    html_raw(page, "</section>\n");
}

/* ---- compiler, second opinion, and how it was judged ------------------------------------------------------------- */

static void add_kernel(Text *page, const cJSON *kernel)
{
    html_add(page,
             "<tr><th scope=\"row\"><code>%s</code></th><td class=\"number\">%s</td><td class=\"number\">%s</td><td "
             "class=\"number\">%s</td></tr>\n",
             view_text(kernel, "name"), figure_whole(view_number(kernel, "registers")).text,
             figure_whole(view_number(kernel, "shared_bytes")).text,
             figure_whole(view_number(kernel, "spill_bytes")).text);
}

static void add_compilation(Text *page, const cJSON *compile)
{
    enum { MOST = 20000 };
    const cJSON *kernel, *kernels = view_item(compile, "kernels");
    const char *diagnostics = view_text(compile, "diagnostics");
    if (cJSON_GetArraySize(kernels) == 0 && *diagnostics == '\0')
        return;
    html_raw(page, "<section aria-labelledby=\"compiler\">\n<h2 id=\"compiler\">Compiler</h2>\n");
    if (*diagnostics != '\0')
        html_add(page, "<pre tabindex=\"0\"><code>%.*s</code></pre>\n", MOST, diagnostics);
    if (cJSON_GetArraySize(kernels) > 0) {
        table_begin(page, "What each kernel uses", "Kernel|>Registers|>Shared bytes|>Spilled bytes");
        cJSON_ArrayForEach(kernel, kernels)
        {
            add_kernel(page, kernel);
        }
        table_end(page);
    }
    html_raw(page, "</section>\n");
}

static void add_opinion(Text *page, const cJSON *opinion)
{
    if (opinion == NULL)
        return;
    html_raw(page, "<section aria-labelledby=\"opinion\">\n<h2 id=\"opinion\">Second opinion</h2>\n");
    if (*view_text(opinion, "none") != '\0')
        html_add(page, "<p>%s has none: %s</p>\n", view_text(opinion, "device_name"), view_text(opinion, "none"));
    else if (view_true(opinion, "agrees"))
        html_add(page, "<p>%s agrees: %s.</p>\n", view_text(opinion, "device_name"), view_text(opinion, "verdict"));
    else
        html_add(page, "<p>%s says %s. %s %s</p>\n", view_text(opinion, "device_name"), view_text(opinion, "verdict"),
                 view_text(opinion, "case"), view_text(opinion, "text"));
    html_raw(page, "</section>\n");
}

static void add_facts(Text *page, const SubmissionPage *submission)
{
    const cJSON *result = submission->result;
    char text[200];
    html_raw(page,
             "<section aria-labelledby=\"record\">\n<h2 id=\"record\">How it was judged</h2>\n<dl class=\"facts\">\n");
    fact(page, "Device", view_text(result, "device_name"));
    fact(page, "Times",
         !(view_time(result, "score_ms").ms > 0) ? ""
         : view_true(result, "modelled")         ? "modelled, not measured"
                                                 : "measured");
    fact(page, "Driver", view_text(result, "driver"));
    fact(page, "Compiler", view_text(result, "toolkit"));
    fact(page, "Judge", view_text(result, "judge"));
    fact(page, "Sandbox", view_text(result, "sandbox"));
    fact(page, "Judged",
         *view_text(result, "time_utc") == '\0' ? "" : figure_moment(view_text(result, "time_utc")).text);
    if (submission->received != NULL)
        fact(page, "Received", figure_moment(submission->received).text);
    fact(page, "Hash of the source", view_text(result, "source_hash"));
    if (submission->run > 0) {
        snprintf(text, sizeof text, "%" PRId64, submission->run);
        fact(page, "Run", text);
    }
    for (size_t i = 0; i < submission->again_count; i++) {
        const StoredRun *again = &submission->again[i];
        snprintf(text, sizeof text, "%s, run %" PRId64 ", %s", figure_measured(again->time).text, again->id,
                 figure_moment(again->time_utc).text);
        fact(page, "Timed again", text);
    }
    html_raw(page, "</dl>\n</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void add_heading(Text *page, const Site *site, const SubmissionPage *submission)
{
    html_raw(page, "<p class=\"under\">");
    link_problem(page, site, submission->problem,
                 submission->problem_title == NULL ? submission->problem : submission->problem_title);
    html_raw(page, ", by ");
    link_person(page, site, submission->person);
    html_add(page, ", <code>%s</code>", submission->file_name);
    if (submission->mode != NULL && strcmp(submission->mode, "rank") != 0)
        html_add(page, ", as a %s", submission->mode);
    if (submission->received != NULL)
        html_add(page, ", received %s", figure_moment(submission->received).text);
    html_raw(page, "</p>\n");
}

void page_submission(Text *page, const Site *site, const SubmissionPage *submission)
{
    char title[64];
    snprintf(title, sizeof title, "Submission %" PRId64, submission->number);
    if (has_ended(submission))
        page_begin(page, site, title);
    else
        page_begin_live(page, site, title);
    add_heading(page, site, submission);
    for (const char *const *sentence = submission->counts_for; sentence != NULL && *sentence != NULL; sentence++)
        html_add(page, "<p class=\"prose\">%s</p>\n", *sentence);
    add_glance(page, submission);
    if (submission->result != NULL) {
        add_warnings(page, view_item(submission->result, "warnings"));
        submission_cases(page, view_item(submission->result, "cases"));
        add_times(page, submission);
        add_compilation(page, view_item(submission->result, "compile"));
        add_opinion(page, view_item(submission->result, "second_opinion"));
    }
    add_source(page, submission);
    if (submission->result != NULL)
        add_facts(page, submission);
    page_end(page, site);
}
