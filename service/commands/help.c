#include "service/commands/help.h"

#include <string.h>

enum { COLUMNS = 110, NAME_COLUMNS = 20, TERM_COLUMNS = 17, INDENT = 4 };

/* Adds words from a column on, and goes on there in the next line. */
static void add_wrapped(const char *words, int indent, Text *text)
{
    int column = indent;
    for (const char *at = words, *end; *at != '\0'; at = end + (*end == ' ')) {
        end = at + strcspn(at, " ");
        const int length = (int)(end - at);
        const bool is_first = at == words;
        if (!is_first && column + 1 + length > COLUMNS) {
            text_printf(text, "\n%*s", indent, "");
            column = indent;
        } else if (!is_first) {
            text_add(text, " ");
            column++;
        }
        text_append(text, at, (size_t)length);
        column += length;
    }
    text_add(text, "\n");
}

/* ---- all commands ------------------------------------------------------------------------------------------------ */

void help_overview(Text *text)
{
    static const char *const readers[READER_COUNT] = {[STUDENT] = "students",
                                                      [INSTRUCTOR] = "instructors",
                                                      [AUTHOR] = "authors of problems",
                                                      [ADMINISTRATOR] = "administrators",
                                                      [DEVELOPER] = "developers"};
    text_add(text, "convjudge: an online judge for CUDA convolution kernels\n");
    for (int reader = 0; reader < READER_COUNT; reader++) {
        text_printf(text, "For %s:\n", readers[reader]);
        for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
            if ((int)subcommand->reader == reader)
                text_printf(text, "  %-*s%s\n", NAME_COLUMNS, subcommand->name, subcommand->what);
    }
    text_add(text, "convjudge help COMMAND shows a command's options; also --version, --man, --completion bash|zsh\n");
}

/* ---- one command ------------------------------------------------------------------------------------------------- */

void help_synopsis(const Subcommand *subcommand, Text *text)
{
    const char *form = subcommand->operands, *options = options_of(subcommand->name, 0) == NULL ? "" : " [OPTION]...";
    for (const char *end;; form = end + 1) {
        end = form + strcspn(form, "\n");
        text_printf(text, "convjudge %s%s%s%.*s\n", subcommand->name, options, end > form ? " " : "", (int)(end - form),
                    form);
        if (*end == '\0')
            return;
    }
}

void help_term(const Option *option, Text *text)
{
    text_printf(text, "--%s%s%s", option->name, option->argument[0] == '\0' ? "" : " ", option->argument);
}

/* A term that is too long for its column has a line of its own. */
static void add_option(const Option *option, Text *text)
{
    Text term = {0};
    help_term(option, &term);
    const bool fits = term.length < TERM_COLUMNS;
    text_printf(text, "%*s%-*s", INDENT, "", fits ? TERM_COLUMNS : 0, term.data);
    if (!fits)
        text_printf(text, "\n%*s", INDENT + TERM_COLUMNS, "");
    add_wrapped(option->what, INDENT + TERM_COLUMNS, text);
    text_free(&term);
}

void help_of(const Subcommand *subcommand, Text *text)
{
    const Option *option;
    Text words = {0};
    help_synopsis(subcommand, text);
    text_printf(&words, "%s.%s%s", subcommand->what, subcommand->more[0] == '\0' ? "" : " ", subcommand->more);
    text_printf(text, "%*s", INDENT, "");
    add_wrapped(words.data, INDENT, text);
    for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++)
        add_option(option, text);
    text_free(&words);
}
