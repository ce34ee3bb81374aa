#include "grader/report/report.h"

#include "grader/report/report_line.h"
#include "grader/report/report_place.h"
#include "grader/report/report_times.h"

#include <math.h>
#include <string.h>

enum { MAX_DIAGNOSTIC_LINES = 40, MAX_PRINTED_LINES = 12, MAX_FAILED_CASES = 6 };

/* ---- the first line ---------------------------------------------------------------------------------------------- */

static void add_headline(const Result *result, TerminalStyle style, Text *out)
{
    bool good = result->verdict == VERDICT_ACCEPTED;
    text_add(out, "\n");
    terminal_colour(style, out, good ? COLOUR_GOOD : COLOUR_BAD, verdict_name(result->verdict));
    text_add(out, "  ");
    terminal_add_line(out, result->file_name);
    text_printf(out, ", problem %s on %s", result->problem->id, result->device.name);
    if (result->by_clang)
        text_printf(out, ", compiled by %s", result->toolkit);
    text_add(out, good && result->score.ms > 0 && result->device.modelled ? ", times are modelled\n" : "\n");
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void add_sizes(Text *out, const Problem *problem, const Sizes *sizes)
{
    const char *separator = "";
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE) {
            text_printf(out, "%s%s %lld", separator, problem->parameters[i].name, (long long)sizes->values[i]);
            separator = ", ";
        }
}

static void add_wrong_element(Text *out, const char *which, const char *name, const WrongElement *element, size_t rank)
{
    text_printf(out, "    %-6s ", which);
    text_add(out, name);
    for (size_t i = 0; i < rank; i++)
        text_printf(out, "[%zu]", element->position[i]);
    text_printf(out, ": expected %.9g, got ", element->expected);
    if (isnan(element->got)) /* its sign says nothing */
        text_add(out, "NaN");
    else
        text_printf(out, "%.9g", element->got);
    if (isfinite(element->error))
        text_printf(out, " (off by %.3g, allowed %.3g)", element->error, element->bound);
    text_add(out, "\n");
}

static void add_sample_details(const Result *result, const CaseResult *item, Text *out)
{
    const Comparison *comparison = &item->sample->comparison;
    const char *output = result->problem->parameters[problem_output(result->problem)].name;
    text_add(out, "    sizes  ");
    add_sizes(out, result->problem, &item->sizes);
    text_add(out, "\n");
    if (!item->sample->compared || comparison->wrong == 0)
        return;
    text_printf(out, "    %zu of %zu elements are wrong\n", comparison->wrong, comparison->count);
    add_wrong_element(out, "first", output, &comparison->first, comparison->rank);
    add_wrong_element(out, "worst", output, &comparison->worst, comparison->rank);
}

/* For other cases than samples, only the power of ten of the largest error: enough to tell rounding from a mistake. */
static void add_coarse_error(const CaseResult *item, Text *out)
{
    if (item->errors.known && isfinite(item->errors.max))
        text_printf(out, "    errors up to %.0e\n", checker_coarse(item->errors.max));
}

static void add_failed_case(const Result *result, const CaseResult *item, TerminalStyle style, Text *out)
{
    text_add(out, "  ");
    terminal_colour(style, out, COLOUR_MARK, item->name);
    text_printf(out, ": %s: ", verdict_name(item->verdict));
    text_add_printable(out, item->text, strlen(item->text));
    text_add(out, "\n");
    if (item->sample != NULL)
        add_sample_details(result, item, out);
    else if (item->verdict == VERDICT_WRONG_ANSWER)
        add_coarse_error(item, out);
}

/* A hidden case failed, and nothing but its kind of mistake may be told. The sizes of a sample serve as an example. */
static void add_way_out(const Result *result, Text *out)
{
    const CaseResult *failed = result_failed_case(result), *sample = &result->cases[0];
    const char *separator = "";
    if (failed == NULL || failed->group != CASE_HIDDEN || sample->group != CASE_SAMPLE)
        return;
    text_add(
        out,
        "  No numbers are shown of hidden cases, or they could be read off. Look for such a case with one of your own:\n"
        "    make try SUB=");
    terminal_add_line(out, result->file_name);
    text_add(out, " SIZES=\"");
    for (size_t i = 0; i < result->problem->parameter_count; i++)
        if (result->problem->parameters[i].role == ROLE_SIZE) {
            text_printf(out, "%s%s=%lld", separator, result->problem->parameters[i].name,
                        (long long)sample->sizes.values[i]);
            separator = ",";
        }
    text_add(out, "\"\n");
}

