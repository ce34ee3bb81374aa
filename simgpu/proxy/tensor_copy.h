/* tensor_copy.h - what a bulk copy through a tensor map moves: a box of a tensor (simgpu/code/tensor_map.h).  */
#ifndef SIMGPU_PROXY_TENSOR_COPY_H
#define SIMGPU_PROXY_TENSOR_COPY_H

#include "simgpu/block/worker.h"
#include "simgpu/code/tensor_map.h"

typedef struct TensorBox {
    TensorMap map;
    int32_t at[TENSOR_DIMENSIONS]; /* of its first element in the tensor; may lie outside */
} TensorBox;

/* Reads the map to which a lane's copy leads, and its coordinates; false after a fault. A box must begin at a multiple
 * of TENSOR_ROW_UNIT bytes of a row: an H200 refuses other copies. */
bool tensor_box_read(Worker *worker, const Instruction *instruction, uint32_t lane, TensorBox *box);
/* Bytes of the box, with those that lie outside of the tensor. */
uint32_t tensor_box_bytes(const TensorBox *box);
/* Bytes of shared memory among which they lie: a swizzle spreads them over whole lines. */
uint32_t tensor_box_span(const TensorBox *box);
/* Checks that all elements within the tensor lie in one allocation, notes the access, and counts the sectors of 32
 * bytes. False after a fault. */
bool tensor_box_check(Worker *worker, const Instruction *instruction, uint32_t lane, const TensorBox *box,
                      uint64_t *sectors);
/* Can elements of the map's type be combined with those in memory by this AtomicKind? */
bool tensor_box_combines(const TensorBox *box, AtomicKind kind);
typedef struct TensorRow { /* what of a row lies within the tensor: bytes [skipped, skipped + bytes) of it */
    uint64_t address;
    uint32_t skipped, bytes; /* bytes 0: nothing does */
} TensorRow;
uint32_t tensor_box_rows(const TensorBox *box);
TensorRow tensor_box_row(const TensorBox *box, uint32_t number);
/* The bytes of a row of a box that begins at `shared`, as below. */
enum { TENSOR_MAX_ROW = TENSOR_MAX_BOX * 8 };
void tensor_box_gather(const TensorBox *box, const unsigned char *shared, uint64_t address, uint32_t row,
                       unsigned char values[TENSOR_MAX_ROW]);
/* Moves a box. `shared` is where the box begins in shared memory, at the address `address`, a multiple of 128. */
void tensor_box_load(const TensorBox *box, unsigned char *shared, uint64_t address);
/* `reduction` 0: stores; else 1 + the AtomicKind by which elements are combined with those in memory, without a type. */
void tensor_box_store(const TensorBox *box, const unsigned char *shared, uint64_t address, uint8_t reduction);

#endif
