/* tensor.h - arrays of numbers and their element types, read from files.
 *
 * A tensor is row-major: the last index runs fastest.  */
#ifndef BASE_TENSOR_H
#define BASE_TENSOR_H

#include "base/element_type.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { TENSOR_MAX_RANK = 4 };

#define ELEMENT_ENUM(NAME, ...) ELEMENT_##NAME,
typedef enum ElementType { ELEMENT_TYPES(ELEMENT_ENUM) ELEMENT_TYPE_COUNT } ElementType;

typedef struct Tensor {
    ElementType type;
    int rank;                      /* 1 to TENSOR_MAX_RANK */
    size_t shape[TENSOR_MAX_RANK]; /* elements along each index, slowest first */
    void *data;                    /* owned */
} Tensor;

typedef struct ElementTraits { /* a row of ELEMENT_TYPES */
    const char *name;          /* "float32" */
    const char *storage;       /* its type in the judge's memory and in oracle.h: "float" */
    const char *c_name;        /* as C writes it: "float", "unsigned char" */
    const char *vector;        /* in the names of CUDA's vectors: "float", "uchar" */
    const char *npy;           /* "'<f4'"; NULL: none */
    const char *make;          /* makes one of a double, in C: "(float)" */
    size_t bytes;
    double lowest, highest, epsilon; /* epsilon 0: whole numbers */
} ElementTraits;

extern const ElementTraits element_traits[ELEMENT_TYPE_COUNT];

size_t element_bytes(ElementType type);
const char *element_c_name(ElementType type);
bool element_is_whole(ElementType type);
/* Whether an array of this type can hold the value, rounded if it is no whole number. */
bool element_holds(ElementType type, double value);
double element_load(ElementType type, const void *array, size_t index);
/* The elements [first, first + count); several times as fast as one by one. */
void element_load_all(ElementType type, const void *array, size_t first, size_t count, double *values);
/* Stores `value`, which must fit the type; it is rounded unless the type is one of whole numbers. */
void element_store(ElementType type, void *array, size_t index, double value);
void element_store_all(ElementType type, void *array, size_t first, size_t count, const double *values);

/* Product of the shape. */
size_t tensor_count(const Tensor *tensor);
void tensor_free(Tensor *tensor);

/* Reads a file by the ending of its name:
 *
 *     .npy              version 1 to 3; little-endian, of a type in ELEMENT_TYPES; C order
 *     .pgm, .ppm        P5 and P6 of 8 bits: rows, columns; rows, columns, 3
 *     .png              of 8 bits: the same, and rows, columns, 4 where it has transparency
 *     .csv, .dat, .txt  numbers as text: their count or their extents first, or else a table of lines and columns
 *     .bin              the elements alone, little-endian
 *     .raw              text as above or, if it holds other characters, the elements alone
 *
 * `wanted` has the type and the shape of the array that the numbers are for: text and elements alone do not say their
 * type, and a count alone is no shape. Files of more than 1 GiB, and files whose size disagrees with their shape, are
 * refused. */
MUST_USE Status tensor_read(const char *path, const Tensor *wanted, Tensor *tensor, Message *why);

/* Reads a file that holds nothing but the elements, little-endian; type, rank and shape of the tensor say which. A file of
 * another size is refused. */
MUST_USE Status tensor_read_raw(const char *path, Tensor *tensor, Message *why);

#endif
