#include "grader/terminal/progress.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_COLUMNS = 20, BAR_COLUMNS = 30 };
static const double REDRAW_S = 0.05, NOTE_S = 10;

Progress progress_new(FILE *stream)
{
    const char *wanted = getenv("CONVJUDGE_PROGRESS");
    bool lines = wanted != NULL && strcmp(wanted, "lines") == 0;
    return (Progress){.stream = stream, .style = terminal_style(stream), .lines = lines};
}

/* A long name is cut, so that a space remains before the text that follows. */
static void add_step(Text *line, const char *step)
{
    terminal_pad(line, step, STEP_COLUMNS - 1);
    text_add(line, " ");
}

static void add_bar(const Progress *progress, Text *line)
{
    int done = progress->done < progress->total ? progress->done : progress->total; /* a repeated step counts again */
    int filled = BAR_COLUMNS * done / progress->total;
    text_add(line, "[");
    for (int i = 0; i < BAR_COLUMNS; i++)
        text_add(line, i >= filled ? "." : progress->style.utf8 ? "█" : "#");
    text_printf(line, "] %d/%d", done, progress->total);
}

static void draw_bar(Progress *progress)
{
    Text line = {0};
    text_add(&line, "\r\033[K"); /* go to the first column and clear the line */
    add_step(&line, progress->step);
    if (progress->total > 0)
        add_bar(progress, &line);
    else
        text_add(&line, "...");
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
    progress->drawn_at_s = now_s();
}

/* Writes the step's name and its outcome. Where a line cannot be redrawn, the name is there already. */
static void write_step(const Progress *progress, const char *outcome)
{
    Text line = {0};
    if (progress->style.redraw)
        text_add(&line, "\r\033[K");
    if (progress->style.redraw || outcome[0] == '\0')
        add_step(&line, progress->step);
    text_add(&line, outcome);
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
}

/* In one piece, so that no other process's line gets into it. */
static void write_line(const Progress *progress)
{
    Text line = {0};
    text_printf(&line, "progress %d/%d ", progress->done, progress->total);
    terminal_add_line(&line, progress->step);
    text_add(&line, "\n");
    fwrite(line.data, 1, line.length, progress->stream);
    fflush(progress->stream);
    text_free(&line);
}

void progress_begin(Progress *progress, const char *step, int total)
{
    progress_begin_at(progress, step, 0, total);
}

void progress_begin_at(Progress *progress, const char *step, int done, int total)
{
    if (progress == NULL)
        return;
    progress->step = step;
    progress->done = done;
    progress->total = total;
    if (progress->lines)
        write_line(progress);
    else if (progress->style.redraw)
        draw_bar(progress);
    else
        write_step(progress, "");
}

void progress_advance(Progress *progress)
{
    if (progress == NULL)
        return;
    progress->done++;
    if (progress->lines)
        write_line(progress);
    else if (progress->style.redraw && now_s() - progress->drawn_at_s >= REDRAW_S)
        draw_bar(progress);
}

void progress_skip(Progress *progress, int parts)
{
    if (progress != NULL)
        progress->total -= parts;
}

void progress_note(Progress *progress, const char *format, ...)
{
    char text[300];
    Text line = {0};
    va_list arguments;
    if (progress == NULL || progress->lines || (!progress->style.redraw && now_s() - progress->noted_at_s < NOTE_S))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress->noted_at_s = now_s();
    terminal_add_line(&line, text);
    if (!progress->style.redraw)
        text_add(&line, "\n");
    write_step(progress, line.data);
    if (!progress->style.redraw)
        write_step(progress, "");
    text_free(&line);
}

void progress_end(Progress *progress, const char *outcome)
{
    if (progress == NULL || progress->lines)
        return;
    Text line = {0};
    terminal_add_line(&line, outcome);
    text_add(&line, "\n");
    write_step(progress, line.data);
    text_free(&line);
}
