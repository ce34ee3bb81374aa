/* provenance.h - from what a value was computed: the trace of one call, for a student who asks why an output is wrong.
 *
 * While a trace is on, each byte of registers and memory knows the node that it came from: an element that was loaded, a
 * constant, or an operation on other nodes. So a value leads back, through shared memory and registers, to the elements
 * of the arrays that it was made of, each step with its source line. Numbers on which no data have an influence, such as
 * indices, have no nodes.
 *
 * Moves    an instruction that only moves bytes (mov, prmt, shifts, masks) is recognised by trying it on marked bytes,
 *          so that no list of them is needed.
 * Loops    a source may say where its threads are: before each turn of its loop n it stores the loop's variable in element n
 *          of a module variable of 64-bit numbers, PROVENANCE_LOOPS, by a strong store. Nothing else tells it: the
 *          compiler unrolls loops and drops their variables.
 * Threads  a traced launch is interpreted, by one thread of the host.
 * Limits   PROVENANCE_MOST_NODES; what is not followed is named (Unfollowed): texels that are gathered or of several
 *          levels, bulk copies that add.  */
#ifndef SIMGPU_ENGINE_PROVENANCE_H
#define SIMGPU_ENGINE_PROVENANCE_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"
#include "simgpu/memory/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROVENANCE_MOST_NODES = 2000000, PROVENANCE_NAME_BYTES = 32 };

typedef enum NodeKind {
    NODE_ELEMENT,  /* loaded from memory in which no kernel of the call had stored */
    NODE_CONSTANT, /* a number that does not depend on data */
    NODE_UNSET,    /* a variable that was never set */
    NODE_LOAD,     /* of sources[0], a NODE_STORE */
    NODE_STORE,    /* of sources[0] */
    NODE_SUM,
    NODE_DIFFERENCE,
    NODE_PRODUCT,
    NODE_PRODUCT_AND_SUM, /* sources[0] * sources[1] + sources[2] */
    NODE_NEGATION,
    NODE_QUOTIENT,
    NODE_CONVERSION, /* of sources[0] to another type, or a choice of it */
    NODE_LIMIT,      /* the larger or the smaller of sources[0] and a constant */
    NODE_FUNCTION,   /* any other operation on the sources */
    NODE_KINDS
} NodeKind;

enum { NODE_SOURCES = 3, NODE_LOOPS = 6 };

#define PROVENANCE_LOOPS "convjudge_loops"

typedef struct LoopTurn { /* of a loop that has begun; it may have ended */
    int32_t loop;         /* its number, from 1; 0: none */
    int32_t value;        /* of its variable */
} LoopTurn;

typedef struct ProvenanceNode {
    uint8_t kind;                   /* NodeKind */
    uint8_t bytes;                  /* of an element, a load or a store */
    bool in_shared;                 /* a load or a store of shared memory; an element that nobody has stored there */
    uint32_t launch;                /* number of the launch in the call, from 0 */
    uint32_t sources[NODE_SOURCES]; /* 1 + index of a node; 0: none */
    uint32_t before;                /* of a store: 1 + that of the store before to the same place; 0: there was none */
    uint32_t block[3], thread[3];
    LoopTurn turns[NODE_LOOPS]; /* of the thread, the latest first */
    const char *file;           /* lives as long as the module; NULL: unknown */
    int32_t line;
    uint64_t address; /* of an element, a load or a store */
    uint64_t bits;    /* of an element: what was loaded */
    double value;     /* of all other nodes */
} ProvenanceNode;

/* The first thing that could not be followed. */
typedef struct Unfollowed {
    const char *what; /* "tensor cores"; NULL: all could be followed */
    const char *file;
    int32_t line;
} Unfollowed;

typedef struct Provenance Provenance;

Provenance *provenance_new(const Memory *memory);
void provenance_free(Provenance *provenance); /* accepts NULL */
/* The node of the byte at a global address: 1 + its index; 0: no kernel has stored there. */
uint32_t provenance_at(const Provenance *provenance, uint64_t address);
const ProvenanceNode *provenance_node(const Provenance *provenance, uint32_t node);
Unfollowed provenance_unfollowed(const Provenance *provenance);

/* The host writes, or copies within device memory. What it writes is found again in a named array that holds the same
 * elements, in this order or turned round, between zeros: students copy filters through the host. */
void provenance_host_writes(Provenance *provenance, uint64_t address, const void *from, uint64_t bytes);
void provenance_copies(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes);

void provenance_begin_launch(Provenance *provenance);
/* A worker begins a block of a launch with Launch.provenance; its last one has ended. */
void provenance_begin_block(Worker *worker);
void provenance_end_worker(Worker *worker);
/* Both sides of the execution of an instruction: `part` gets the lanes in which it is executed. False where there is nothing
 * to follow, so that the second need not be called. */
bool provenance_before(Worker *worker, const Instruction *instruction, const Active *active, Active *part);
/* In between: a lane of the block fetches a texel, or several for a value between them. */
typedef struct FollowedTexel {
    uint64_t address;         /* 0: the border */
    uint32_t channels, bytes; /* of a channel; channels 0: nothing is known */
    double divisor;           /* of what is converted to a float; 0: it is taken as it is */
    double weight;            /* of several texels; 1: it is the only one */
} FollowedTexel;
void provenance_texel(Worker *worker, uint32_t lane, FollowedTexel texel);
void provenance_after(Worker *worker, const Instruction *instruction, const Active *part);

/* A lane's bulk copy moves bytes between global memory and the block's shared memory; `from` NULL: they become zeros. */
void provenance_moves(Worker *worker, const Instruction *instruction, uint32_t lane, const void *to, const void *from,
                      uint32_t bytes);
void provenance_unknown(Worker *worker, const Instruction *instruction, const char *what);

/* A lane moves an element of a matrix between shared memory and a register, of which `byte` is the element's first. */
void provenance_loads_element(Worker *worker, const Instruction *instruction, uint32_t lane, Operand result,
                              uint32_t byte, uint64_t shared, uint32_t bytes);
void provenance_stores_element(Worker *worker, const Instruction *instruction, uint32_t lane, Operand source,
                               uint32_t byte, uint64_t shared, uint32_t bytes);
/* A warp is about to multiply matrices. */
void provenance_product(Worker *worker, const Instruction *instruction, uint32_t warp);

/* Lanes call a function, or return from it: registers that it may change, and its frame in local memory. */
void provenance_saves(Worker *worker, const Active *active, const CallSite *call, uint32_t depth, bool is_return);
void provenance_frame(Worker *worker, uint32_t lane, uint32_t frame, uint32_t bytes);
void provenance_argument(Worker *worker, uint32_t lane, uint32_t to, uint32_t from, uint32_t bytes);

#endif
