/* request.h - what `grade` and `try` have in common: one file to judge, and a result to write.  */
#ifndef GRADER_COMMANDS_REQUEST_H
#define GRADER_COMMANDS_REQUEST_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/commands/options.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/report/exchange.h"

#include <stdbool.h>

typedef struct Request {
    Submission submission;
    Problem problem;
    bool problem_is_read;
} Request;

/* The device that the options name, "auto" where they name none. */
const char *request_device(const Options *options);

/* Refuses a --format that there is not. */
MUST_USE Status request_check_format(const Options *options, Message *why);

/* Reads the problem that the options name, for a command that takes no file. */
MUST_USE Status request_problem(const Options *options, Problem *problem, Message *why);

/* Reads the one file and finds its problem. Refuses plain C on any device but the CPU. Free the request in any case. */
MUST_USE Status request_read(const Options *options, Request *request, Message *why);
void request_free(Request *request);

/* Writes result.json if it is asked for, and the report as --format says, with `more` behind it, unless result.json goes to standard
 * output. */
MUST_USE Status request_write(const Request *request, const Options *options, const Result *result, const char *more,
                              Message *why);

/* Adds to an outcome the points that its result is worth by a class.json; with `outcome` NULL only reads that. What a class is lies
 * above the grader, so callers say who knows. */
typedef Status (*ClassPoints)(const char *class_path, Arena *arena, Outcome *outcome, Message *why);
/* Finds out before minutes of judging whether --class can be used. */
MUST_USE Status request_check_class(const Options *options, ClassPoints points, Message *why);

/* Returns the output files that --gradescope and --junit name. */
ExchangeFiles request_exchange_files(const Options *options);
/* Writes those. */
MUST_USE Status request_exchange(const Options *options, const Result *result, ClassPoints points, Message *why);

#endif
