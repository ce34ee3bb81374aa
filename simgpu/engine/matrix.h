/* matrix.h - products of matrix fragments, ldmatrix, stmatrix and movmatrix.  */
#ifndef SIMGPU_ENGINE_MATRIX_H
#define SIMGPU_ENGINE_MATRIX_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* False where a fault ended the block. */
bool execute_multiply(Worker *worker, const Instruction *instruction, Active *active);
bool execute_load_matrix(Worker *worker, const Instruction *instruction, Active *active);
bool execute_store_matrix(Worker *worker, const Instruction *instruction, Active *active);
bool execute_transpose_matrix(Worker *worker, const Instruction *instruction, Active *active);

#endif
