/* machine.h - the processors that the judge runs on, x86-64 and arm64, and what their instruction sets offer.
 *
 * Loops over many numbers are compiled once for each level of the instruction set, and the best one is chosen at run time.
 * The Makefile has the same names (`levels_`), lowest first. All other code is for the lowest level.
 * Sources   System V ABI for x86-64, 3.1.1; Arm Architecture Reference Manual, Armv8-A, which has vectors of 16 bytes.  */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

/* LEVEL(name, what gcc's -march calls it, the attribute that gives one function its vectors) for each level. */
#if defined __x86_64__
#define MACHINE_LEVELS(LEVEL)                                                                                          \
    LEVEL(v2, "x86-64-v2", )                                                                                           \
    LEVEL(v3, "x86-64-v3", __attribute__((target("avx2"))))                                                            \
    LEVEL(v4, "x86-64-v4", __attribute__((target("avx512vl"))))
#elif defined __aarch64__
#define MACHINE_LEVELS(LEVEL) LEVEL(v8, "armv8-a", )
#else
#error "the judge runs on x86-64 and arm64"
#endif

typedef enum MachineLevel {
#define LEVEL(NAME, MARCH, TARGET) MACHINE_##NAME,
    MACHINE_LEVELS(LEVEL)
#undef LEVEL
} MachineLevel;

/* The highest level that this processor has. */
MachineLevel machine_level(void);
/* Its name for gcc's -march. */
const char *machine_march(void);

#endif
