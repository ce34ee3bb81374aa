/* lines.h - what a launch does, counted by source line.
 *
 * How often an instruction ran follows from how often its basic block ran. What an access to memory took, and whether a
 * branch diverged, is the difference of the worker's counters after and before, so that the code that counts events
 * does not need to know the lines.  */
#ifndef SIMGPU_BLOCK_LINES_H
#define SIMGPU_BLOCK_LINES_H

#include "simgpu/block/worker.h"

typedef struct LineTable {
    SimLine *lines; /* [count] by file and line; their counts are the sums over all workers */
    int count;
    int32_t *of_instruction; /* [instruction_count] index of a line */
    int32_t *of_end;         /* [block_count] the same for the instruction that ends a basic block */
    int32_t *of_part;        /* [block_line_count] the same for Code.block_lines */
} LineTable;

LineTable *lines_new(const Launch *launch);
/* Frees the table. The caller owns its lines then, and frees them with free(). */
SimLine *lines_take(LineTable *table);

/* A worker's own lines, with nothing counted. */
SimLine *lines_empty(const LineTable *table);
/* Adds to a line what the worker's counters gained since they were `before`. `bytes`: requested per lane. */
void lines_note(Worker *worker, int32_t line, const SimCounters *before, uint32_t bytes);
void lines_add_worker(LineTable *table, const Worker *worker);
/* How often the instructions of each line ran. */
void lines_add_executed(LineTable *table, const Code *code, const Executed *executed);

#endif
