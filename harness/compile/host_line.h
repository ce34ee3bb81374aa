/* host_line.h - the source line of an instruction in a submission's host code.
 *
 * Read from the object's line table by addr2line of binutils, in a sandbox, because the submission wrote the object.  */
#ifndef HARNESS_COMPILE_HOST_LINE_H
#define HARNESS_COMPILE_HOST_LINE_H

#include <stdint.h>

/* The line of the submission's file for the instruction at `offset` of the shared object; where it was inlined from a
 * header, the line in the file that led there. 0: unknown. */
int host_line(const char *object_path, uint64_t offset);

#endif
