#include "grader/report/report_appeal.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_COLUMNS = 28, TIME_COLUMNS = 10, UNCERTAINTY_COLUMNS = 9, RANK_COLUMNS = 6 };

const char *report_appeal_words(const AppealedTime *time)
{
    if (!(time->again.ms > 0))
        return "it was not accepted when it was timed again";
    if (time->agrees)
        return "its two figures agree within their uncertainties";
    return time->again.ms < time->first.ms ? "it is faster now, by more than the uncertainties"
                                           : "it is slower now, by more than the uncertainties";
}

static void add_figure(MeasuredTime time, size_t rank, Text *out)
{
    char text[24] = "-";
    if (rank > 0)
        snprintf(text, sizeof text, "%zu", rank);
    terminal_pad(out, time.ms > 0 ? quantity_time(time.ms).text : "-", -TIME_COLUMNS);
    terminal_pad(out, time.ms > 0 ? quantity_percent(time.uncertainty, 1).text : "-", -UNCERTAINTY_COLUMNS);
    terminal_pad(out, text, -RANK_COLUMNS);
}

static void add_time(const Appeal *appeal, const AppealedTime *time, Text *out)
{
    Text name = {0};
    terminal_add_line(&name, time->person);
    text_printf(&name, ", run %" PRId64, time->run);
    text_add(out, time->run == appeal->run ? "> " : "  ");
    terminal_pad(out, name.data, NAME_COLUMNS);
    text_free(&name);
    add_figure(time->first, time->first_rank, out);
    add_figure(time->again, time->again_rank, out);
    text_printf(out, "  %s\n", time->again.ms > 0 ? (time->agrees ? "agrees" : "differs") : time->verdict);
}

static void add_rank(const Appeal *appeal, Text *out)
{
    if (appeal->rank == 0)
        text_add(out, "It did not rank");
    else
        text_printf(out, "Its rank was %zu", appeal->rank);
    if (appeal->rank_again > 0)
        text_printf(out, ", and by these new figures alone it would be %zu", appeal->rank_again);
    text_add(out, ".\n");
}

void report_appeal(const Appeal *appeal, const char *device, const char *const *missing, size_t missing_count,
                   Text *out)
{
    const AppealedTime *own = appeal_own_time(appeal);
    text_printf(out, "run %" PRId64 " on %s, timed again beside its neighbours, %zu rounds in turn with new data\n",
                appeal->run, device, own->round_count);
    text_printf(out, "  %-*s%*s%*s%*s%*s%*s%*s\n", NAME_COLUMNS, "", TIME_COLUMNS, "first", UNCERTAINTY_COLUMNS, "+-",
                RANK_COLUMNS, "rank", TIME_COLUMNS, "again", UNCERTAINTY_COLUMNS, "+-", RANK_COLUMNS, "rank");
    for (size_t i = 0; i < appeal->count; i++)
        add_time(appeal, &appeal->times[i], out);
    for (size_t i = 0; i < missing_count; i++) {
        text_add(out, "  not timed, since the database lacks the source: ");
        terminal_add_line(out, missing[i]);
        text_add(out, "\n");
    }
    text_printf(out, "Run %" PRId64 ": %s. ", appeal->run, report_appeal_words(own));
    add_rank(appeal, out);
}

void report_appeals_of_board(const Appeal *appeals, size_t count, Text *out)
{
    if (count > 0)
        text_add(out, "  timed again:\n");
    for (size_t i = 0; i < count; i++) {
        const AppealedTime *own = appeal_own_time(&appeals[i]);
        text_printf(out, "    run %" PRId64 " of ", appeals[i].run);
        terminal_add_line(out, own->person);
        text_printf(out, ", %.10s: %s +- %s", appeals[i].time_utc, quantity_time(own->first.ms).text,
                    quantity_percent(own->first.uncertainty, 1).text);
        if (own->again.ms > 0)
            text_printf(out, ", then %s +- %s", quantity_time(own->again.ms).text,
                        quantity_percent(own->again.uncertainty, 1).text);
        text_printf(out, ": %s", report_appeal_words(own));
        if (appeals[i].rank > 0 && appeals[i].rank_again > 0)
            text_printf(out, "; rank %zu, by the new figures %zu", appeals[i].rank, appeals[i].rank_again);
        text_add(out, "\n");
    }
}
