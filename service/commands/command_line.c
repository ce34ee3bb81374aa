#include "service/commands/command_line.h"

#include "base/suggestion.h"
#include "base/text.h"
#include "grader/result/version.h"
#include "harness/sandbox/sandbox.h"
#include "service/commands/completion.h"
#include "service/commands/help.h"
#include "service/commands/manual.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_TROUBLE = 2 }; /* a usage error or a fault of the judge; 0 and 1 are the subcommand's */

static const Subcommand *find_subcommand(const char *name)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        if (strcmp(name, subcommand->name) == 0)
            return subcommand;
    return NULL;
}

/* Messages contain names of files, which may contain any bytes. */
int command_line_complain(const char *text)
{
    Text line = {0};
    text_add(&line, "convjudge: ");
    text_add_printable(&line, text, strlen(text));
    fprintf(stderr, "%s\n", line.data);
    text_free(&line);
    return EXIT_TROUBLE;
}

static int refuse_command(const char *name)
{
    Text names = {0}, line = {0};
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        text_printf(&names, "%s, ", subcommand->name);
    text_add(&names, "help, --help, --version, --man, --completion");
    text_printf(&line, "unknown command '%s'; %s`convjudge --help` lists all", name,
                suggestion_for(name, names.data).text);
    int exit_status = command_line_complain(line.data);
    text_free(&line);
    text_free(&names);
    return exit_status;
}

static void print_help(const Subcommand *subcommand, FILE *stream)
{
    Text text = {0};
    if (subcommand == NULL)
        help_overview(&text);
    else
        help_of(subcommand, &text);
    fputs(text.data, stream);
    text_free(&text);
}

static int print_text(void (*write)(Text *text))
{
    Text text = {0};
    write(&text);
    fputs(text.data, stdout);
    text_free(&text);
    return 0;
}

/* The words that a completion asks for are those of this moment: problems come and go. */
static int print_completion(const char *what)
{
    static const struct {
        const char *name;
        void (*write)(Text *text);
    } rows[] = {{"bash", completion_bash},
                {"zsh", completion_zsh},
                {"problems", completion_problems},
                {"devices", completion_devices}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, what) == 0)
            return print_text(rows[i].write);
    return command_line_complain("--completion: expected bash or zsh");
}

int command_line_run(const Subcommand *subcommand, CommandFunction *run, int argc, char **argv)
{
    Options options;
    Message why = {0};
    int exit_status = EXIT_TROUBLE;
    Status status = options_parse(argc, argv, &options, &why);
    if (status == STATUS_OK && options.help) {
        print_help(subcommand, stdout);
        return 0;
    }
    if (options.unconfined)
        sandbox_allow_unconfined();
    if (status == STATUS_OK && subcommand->sandbox == WITH_SANDBOX)
        status = sandbox_require(&why);
    if (status == STATUS_OK)
        status = run(&options, &exit_status, &why);
    return status == STATUS_OK ? exit_status : command_line_complain(why.text);
}

/* Names are UTF-8 whatever the user's language is; numbers keep the decimal point. */
static void set_locale(void)
{
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
}

int command_line(int argc, char **argv, RunElsewhere elsewhere)
{
    set_locale();
    const char *name = argc < 2 ? "" : argv[1];
    const Subcommand *subcommand = find_subcommand(name);
    if (subcommand != NULL && subcommand->run == NULL)
        return elsewhere(subcommand, argc - 1, argv + 1);
    if (subcommand != NULL)
        return command_line_run(subcommand, subcommand->run, argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0) {
        puts("convjudge " CONVJUDGE_VERSION);
        return 0;
    }
    if (strcmp(name, "--man") == 0)
        return print_text(manual_write);
    if (strcmp(name, "--completion") == 0)
        return print_completion(argc < 3 ? "" : argv[2]);
    if (strcmp(name, "help") == 0 && argc > 2 && find_subcommand(argv[2]) == NULL)
        return refuse_command(argv[2]);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(argc > 2 ? find_subcommand(argv[2]) : NULL, stdout);
        return 0;
    }
    if (argc > 1)
        return refuse_command(name);
    print_help(NULL, stderr);
    return EXIT_TROUBLE;
}
