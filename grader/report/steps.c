#include "grader/report/steps.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== one file ==================================================================================================== */

enum { MAX_STEP_BYTES = 64 << 10 };

typedef struct StepReader {
    const char *path, *at; /* the rest of the file */
    int line;              /* of the one that is next, from 1 */
    Arena *arena;
    Message *why;
} StepReader;

static Status expected(const StepReader *reader, int line, const char *what)
{
    const int length = (int)strcspn(reader->at, "\n");
    if (reader->at[0] == '\0')
        return fail(STATUS_BAD_INPUT, reader->why, "%s:%d: expected %s, found the end", reader->path, line, what);
    return fail(STATUS_BAD_INPUT, reader->why, "%s:%d: expected %s, found \"%.*s\"", reader->path, line, what,
                length < 60 ? length : 60, reader->at);
}

static void next_line(StepReader *reader)
{
    reader->at += strcspn(reader->at, "\n");
    reader->at += *reader->at == '\n';
    reader->line++;
}

/* Takes the rest of a line that begins with `start` and ends with `end`. */
static Status take_line(StepReader *reader, const char *start, const char *end, const char *what, const char **rest)
{
    const size_t length = strcspn(reader->at, "\n"), before = strlen(start), behind = strlen(end);
    if (length <= before + behind || strncmp(reader->at, start, before) != 0 ||
        strncmp(reader->at + length - behind, end, behind) != 0)
        return expected(reader, reader->line, what);
    *rest = arena_copy(reader->arena, reader->at + before, length - before - behind);
    next_line(reader);
    return STATUS_OK;
}

static Status take_empty_line(StepReader *reader)
{
    if (*reader->at != '\n')
        return expected(reader, reader->line, "an empty line");
    next_line(reader);
    return STATUS_OK;
}

/* Takes all up to a line, which it leaves. The last line feed is left out. */
static Status take_until(StepReader *reader, const char *start, const char *what, const char **part)
{
    const char *from = reader->at;
    while (*reader->at != '\0' && strncmp(reader->at, start, strlen(start)) != 0)
        next_line(reader);
    if (*reader->at == '\0' || reader->at == from)
        return expected(reader, reader->line, what);
    *part = arena_copy(reader->arena, from, (size_t)(reader->at - from) - 1);
    return STATUS_OK;
}

static Status take_condition(StepReader *reader, Expression *when)
{
    const char *text;
    Message trouble;
    const int line = reader->line;
    Status status = take_line(reader, "- when: `", "`", "\"- when: `CONDITION`\"", &text);
    if (status == STATUS_OK &&
        expression_compile_facts(text, fact_names, FACT_COUNT, reader->arena, when, &trouble) != STATUS_OK)
        status = fail(STATUS_BAD_INPUT, reader->why, "%s:%d: %s", reader->path, line, trouble.text);
    return status;
}

static Status take_sketch(StepReader *reader, const char **sketch)
{
    const char *language;
    TRY(take_line(reader, "```", "", "\"```cuda\", the sketch", &language));
    TRY(take_until(reader, "```", "the sketch, and \"```\" after it", sketch));
    next_line(reader);
    if (*reader->at != '\0')
        TRY(expected(reader, reader->line, "the end"));
    return STATUS_OK;
}

static Status read_step(StepReader *reader, LadderStep *step)
{
    TRY(take_line(reader, "# ", "", "\"# TITLE\"", &step->title));
    TRY(take_empty_line(reader));
    TRY(take_until(reader, "\n", "the idea, and an empty line after it", &step->idea));
    TRY(take_empty_line(reader));
    TRY(take_condition(reader, &step->when));
    TRY(take_line(reader, "- from: `", ".cu`", "\"- from: `FILE.cu`\"", &step->from));
    TRY(take_line(reader, "- example: `", ".cu`", "\"- example: `FILE.cu`\"", &step->example));
    TRY(take_empty_line(reader));
    step->from = arena_printf(reader->arena, "%s.cu", step->from);
    step->example = arena_printf(reader->arena, "%s.cu", step->example);
    return take_sketch(reader, &step->sketch);
}

/* ==== all files =================================================================================================== */

static int select_step(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && end != NULL && strcmp(end, ".md") == 0;
}

