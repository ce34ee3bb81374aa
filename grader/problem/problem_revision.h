/* problem_revision.h - the revision of a problem: results can be compared only within one.
 *
 * It is the hash of what is measured: the signature, the timed cases of both testcase files, and the tolerance. Names,
 * reasons and the order of keys may change without a new revision.  */
#ifndef GRADER_PROBLEM_PROBLEM_REVISION_H
#define GRADER_PROBLEM_PROBLEM_REVISION_H

#include "grader/problem/problem.h"

MUST_USE Status problem_revision(const Problem *problem, Digest *revision, Message *why);

#endif
