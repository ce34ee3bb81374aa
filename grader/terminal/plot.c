#include "grader/terminal/plot.h"

#include "harness/compile/judge_source.h"
#include "harness/sandbox/scratch.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SVG_BYTES = 16 << 20, NOT_FOUND_EXIT = 127 };

/* Adds a string in gnuplot's double quotes, without the characters that have a meaning there. */
static void add_string(Text *out, const char *text)
{
    text_add(out, "\"");
    for (; *text != '\0'; text++)
        if (strchr("\"\\`$@\n\r", *text) == NULL)
            text_append(out, text, 1);
    text_add(out, "\"");
}

void plot_add(Plot *plot, const char *name, double height)
{
    add_string(&plot->bars, name);
    text_printf(&plot->bars, " %.9g\n", height);
}

static void add_script(const Plot *plot, const char *svg, Text *script)
{
    text_add(script, "set terminal svg size 960,480 background rgb \"white\" noenhanced\nset output ");
    add_string(script, svg);
    text_add(script, "\nset title ");
    add_string(script, plot->title.data == NULL ? "" : plot->title.data);
    text_add(script, "\nset ylabel ");
    add_string(script, plot->unit);
    text_add(script, "\nset yrange [0:*]\nset style fill solid 0.8\nset boxwidth 0.8\nset xtics rotate by -60\n"
                     "$bars << END\n");
    text_add(script, plot->bars.data == NULL ? "" : plot->bars.data);
    text_add(script, "END\nplot $bars using 0:2:xtic(1) with boxes notitle\n");
}

static Status run_gnuplot(const Plot *plot, const char *folder, const char *path, Message *why)
{
    char script_path[300], svg_path[300];
    const char *const argv[] = {"/usr/bin/env", "gnuplot", script_path, NULL};
    Text script = {0}, output = {0}, svg = {0};
    ProcessEnd end = {0};
    snprintf(script_path, sizeof script_path, "%s/plot.gnuplot", folder);
    snprintf(svg_path, sizeof svg_path, "%s/plot.svg", folder);
    add_script(plot, svg_path, &script);
    Status status = text_write_file(script_path, &script, why);
    if (status == STATUS_OK)
        status = judge_source_run(argv, folder, &output, &end, why);
    if (status == STATUS_OK && end.exit_status == NOT_FOUND_EXIT)
        status = fail(STATUS_NOT_FOUND, why, "gnuplot is not installed");
    else if (status == STATUS_OK && end.exit_status != 0)
        status = fail(STATUS_SYSTEM, why, "gnuplot ended with exit status %d: %.*s", end.exit_status,
                      (int)strcspn(output.data, "\n"), output.data);
    if (status == STATUS_OK)
        status = text_read_file(svg_path, MAX_SVG_BYTES, &svg, why);
    if (status == STATUS_OK)
        status = text_write_file(path, &svg, why);
    text_free(&script);
    text_free(&output);
    text_free(&svg);
    return status;
}

Status plot_write(const Plot *plot, const char *path, Message *why)
{
    char folder[256];
    Status status = scratch_new(folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    status = run_gnuplot(plot, folder, path, why);
    scratch_remove(folder);
    return status;
}

void plot_free(Plot *plot)
{
    text_free(&plot->title);
    text_free(&plot->bars);
}
