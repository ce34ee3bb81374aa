/* request.h - what the first warps of one block ask of memory, access by access: for pictures of single requests, and of
 * how often the block reads each element.
 *
 * Of each instruction and warp, the first REQUEST_TURNS executions are kept. The block in the middle of the grid stands
 * for the others; of its neighbours it is noted which elements they read as well, such as those of a halo. Bulk copies, which
 * are no requests of a warp, count as reads of their elements. A launch that is not watched pays one comparison for each
 * access.  */
#ifndef SIMGPU_ENGINE_REQUEST_H
#define SIMGPU_ENGINE_REQUEST_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/cost.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/cost/reuse.h"

#include <stdbool.h>
#include <stdint.h>

enum { REQUEST_WARPS = 3, REQUEST_TURNS = 6, MOST_REQUESTS = 512, MOST_READ_ELEMENTS = 1 << 15 };

typedef struct WarpRequest {
    int32_t access; /* Instruction.index */
    int32_t file, line;
    uint32_t warp, turn;               /* how often the warp has executed it before */
    uint8_t space;                     /* PTX_GLOBAL, PTX_SHARED or PTX_CONST */
    uint8_t bytes;                     /* of a lane */
    bool is_store, is_texture;         /* texels lie in global memory */
    const WindowVariable *variable;    /* in shared memory; it lives as long as the module; NULL: unknown */
    uint32_t lanes;                    /* bits of the active ones */
    uint64_t addresses[SIM_WARP_SIZE]; /* of the active lanes; of shared memory: offsets */
    uint32_t sectors;                  /* of global memory; of constant memory: different words */
    uint32_t wavefronts;               /* of global and shared memory */
} WarpRequest;

/* Which level serves a load follows from the model of the L1 (simgpu/cost/reuse.h), for the block alone with its share. */
typedef struct ReadElement { /* of global or constant memory, read by the block */
    uint64_t address;        /* a multiple of 4; 0: none */
    uint32_t threads, warps; /* loads by threads; loads by warps that want it for any of their lanes */
    uint32_t blocks;         /* of this one and its neighbours, that read it */
    uint32_t l2, memory;     /* fetches of its sector by the L1; those of them, or of its neighbour, from memory */
} ReadElement;

enum { REQUEST_NEIGHBOURS = 8 }; /* in x and y */

typedef struct NeighbourReads {
    uint64_t block;
    uint64_t addresses[MOST_READ_ELEMENTS]; /* of elements of global memory, as above: a hash table */
    uint32_t count;
} NeighbourReads;

typedef struct RequestLog {
    uint64_t block;
    NeighbourReads neighbours[REQUEST_NEIGHBOURS];
    int neighbour_count;
    WarpRequest items[MOST_REQUESTS];
    uint32_t count;
    uint32_t *turns;                       /* [2 * memory_count * REQUEST_WARPS], while the launch runs */
    ReadElement reads[MOST_READ_ELEMENTS]; /* a hash table */
    uint32_t read_count;
    Trace loads; /* of the block, while the launch runs */
    BlockTimeline timeline;
} RequestLog;

/* Makes an empty log for a launch, and ends it. `set` says how much of the L1 a block has. */
void request_log_begin(RequestLog *log, const Code *code, const LaunchShape *shape);
void request_log_end(RequestLog *log, const Code *code, const TraceSet *set, const Memory *memory);
/* Whether it is the block in the middle, or a neighbour. Each runs on one thread. */
bool request_is_watched(const RequestLog *log, uint64_t block);
/* An access by active lanes at first + relative[lane - first lane of the pattern]; NULL: all at `first`. */
void request_note(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store, const Active *active,
                  uint64_t first, const Pattern *pattern, uint32_t bytes);
/* Texels that lanes of a warp fetch; `is_kept`: as a request of its own, else they only count as read. */
void request_note_texels(Worker *worker, const Instruction *instruction, WarpRequest *request, bool is_kept);
/* A bulk copy from global memory by one thread, past the L1. */
void request_note_copy(Worker *worker, uint64_t address, uint64_t bytes);

#endif
