/* case_source.h - reads where the data of one array come from: literal values, a file, or a generator.  */
#ifndef GRADER_PROBLEM_CASE_SOURCE_H
#define GRADER_PROBLEM_CASE_SOURCE_H

#include "base/json.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct SourceReader {
    const JsonFile *file;
    const char *folder; /* of the file, absolute: data files lie beside it */
    Message *why;
} SourceReader;

typedef struct SourceArray { /* the array that the data are for */
    const Parameter *parameter;
    size_t shape[TENSOR_MAX_RANK], count;
} SourceArray;

/* Refuses what does not fit the array: another shape, numbers that its type does not have. */
MUST_USE Status case_source_read(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                                 CaseSource *source);

/* The array in a file: .npy, .pgm or .ppm. Levels of a picture become floats, and RGB opaque RGBA, where the array asks for
 * it. A file of another shape is refused with both. */
MUST_USE Status case_source_file(const char *path, const SourceArray *array, Tensor *tensor, Message *why);

/* The array in what an object {"file": NAME} names, in a file beside the reader's: as above, or with "shape", a list of
 * numbers, one of the array's own elements alone (.bin). */
MUST_USE Status case_source_data_file(const SourceReader *reader, const cJSON *object, const SourceArray *array,
                                      Tensor *tensor);

/* A list of numbers. */
MUST_USE Status case_source_values(const SourceReader *reader, const cJSON *list, const SourceArray *array,
                                   Tensor *tensor);

/* True for data from a random generator, and for those of a file that are perturbed. */
bool case_source_is_random(const CaseSource *source);
/* True if every grading gets other data: random ones without a seed in the file. */
bool case_source_is_drawn_anew(const CaseSource *source);

/* True if two sources give the same data to arrays of the same shape. */
bool case_source_is_same(const CaseSource *a, const CaseSource *b);

#endif
