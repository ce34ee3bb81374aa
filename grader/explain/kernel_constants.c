#include "grader/explain/kernel_constants.h"

#include "base/text.h"
#include "grader/problem/expression.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CONSTANTS = 64 };

/* Names with known values: the sizes of the case, and what the source defines by them. */
typedef struct Constants {
    const char *names[MAX_CONSTANTS];
    int64_t values[MAX_CONSTANTS];
    size_t count;
    Arena arena;
} Constants;

static bool evaluate(Constants *constants, const char *text, int64_t *value)
{
    Expression expression;
    Message ignored = {0};
    return expression_compile(text, constants->names, constants->count, &constants->arena, &expression, &ignored) ==
               STATUS_OK &&
           expression_evaluate(&expression, constants->values, value, &ignored) == STATUS_OK;
}

static void add_constant(Constants *constants, const char *name, size_t length, int64_t value)
{
    if (constants->count == MAX_CONSTANTS)
        return;
    constants->names[constants->count] = arena_copy(&constants->arena, name, length);
    constants->values[constants->count++] = value;
}

/* Adds "NAME VALUE" of a #define, or "NAME = VALUE" of a declaration, if the value is known. */
static void add_definition(Constants *constants, const char *at, const char *ends)
{
    at += strspn(at, " \t");
    size_t length = 0;
    while (text_in_word(at[length]))
        length++;
    const char *value = at + length + strspn(at + length, " \t=");
    char *text = arena_copy(&constants->arena, value, strcspn(value, ends));
    char *comment = strstr(text, "//");
    int64_t number;
    if (comment != NULL)
        *comment = '\0';
    if (length > 0 && text[0] != '\0' && evaluate(constants, text, &number))
        add_constant(constants, at, length, number);
}

static void add_sizes(Constants *constants, const Problem *problem, const Sizes *sizes)
{
    for (size_t i = 0; problem != NULL && sizes != NULL && i < problem->parameter_count; i++) {
        const Parameter *parameter = &problem->parameters[i];
        if (parameter->role == ROLE_SIZE)
            add_constant(constants, parameter->name, strlen(parameter->name), sizes->values[i]);
    }
}

/* In the order of the source, so that a definition knows those before it. */
static void add_definitions(Constants *constants, const char *source)
{
    for (const char *at = source; *at != '\0'; at++) {
        bool starts = at == source || !text_in_word(at[-1]);
        if (strncmp(at, "#define ", 8) == 0)
            add_definition(constants, at + 8, "\n");
        else if (starts && strncmp(at, "int ", 4) == 0)
            add_definition(constants, at + 4, ";,)\n");
    }
}

bool constant_value(const char *source, const Problem *problem, const Sizes *sizes, const char *expression,
                    int64_t *value)
{
    Constants constants = {.count = 0};
    add_sizes(&constants, problem, sizes);
    add_definitions(&constants, source);
    bool known = evaluate(&constants, expression, value);
    arena_free(&constants.arena);
    return known;
}

bool array_row(const char *source, const char *array, char *columns, size_t size, int *line)
{
    for (const char *at = source; (at = strstr(at, "__shared__")) != NULL; at++) {
        const char *end = at + strcspn(at, ";"), *found = text_find_word(at, array);
        if (found == NULL || found >= end || found[strlen(array)] != '[')
            continue;
        const char *open = found, *last = end;
        while (last > found && *last != ']')
            last--;
        for (open = last; open > found && *open != '[';)
            open--;
        if (last - open <= 1)
            return false;
        snprintf(columns, size, "%.*s", (int)(last - open - 1), open + 1);
        *line = text_line_at(source, (size_t)(found - source));
        return true;
    }
    return false;
}
