#include "service/commands/command_line.h"

#include "base/paths.h"
#include "base/sandbox.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== commands ==================================================================================================== */

const Subcommand subcommands[] = {
#define LOCAL(reader, name, function, sandbox, operands, what, more)                                                   \
    {reader, name, function, sandbox, operands, what, more},
#define ONLINE(reader, name, function, sandbox, operands, what, more)                                                  \
    {reader, name, NULL, sandbox, operands, what, more},
#include "service/commands/subcommands.def"
    {0},
};

/* ==== completion ================================================================================================== */

/* The completion of shells, made of the tables of subcommands and options.
 *
 * The scripts know commands and options; problems and devices they ask convjudge for when they need them. */

/* ---- words that change ------------------------------------------------------------------------------------------- */

/* Where they cannot be listed, there is nothing to complete. */
/* One in a line. */
static void completion_problems(Text *text)
{
    Arena arena = {0};
    const char **ids;
    size_t count = 0;
    text_add(text, "");
    if (problem_list(&arena, &ids, &count, NULL) == STATUS_OK)
        for (size_t i = 0; i < count; i++)
            text_printf(text, "%s\n", ids[i]);
    arena_free(&arena);
}

static void completion_devices(Text *text)
{
    char pattern[PATH_MAX];
    glob_t found;
    text_add(text, "auto\ncuda\ncuda:0\nsim\ncpu\n");
    if (paths_home("simgpu/profiles/*.json", pattern, sizeof pattern, NULL) != STATUS_OK ||
        glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        text_printf(text, "sim:%.*s\n", (int)strcspn(name, "."), name);
    }
    globfree(&found);
}

/* ---- words that stay --------------------------------------------------------------------------------------------- */

static void add_options(const Subcommand *subcommand, Text *text)
{
    const Option *option;
    for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++)
        text_printf(text, "--%s ", option->name);
    text_add(text, "--help");
}

/* Options whose value is neither a problem nor a device: after them come files. Rows of one name stand together. */
static void add_value_options(Text *text)
{
    const Option *option;
    const char *before = "";
    for (int n = 0; (option = options_of("", n)) != NULL; n++) {
        if (option->kind == OPTION_FLAG || strcmp(option->name, "problem") == 0 ||
            strcmp(option->name, "device") == 0 || strcmp(option->name, before) == 0)
            continue;
        text_printf(text, "%s--%s", before[0] == '\0' ? "" : "|", option->name);
        before = option->name;
    }
}

static void add_cases(const char *format, Text *text)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        Text options = {0};
        add_options(subcommand, &options);
        text_printf(text, "    %s) options=", subcommand->name);
        text_printf(text, format[0] == '(' ? "(%s) ;;\n" : "'%s' ;;\n", options.data);
        text_free(&options);
    }
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* Bash takes a colon and an equals sign for words of their own; what has been typed of such a word must not be repeated. */
static void completion_bash(Text *text)
{
    Text values = {0};
    add_value_options(&values);
    text_add(text, "# Completion of convjudge for bash, made by convjudge --completion bash.\n"
                   "_convjudge() {\n"
                   "    local word previous line options program=${COMP_WORDS[0]} command typed='' files='*.@(cu|c)'\n"
                   "    local -a words=()\n"
                   "    line=${COMP_LINE:0:COMP_POINT}\n"
                   "    word=${line##*[[:space:]]}\n"
                   "    line=${line%\"$word\"}\n"
                   "    read -ra words <<<\"$line\"\n"
                   "    previous=${words[-1]}\n"
                   "    if [[ $word == --*=* ]]; then previous=${word%%=*} typed=${word%%=*}=; word=${word#*=}; fi\n"
                   "    COMPREPLY=()\n"
                   "    if ((${#words[@]} == 1)); then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W '");
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        text_printf(text, "%s ", subcommand->name);
    text_add(text, "help --help --version' -- \"$word\")\n"
                   "        return\n"
                   "    fi\n"
                   "    command=${words[1]}\n"
                   "    case $command in\n");
    add_cases("'", text);
    text_printf(
        text,
        "    *) return ;;\n"
        "    esac\n"
        "    case $previous in\n"
        "    --problem) mapfile -t COMPREPLY < <(compgen -W \"$(\"$program\" --completion problems 2>/dev/null)\" -- "
        "\"$word\") ;;\n"
        "    --device) mapfile -t COMPREPLY < <(compgen -W \"$(\"$program\" --completion devices 2>/dev/null)\" -- "
        "\"$word\") ;;\n"
        "    %s) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
        "    *)\n"
        "        if [[ $word == -* ]]; then\n"
        "            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
        "        else\n"
        "            shopt -q extglob && files='!*.@(cu|c)' || files='!*.c*'\n"
        "            mapfile -t COMPREPLY < <(compgen -f -X \"$files\" -- \"$word\"; compgen -d -S / -- \"$word\")\n"
        "        fi\n"
        "        ;;\n"
        "    esac\n"
        "    if [[ $typed == '' && $word == *:* && $COMP_WORDBREAKS == *:* ]]; then\n"
        "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%%:*}:\"}\")\n"
        "    fi\n"
        "}\n"
        "complete -o filenames -F _convjudge convjudge\n",
        values.data);
    text_free(&values);
}

