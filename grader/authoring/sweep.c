#include "grader/authoring/sweep.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_VALUE_BYTES = 32 };

/* ---- lines of the source ----------------------------------------------------------------------------------------- */

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end == NULL || end[1] == '\0' ? NULL : end + 1;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The rest of the first line that begins with "// sweep:"; NULL if there is none. */
static const char *find_list(const char *source)
{
    for (const char *line = source; line != NULL; line = next_line(line)) {
        const char *at = skip_blanks(line);
        if (strncmp(at, "//", 2) != 0)
            continue;
        at = skip_blanks(at + 2);
        if (strncmp(at, "sweep:", 6) == 0)
            return at + 6;
    }
    return NULL;
}

/* The rest of the first line that begins with `#directive name`; NULL if there is none. */
static const char *find_directive(const char *source, const char *directive, const char *name)
{
    for (const char *line = source; line != NULL; line = next_line(line)) {
        const char *at = skip_blanks(line);
        if (*at != '#')
            continue;
        at = skip_blanks(at + 1);
        if (strncmp(at, directive, strlen(directive)) != 0 || text_in_word(at[strlen(directive)]))
            continue;
        at = skip_blanks(at + strlen(directive));
        if (strncmp(at, name, strlen(name)) == 0 && !text_in_word(at[strlen(name)]))
            return skip_blanks(at + strlen(name));
    }
    return NULL;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    if (*text == '\0' || isdigit((unsigned char)*text))
        return false;
    while (text_in_word(*text))
        text++;
    return *text == '\0';
}

/* Only a number or a name, which cannot end the line, the directive or the expression that it is put into. */
static bool is_value(const char *text)
{
    bool fits = strlen(text) <= MAX_VALUE_BYTES;
    text += *text == '-';
    fits = fits && text_in_word(*text);
    while (text_in_word(*text) || *text == '.')
        text++;
    return fits && *text == '\0';
}

/* "BLOCK=4,8,16" */
static Status parse_macro(Sweep *sweep, char *text, Message *why)
{
    char *equals = strchr(text, '=');
    SweepMacro *macro = &sweep->macros[sweep->macro_count];
    if (equals == NULL)
        return fail(STATUS_BAD_INPUT, why, "expected NAME=VALUE,VALUE..., found \"%s\"", text);
    *equals = '\0';
    if (sweep->macro_count == SWEEP_MAX_MACROS)
        return fail(STATUS_BAD_INPUT, why, "%s is one macro too many, expected at most %d", text, SWEEP_MAX_MACROS);
    if (!is_name(text))
        return fail(STATUS_BAD_INPUT, why, "\"%s\" is not the name of a macro", text);
    *macro = (SweepMacro){.name = text};
    for (char *rest = equals + 1, *value; (value = strsep(&rest, ",")) != NULL;) {
        if (!is_value(value))
            return fail(STATUS_BAD_INPUT, why, "\"%s\" is not a value for %s, expected a number or a name", value,
                        text);
        if (macro->count == SWEEP_MAX_VALUES)
            return fail(STATUS_BAD_INPUT, why, "%s has too many values, expected at most %d", text, SWEEP_MAX_VALUES);
        macro->values[macro->count++] = value;
    }
    sweep->macro_count++;
    sweep->combinations *= macro->count;
    if (sweep->combinations > SWEEP_MAX_COMBINATIONS)
        return fail(STATUS_BAD_INPUT, why, "too many combinations, expected at most %d", SWEEP_MAX_COMBINATIONS);
    return STATUS_OK;
}

static Status parse_list(Sweep *sweep, char *list, Message *why)
{
    Status status = STATUS_OK;
    sweep->combinations = 1;
    for (char *word; status == STATUS_OK && (word = strsep(&list, " \t\r")) != NULL;)
        if (*word != '\0')
            status = parse_macro(sweep, word, why);
    if (status == STATUS_OK && sweep->macro_count == 0)
        status = fail(STATUS_BAD_INPUT, why, "expected NAME=VALUE,VALUE..., found nothing");
    return status;
}

/* A file that defines a macro without #ifndef would be the same in every combination. */
static Status check_settable(const Sweep *sweep, const char *source, Message *why)
{
    for (size_t i = 0; i < sweep->macro_count; i++) {
        const char *name = sweep->macros[i].name;
        if (find_directive(source, "ifndef", name) == NULL)
            return fail(STATUS_BAD_INPUT, why,
                        "%s cannot be set from outside: expected #ifndef %s, #define %s ..., #endif "
                        "in the file",
                        name, name, name);
    }
    return STATUS_OK;
}

Status sweep_parse(const char *file_name, const char *source, Sweep *sweep, Message *why)
{
    Message trouble;
    const char *list = find_list(source);
    *sweep = (Sweep){0};
    if (list == NULL)
        return fail(STATUS_NOT_FOUND, why, "%s: no line \"// sweep: NAME=VALUE,VALUE...\"", file_name);
    Status status = parse_list(sweep, arena_copy(&sweep->arena, list, strcspn(list, "\n")), &trouble);
    if (status == STATUS_OK)
        status = check_settable(sweep, source, &trouble);
    if (status != STATUS_OK) {
        status = fail(status, why, "%s:%d: %s", file_name, text_line_at(source, (size_t)(list - source)), trouble.text);
        sweep_free(sweep);
    }
    return status;
}

void sweep_free(Sweep *sweep)
{
    arena_free(&sweep->arena);
    *sweep = (Sweep){0};
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

const char *sweep_value(const Sweep *sweep, size_t combination, size_t macro)
{
    for (size_t i = sweep->macro_count; --i > macro;)
        combination /= sweep->macros[i].count;
    return sweep->macros[macro].values[combination % sweep->macros[macro].count];
}

void sweep_add_name(const Sweep *sweep, size_t combination, Text *out)
{
    for (size_t i = 0; i < sweep->macro_count; i++)
        text_printf(out, "%s%s=%s", i > 0 ? " " : "", sweep->macros[i].name, sweep_value(sweep, combination, i));
}

void sweep_add_source(const Sweep *sweep, size_t combination, const char *source, Text *out)
{
    for (size_t i = 0; i < sweep->macro_count; i++)
        text_printf(out, "#define %s %s\n", sweep->macros[i].name, sweep_value(sweep, combination, i));
    text_add(out, "#line 1\n");
    text_add(out, source);
}

void sweep_add_defaults(const Sweep *sweep, const char *source, Text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < sweep->macro_count; i++) {
        const char *value = find_directive(source, "define", sweep->macros[i].name);
        size_t length = value == NULL ? 0 : strcspn(value, " \t\r\n");
        if (length == 0)
            continue;
        text_printf(out, "%s%s=", separator, sweep->macros[i].name);
        text_add_printable(out, value, length);
        separator = " ";
    }
}
