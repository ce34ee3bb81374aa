#include "service/commands/run_table.h"

#include "grader/result/result.h"
#include "grader/terminal/terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NUMBER_COLUMNS = 6, TIME_COLUMNS = 10, UNCERTAINTY_COLUMNS = 8, RANK_COLUMNS = 12, MODE_COLUMNS = 6 };

/* The columns whose width depends on the terminal's; 0: the column is left out. */
typedef struct Layout {
    int received, problem, mode, state, uncertainty, rank;
} Layout;

static Layout layout_of(int width)
{
    Layout layout = {.problem = 9};
    if (width >= 64)
        layout = (Layout){.received = 13, .problem = 9, .rank = RANK_COLUMNS};
    if (width >= 80)
        layout = (Layout){.received = 13, .problem = 11, .uncertainty = UNCERTAINTY_COLUMNS, .rank = RANK_COLUMNS};
    if (width >= 100)
        layout = (Layout){.received = 18,
                          .problem = 17,
                          .mode = MODE_COLUMNS,
                          .uncertainty = UNCERTAINTY_COLUMNS,
                          .rank = RANK_COLUMNS};
    layout.state = width - NUMBER_COLUMNS - layout.received - 2 - layout.problem - layout.mode - 2 - TIME_COLUMNS -
                   layout.uncertainty - layout.rank;
    return layout;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

void run_table_add_moment(const char *moment, const char *format, Text *out)
{
    struct tm utc = {0}, local;
    char text[40];
    const char *end = strptime(moment, "%Y-%m-%dT%H:%M:%SZ", &utc);
    time_t seconds = end == NULL || *end != '\0' ? -1 : timegm(&utc);
    if (seconds < 0 || localtime_r(&seconds, &local) == NULL || strftime(text, sizeof text, format, &local) == 0)
        terminal_add_line(out, moment);
    else
        text_add(out, text);
}

void run_table_add_state(const RemoteSubmission *submission, Text *out)
{
    if (submission->state == REMOTE_JUDGED && submission->verdict[0] != '\0')
        terminal_add_line(out, submission->verdict);
    else
        text_add(out, remote_state_name(submission->state));
    if (submission->state == REMOTE_WAITING && submission->ahead >= 0)
        text_printf(out, ", %lld ahead", (long long)submission->ahead);
}

void run_table_add_cell(const char *text, int columns, Text *out)
{
    Text line = {0};
    terminal_add_line(&line, text);
    terminal_pad(out, line.data, columns);
    text_free(&line);
}

/* "Memory Limit" of "Memory Limit Exceeded", where that is all that fits. */
static void cut_between_words(Text *text, int columns)
{
    while (text->length > (size_t)columns && strchr(text->data, ' ') != NULL) {
        text->length = (size_t)(strrchr(text->data, ' ') - text->data);
        text->data[text->length] = '\0';
    }
}

void run_table_add_state_cell(const RemoteSubmission *submission, int columns, TerminalStyle style, Text *out)
{
    Text state = {0}, cell = {0};
    run_table_add_state(submission, &state);
    if (submission->state == REMOTE_JUDGED)
        cut_between_words(&state, columns);
    terminal_pad(&cell, state.data, columns);
    if (submission->state != REMOTE_JUDGED)
        text_add(out, cell.data);
    else
        terminal_colour(style, out,
                        strcmp(submission->verdict, verdict_name(VERDICT_ACCEPTED)) == 0 ? COLOUR_GOOD : COLOUR_BAD,
                        cell.data);
    text_free(&state);
    text_free(&cell);
}

static void add_received(const char *moment, int columns, Text *out)
{
    Text text = {0};
    run_table_add_moment(moment, columns > 13 ? "%Y-%m-%d %H:%M" : "%m-%d %H:%M", &text);
    text_add(out, "  ");
    terminal_pad(out, text.data, columns - 2);
    text_free(&text);
}

/* The service gives the place only of a submission that is asked for alone. In a list there is one word instead: "ranked", or
 * what keeps the run from a rank that the judge gave it. */
static void add_rank(const RemoteSubmission *submission, Text *out)
{
    const char *status = submission->rank_status;
    char text[50] = "-";
    Text word = {0};
    if (submission->rank > 0 && submission->of > 0)
        snprintf(text, sizeof text, "%lld of %lld", (long long)submission->rank, (long long)submission->of);
    else if (status[0] != '\0' && strncmp(status, "not ", 4) != 0)
        snprintf(text, RANK_COLUMNS, "%.*s", (int)strcspn(status, ":"), status);
    terminal_add_line(&word, text);
    terminal_pad(out, word.data, -RANK_COLUMNS);
    text_free(&word);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void add_head(const Layout *layout, Text *out)
{
    text_printf(out, "%*s", NUMBER_COLUMNS, "run");
    if (layout->received > 0)
        text_printf(out, "  %-*s", layout->received - 2, "received");
    text_printf(out, "  %-*s", layout->problem, "problem");
    if (layout->mode > 0)
        text_printf(out, "  %-*s", layout->mode - 2, "mode");
    text_printf(out, "  %-*s%*s", layout->state, "state", TIME_COLUMNS, "time");
    if (layout->uncertainty > 0)
        text_printf(out, "%*s", UNCERTAINTY_COLUMNS, "+-");
    if (layout->rank > 0)
        text_printf(out, "%*s", RANK_COLUMNS, "rank");
    text_add(out, "\n");
}

static void add_submission(const RemoteSubmission *submission, const Layout *layout, TerminalStyle style, Text *out)
{
    const bool timed = submission->score.ms > 0;
    text_printf(out, "%*lld", NUMBER_COLUMNS, (long long)submission->number);
    if (layout->received > 0)
        add_received(submission->received, layout->received, out);
    text_add(out, "  ");
    run_table_add_cell(submission->problem, layout->problem, out);
    if (layout->mode > 0) {
        text_add(out, "  ");
        run_table_add_cell(submission->mode, layout->mode - 2, out);
    }
    text_add(out, "  ");
    run_table_add_state_cell(submission, layout->state, style, out);
    terminal_pad(out, timed ? quantity_time(submission->score.ms).text : "-", -TIME_COLUMNS);
    if (layout->uncertainty > 0)
        terminal_pad(out, timed ? quantity_percent(submission->score.uncertainty, 1).text : "-", -UNCERTAINTY_COLUMNS);
    if (layout->rank > 0)
        add_rank(submission, out);
    text_add(out, "\n");
}

/* Names those whose times are modelled, if there are others, too. */
static void add_modelled(const RemoteSubmission *submissions, size_t count, Text *out)
{
    size_t timed = 0, modelled = 0;
    for (size_t i = 0; i < count; i++) {
        timed += submissions[i].score.ms > 0;
        modelled += submissions[i].score.ms > 0 && submissions[i].modelled;
    }
    if (modelled == 0)
        return;
    text_add(out, modelled == timed ? "times are modelled" : "modelled times:");
    for (size_t i = 0; i < count && modelled < timed; i++)
        if (submissions[i].score.ms > 0 && submissions[i].modelled)
            text_printf(out, " %lld", (long long)submissions[i].number);
    text_add(out, "\n");
}

void run_table(const RemoteSubmission *submissions, size_t count, TerminalStyle style, Text *out)
{
    const Layout layout = layout_of(style.width);
    if (count == 0) {
        text_add(out, "no submissions yet: `convjudge submit FILE` hands one in\n");
        return;
    }
    add_head(&layout, out);
    for (size_t i = 0; i < count; i++)
        add_submission(&submissions[i], &layout, style, out);
    add_modelled(submissions, count, out);
}

/* ---- what submissions count for ---------------------------------------------------------------------------------- */

/* The sentence about an assignment; "" where a newer server says it in another way. */
static const char *sentence_of(const cJSON *item)
{
    const char *text = json_string(item, "text");
    return text == NULL ? "" : text;
}

void run_table_add_counting(const RemoteSubmission *submission, Text *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(submission->json, "counts_for"))
    {
        if (sentence_of(item)[0] == '\0')
            continue;
        terminal_add_line(out, sentence_of(item));
        text_add(out, "\n");
    }
}

static bool says(const RemoteSubmission *submission, const char *sentence)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(submission->json, "counts_for"))
    {
        if (strcmp(sentence_of(item), sentence) == 0)
            return true;
    }
    return false;
}

static void add_numbers(const RemoteSubmission *submissions, size_t count, size_t first, const char *sentence,
                        Text *out)
{
    enum { MOST = 8 };
    size_t same = 0;
    for (size_t i = first; i < count; i++)
        if (says(&submissions[i], sentence) && ++same <= MOST)
            text_printf(out, "%s%lld", same == 1 ? "" : ", ", (long long)submissions[i].number);
    if (same > MOST)
        text_printf(out, " and %zu more", same - MOST);
}

void run_table_add_all_counting(const RemoteSubmission *submissions, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++) {
        const cJSON *item;
        cJSON_ArrayForEach(item, json_get(submissions[i].json, "counts_for"))
        {
            bool is_told = sentence_of(item)[0] == '\0';
            for (size_t k = 0; k < i && !is_told; k++)
                is_told = says(&submissions[k], sentence_of(item));
            if (is_told)
                continue;
            add_numbers(submissions, count, i, sentence_of(item), out);
            text_add(out, ": ");
            terminal_add_line(out, sentence_of(item));
            text_add(out, "\n");
        }
    }
}
