#include "grader/judge/judging.h"

#include "grader/result/wording.h"

#include <stdio.h>

const char *judging_wording(const Judging *judging, bool is_hidden, const char *message)
{
    Text text = {0};
    wording_add(&text, judging->job->submission, is_hidden, message);
    const char *copy = arena_copy(&judging->result->arena, text.data == NULL ? "" : text.data, text.length);
    text_free(&text);
    return copy;
}

void judging_end(Judging *judging, Verdict verdict, const char *text)
{
    judging->result->verdict = verdict;
    judging->result->text = judging_wording(judging, false, text);
    judging->ended = true;
}

int judging_count(const Judging *judging, CaseGroup group)
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

void judging_end_step(const Judging *judging, CaseGroup group)
{
    const CaseResult *failed = result_failed_case(judging->result);
    Text text = {0};
    text_printf(&text, "%d of %d accepted", count_accepted(judging->result, group), judging_count(judging, group));
    if (failed != NULL)
        text_printf(&text, ", %s: %s", failed->name, verdict_name(failed->verdict));
    progress_end(judging->job->progress, text.data);
    text_free(&text);
}
