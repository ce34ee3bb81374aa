#include "base/symbol.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a source-name (section 5.1.3): a decimal length and that many characters. Returns the position after it, or
 * NULL if there is none. */
static const char *take_name(const char *at, const char **name, size_t *length)
{
    char *end;
    unsigned long count = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;
    if (count == 0 || count > strlen(end))
        return NULL;
    *name = end;
    *length = count;
    return end + count;
}

/* Appends template arguments that are all integers ("ILi3ELj16EE") as "<3, 16>", others as "<...>". */
static void add_template(Text *text, const char *at)
{
    const char *separator = "<";
    if (*at != 'I')
        return;
    size_t before = text->length;
    for (at++; at[0] == 'L' && at[1] != '\0' && strchr("ijlmbc", at[1]) != NULL;) {
        bool negative = at[2] == 'n';
        const char *digits = at + 2 + negative;
        size_t count = strspn(digits, "0123456789");
        if (count == 0 || digits[count] != 'E')
            break;
        text_printf(text, "%s%s%.*s", separator, negative ? "-" : "", (int)count, digits);
        separator = ", ";
        at = digits + count + 1;
    }
    if (*at != 'E' || text->length == before) {
        text->length = before;
        text_add(text, "<...");
    }
    text_add(text, ">");
}

static void add_name(Text *text, const char *mangled)
{
    bool nested = mangled[2] == 'N';
    const char *at = mangled + 2 + (nested || mangled[2] == 'L'); /* L: static */
    const char *name, *next;
    size_t length;
    while ((next = take_name(at, &name, &length)) != NULL) {
        bool anonymous = length > 10 && strncmp(name, "_GLOBAL__N", 10) == 0;
        if (!anonymous)
            text_printf(text, "%s%.*s", text->length > 0 ? "::" : "", (int)length, name);
        at = next;
        if (!nested)
            break;
    }
    if (text->length > 0)
        add_template(text, at);
}

/* Appends the name of something inside a function, "Z <encoding> E <name>". The parameters of the function are not
 * parsed, so the search for the name begins at the end. It may be numbered, as in "E4tile_0". */
static void add_local_name(Text *text, const char *mangled)
{
    const char *name;
    size_t length;
    for (const char *at = strrchr(mangled, 'E'); at != NULL && at > mangled; at--) {
        const char *next = *at == 'E' ? take_name(at + 1, &name, &length) : NULL;
        if (next != NULL && (*next == '\0' || *next == '_')) {
            text_append(text, name, length);
            return;
        }
    }
}

void symbol_name(const char *mangled, char *name, size_t size)
{
    Text text = {0};
    if (strncmp(mangled, "_ZZ", 3) == 0)
        add_local_name(&text, mangled);
    else if (strncmp(mangled, "_Z", 2) == 0)
        add_name(&text, mangled);
    snprintf(name, size, "%s", text.length > 0 ? text.data : mangled);
    text_free(&text);
}
