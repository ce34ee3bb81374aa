#include "service/commands/usage_line.h"

#include <ctype.h>
#include <string.h>

enum { INDENT = 4 }; /* of descriptions and options */

/* "--problem ID     default: ...", "FILE     default: ...", or a long term alone; a description may begin with the name of an
 * option, too, but goes on as a sentence. */
static bool is_option(const char *text, int length)
{
    const char *gap = memmem(text, (size_t)length, "  ", 2);
    const int term = gap == NULL ? length : (int)(gap - text);
    const bool is_dashed = length > 2 && text[0] == '-' && text[1] == '-';
    bool is_capital = gap != NULL;
    for (int i = 0; i < term; i++)
        is_capital = is_capital && isupper((unsigned char)text[i]);
    return is_capital || (is_dashed && (gap != NULL || memchr(text, ' ', (size_t)length) == NULL));
}

/* The term ends where two spaces stand, or with the line. */
static void split_option(UsageLine *line)
{
    int end = 0;
    while (end < line->length && !(line->text[end] == ' ' && end + 1 < line->length && line->text[end + 1] == ' '))
        end++;
    line->term = line->text;
    line->term_length = end;
    while (end < line->length && line->text[end] == ' ')
        end++;
    line->text += end;
    line->length -= end;
}

bool usage_line_next(const char **at, UsageLine *line)
{
    const bool in_synopsis = line->kind == USAGE_SYNOPSIS || line->kind == USAGE_MORE_SYNOPSIS;
    if (**at == '\0')
        return false;
    const int length = (int)strcspn(*at, "\n"), indent = (int)strspn(*at, " ");
    line->text = *at + indent;
    line->length = length - indent;
    *at += length + ((*at)[length] == '\n');
    if (indent == 0)
        line->kind = USAGE_SYNOPSIS;
    else if (indent > INDENT)
        line->kind = in_synopsis ? USAGE_MORE_SYNOPSIS : USAGE_MORE;
    else if (is_option(line->text, line->length))
        line->kind = USAGE_OPTION;
    else
        line->kind = USAGE_DESCRIPTION;
    if (line->kind == USAGE_OPTION)
        split_option(line);
    return true;
}

int usage_line_summary(const char *usage, const char **text)
{
    UsageLine line = {0};
    while (usage_line_next(&usage, &line))
        if (line.kind == USAGE_DESCRIPTION)
            break;
    int length = 0;
    while (length < line.length && strchr(".:;", line.text[length]) == NULL)
        length++;
    *text = line.text;
    return length;
}
