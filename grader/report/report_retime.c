#include "grader/report/report_retime.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 32, TIME_COLUMNS = 10 };

static void add_name(const Contender *contender, Text *out)
{
    Text name = {0};
    terminal_add_line(&name, contender->name);
    if (contender->run != 0)
        text_printf(&name, ", run %" PRId64, contender->run);
    terminal_pad(out, name.data, NAME_COLUMNS);
    text_free(&name);
}

static void add_stored(const Retiming *retiming, Text *out)
{
    text_add(out, "  by the stored times\n");
    for (size_t i = 0; i < retiming->count; i++) {
        const Contender *contender = &retiming->contenders[i];
        text_printf(out, "%5zu  ", contender->stored_rank);
        add_name(contender, out);
        terminal_pad(out, quantity_time(contender->stored.ms).text, -TIME_COLUMNS);
        text_add(out, "\n");
    }
}

/* ---- as timed side by side --------------------------------------------------------------------------------------- */

/* Those without a time come last. */
static int by_retimed_time(const void *a, const void *b)
{
    const Contender *const *x = a, *const *y = b;
    double x_ms = (*x)->retimed_ms, y_ms = (*y)->retimed_ms;
    if (!(x_ms > 0) || !(y_ms > 0))
        return (x_ms > 0) < (y_ms > 0) ? 1 : (x_ms > 0) > (y_ms > 0) ? -1 : 0;
    return (x_ms > y_ms) - (x_ms < y_ms);
}

static const Contender **in_retimed_order(const Retiming *retiming, Arena *arena)
{
    const Contender **order = arena_array(arena, retiming->count, sizeof *order);
    for (size_t i = 0; i < retiming->count; i++)
        order[i] = &retiming->contenders[i];
    qsort(order, retiming->count, sizeof *order, by_retimed_time);
    return order;
}

/* How many times longer the contender takes than the one before it. */
static void add_ratio(const Retiming *retiming, const Contender *contender, const Contender *before, Text *out)
{
    const PairedRatio ratio = retime_ratio(retiming, contender, before);
    if (ratio.rounds == 0)
        return;
    text_printf(out, "  %.4f (%.4f to %.4f)%s", ratio.median, ratio.low, ratio.high,
                paired_order(&ratio) == 0 ? ", a tie" : "");
}

static void add_retimed(const Retiming *retiming, Text *out)
{
    Arena arena = {0};
    const Contender **order = in_retimed_order(retiming, &arena);
    text_printf(out, "  side by side, %zu rounds; the ratio to the line above, round by round: median (%s)\n",
                retiming->rounds, retiming->device.modelled ? "smallest to largest" : "98 % interval");
    for (size_t i = 0; i < retiming->count; i++) {
        const Contender *contender = order[i];
        if (contender->retimed_rank > 0)
            text_printf(out, "%5zu  ", contender->retimed_rank);
        else
            text_add(out, "    -  ");
        add_name(contender, out);
        terminal_pad(out, contender->retimed_ms > 0 ? quantity_time(contender->retimed_ms).text : "-", -TIME_COLUMNS);
        if (contender->verdict != VERDICT_ACCEPTED)
            text_printf(out, "  %s", verdict_name(contender->verdict));
        else if (i > 0)
            add_ratio(retiming, contender, order[i - 1], out);
        text_add(out, "\n");
    }
    arena_free(&arena);
}

void report_retime(const Retiming *retiming, Text *out)
{
    text_printf(out, "%s (%s) on %s%s%s\n", retiming->problem->id, retiming->problem->title, retiming->board.device,
                retiming->device.modelled ? ", times are " : "",
                retiming->device.modelled ? device_time_label(&retiming->device) : "");
    add_stored(retiming, out);
    text_add(out, "\n");
    add_retimed(retiming, out);
    for (size_t i = 0; i < retiming->missing_count; i++) {
        text_add(out, "  not timed, since the database lacks the source: ");
        terminal_add_line(out, retiming->missing[i]);
        text_add(out, "\n");
    }
    text_add(out, retime_contradicts(retiming) ? "\n  The orders contradict each other.\n" : "\n  The orders agree.\n");
}
