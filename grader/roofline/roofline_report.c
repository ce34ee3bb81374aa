/* The rooflines and the times as people read them. */
#include "grader/roofline/roofline.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <stdio.h>

enum { NAME_COLUMNS = 50, TIME_COLUMNS = 10, UNCERTAINTY_COLUMNS = 8, SHARE_COLUMNS = 10 };

static const char *const PRECISION_NAMES[PRECISIONS] = {"float32", "TF32"};

static void add_rate(Text *out, const char *what, double per_s, double unit, const char *unit_name)
{
    if (per_s > 0)
        text_printf(out, "%s %s %s", what, quantity_rate(per_s / unit).text, unit_name);
    else
        text_printf(out, "%s unknown", what);
}

static void add_head(const Roofline *roofline, Text *out)
{
    const DeviceInfo *device = &roofline->device;
    text_printf(out, "%s (%s) on %s", roofline->problem->id, roofline->problem->title, device->name);
    if (device->modelled)
        text_printf(out, ", times are %s", device_time_label(device));
    text_add(out, "\n  ");
    add_rate(out, "ceilings: copy", device->copy_bytes_per_s, 1e9, "GB/s");
    add_rate(out, ", float32", device->fma_flops_per_s, 1e9, "GFLOP/s");
    add_rate(out, ", TF32 tensor cores", device->tf32_flops_per_s, 1e9, "GFLOP/s");
    text_add(out,
             "\n  A share is that of the direct roofline of the precision: bytes or operations, what takes longer.\n");
}

static void add_roof(Text *out, const char *what, double roof_s)
{
    text_add(out, "  ");
    terminal_pad(out, what, NAME_COLUMNS);
    terminal_pad(out, roof_s > 0 ? quantity_time(1e3 * roof_s).text : "unknown", -TIME_COLUMNS);
    text_add(out, "\n");
}

static void add_roofs(const RooflineCase *item, Text *out)
{
    char bytes[80], float32[80], tf32[80];
    const double operations = (double)item->testcase->operations;
    snprintf(bytes, sizeof bytes, "roofline by bytes, %s bytes", quantity_count((double)item->testcase->bytes).text);
    snprintf(float32, sizeof float32, "roofline by float32, %s operations", quantity_count(operations).text);
    snprintf(tf32, sizeof tf32, "roofline by TF32 tensor cores");
    add_roof(out, bytes, item->roofs.bytes_s);
    add_roof(out, float32, item->roofs.float32_s);
    add_roof(out, tf32, item->roofs.tf32_s);
}

static void add_name(const TimedProgram *program, const char *variant, Text *out)
{
    Text name = {0};
    text_add(&name, program->name);
    if (program->is_rival)
        text_printf(&name, ", %s", PRECISION_NAMES[program->precision]);
    if (variant != NULL)
        text_printf(&name, ", %s", variant);
    text_add(out, program->is_rival ? "  * " : "    ");
    terminal_pad(out, name.data, NAME_COLUMNS - 2);
    text_free(&name);
}

static void add_time(MeasuredTime time, double share, Text *out)
{
    terminal_pad(out, quantity_time(time.ms).text, -TIME_COLUMNS);
    text_add(out, " +-");
    terminal_pad(out, quantity_percent(time.uncertainty, 1).text, -UNCERTAINTY_COLUMNS);
    if (share > 0)
        terminal_pad(out, quantity_percent(share, 1).text, -SHARE_COLUMNS);
}

static void add_program(const Roofline *roofline, const TimedProgram *program, size_t which, Text *out)
{
    add_name(program, program->variants[which], out);
    add_time(program->times[which], roofline_share(roofline, program, which), out);
    if (program == roofline_best(roofline, which))
        text_add(out, "  best");
    if (roofline_is_close(roofline, program, which))
        text_add(out, "  TOO CLOSE");
    text_add(out, "\n");
}

static void add_case(const Roofline *roofline, size_t which, const TimedProgram **sorted, Text *out)
{
    text_printf(out, "\n  %s\n", roofline->cases[which].testcase->name);
    add_roofs(&roofline->cases[which], out);
    const size_t count = roofline_sort(roofline, which, sorted);
    for (size_t i = 0; i < count; i++)
        add_program(roofline, sorted[i], which, out);
}

static void add_means(const Roofline *roofline, const TimedProgram **sorted, Text *out)
{
    text_add(out, "\n  all cases, geometric mean\n");
    const size_t count = roofline_sort_means(roofline, sorted);
    for (size_t i = 0; i < count; i++) {
        add_name(sorted[i], NULL, out);
        add_time(roofline_mean(roofline, sorted[i]), 0, out);
        text_add(out, "\n");
    }
}

static void add_missing(const Roofline *roofline, Text *out)
{
    const char *before = "\n";
    for (const TimedProgram *one = roofline->programs; one < roofline->programs + roofline->program_count; one++)
        if (one->missing != NULL) {
            text_printf(out, "%s  no times of %s: ", before, one->name);
            terminal_add_line(out, one->missing);
            text_add(out, "\n");
            before = "";
        }
}

static void add_legend(const Roofline *roofline, Text *out)
{
    bool has_rivals = false;
    for (size_t i = 0; i < roofline->program_count; i++)
        has_rivals = has_rivals || (roofline->programs[i].is_rival && roofline->programs[i].missing == NULL);
    if (has_rivals)
        text_add(
            out,
            "\n  *          a rival\n"
            "  TOO CLOSE  its interval overlaps with that of the best reference solution, or it takes less than 10 % longer\n");
}

void roofline_report(const Roofline *roofline, Text *out)
{
    Arena arena = {0};
    const TimedProgram **sorted = arena_array(&arena, roofline->program_count, sizeof *sorted);
    add_head(roofline, out);
    for (size_t i = 0; i < roofline->case_count; i++)
        add_case(roofline, i, sorted, out);
    add_means(roofline, sorted, out);
    add_missing(roofline, out);
    add_legend(roofline, out);
    arena_free(&arena);
}
