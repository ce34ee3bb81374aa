#include "grader/judge/judging.h"

#include "grader/judge/wording.h"

#include <stdio.h>

/* Moves a text into the result's arena. */
static const char *keep(const Grading *judging, Text *text)
{
    const char *copy = arena_copy(&judging->result->arena, text->data == NULL ? "" : text->data, text->length);
    text_free(text);
    return copy;
}

const char *judging_wording(const Grading *judging, const char *message)
{
    Text text = {0};
    wording_add(&text, judging->job->submission, message);
    return keep(judging, &text);
}

const char *judging_hidden_wording(const Grading *judging, const HiddenFinding *finding)
{
    Text text = {0};
    hidden_finding_add(&text, finding, judging->job->submission);
    return keep(judging, &text);
}

void judging_keep_warning(Grading *judging, Mistake mistake)
{
    if (judging->secret_warning.kind == MISTAKE_NONE)
        judging->secret_warning = mistake;
}

void judging_tell_warning(const Grading *judging)
{
    const HiddenFinding finding = {.mistake = judging->secret_warning};
    if (finding.mistake.kind != MISTAKE_NONE)
        result_warn(judging->result, "%s", judging_hidden_wording(judging, &finding));
}

void judging_end(Grading *judging, Verdict verdict, const char *text)
{
    judging->result->verdict = verdict;
    judging->result->text = judging_wording(judging, text);
    judging->ended = true;
}

int judging_count(const Grading *judging, CaseGroup group)
{
    int count = 0;
    for (size_t i = 0; i < judging->result->case_count; i++)
        count += judging->result->cases[i].group == group;
    return count;
}

static int count_accepted(const Result *result, CaseGroup group)
{
    int count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        count += item->group == group && item->judged && item->verdict == VERDICT_ACCEPTED;
    }
    return count;
}

void judging_end_step(const Grading *judging, CaseGroup group)
{
    const CaseResult *failed = result_failed_case(judging->result);
    Text text = {0};
    text_printf(&text, "%d of %d accepted", count_accepted(judging->result, group), judging_count(judging, group));
    if (failed != NULL)
        text_printf(&text, ", %s: %s", failed->name, verdict_name(failed->verdict));
    progress_end(judging->job->progress, text.data);
    text_free(&text);
}
