#include "grader/report/advice.h"

#include "base/text.h"
#include "grader/problem/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== advice ====================================================================================================== */

void advice_say(Advice *advice, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->line = line;
}

void advice_name(Advice *advice, const char *name)
{
    snprintf(advice->name, sizeof advice->name, "%s", name);
}

void advice_sketch(Advice *advice, const char *format, ...)
{
    size_t length = strlen(advice->sketch), room = sizeof advice->sketch - length;
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(advice->sketch + length, room, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added + 1 >= room)
        advice->sketch[length] = '\0';
    else
        strcpy(advice->sketch + length + (size_t)added, "\n");
}

/* ==== kernel constants ============================================================================================ */

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

/* ==== padding ===================================================================================================== */

enum { WARP = 32, BANKS = 32 };

static int64_t word_of(WarpWalk walk, uint32_t block_x, int64_t row_elements, uint32_t lane)
{
    int64_t x = lane % block_x, y = lane / block_x;
    return walk == WALK_ROWS ? y * row_elements + x : x * row_elements + y;
}

int padding_wavefronts(WarpWalk walk, uint32_t block_x, int64_t row_elements)
{
    int most = 0;
    for (int bank = 0; bank < BANKS; bank++) {
        int64_t words[WARP] = {0};
        int count = 0;
        for (uint32_t lane = 0; lane < WARP; lane++) {
            int64_t word = word_of(walk, block_x, row_elements, lane);
            bool known = word % BANKS != bank;
            for (int i = 0; i < count && !known; i++)
                known = words[i] == word;
            if (!known)
                words[count++] = word;
        }
        most = count > most ? count : most;
    }
    return most;
}

int padding_of(uint32_t block_x, int64_t row_elements, double wavefronts)
{
    if (block_x == 0 || row_elements <= 0)
        return -1;
    int rows = padding_wavefronts(WALK_ROWS, block_x, row_elements);
    int columns = padding_wavefronts(WALK_COLUMNS, block_x, row_elements);
    WarpWalk walk = fabs(rows - wavefronts) <= fabs(columns - wavefronts) ? WALK_ROWS : WALK_COLUMNS;
    int now = walk == WALK_ROWS ? rows : columns, best = now, padding = -1;
    if (fabs(now - wavefronts) > 0.5 * wavefronts)
        return -1;
    for (int more = 1; more < BANKS; more++) {
        int after = padding_wavefronts(walk, block_x, row_elements + more);
        if (after < best) {
            best = after;
            padding = more;
        }
    }
    return padding;
}
