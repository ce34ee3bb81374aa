/* provenance.h - from what a value was computed: the trace of one call, for a student who asks why an output is wrong.
 *
 * While a trace is on, each byte of registers and memory knows the node that it came from: an element that was loaded, a
 * constant, or an operation on other nodes. So a value leads back, through shared memory and registers, to the elements
 * of the arrays that it was made of, each step with its source line. Numbers on which no data have an influence, such as
 * indices, have no nodes.
 *
 * Moves    an instruction that only moves bytes (mov, prmt, shifts, masks) is recognised by trying it on marked bytes,
 *          so that no list of them is needed.
 * Threads  a traced launch is interpreted, by one thread of the host.
 * Limits   PROVENANCE_MOST_NODES; what is not followed is named (Unfollowed): texels that are mixed or converted, surfaces,
 *          tensor cores, bulk copies and calls of functions.  */
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

enum { NODE_SOURCES = 3 };

typedef struct ProvenanceNode {
    uint8_t kind;                   /* NodeKind */
    uint8_t bytes;                  /* of an element, a load or a store */
    bool in_shared;                 /* a load or a store of shared memory; an element that nobody has stored there */
    uint32_t launch;                /* number of the launch in the call, from 0 */
    uint32_t sources[NODE_SOURCES]; /* 1 + index of a node; 0: none */
    uint32_t before;                /* of a store: 1 + that of the store before to the same place; 0: there was none */
    uint32_t block[3], thread[3];
    const char *file; /* lives as long as the module; NULL: unknown */
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
 * bytes, since students copy filters through the host. */
void provenance_host_writes(Provenance *provenance, uint64_t address, const void *from, uint64_t bytes);
void provenance_copies(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes);

void provenance_begin_launch(Provenance *provenance, const Code *code);
/* A worker begins a block of a launch with Launch.provenance; its last one has ended. */
void provenance_begin_block(Worker *worker);
void provenance_end_worker(Worker *worker);
/* Both sides of the execution of an instruction: `part` gets the lanes in which it is executed. False where there is nothing
 * to follow, so that the second need not be called. */
bool provenance_before(Worker *worker, const Instruction *instruction, const Active *active, Active *part);
/* In between: the lane of the block fetches a texel of so many 32-bit channels at an address; 0: the border. */
void provenance_texel(Worker *worker, uint32_t lane, uint64_t address, uint32_t channels);
void provenance_after(Worker *worker, const Instruction *instruction, const Active *part);

#endif
