#include "service/commands/manual.h"

#include "grader/result/version.h"
#include "service/commands/subcommand_tables.h"
#include "service/commands/usage_line.h"

#include <string.h>

/* A dot or an apostrophe that begins a line would be a request. */
static void add_escaped(const char *words, int length, Text *text)
{
    if (length > 0 && (words[0] == '.' || words[0] == '\''))
        text_add(text, "\\&");
    for (int i = 0; i < length; i++) {
        if (words[i] == '\\')
            text_add(text, "\\e");
        else if (words[i] == '-')
            text_add(text, "\\-");
        else
            text_append(text, &words[i], 1);
    }
}

static void add_line(const UsageLine *line, UsageKind before, Text *text)
{
    if (line->kind == USAGE_SYNOPSIS || line->kind == USAGE_MORE_SYNOPSIS)
        text_add(text, line->kind == USAGE_SYNOPSIS ? "" : "    ");
    else if (before == USAGE_SYNOPSIS || before == USAGE_MORE_SYNOPSIS)
        text_add(text, ".fi\n.PP\n");
    if (line->kind == USAGE_OPTION) {
        text_add(text, ".TP\n.B ");
        add_escaped(line->term, line->term_length, text);
        text_add(text, line->length > 0 ? "\n" : "");
    }
    add_escaped(line->text, line->length, text);
    text_add(text, "\n");
}

static void add_subcommand(const Subcommand *subcommand, Text *text)
{
    const char *at = subcommand->usage;
    UsageLine line = {0};
    text_printf(text, ".SS %s\n.nf\n", subcommand->name);
    for (UsageKind before = USAGE_SYNOPSIS; usage_line_next(&at, &line); before = line.kind)
        add_line(&line, before, text);
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
    for (int n = 0; subcommand_at(n) != NULL; n++)
        add_subcommand(subcommand_at(n), text);
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
