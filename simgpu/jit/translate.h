/* translate.h - from Code to C.
 *
 * A translation is made for one kernel and one shape of block. Its results and its counts are exactly those of the
 * interpreter, because it handles the usual cases only. A translated kernel runs one group of lanes until it comes to a
 * point where it cannot go on; there it puts the registers back into the form of the interpreter, and returns.
 *
 *   scalars  A register that holds base + x * a + y * b + z * c in thread (x, y, z) of the block (an affine value) is
 *            kept as these four numbers. The numbers that are known in advance are constants in the C. Addresses and
 *            loop counters nearly always have this form. A register without it that an address is computed from becomes
 *            an irregular axis: base + w * place.
 *   lanes    All other registers stay in the register file. A stretch of instructions becomes one loop over lanes,
 *            whose body gcc turns into vector instructions. A new stretch begins where the contents of memory could
 *            depend on the order in which the lanes run.
 *   boxes    The lanes of the group must be a box of threads. The interpreter runs all other groups.
 *   guesses  A comparison of a scalar is guessed to have the same result in all lanes of the box. This, and every
 *            address, is tested by the extreme values before the stretch does anything. If a test fails, the
 *            interpreter continues from the start of the stretch.
 *
 * translate.c   walks over basic blocks; passes values from one to the next; ends them; loads and stores; writes the whole C
 * builder.c     holds the state that all of these share: loops over lanes, which registers are read later, scalars and the
 *               numbers they are made of, and the places where the interpreter takes over
 * scalar.c      does the arithmetic of scalars
 * text.c        has the expressions of opcodes.def as text
 *
 * Safety  The C consists of numbers and of names chosen here; no text of the PTX goes into it.
 * Source  Loops over work-items: Jaaskelainen et al., pocl, IJPP 2015. Uniform and affine values: Collange et al.,
 *         Dynamic Detection of Uniform and Affine Vectors in GPGPU Computations, HPPC 2009.  */
#ifndef SIMGPU_JIT_TRANSLATE_H
#define SIMGPU_JIT_TRANSLATE_H

#include "simgpu/jit/builder.h"

/* NULL: the kernel is too large, or uses matrix instructions. */
Translation *translation_new(const Code *code, const uint32_t shape[3]);

#endif
