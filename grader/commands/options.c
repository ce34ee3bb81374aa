#include "grader/commands/options.h"

#include "base/suggestion.h"
#include "base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SUBCOMMANDS = 21 };

typedef struct OptionKind {
    const char *name;
    bool takes_value;
    size_t member; /* offset in Options: of a string if it takes a value, else of a bool */
    const char *subcommands[MAX_SUBCOMMANDS + 1]; /* that take it, up to NULL; an empty list: all of them */
} OptionKind;

static const OptionKind kinds[] = {
    {"problem", true, offsetof(Options, problem), {"grade",      "leaderboard", "references",  "baselines",
                                                   "explain",    "sweep",       "check",       "check-problem",
                                                   "quarantine", "retime",      "similar",     "try",
                                                   "submit",     "gradescope",  "runs",        "history",
                                                   "report",     "rejudge",     "grade-class", "roofline"}},
    {"device", true, offsetof(Options, device), {NULL}},
    {"as", true, offsetof(Options, person), {"grade", "quarantine", "retract", "runs", "history", "submit"}},
    {"json",
     true,
     offsetof(Options, json),
     {"grade", "explain", "quarantine", "verify-leaderboard", "similar", "try", "submit", "runs", "show", "compare",
      "history", "withdraw", "doctor", "rejudge", "scores", "grade-class", "roofline"}},
    {"gradescope", true, offsetof(Options, gradescope), {"grade", "submit"}},
    {"junit", true, offsetof(Options, junit), {"grade", "submit"}},
    {"seed", true, offsetof(Options, seed), {"grade", "check-problem", "try"}},
    {"case", true, offsetof(Options, timed_case), {"explain"}},
    {"sizes", true, offsetof(Options, sizes), {"try", "submit"}},
    {"data", true, offsetof(Options, data), {"try"}},
    {"mutants", true, offsetof(Options, mutants), {"check-problem"}},
    {"keep", true, offsetof(Options, keep), {"check-problem"}},
    {"accept", true, offsetof(Options, accept), {"quarantine"}},
    {"reject", true, offsetof(Options, reject), {"quarantine"}},
    {"why", true, offsetof(Options, why), {"quarantine", "retract", "rejudge"}},
    {"threshold", true, offsetof(Options, threshold), {"similar"}},
    {"also", true, offsetof(Options, earlier), {"similar"}},
    {"earlier", true, offsetof(Options, earlier), {"similar"}},
    {"handed-out", true, offsetof(Options, handed_out), {"similar"}},
    {"state", true, offsetof(Options, state), {"serve", "token", "backup", "rejudge", "scores", "grade-class"}},
    {"listen", true, offsetof(Options, listen), {"serve"}},
    {"socket", true, offsetof(Options, socket), {"serve"}},
    {"config",
     true,
     offsetof(Options, config),
     {"serve", "token", "backup", "check-config", "doctor", "rejudge", "scores"}},
    {"trial", false, offsetof(Options, trial), {"serve"}},
    {"role", true, offsetof(Options, role), {"token"}},
    {"hand-in-only", false, offsetof(Options, hand_in_only), {"token"}},
    {"top", true, offsetof(Options, top), {"retime", "runs"}},
    {"server",
     true,
     offsetof(Options, server),
     {"submit", "gradescope", "runs", "show", "compare", "history", "withdraw"}},
    {"person", true, offsetof(Options, by), {"gradescope"}},
    {"minutes", true, offsetof(Options, minutes), {"submit", "gradescope"}},
    {"mode", true, offsetof(Options, mode), {"submit"}},
    {"wait", false, offsetof(Options, wait), {"submit"}},
    {"no-code", false, offsetof(Options, no_code), {"show"}},
    {"dir", true, offsetof(Options, dir), {"grade-class"}},
    {"spool", true, offsetof(Options, spool), {"work"}},
    {"name", true, offsetof(Options, name), {"work"}},
    {"once", false, offsetof(Options, once), {"work"}},
    {"pilot", true, offsetof(Options, pilot), {"work"}},
    {"no-explain", false, offsetof(Options, no_explain), {"work"}},
    {"idle", true, offsetof(Options, idle), {"work"}},
    {"engine", true, offsetof(Options, engine), {"serve"}},
    {"all-cases", true, offsetof(Options, all_cases), {"grade"}},
    {"run", true, offsetof(Options, run), {"retime"}},
    {"record", false, offsetof(Options, record), {"retime"}},
    {"no-record", false, offsetof(Options, no_record), {"grade"}},
    {"untimed", false, offsetof(Options, untimed), {"grade"}},
    {"no-second-opinion", false, offsetof(Options, no_second_opinion), {"grade", "try"}},
    {"missing", false, offsetof(Options, only_missing), {"references"}},
    {"export", false, offsetof(Options, export_times), {"references"}},
    {"timed", false, offsetof(Options, timed), {"check"}},
    {"thorough", false, offsetof(Options, thorough), {"check-problem"}},
    {"only-mutants", false, offsetof(Options, mutants_only), {"check-problem"}},
    {"ncu", false, offsetof(Options, ncu), {"explain"}},
    {"unconfined",
     false,
     offsetof(Options, unconfined),
     {"grade", "references", "baselines", "explain", "sweep", "calibrate", "check", "check-problem", "retime",
      "similar", "try", "work", "grade-class", "roofline"}},
    {"since", true, offsetof(Options, since), {"rejudge"}},
    {"runs", true, offsetof(Options, runs), {"rejudge"}},
    {"class", true, offsetof(Options, class_file), {"grade", "scores", "grade-class", "similar"}},
    {"csv", true, offsetof(Options, csv), {"scores"}},
    {"summary", true, offsetof(Options, summary), {"scores"}},
    {"list", false, offsetof(Options, list), {"rejudge"}},
    {"batch", true, offsetof(Options, batch), {"rejudge"}},
    {"apply", true, offsetof(Options, apply), {"rejudge"}},
    {"drop", true, offsetof(Options, drop), {"rejudge"}},
    {"out", true, offsetof(Options, out), {"report"}},
    {"sources", false, offsetof(Options, sources), {"report"}},
    {"help", false, offsetof(Options, help), {NULL}},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_taken_by(const OptionKind *kind, const char *subcommand)
{
    bool found = kind->subcommands[0] == NULL;
    for (const char *const *taker = kind->subcommands; *taker != NULL; taker++)
        found = found || strcmp(*taker, subcommand) == 0;
    return found;
}

bool options_of(const char *subcommand, int n, OptionName *option)
{
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!is_taken_by(&kinds[i], subcommand) || n-- > 0)
            continue;
        *option = (OptionName){kinds[i].name, kinds[i].takes_value, kinds[i].subcommands[0] == NULL};
        return true;
    }
    return false;
}

