/* translate.h - from Code to C.
 *
 * A translation is made for one kernel and one shape of block. It does what the interpreter does, to the last bit and
 * to the last count, because it leaves to it whatever is unusual: a translated kernel runs one group of lanes until it
 * comes to a point where it does not know how to go on, puts the registers back as the interpreter keeps them, and
 * returns. What it knows:
 *
 *   scalars  a register that holds base + x * a + y * b + z * c in thread (x, y, z) of the block is four numbers, of
 *            which those known beforehand are constants. Addresses and loop counters nearly always are. What an
 *            address is computed from and is nothing of that kind becomes an axis of its own: base + w * place.
 *   lanes    all other registers stay in the register file. A stretch of instructions becomes one loop over lanes,
 *            whose body gcc turns into vector instructions; it begins anew where memory could tell the order of lanes.
 *   boxes    the lanes of a group are a box of threads. Other groups are the interpreter's.
 *   guesses  a comparison of such a scalar with a number is taken to have one outcome for all lanes of the box. This,
 *            and every address, is tested by its extremes before anything of the stretch is done; where the test fails,
 *            the interpreter goes on from there.
 *
 * translate.c         the walk over basic blocks
 * edge.c              what is known of each register at the beginning of each block
 * block_end.c         how blocks end
 * scalar.c            the arithmetic of scalars
 * lanes.c             values that differ between lanes
 * translate_access.c  loads and stores
 * stretch.c           loops over lanes
 * point.c             where the interpreter takes over
 * text.c              the expressions of opcodes.def as text
 * source.c            the C of the whole
 * needed.c            which registers are read later
 * value.c             scalars, and the numbers they are made of
 * builder.c           the state that all of these share
 *
 * Safety  the C is made of numbers and of names chosen here; nothing of the PTX's text goes into it.
 * Source  loops over work-items: Jaaskelainen et al., pocl, IJPP 2015; uniform and affine values: Collange et al.,
 *         Dynamic Detection of Uniform and Affine Vectors in GPGPU Computations, HPPC 2009.  */
#ifndef SIMGPU_JIT_TRANSLATE_TRANSLATE_H
#define SIMGPU_JIT_TRANSLATE_TRANSLATE_H

#include "simgpu/jit/translate/translation.h"

/* NULL where the kernel is not one to be translated. */
Translation *translation_new(const Code *code, const uint32_t shape[3]);

#endif
