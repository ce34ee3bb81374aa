/* local_variable.h - which variable of a function a source line means.
 *
 * The simulated GPU knows the line, but not the name: nvcc gives names away only where it does not optimise.  */
#ifndef GRADER_RESULT_LOCAL_VARIABLE_H
#define GRADER_RESULT_LOCAL_VARIABLE_H

#include <stddef.h>

/* The name, within `source`, of the only variable on that line (from 1) whose declaration gives it no value. NULL:
 * there is none, or there are several. */
const char *unset_variable_on(const char *source, long line, size_t *length);
/* The same of the only local array with an index, such as `a` in "sum += a[i];". */
const char *local_array_on(const char *source, long line, size_t *length);

#endif
