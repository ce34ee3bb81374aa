#include "grader/commands/mutant_notes.h"

#include <string.h>

static const char begins[] = "// also right: ", any[] = "any mutant";

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Goes behind `words` if they come next. */
static bool passes(const char **at, const char *words)
{
    const bool comes = strncmp(*at, words, strlen(words)) == 0;
    *at += comes ? strlen(words) : 0;
    return comes;
}

/* Returns the text up to one of `ends`, and moves `*at` there; NULL if the line ends first. */
static const char *part(MutantNotes *notes, const char **at, const char *ends)
{
    const size_t length = strcspn(*at, ends);
    const char *text = arena_printf(&notes->arena, "%.*s", (int)length, *at);
    *at += length;
    return **at == '\0' || **at == '\n' ? NULL : text;
}

/* `x` to `y`, or a kind of mistake. */
static bool read_item(MutantNotes *notes, int line, const char **at)
{
    MutantNote note = {.line = line};
    if (passes(at, "`")) {
        note.before = part(notes, at, "`\n");
        if (!passes(at, "` to `"))
            return false;
        note.after = part(notes, at, "`\n");
        if (!passes(at, "`"))
            return false;
    } else {
        note.mistake = part(notes, at, ",:\n");
        if (note.mistake == NULL || note.mistake[0] == '\0')
            return false;
    }
    notes->items = arena_grown(&notes->arena, notes->items, notes->count, &notes->capacity, sizeof *notes->items);
    notes->items[notes->count++] = note;
    return true;
}

static bool read_note(MutantNotes *notes, int line, const char *at)
{
    do
        if (!read_item(notes, line, &at))
            return false;
    while (passes(&at, ", "));
    return passes(&at, ": ") && *at != '\0' && *at != '\n';
}

static bool is_comment(const char *line)
{
    return strncmp(line + strspn(line, " "), "//", 2) == 0;
}

/* The line that the comment at `note` is about: its own, or the next line of code if it has no code. */
static int line_of(const char *source, const char *note)
{
    const char *line = note;
    int number = text_line_at(source, (size_t)(note - source));
    while (line > source && line[-1] != '\n')
        line--;
    for (; is_comment(line); number++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return number;
}

Status mutant_notes_read(const char *path, const char *source, MutantNotes *notes, Message *why)
{
    *notes = (MutantNotes){0};
    for (const char *at = strstr(source, begins); at != NULL; at = strstr(at, begins)) {
        const int at_line = text_line_at(source, (size_t)(at - source)), line = line_of(source, at);
        at += strlen(begins);
        if (!read_note(notes, line, at))
            return fail(STATUS_BAD_INPUT, why,
                        "%s:%d: expected a note such as \"// also right: `<` to `<=`: WHY\", where both texts may be a "
                        "kind of mistake or \"any mutant\"",
                        path, at_line);
    }
    return STATUS_OK;
}

void mutant_notes_free(MutantNotes *notes)
{
    arena_free(&notes->arena);
    *notes = (MutantNotes){0};
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* " ... " in a note stands for whatever is there. */
static bool is_text(const char *noted, const Text *text)
{
    const char *gap = strstr(noted, " ... ");
    if (gap == NULL)
        return strcmp(noted, text->data) == 0;
    const size_t before = (size_t)(gap - noted), after = strlen(gap + 5);
    return text->length > before + after && strncmp(noted, text->data, before) == 0 &&
           strcmp(gap + 5, text->data + text->length - after) == 0;
}

static bool names(const MutantNote *note, const char *source, const Mutant *mutant)
{
    if (note->line != mutant->line)
        return false;
    if (note->mistake != NULL)
        return strcmp(note->mistake, any) == 0 || strcmp(note->mistake, mutant->mistake) == 0;
    Text before = {0}, after = {0};
    mutant_texts(source, mutant, &before, &after);
    const bool same = is_text(note->before, &before) && is_text(note->after, &after);
    text_free(&before);
    text_free(&after);
    return same;
}

bool mutant_notes_find(MutantNotes *notes, const char *source, const Mutant *mutant)
{
    bool found = false;
    for (size_t i = 0; i < notes->count; i++)
        if (names(&notes->items[i], source, mutant))
            notes->items[i].found = found = true;
    return found;
}

Status mutant_notes_check(const char *path, const MutantNotes *notes, Message *why)
{
    for (size_t i = 0; i < notes->count; i++) {
        const MutantNote *note = &notes->items[i];
        if (!note->found && note->mistake != NULL)
            return fail(STATUS_BAD_INPUT, why, "%s:%d: this line has no mutant of the kind '%s'", path, note->line,
                        note->mistake);
        if (!note->found)
            return fail(STATUS_BAD_INPUT, why, "%s:%d: this line has no mutant that turns `%s` into `%s`", path,
                        note->line, note->before, note->after);
    }
    return STATUS_OK;
}

void mutant_note_add(const char *source, const Mutant *mutant, Text *text)
{
    Text before = {0}, after = {0};
    if (mutant->shown != NULL) {
        text_add(text, mutant->mistake);
        return;
    }
    mutant_texts(source, mutant, &before, &after);
    text_printf(text, "`%s` to `%s`", before.data, after.data);
    text_free(&before);
    text_free(&after);
}