static void completion_zsh(Text *text)
{
    Text values = {0};
    add_value_options(&values);
    text_add(text, "#compdef convjudge\n"
                   "# Completion of convjudge for zsh, made by convjudge --completion zsh.\n"
                   "_convjudge() {\n"
                   "  local -a commands options\n"
                   "  commands=(\n");
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        text_printf(text, "    '%s:", subcommand->name);
        for (const char *at = subcommand->what; *at != '\0'; at++)
            text_printf(text, *at == '\'' ? "'\\''" : "%c", *at);
        text_add(text, "'\n");
    }
    text_add(text, "  )\n"
                   "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                   "  case $words[2] in\n");
    add_cases("(", text);
    text_printf(text,
                "  esac\n"
                "  case $words[CURRENT-1] in\n"
                "    --problem) compadd -- ${(f)\"$($words[1] --completion problems 2>/dev/null)\"} ;;\n"
                "    --device) compadd -- ${(f)\"$($words[1] --completion devices 2>/dev/null)\"} ;;\n"
                "    %s) _files ;;\n"
                "    *) if [[ $PREFIX == -* ]]; then compadd -- $options; else _files -g '*.(cu|c)'; fi ;;\n"
                "  esac\n"
                "}\n"
                "if [[ $funcstack[1] == _convjudge ]]; then _convjudge \"$@\"; else compdef _convjudge convjudge; fi\n",
                values.data);
    text_free(&values);
}

/* ==== help ======================================================================================================== */

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
                                                      [ADMINISTRATOR] = "administrators"};
    text_add(text, "convjudge: an online judge for CUDA convolution kernels\n");
    for (int reader = 0; reader < READER_COUNT; reader++) {
        const char *between = "";
        text_printf(text, "For %s:\n", readers[reader]);
        for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
            if ((int)subcommand->reader == reader)
                text_printf(text, "  %-*s%s\n", NAME_COLUMNS, subcommand->name, subcommand->what);
        text_printf(text, "  %-*s", NAME_COLUMNS, "less often:");
        for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
            if ((int)subcommand->reader == RARELY + reader) {
                text_printf(text, "%s%s", between, subcommand->name);
                between = ", ";
            }
        text_add(text, "\n");
    }
    text_add(text, "convjudge help COMMAND shows a command's options; also --version, --man, --completion bash|zsh\n");
}

/* ---- one command ------------------------------------------------------------------------------------------------- */

/* "convjudge grade [OPTION]... FILE", a line for each form. */
static void help_synopsis(const Subcommand *subcommand, Text *text)
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
static void help_add_option(const Option *option, Text *text)
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
        help_add_option(option, text);
    text_free(&words);
}

/* ==== manual ====================================================================================================== */

/* The manual page, made of the tables of commands and options.
 *
 * Source   man(7) of mandoc and groff. */

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

static void manual_add_option(const Option *option, Text *text)
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
        manual_add_option(option, text);
    text_free(&synopsis);
}

static void manual_write(Text *text)
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
        ".SH EXIT STATUS\n0: accepted, or success. 1: not accepted, or the answer is no. 2: a usage error, or a failure of "
        "the judge.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B CONVJUDGE_DB\nThe leaderboard's database.\n"
        ".TP\n.B CONVJUDGE_CONFIG\nThe configuration file of the service.\n"
        ".TP\n.B CONVJUDGE_SERVER\nThe server that the commands of students talk to.\n"
        ".TP\n.B NO_COLOR\nReports without colour.\n"
        ".PP\nThe file docs/reference/settings.md has all of them.\n"
        ".SH FILES\n.TP\n.I /etc/convjudge/config.json\nThe settings of the service.\n");
}

/* ==== command line ================================================================================================ */

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

/* The command line that was typed, to make or to the program, with what lets it run without a sandbox. */
static Text typed_line(char **argv)
{
    static const char *const settings[] = {"SUB",  "PROBLEM", "DEVICE", "CASE", "SIZES",
                                           "SEED", "DATA",    "OUTPUT", "LINE"};
    Text line = {0};
    if (getenv("STAND") == NULL) {
        text_printf(&line, "convjudge %s --unconfined", argv[0]);
        for (char **word = argv + 1; *word != NULL; word++) {
            text_add(&line, " ");
            text_add_word(&line, *word);
        }
        return line;
    }
    text_printf(&line, "make %s", argv[0]);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (getenv(settings[i]) != NULL) {
            text_printf(&line, " %s=", settings[i]);
            text_add_word(&line, getenv(settings[i]));
        }
    text_add(&line, " UNCONFINED=1");
    return line;
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
    Text line = typed_line(argv);
    Message why = {0};
    int exit_status = EXIT_TROUBLE;
    Status status = options_parse(argc, argv, &options, &why);
    if (status == STATUS_OK && options.help) {
        print_help(subcommand, stdout);
        text_free(&line);
        return 0;
    }
    if (options.unconfined)
        sandbox_allow_unconfined();
    if (status == STATUS_OK && subcommand->sandbox == WITH_SANDBOX) {
        Message unsafe;
        status = sandbox_require(&unsafe);
        if (status != STATUS_OK)
            status = fail(status, &why, "%s; to run a file of your own all the same: %s", unsafe.text, line.data);
    }
    THEN(status, run(&options, &exit_status, &why));
    text_free(&line);
    return status == STATUS_OK ? exit_status : command_line_complain(why.text);
}

/* Names are UTF-8 whatever the user's language is; numbers keep the decimal point. */
static void set_locale(void)
{
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* A caller may have closed standard input, output or errors (`<&-`). The next file that is opened would get its number: a
 * database into which messages go, or a pipe that a child takes for its input. */
static void open_standard_files(void)
{
    int file;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

int command_line(int argc, char **argv, RunElsewhere elsewhere)
{
    open_standard_files();
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
