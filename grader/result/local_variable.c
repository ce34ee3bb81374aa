/* A reader of C++ that knows just enough: a statement that begins with two names in a row, a type and a variable,
 * declares variables, those without `=` get no value, and those with `[` are arrays.  */
#include "grader/result/local_variable.h"

#include "grader/result/source_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct Declared {
    bool is_unset, is_array;
} Declared;

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_one_of(Name name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name_equals(name, (Name){words[i], strlen(words[i])}))
            return true;
    return false;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Skips blanks and comments. */
static const char *skip_space(const char *at, const char *end)
{
    for (at = skip_blanks(at, end); end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
         at = skip_blanks(at, end)) {
        const char *close = strstr(at, at[1] == '/' ? "\n" : "*/");
        if (close == NULL || close >= end)
            return end;
        at = close + (at[1] == '/' ? 1 : 2);
    }
    return at;
}

/* Reads a name; length 0: there is none. */
static Name read_name(const char **at, const char *end)
{
    Name name = {.text = *at};
    if (*at < end && is_name_start(**at))
        while (*at < end && (is_name_start(**at) || isdigit((unsigned char)**at)))
            (*at)++;
    name.length = (size_t)(*at - name.text);
    return name;
}

/* Skips "[4][8]". */
static const char *skip_extents(const char *at, const char *end)
{
    while (at < end && *at == '[') {
        const char *close = memchr(at, ']', (size_t)(end - at));
        at = close == NULL ? end : skip_space(close + 1, end);
    }
    return at;
}

/* Skips the value of a declared variable, up to the comma or the end behind it. */
static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end && *at != ';' && (depth > 0 || *at != ','); at++)
        depth += (*at == '(' || *at == '{' || *at == '[') - (*at == ')' || *at == '}' || *at == ']');
    return at;
}

/* If a statement that begins here declares `wanted` as a local variable, says how. */
static void read_declaration(const char *at, const char *end, Name wanted, Declared *declared)
{
    static const char *const no_types[] = {"return",  "else",       "goto",   "case",         "using", "extern",
                                           "typedef", "__shared__", "static", "__constant__", "new",   "__device__"};
    Name name = read_name(&at, end), type = {0};
    if (is_one_of(name, no_types, sizeof no_types / sizeof *no_types))
        return;
    while (name.length > 0) { /* the last name in a row is the variable */
        at = skip_space(at, end);
        bool is_pointer = at < end && (*at == '*' || *at == '&');
        at = skip_space(at + is_pointer, end);
        Name next = read_name(&at, end);
        if (next.length == 0)
            break;
        type = name;
        name = next;
    }
    while (type.length > 0 && name.length > 0) {
        at = skip_space(at, end);
        bool is_array = at < end && *at == '[';
        at = skip_extents(at, end);
        bool has_end = at < end && (*at == ';' || *at == ',');
        if (name_equals(name, wanted))
            *declared = (Declared){has_end, is_array};
        at = has_end ? at : skip_value(at, end);
        if (at >= end || *at != ',')
            return;
        at = skip_space(at + 1, end);
        name = read_name(&at, end);
    }
}

/* Parameters have a value, and are no arrays. */
static void read_parameters(const char *at, const char *end, Name wanted, Declared *declared)
{
    while (at < end && *at != ')' && *at != ';' && *at != '=') {
        const Name name = read_name(&at, end);
        if (name.length > 0 && name_equals(name, wanted) && *skip_space(at, end) != '[')
            *declared = (Declared){0};
        at += name.length == 0;
    }
}

/* Does `at` begin with two names in a row? */
static bool is_declaration(const char *at, const char *end)
{
    const Name first = read_name(&at, end);
    at = skip_space(at, end);
    while (at < end && (*at == '*' || *at == '&'))
        at = skip_space(at + 1, end);
    return first.length > 0 && read_name(&at, end).length > 0;
}

/* What the last declaration of the name before `end` says. */
static Declared declared_as(const char *source, const char *end, Name wanted)
{
    Declared declared = {0};
    bool is_in_parentheses = false;
    for (const char *at = skip_space(source, end); at < end; at = skip_space(at + 1, end)) {
        if (is_declaration(at, end))
            (is_in_parentheses ? read_parameters : read_declaration)(at, end, wanted, &declared);
        while (at < end && strchr(";{}()", *at) == NULL)
            at++;
        is_in_parentheses = at < end && *at == '(';
    }
    return declared;
}

static bool is_unset(const char *source, const char *end, const char *behind, Name name)
{
    return declared_as(source, end, name).is_unset;
}

static bool is_indexed_array(const char *source, const char *end, const char *behind, Name name)
{
    behind = skip_space(behind, end);
    return behind < end && *behind == '[' && declared_as(source, end, name).is_array;
}

/* The only name on the line that `is_wanted`; `behind` is what follows it there. */
static const char *only_name_on(const char *source, long line, size_t *length,
                                bool (*is_wanted)(const char *source, const char *end, const char *behind, Name name))
{
    const char *const start = source_line(source, line);
    Name found = {0};
    if (start == NULL)
        return NULL;
    const char *const end = start + strcspn(start, "\n");
    for (const char *at = start; at < end;) {
        bool is_member = at > start && (at[-1] == '.' || isdigit((unsigned char)at[-1]));
        const Name name = read_name(&at, end);
        at += name.length == 0;
        if (name.length == 0 || is_member || !is_wanted(source, end, at, name))
            continue;
        if (found.length > 0 && !name_equals(found, name))
            return NULL;
        found = name;
    }
    *length = found.length;
    return found.length > 0 ? found.text : NULL;
}

const char *unset_variable_on(const char *source, long line, size_t *length)
{
    return only_name_on(source, line, length, is_unset);
}

const char *local_array_on(const char *source, long line, size_t *length)
{
    return only_name_on(source, line, length, is_indexed_array);
}
