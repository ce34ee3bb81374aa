/* machine_lines.h - finds the line of PTX that each machine instruction of a kernel comes from.
 *
 * nvcc -lineinfo writes into a cubin not only the lines of the source, but also the lines of the PTX: section
 * .nv_debug_line_sass, a line number program of DWARF 2 with one sequence for each kernel. The start of a sequence is
 * relocated to the kernel's code.
 *
 * Errors   false: the cubin has no such table for the kernel, or a truncated one. Every offset is checked.
 * Source   DWARF 2.0.0, 6.2 "Line Number Information"; System V gABI 4.1, "Relocation"; nvcc 13.0's output.  */
#ifndef SIMGPU_COST_MACHINE_LINES_H
#define SIMGPU_COST_MACHINE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_INSTRUCTION_BYTES = 16 };

/* lines[i] is the line of instruction i; 0: unknown. `kernel` is the mangled name. */
bool machine_lines(const void *cubin, size_t bytes, const char *kernel, int32_t *lines, size_t count);

#endif
