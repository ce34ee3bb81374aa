/* unset_variable.h - which variable a source line uses before it is set.
 *
 * The simulated GPU knows the line, but not the name: nvcc gives names away only where it does not optimise.  */
#ifndef GRADER_RESULT_UNSET_VARIABLE_H
#define GRADER_RESULT_UNSET_VARIABLE_H

#include <stddef.h>

/* The name, within `source`, of the only variable on that line (from 1) whose declaration gives it no value. NULL:
 * there is none, or there are several. */
const char *unset_variable_on(const char *source, long line, size_t *length);

#endif
