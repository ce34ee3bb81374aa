#include "grader/result/array_name.h"

#include "base/text.h"
#include "grader/result/source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The next name at or behind `*at`, which moves behind it; length 0: there is none. */
static Name next_name(const char **at)
{
    const char *start = *at;
    while (*start != '\0' && !(isalpha((unsigned char)*start) || *start == '_'))
        start += text_in_word(*start) ? strspn(start, "0123456789") : 1;
    const char *end = start;
    while (text_in_word(*end))
        end++;
    *at = end;
    return (Name){start, (size_t)(end - start)};
}

static bool is_among(Name name, const Name *names, int count)
{
    for (int i = 0; i < count; i++)
        if (name_equals(name, names[i]))
            return true;
    return false;
}

bool array_name_may_be_told(const char *source, const char *name)
{
    Name known[MAX_ARRAY_NAMES], one, wanted = {name, strlen(name)};
    int count = 0;
    for (const char *at = source; count < MAX_ARRAY_NAMES && (one = next_name(&at)).length > 0;)
        if (at[strspn(at, " \t\r\n")] == '[' && !is_among(one, known, count))
            known[count++] = one;
    return wanted.length > 0 && is_among(wanted, known, count);
}

/* The parenthesis that opens the parameters of a kernel; NULL: the source declares none of that name, or several. */
static const char *parameters_of(const char *source, Name kernel)
{
    const char *found = NULL;
    for (const char *at = source; (at = text_find_word(at, "__global__")) != NULL;) {
        Name last = {0}, one;
        const char *open = at;
        while ((one = next_name(&open)).length > 0) { /* the kernel's name is followed by the first parenthesis */
            last = one;
            open += strspn(open, " \t\r\n");
            if (*open == '(' && !name_equals(one, (Name){"__launch_bounds__", 17}))
                break;
        }
        at += strlen("__global__");
        if (*open != '(' || !name_equals(last, kernel))
            continue;
        if (found != NULL)
            return NULL;
        found = open;
    }
    return found;
}

bool array_name_of_parameter(const char *source, const char *kernel, uint32_t number, char *name, size_t size)
{
    const char *scope = strrchr(kernel, ':'), *start = scope == NULL ? kernel : scope + 1;
    const char *at = parameters_of(source, (Name){start, strcspn(start, "<")});
    Name last = {0};
    if (at == NULL)
        return false;
    for (int depth = 0; number > 0 && *at != '\0';) {
        if (isdigit((unsigned char)*at)) {
            at += strspn(at, "0123456789");
            continue;
        }
        if (text_in_word(*at)) {
            last = next_name(&at);
            continue;
        }
        depth += (*at == '(' || *at == '<' || *at == '[') - (*at == ')' || *at == '>' || *at == ']');
        if (depth == 0 || (depth == 1 && *at == ','))
            number--;
        if (depth == 0)
            break;
        at++;
    }
    if (number > 0 || last.length == 0 || last.length >= size)
        return false;
    snprintf(name, size, "%.*s", (int)last.length, last.text);
    return true;
}
