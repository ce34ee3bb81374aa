#include "grader/exchange/outcome.h"

#include "grader/result/verdict.h"

#include <string.h>

const char *outcome_string(const cJSON *object, const char *key)
{
    const char *text = object == NULL ? NULL : json_string(object, key);
    return text == NULL ? "" : text;
}

double outcome_number(const cJSON *object, const char *key)
{
    const cJSON *item = object == NULL ? NULL : json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *outcome_verdict(const Outcome *outcome)
{
    return outcome_string(outcome->result, "verdict");
}

const char *outcome_text(const Outcome *outcome)
{
    return outcome_string(outcome->result, "text");
}

bool outcome_is_accepted(const Outcome *outcome)
{
    return strcmp(outcome_verdict(outcome), verdict_name(VERDICT_ACCEPTED)) == 0;
}

bool outcome_is_unknown(const Outcome *outcome)
{
    return outcome->result == NULL || strcmp(outcome_verdict(outcome), verdict_name(VERDICT_JUDGE_ERROR)) == 0;
}

double outcome_seconds(const Outcome *outcome)
{
    static const char *const steps[] = {"start", "compile", "sample", "hidden", "timed", "second_sitting"};
    const cJSON *seconds = outcome->result == NULL ? NULL : json_get(outcome->result, "seconds");
    double sum = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        sum += outcome_number(seconds, steps[i]);
    return sum;
}

/* result.json tells the sizes of every case but hidden ones. */
OutcomeCaseKind outcome_case_kind(const cJSON *item)
{
    if (cJSON_IsTrue(json_get(item, "timed")))
        return OUTCOME_TIMED;
    return json_get(item, "sizes") == NULL ? OUTCOME_HIDDEN : OUTCOME_SAMPLE;
}

const char *outcome_case_verdict(const cJSON *item)
{
    return outcome_string(item, "verdict");
}

bool outcome_case_was_run(const cJSON *item)
{
    return strcmp(outcome_case_verdict(item), "not run") != 0;
}

void outcome_add_clean(Text *out, const char *text)
{
    const size_t start = out->length;
    text_add_printable(out, text, strlen(text));
    text_add(out, "");
    for (size_t bad; !text_is_utf8(out->data + start, out->length - start, &bad);)
        out->data[start + bad] = '?';
}
