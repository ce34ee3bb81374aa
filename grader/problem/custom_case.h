/* custom_case.h - a case that somebody makes up to try a submission on: sizes, and data that are random or from a file.  */
#ifndef GRADER_PROBLEM_CUSTOM_CASE_H
#define GRADER_PROBLEM_CUSTOM_CASE_H

#include "base/text.h"
#include "grader/problem/testcase.h"

#include <stdint.h>

typedef struct CustomCase {
    const char *sizes; /* "input_size=1000,kernel_size=7": one for each size parameter, in any order */
    /* NULL, or files as tensor_read() takes them: "photo.npy" for the first input, "filter=taps.npy" for the input of that name,
     * several with commas between them. "photo.png/255" divides each number by 255. The other inputs are random: floats in [-1, 1), bytes from 0 to 255, other integers
     * from -9 to 9. */
    const char *data;
    uint64_t seed; /* the same seed makes the same data */
} CustomCase;

/* Makes it the only case of the set, a sample, whose name is the sizes. Refuses sizes beyond the limits of the statement, and
 * files whose shape does not follow from the sizes, with what was found and what is expected. */
MUST_USE Status custom_case_make(const Problem *problem, const CustomCase *own, TestcaseSet *set, Message *why);

/* The same with a case for each of these sizes, which fit, and random data alone. */
MUST_USE Status custom_cases_of(const Problem *problem, const Sizes *sizes, size_t count, uint64_t seed,
                                TestcaseSet *set, Message *why);

#endif
