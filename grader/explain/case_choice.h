/* case_choice.h - which of a problem's timed cases to explain.  */
#ifndef GRADER_EXPLAIN_CASE_CHOICE_H
#define GRADER_EXPLAIN_CASE_CHOICE_H

#include "grader/problem/problem.h"

typedef struct CaseChoice {
    char name[200]; /* of the chosen case; "": all of them */
    int number;     /* of the chosen case, from 1; 0: all of them */
    int count;      /* of the problem's timed cases */
} CaseChoice;

/* `wanted` is a number from 1, or a name; NULL: all. BAD_INPUT, with the list of cases: there is no such case. */
MUST_USE Status case_choice_read(const Problem *problem, const char *wanted, CaseChoice *choice, Message *why);

/* By how much the score, a geometric mean over `count` cases, shrinks if the time of one of them shrinks by `gain`. */
double case_choice_score_gain(int count, double gain);

#endif
