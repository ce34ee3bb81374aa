/* array_name.h - the names of arrays that may be told where the data are secret, and the names of a kernel's parameters.
 *
 * A submission could name an array after what it has seen, or choose among thousands of arrays. So a name is told only
 * if it is one of the first MAX_ARRAY_NAMES that the source follows by `[`: six bits, as docs/security.md counts.  */
#ifndef GRADER_RESULT_ARRAY_NAME_H
#define GRADER_RESULT_ARRAY_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ARRAY_NAMES = 64 };

bool array_name_may_be_told(const char *source, const char *name);

/* Writes the name of parameter `number` (from 1) of a kernel, as in "__global__ void blur(const float *in, float *out)";
 * false where the source does not show it, or shows several kernels of that name. `kernel` may have template arguments. */
bool array_name_of_parameter(const char *source, const char *kernel, uint32_t number, char *name, size_t size);

#endif
