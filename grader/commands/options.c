#include "grader/commands/options.h"

#include "base/status.h"
#include "base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Option rows[] = {
#define OPTION(kind, member, name, argument, takers, what)                                                             \
    {OPTION_##kind, offsetof(Options, member), name, argument, takers, what},
#define MORE OPTION
#include "grader/commands/options.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_meant_for(const Option *option, const char *subcommand)
{
    const size_t length = strlen(subcommand);
    for (const char *at = option->takers; length > 0 && (at = strstr(at, subcommand)) != NULL; at += length)
        if ((at == option->takers || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_taken_by(const Option *option, const char *subcommand)
{
    return option->takers[0] == '*' || is_meant_for(option, subcommand);
}

const Option *options_of(const char *subcommand, int n)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if ((subcommand[0] == '\0' || is_meant_for(&rows[i], subcommand)) && n-- == 0)
            return &rows[i];
    return NULL;
}

/* The name of an option that begins so: all of it, or the only one; NULL if there is none. */
static const char *whole_name(const char *name, size_t length)
{
    const char *found = NULL;
    for (int i = 0; i < ROW_COUNT && length > 0; i++) {
        if (strncmp(rows[i].name, name, length) != 0)
            continue;
        if (rows[i].name[length] == '\0')
            return rows[i].name;
        if (found != NULL && strcmp(found, rows[i].name) != 0)
            return NULL;
        found = rows[i].name;
    }
    return found;
}

/* The row of an option for this subcommand, or the first one where it does not take that option; NULL if there is none. */
static const Option *find_option(const char *name, size_t length, const char *subcommand)
{
    const char *whole = whole_name(name, length);
    const Option *found = NULL;
    for (int i = 0; i < ROW_COUNT && whole != NULL; i++)
        if (strcmp(rows[i].name, whole) == 0 && (found == NULL || is_meant_for(&rows[i], subcommand)))
            found = &rows[i];
    return found;
}

/* The option in a word such as "--problem" or "--problem=conv1d"; NULL if the word is not an option. */
static const Option *option_in(const char *word, const char *subcommand)
{
    if (strcmp(word, "-h") == 0)
        return find_option("help", 4, subcommand);
    return strncmp(word, "--", 2) == 0 ? find_option(word + 2, strcspn(word + 2, "="), subcommand) : NULL;
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static Status refuse_unknown(const char *word, const char *subcommand, Message *why)
{
    Text names = {0};
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < ROW_COUNT; i++)
        if (is_taken_by(&rows[i], subcommand))
            text_printf(&names, "--%s, ", rows[i].name);
    Status status = fail(STATUS_BAD_INPUT, why, "%s: unknown option '%s'; %s`convjudge %s --help` lists all",
                         subcommand, name, suggestion_for(name, names.data == NULL ? "" : names.data).text, subcommand);
    text_free(&names);
    return status;
}

static Status refuse_foreign(const Option *option, const char *subcommand, Message *why)
{
    Text takers = {0};
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, option->name) == 0)
            for (const char *at = rows[i].takers, *end; *at != '\0'; at = end + (*end == ' ')) {
                end = at + strcspn(at, " ");
                text_printf(&takers, "%s%.*s", takers.length > 0 ? ", " : "", (int)(end - at), at);
            }
    Status status = fail(STATUS_BAD_INPUT, why, "%s does not take the option '--%s', which is for: %s", subcommand,
                         option->name, takers.data);
    text_free(&takers);
    return status;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static Status set_flag(const Option *option, const char *value, Options *options, Message *why)
{
    bool *flag = (bool *)((char *)options + option->member);
    if (value != NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' takes no value, found '%s'", options->subcommand,
                    option->name, value);
    if (*flag)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given twice", options->subcommand, option->name);
    *flag = true;
    return STATUS_OK;
}

static Status add_value(const Option *option, const char *value, Options *options, Message *why)
{
    OptionValues *values = (OptionValues *)(void *)((char *)options + option->member);
    if (values->count == OPTION_MOST_VALUES)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given more than %d times", options->subcommand,
                    option->name, OPTION_MOST_VALUES);
    values->items[values->count++] = value;
    return STATUS_OK;
}

static Status set_value(const Option *option, const char *value, Options *options, Message *why)
{
    const char **member = (const char **)((char *)options + option->member);
    if (value == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' needs a value", options->subcommand, option->name);
    if (option->kind == OPTION_LIST)
        return add_value(option, value, options, why);
    if (*member != NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given twice: '%s' and '%s'", options->subcommand,
                    option->name, *member, value);
    *member = value;
    return STATUS_OK;
}

/* Takes the option at argv[*at] and its value, which may be the next word unless that is itself an option. */
static Status take_option(char **argv, int *at, Options *options, Message *why)
{
    const Option *option = option_in(argv[*at], options->subcommand);
    const char *equals = strchr(argv[*at], '='), *value = equals == NULL ? NULL : equals + 1;
    if (option == NULL)
        return refuse_unknown(argv[*at], options->subcommand, why);
    if (!is_taken_by(option, options->subcommand))
        return refuse_foreign(option, options->subcommand, why);
    if (option->kind == OPTION_FLAG)
        return set_flag(option, value, options, why);
    if (value == NULL && argv[*at + 1] != NULL && option_in(argv[*at + 1], options->subcommand) == NULL)
        value = argv[++*at];
    return set_value(option, value, options, why);
}

/* Many call it so: "gpu" is "cuda", and "gpu:1" is "cuda:1". */
static void name_gpu(Options *options)
{
    const char *device = options->device;
    if (device == NULL || strncmp(device, "gpu", 3) != 0 || (device[3] != '\0' && device[3] != ':'))
        return;
    snprintf(options->gpu, sizeof options->gpu, "cuda%s", device + 3);
    options->device = options->gpu;
}

Status options_parse(int argc, char **argv, Options *options, Message *why)
{
    bool only_files = false;
    *options = (Options){.subcommand = argv[0], .operands = argv + 1};
    for (int i = 1; i < argc; i++) {
        bool is_option = !only_files && argv[i][0] == '-' && argv[i][1] != '\0';
        if (!is_option) {
            options->operands[options->operand_count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else {
            TRY(take_option(argv, &i, options, why));
        }
    }
    name_gpu(options);
    return STATUS_OK;
}

/* ---- what a subcommand expects ----------------------------------------------------------------------------------- */

Status options_run_number(const Options *options, const char *where, const char *text, int64_t *run, Message *why)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    *run = number;
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && number > 0 && number < LLONG_MAX)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: %s: expected the number of a run, found '%s'", options->subcommand, where,
                text);
}

Status options_number(const Options *options, const char *option, const char *text, int64_t low, int64_t high,
                      int64_t *number, Message *why)
{
    char *end;
    const long long value = text == NULL ? 0 : strtoll(text, &end, 10);
    if (text == NULL)
        return STATUS_OK;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < low || value > high)
        return fail(STATUS_BAD_INPUT, why, "%s: option '%s': expected a number from %lld to %lld, found '%s'",
                    options->subcommand, option, (long long)low, (long long)high, text);
    *number = value;
    return STATUS_OK;
}

Status options_expect_file(const Options *options, Message *why)
{
    if (options->operand_count == 1)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: expected one FILE, found %d", options->subcommand, options->operand_count);
}

Status options_expect_no_file(const Options *options, Message *why)
{
    if (options->operand_count == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: expected no file, found '%s'", options->subcommand, options->operands[0]);
}

Status options_expect_problem(const Options *options, Message *why)
{
    if (options->problem == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--problem' is missing", options->subcommand);
    return options_expect_no_file(options, why);
}
