/* remaining_cases.h - the sample and hidden cases that the first failure leaves, for points (JudgeJob.all_cases).
 *
 * Whoever hands in learns of one failure at most (docs/security.md). So these cases leave nothing in the result but their
 * verdicts in Result.all_cases, which no report and no result.json shows: no text, no finding, no warning, no counters. They share
 * the budget of the grading; where it is used up, the rest is Time Limit Exceeded. Whatever reaches a time limit twice is not run
 * again, since each such case costs as much as hundreds of others: the rest stays without a verdict.  */
#ifndef GRADER_JUDGE_REMAINING_CASES_H
#define GRADER_JUDGE_REMAINING_CASES_H

#include "grader/judge/judging.h"

/* Whether a failure has left cases that are wanted. */
bool remaining_cases_are_wanted(const Grading *judging);

/* Judges what is left of a group: the first of them with a new runner, and each that follows one whose runner was of no use. */
MUST_USE Status remaining_cases_run(Grading *judging, CaseGroup group, Message *why);

/* Fills in Result.all_cases, before the testcases are freed, which have the names. */
void remaining_cases_conclude(Grading *judging);

#endif