static Status read_file(const char *folder, const char *name, Steps *steps, Message *why)
{
    LadderStep *step = &steps->steps[steps->count];
    Text text = {0};
    *step = (LadderStep){.path = arena_printf(&steps->arena, "%s/%s", folder, name),
                         .name = arena_copy(&steps->arena, name, strlen(name) - strlen(".md"))};
    Status status = text_read_file(step->path, MAX_STEP_BYTES, &text, why);
    if (status == STATUS_OK) {
        StepReader reader = {.path = step->path,
                             .at = text.data == NULL ? "" : text.data,
                             .line = 1,
                             .arena = &steps->arena,
                             .why = why};
        status = read_step(&reader, step);
    }
    steps->count += status == STATUS_OK;
    text_free(&text);
    return status;
}

Status steps_read(const Problem *problem, Steps *steps, Message *why)
{
    char folder[4096];
    struct dirent **entries;
    Status status = STATUS_OK;
    *steps = (Steps){0};
    snprintf(folder, sizeof folder, "%s/ladder", problem->folder);
    int found = scandir(folder, &entries, select_step, alphasort);
    if (found < 0)
        return STATUS_OK;
    steps->steps = arena_array(&steps->arena, (size_t)found, sizeof *steps->steps);
    for (int i = 0; i < found; i++) {
        THEN(status, read_file(folder, entries[i]->d_name, steps, why));
        free(entries[i]);
    }
    free(entries);
    if (status != STATUS_OK)
        steps_free(steps);
    return status;
}

void steps_free(Steps *steps)
{
    arena_free(&steps->arena);
    *steps = (Steps){0};
}

/* ==== sketch ====================================================================================================== */

/* The code of a line: from its first character that is no space to its comment, or its end. */
static size_t code_of(const char **line)
{
    *line += strspn(*line, " \t");
    size_t length = strcspn(*line, "\n");
    for (size_t i = 0; i + 1 < length; i++)
        if ((*line)[i] == '/' && (*line)[i + 1] == '/')
            length = i;
    while (length > 0 && isspace((unsigned char)(*line)[length - 1]))
        length--;
    return length;
}

static const char *line_behind(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

Status steps_check_sketch(const LadderStep *step, const char *example, Message *why)
{
    for (const char *at = step->sketch; *at != '\0'; at = line_behind(at)) {
        const char *wanted = at, *found = example;
        const size_t length = code_of(&wanted);
        if (length == 0)
            continue;
        while (*example != '\0' && !(code_of(&found) == length && memcmp(found, wanted, length) == 0))
            found = example = line_behind(example);
        if (*example == '\0')
            return fail(STATUS_BAD_INPUT, why, "%s: expected a line of %s, in its order, found \"%.*s\"", step->path,
                        step->example, (int)(length < 80 ? length : 80), wanted);
        example = line_behind(example);
    }
    if (strstr(step->sketch, "// HOLE: ") == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: expected a hole in the sketch, \"// HOLE: what is missing\"",
                    step->path);
    return STATUS_OK;
}

/* ==== the next step =============================================================================================== */

static const ReferenceTime *time_of(const ReferenceTime *times, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(times[i].name, name) == 0)
            return &times[i];
    return NULL;
}

static Status take_example(const ReferenceTime *reference, StepCase *cases, size_t count, Message *why)
{
    Arena arena = {0};
    CaseTime *times;
    size_t time_count;
    Status status = case_times_read(reference->name, reference->cases, &arena, &times, &time_count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const MeasuredTime *time = case_times_find(times, time_count, cases[i].name);
        cases[i].example.ms = 0;
        if (time != NULL)
            cases[i].example = *time;
    }
    arena_free(&arena);
    return status;
}

static bool holds_somewhere(const LadderStep *step, const StepCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cases[i].example.ms > 0 && cases[i].time.ms > 0 && time_is_shorter(cases[i].example, cases[i].time) &&
            expression_evaluate_facts(&step->when, cases[i].facts) == 1)
            return true;
    return false;
}

Status steps_next(const Steps *steps, const ReferenceTime *times, size_t count, MeasuredTime time, bool one_case,
                  StepCase *cases, size_t case_count, NextStep *next, Message *why)
{
    *next = (NextStep){.time = time};
    for (size_t i = 0; i < steps->count; i++) {
        const LadderStep *step = &steps->steps[i];
        const ReferenceTime *reference = time_of(times, count, step->example);
        if (reference == NULL)
            continue;
        TRY(take_example(reference, cases, case_count, why));
        next->example = one_case ? cases[0].example : reference->time;
        if (!(next->example.ms > 0) || !time_is_shorter(next->example, time) ||
            !holds_somewhere(step, cases, case_count))
            continue;
        next->step = step;
        return STATUS_OK;
    }
    return STATUS_OK;
}