/* Shows the first few failures only. */
static void add_failures(const Result *result, TerminalStyle style, Text *out)
{
    size_t not_run = 0, failed = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->judged && item->verdict != VERDICT_ACCEPTED && failed++ < MAX_FAILED_CASES)
            add_failed_case(result, item, style, out);
        not_run += !item->judged;
    }
    if (failed > MAX_FAILED_CASES)
        text_printf(out, "  ... and %zu more failed cases\n", failed - MAX_FAILED_CASES);
    if (not_run > 0 && result_failed_case(result) != NULL)
        text_printf(out, "  cases that were not run: %zu\n", not_run);
    add_way_out(result, out);
}

/* Adds at most `lines` lines of text, each after a bar; `lost` bytes are known to be missing already. */
static void add_quoted(Text *out, const char *text, int lines, uint64_t lost)
{
    for (; *text != '\0' && lines > 0; lines--) {
        size_t length = strcspn(text, "\n");
        text_add(out, "  | ");
        text_add_printable(out, text, length < 400 ? length : 400);
        text_add(out, length < 400 ? "\n" : "...\n");
        text += length + (text[length] == '\n');
    }
    lost += strlen(text);
    if (lost > 0)
        text_printf(out, "  | ... and %llu more bytes\n", (unsigned long long)lost);
}

static void add_diagnostics(const Result *result, Text *out)
{
    const Text *diagnostics = &result->compiled.diagnostics;
    if (diagnostics->length > 0)
        add_quoted(out, diagnostics->data, MAX_DIAGNOSTIC_LINES, 0);
}

/* Shows what the first sample printed that printed anything; the others mostly print the same. */
static void add_printed(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample == NULL || item->sample->printed[0] == '\0')
            continue;
        text_printf(out, "  printed in \"%s\":\n", item->name);
        add_quoted(out, item->sample->printed, MAX_PRINTED_LINES, item->sample->printed_lost);
        return;
    }
}

/* Where no case is timed: how near the right output is to what is allowed. */
static void add_samples(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->sample == NULL || !item->errors.known)
            continue;
        text_add(out, "  ");
        text_add_printable(out, item->name, strlen(item->name));
        text_printf(out, ": %zu of %zu elements are right, errors up to %.2g where %.2g are allowed\n",
                    item->sample->comparison.count, item->sample->comparison.count, item->errors.max,
                    item->errors.bound);
    }
}

static void add_success(const Result *result, TerminalStyle style, Text *out)
{
    if (result->rank_status[0] == '\0') {
        add_samples(result, out);
        return;
    }
    if (result->score.ms > 0)
        report_add_score(result, style, out);
    report_add_place(result, out);
    if (result->score.ms > 0)
        report_add_timed_cases(result, style, out);
    report_add_ladder(result, style, out);
}

/* Only where it differs. */
static void add_second_opinion(const SecondOpinion *opinion, TerminalStyle style, Text *out)
{
    if (!opinion->asked || opinion->none != NULL || opinion->reason == OPINION_AGREES)
        return;
    text_add(out, "  second opinion: ");
    terminal_colour(style, out, opinion->verdict == VERDICT_ACCEPTED ? COLOUR_GOOD : COLOUR_BAD,
                    verdict_name(opinion->verdict));
    text_printf(out, " on %s", opinion->device);
    if (opinion->place[0] != '\0')
        text_printf(out, ", in %s", opinion->place);
    if (opinion->text[0] != '\0') {
        text_add(out, ": ");
        text_add_printable(out, opinion->text, strlen(opinion->text));
    }
    text_printf(out, "\n    why they may differ: %s\n", opinion_reason_words(opinion->reason));
    if (opinion->place[0] != '\0')
        text_add(out, "    DEVICE=sim judges it on the simulated GPU alone\n");
}

static void add_warning(const char *warning, Text *out)
{
    text_add(out, "  warning: ");
    text_add_printable(out, warning, strlen(warning));
    text_add(out, "\n");
}

static void add_warnings(const Result *result, Text *out)
{
    for (size_t i = 0; i < result->warning_count; i++)
        add_warning(result->warnings[i], out);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void report_write(const Result *result, TerminalStyle style, Text *out)
{
    add_headline(result, style, out);
    if (result->verdict != VERDICT_ACCEPTED && result_failed_case(result) == NULL) {
        text_add(out, "  ");
        text_add_printable(out, result->text, strlen(result->text));
        text_add(out, "\n");
    }
    if (result->verdict == VERDICT_COMPILE_ERROR || result->compiled.outcome == COMPILE_UNSUPPORTED ||
        result->compiled.outcome == COMPILE_BROKEN)
        add_diagnostics(result, out);
    add_failures(result, style, out);
    if (result->verdict == VERDICT_ACCEPTED)
        add_success(result, style, out);
    add_printed(result, out);
    add_second_opinion(&result->opinion, style, out);
    add_warnings(result, out);
    report_add_run(result, out);
}
