#include "grader/report/report_line.h"

enum { LABEL_COLUMNS = 12 };

void report_add_label(Text *out, const char *label)
{
    text_add(out, "  ");
    terminal_pad(out, label, LABEL_COLUMNS);
}

const char *report_plus_minus(TerminalStyle style)
{
    return style.utf8 ? "±" : "+-";
}

void report_add_label_of_times(const DeviceInfo *device, Text *out)
{
    if (device->modelled)
        text_printf(out, " (%s)", device_time_label(device));
}
