#include "grader/report/report_leaderboard.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

enum { NAME_COLUMNS = 24, TIME_COLUMNS = 12, UNCERTAINTY_COLUMNS = 9, PERCENTILE_COLUMNS = 8 };

static void add_standing(const Standing *standing, Text *out)
{
    text_printf(out, "%5zu  ", standing->rank);
    terminal_pad(out, standing->person, NAME_COLUMNS);
    terminal_pad(out, quantity_time(standing->time.ms).text, -TIME_COLUMNS);
    terminal_pad(out, quantity_percent(standing->time.uncertainty, 1).text, -UNCERTAINTY_COLUMNS);
    if (standing->percentile.n > 0)
        text_printf(out, "%*.1f", PERCENTILE_COLUMNS, standing->percentile.value);
    else
        text_printf(out, "%*s", PERCENTILE_COLUMNS, "-");
    text_printf(out, "  %.10s\n", standing->time_utc);
}

void report_leaderboard(const Problem *problem, const Board *board, const char *times, const Standing *standings,
                        size_t count, Text *out)
{
    text_printf(out, "%s (%s) on %s%s%s%s\n", problem->id, problem->title, board->device, *times == '\0' ? "" : ", ",
                times, *times == '\0' ? "" : " times");
    if (count == 0) {
        text_add(out, "  nobody yet\n");
        return;
    }
    text_printf(out, "%5s  %-*s%*s%*s%*s  %s\n", "rank", NAME_COLUMNS, "name", TIME_COLUMNS, "time",
                UNCERTAINTY_COLUMNS, "+-", PERCENTILE_COLUMNS, "pctile", "date");
    for (size_t i = 0; i < count; i++)
        add_standing(&standings[i], out);
}
