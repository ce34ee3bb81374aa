#include "service/commands/manual.h"

#include "grader/result/version.h"
#include "service/commands/help.h"

#include <stddef.h>

/* A dot or an apostrophe that begins a line would be a request; only the first line may begin so. */
static void add_escaped(const char *words, Text *text)
{
    if (words[0] == '.' || words[0] == '\'')
        text_add(text, "\\&");
    for (; *words != '\0'; words++) {
        if (*words == '\\')
            text_add(text, "\\e");
        else if (*words == '-')
            text_add(text, "\\-");
        else
            text_append(text, words, 1);
    }
}

static void add_option(const Option *option, Text *text)
{
    Text term = {0};
    help_term(option, &term);
    text_add(text, ".TP\n.B ");
    add_escaped(term.data, text);
    text_add(text, "\n");
    add_escaped(option->what, text);
    text_add(text, "\n");
    text_free(&term);
}

static void add_subcommand(const Subcommand *subcommand, Text *text)
{
    const Option *option;
    Text synopsis = {0};
    help_synopsis(subcommand, &synopsis);
    text_printf(text, ".SS %s\n.nf\n", subcommand->name);
    add_escaped(synopsis.data, text);
    text_add(text, ".fi\n.PP\n");
    add_escaped(subcommand->what, text);
    text_add(text, ".\n");
    add_escaped(subcommand->more, text);
    text_add(text, subcommand->more[0] == '\0' ? "" : "\n");
    for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++)
        add_option(option, text);
    text_free(&synopsis);
}

void manual_write(Text *text)
{
    text_add(
        text,
        ".TH CONVJUDGE 1 \"\" \"ConvJudge " CONVJUDGE_VERSION "\" \"User commands\"\n"
        ".SH NAME\nconvjudge \\- judge CUDA convolution kernels\n"
        ".SH SYNOPSIS\n.B convjudge\n.I command\n.RI [ options ]\n"
        ".SH DESCRIPTION\n"
        "Compiles a CUDA source file, runs it on sample and hidden testcases, times it, and ranks it, on an NVIDIA GPU "
        "or on a simulated one. The commands\n.BR serve ,\n.BR submit\nand others do the same for a class.\n.PP\n"
        "The beginning of an option's name is enough if only one option begins so. After\n.B \\-\\-\nthere are only "
        "files.\n"
        ".SH COMMANDS\n");
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        add_subcommand(subcommand, text);
    text_add(
        text,
        ".SH EXIT STATUS\n0: accepted, or what was asked for is so. 1: it is not. 2: a usage error, or a fault of the "
        "judge.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B CONVJUDGE_DB\nThe leaderboard's database.\n"
        ".TP\n.B CONVJUDGE_CONFIG\nThe configuration file of the service.\n"
        ".TP\n.B CONVJUDGE_SERVER\nThe server that the commands of students talk to.\n"
        ".TP\n.B NO_COLOR\nReports without colour.\n"
        ".PP\nThe file docs/settings.md has all of them.\n"
        ".SH FILES\n.TP\n.I /etc/convjudge/config.json\nThe settings of the service.\n");
}
