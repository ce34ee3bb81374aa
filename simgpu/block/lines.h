/* lines.h - what a launch does, counted by source line.
 *
 * How often an instruction ran follows from how often its basic block did. What an access to memory took, and whether a
 * branch diverged, is what the worker's counters gained meanwhile, so that whatever counts an event need not know of
 * lines.  */
#ifndef SIMGPU_BLOCK_LINES_H
#define SIMGPU_BLOCK_LINES_H

#include "simgpu/block/worker.h"

typedef struct LineTable {
    SimLine *lines; /* [count] by file and line; their counts are the sums over all workers */
    int count;
    int32_t *of_instruction; /* [instruction_count] index of a line */
    int32_t *of_end;         /* [block_count] likewise, of the instruction that ends a block */
    int32_t *of_part;        /* [block_line_count] likewise */
} LineTable;

LineTable *lines_new(const Launch *launch);
/* Frees the table; its lines become the caller's, who frees them with free(). */
SimLine *lines_take(LineTable *table);

/* A worker's own lines, with nothing counted. */
SimLine *lines_empty(const LineTable *table);
/* Adds to a line what the worker's counters gained since they were `before`; `bytes` a lane. */
void lines_note(Worker *worker, int32_t line, const SimCounters *before, uint32_t bytes);
void lines_add_worker(LineTable *table, const Worker *worker);
/* How often the instructions of each line ran. */
void lines_add_executed(LineTable *table, const Code *code, const Executed *executed);

#endif