/* The option with this name, or the only one whose name begins so; NULL if there is none. */
static const OptionKind *find_kind(const char *name, size_t length)
{
    const OptionKind *found = NULL;
    size_t count = 0;
    for (int i = 0; i < KIND_COUNT; i++) {
        if (length == 0 || strncmp(kinds[i].name, name, length) != 0)
            continue;
        if (kinds[i].name[length] == '\0')
            return &kinds[i];
        found = &kinds[i];
        count++;
    }
    return count == 1 ? found : NULL;
}

/* The option in a word such as "--problem" or "--problem=conv1d"; NULL if the word is not an option. */
static const OptionKind *kind_of(const char *word)
{
    if (strcmp(word, "-h") == 0)
        return find_kind("help", 4);
    return strncmp(word, "--", 2) == 0 ? find_kind(word + 2, strcspn(word + 2, "=")) : NULL;
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static Status refuse_unknown(const char *word, const char *subcommand, Message *why)
{
    Text names = {0};
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < KIND_COUNT; i++)
        if (is_taken_by(&kinds[i], subcommand))
            text_printf(&names, "--%s, ", kinds[i].name);
    Status status = fail(STATUS_BAD_INPUT, why, "%s: unknown option '%s'; %s`convjudge %s --help` lists all",
                         subcommand, name, suggestion_for(name, names.data == NULL ? "" : names.data).text, subcommand);
    text_free(&names);
    return status;
}

static Status refuse_foreign(const OptionKind *kind, const char *subcommand, Message *why)
{
    Text takers = {0};
    for (const char *const *taker = kind->subcommands; *taker != NULL; taker++)
        text_printf(&takers, "%s%s", takers.length > 0 ? ", " : "", *taker);
    Status status = fail(STATUS_BAD_INPUT, why, "%s does not take the option '--%s', which belongs to: %s", subcommand,
                         kind->name, takers.data);
    text_free(&takers);
    return status;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static Status set_flag(const OptionKind *kind, const char *value, Options *options, Message *why)
{
    bool *flag = (bool *)((char *)options + kind->member);
    if (value != NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' takes no value, found '%s'", options->subcommand,
                    kind->name, value);
    if (*flag)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given twice", options->subcommand, kind->name);
    *flag = true;
    return STATUS_OK;
}

/* Whether its member is an OptionValues, to which each value is added. */
static bool repeats(const OptionKind *kind)
{
    return kind->member == offsetof(Options, earlier) || kind->member == offsetof(Options, handed_out);
}

static Status add_value(const OptionKind *kind, const char *value, Options *options, Message *why)
{
    OptionValues *values = (OptionValues *)(void *)((char *)options + kind->member);
    if (values->count == OPTION_MOST_VALUES)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given more than %d times", options->subcommand,
                    kind->name, OPTION_MOST_VALUES);
    values->items[values->count++] = value;
    return STATUS_OK;
}

static Status set_value(const OptionKind *kind, const char *value, Options *options, Message *why)
{
    const char **member = (const char **)((char *)options + kind->member);
    if (value == NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' needs a value", options->subcommand, kind->name);
    if (repeats(kind))
        return add_value(kind, value, options, why);
    if (*member != NULL)
        return fail(STATUS_BAD_INPUT, why, "%s: option '--%s' is given twice: '%s' and '%s'", options->subcommand,
                    kind->name, *member, value);
    *member = value;
    return STATUS_OK;
}

/* Takes the option at argv[*at] and its value, which may be the next word unless that is itself an option. */
static Status take_option(char **argv, int *at, Options *options, Message *why)
{
    const OptionKind *kind = kind_of(argv[*at]);
    const char *equals = strchr(argv[*at], '='), *value = equals == NULL ? NULL : equals + 1;
    if (kind == NULL)
        return refuse_unknown(argv[*at], options->subcommand, why);
    if (!is_taken_by(kind, options->subcommand))
        return refuse_foreign(kind, options->subcommand, why);
    if (!kind->takes_value)
        return set_flag(kind, value, options, why);
    if (value == NULL && argv[*at + 1] != NULL && kind_of(argv[*at + 1]) == NULL)
        value = argv[++*at];
    return set_value(kind, value, options, why);
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
            Status status = take_option(argv, &i, options, why);
            if (status != STATUS_OK)
                return status;
        }
    }
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
