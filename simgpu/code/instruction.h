/* instruction.h - what is known of an instruction by its row in instructions.def.  */
#ifndef SIMGPU_CODE_INSTRUCTION_H
#define SIMGPU_CODE_INSTRUCTION_H

#include "simgpu/code/code.h"

/* What a translation into C makes of an instruction. */
typedef enum JitWay {
    JIT_LANES,     /* C, or a loop over the lanes */
    JIT_PARAMETER, /* C that reads the parameter */
    JIT_ACCESS,    /* C where the access can be proven, else as JIT_HELPER */
    JIT_CHECK,     /* nothing where all marks are known to be zero, else as JIT_HELPER */
    JIT_NOTHING,
    JIT_HELPER, /* a call of the interpreter */
    JIT_LEAVE,  /* the interpreter executes the rest of the basic block */
    JIT_REFUSE  /* the kernel is not translated */
} JitWay;

/* From what a result is made, if it is an address (lowering.h). */
typedef enum AddressSource {
    ADDRESS_OF_SOURCES,   /* what its sources are made from */
    ADDRESS_IN_PARAMETER, /* the parameter */
    ADDRESS_IN_MEMORY,    /* nobody knows, where it has 64 bits */
    ADDRESS_IN_HEAP,      /* nobody knows */
    ADDRESS_OF_NOTHING    /* it is no address of global memory */
} AddressSource;

/* When a result was set (lowering.h). */
typedef enum ValueSource {
    VALUE_PLAIN,    /* at any time since the kernel began */
    VALUE_WRITTEN,  /* here */
    VALUE_COMPUTED, /* here, where a source was set after the last wgmma.fence; else as the sources */
    VALUE_MOVED,    /* as the source, of a move; else as VALUE_COMPUTED */
    VALUE_SUM       /* by a wgmma, at some time */
} ValueSource;

typedef struct InstructionFacts { /* the columns of instructions.def, where they are explained */
    bool is_indexed, stores;
    uint32_t bytes;
    bool is_seen;
    JitWay jit;
    AddressSource address;
    ValueSource value;
    const char *results, *sources;
} InstructionFacts;

InstructionFacts instruction_facts(const Instruction *i);
/* An atomic operation whose result may say what the block is to do next. */
bool instruction_takes_work(const Instruction *i);

#endif
