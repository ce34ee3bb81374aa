/* interpreter.h - runs a block of threads, one basic block after the other.  */
#ifndef SIMGPU_ENGINE_INTERPRETER_H
#define SIMGPU_ENGINE_INTERPRETER_H

#include "simgpu/block/group.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/cost/machine_code.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== slow path =================================================================================================== */

/* Counts the long functions behind float32 divisions, reciprocals and square roots.
 *
 * Where these round as IEEE 754 says, ptxas makes a few instructions of them, and a call of a long function for a warp
 * as soon as one of its lanes has a very large or very small operand, such as zero. PTX does not show the call, so it
 * is counted while the kernel runs.
 *
 * Source   Which operands: for divisions, the times of all pairs of exponents on an H200; for the others, the code of
 *          ptxas 13.0, which the same measurement confirms (simgpu/calibrate, slow_paths). How many instructions:
 *          Nsight Compute on an H200, with zero in one lane. Subnormal operands, and quotients near the limits, take up
 *          to three times as many. */

/* Adds the work of so many instructions of the long functions (SimCounters.slow_path_instructions). */
void slow_path_add(MachineWork *sum, uint64_t instructions);

/* ==== translator ================================================================================================== */

/* What the engine asks of a translator, which makes machine code of the host from a kernel.
 *
 * The interpreter runs every kernel by itself. A translator makes long launches faster: it translates a kernel for one
 * shape of block, and a worker that finds the translation ready lets it run basic blocks in the interpreter's place.
 * This header is all that the engine and the launch know of it; a GPU without a translator interprets everything.
 *
 * Order    find() once in a launch; then for each worker begin_block() before each block of threads, run() before each
 *          basic block while worker->jit is not NULL, and end_worker() after its last block; free() with the module.
 * Threads  find() and free() are called by the thread that uses the GPU. The workers of a launch call begin_block() for
 *          the same job at the same time. Everything behind worker->jit belongs to that worker alone.
 * Results  memory, registers, counters, findings and faults are those of the interpreter, to the last bit. A
 *          translation may stop before any instruction, and leaves the worker there as the interpreter would have. */

typedef enum SimTranslate {
    SIM_TRANSLATE_WHERE_IT_PAYS,
    SIM_TRANSLATE_ALWAYS,  /* each kernel, before it begins; for tests */
    SIM_TRANSLATE_COMPARED /* each launch is interpreted first and then translated, from the same memory, and must give
                            * the same to the last bit: else SIM_ENGINES_DIFFER */
} SimTranslate;

typedef struct TranslatorSettings {
    char *compiler; /* a gcc of this machine; NULL: kernels are interpreted */
    char *folder;   /* keeps the compiled libraries */
    SimTranslate when;
    bool compiles_nothing; /* use the libraries that are in the folder, and add none */
    _Atomic int under_way; /* kernels that other threads compile */
} TranslatorSettings;

/* Where a group of lanes stands in its basic block: the index of the next instruction, or one of these. */
enum {
    POINT_START = -1, /* the basic block has not begun */
    POINT_END = -2    /* only the end of the basic block is left */
};

typedef enum TranslatorRun {
    TRANSLATOR_DECLINED, /* the group has not moved: interpret its basic block */
    TRANSLATOR_STOPPED,  /* the group has moved: interpret from `*instruction` of the basic block group->pc on */
    TRANSLATOR_FAULT     /* a fault or a limit has ended the block of threads */
} TranslatorRun;

typedef struct Code Code;
typedef struct Group Group;
typedef struct TranslationJob TranslationJob; /* one kernel and one shape of block; the translator's own */
typedef struct Worker Worker;

typedef struct Translator {
    /* The job of a kernel for blocks of that shape, out of the kernel's list `*jobs`; adds one where there is none. The
     * settings and the code must outlive it. */
    TranslationJob *(*find)(TranslationJob **jobs, TranslatorSettings *settings, const Code *code,
                            const uint32_t shape[3]);
    /* Frees a kernel's list of jobs, and first waits for what other threads still compile for it. */
    void (*free)(TranslationJob *jobs);
    /* The worker begins a block of threads. Where the translation is ready, this sets worker->jit. Where it is not, this
     * takes steps towards it if they pay: the blocks of the launch that are left will execute about that many
     * instructions, counted once per lane (0 where worker->jit is set already). */
    void (*begin_block)(TranslationJob *job, Worker *worker, uint64_t lane_instructions_left);
    /* Runs the group from the start of basic block group->pc for as long as the translation can and no other group of
     * the block is due. Where it stops, `*instruction` says before what: an index, POINT_START or POINT_END. */
    TranslatorRun (*run)(Worker *worker, Group *group, int32_t *instruction);
    /* The worker has run its last block: adds to worker->notes what the translation has touched, and frees worker->jit,
     * which may be NULL. */
    void (*end_worker)(Worker *worker);
} Translator;

/* ==== interpreter ================================================================================================= */

/* Runs the block of threads that the worker has begun; false where a fault or a limit ended it. */
bool run_block(Worker *worker);
/* The parts of it, for the blocks of a cluster: makes one group of all threads; runs one group until another may be due;
 * adds what the worker executed to the launch's sum, false where the launch must end. */
void groups_begin(Worker *worker);
bool group_run(Worker *worker, Group *group);
bool may_go_on(Worker *worker);
/* Executes an instruction in those of the active lanes in which its guard holds. False where a fault ended the
 * block. */
bool execute_instruction(Worker *worker, const Instruction *instruction, Active *active);
/* Counts that the group has begun a basic block `times` times. */
void count_block(Worker *worker, const BasicBlock *block, Group *group, uint64_t times);
/* Counts that the group has branched backward so many times. False where the launch must end. */
bool count_backward_branches(Worker *worker, Group *group, uint32_t branches);

/* ==== standstill ================================================================================================== */

/* Looks whether blocks can still end that take turns on one thread of the host: a block, those of a cluster, or all of a
 * cooperative launch. They must be between two basic blocks. */

/* A block begins. The first of the blocks has ended; it is freed. */
void standstill_begin(Worker *worker);
void standstill_end(const Worker *worker);
void standstill_free(Worker *worker);
/* Looks now and then. False where they cannot end, nor can those of the other threads: a fault. */
bool standstill_look(Worker *const *blocks, uint64_t count);
/* True if at the last look the block's state had come again, and device memory with it. */
bool standstill_lasts(const Worker *worker);
/* Reports that the block has executed too much: always false. */
bool standstill_give_up(Worker *worker);

/* ==== call ======================================================================================================== */

/* Calls of procedures: the stack of each lane.
 *
 * A call keeps the registers that its caller still needs, and a return puts them back. So procedures need no registers
 * of their own, and may call themselves. Local memory holds the frames of a lane's calls, one behind the other; the
 * frame of the kernel comes first.
 *
 * Limit   cudaLimitStackSize bytes per thread, of which each call takes what it takes on hardware. */

/* Moves the lanes of the group, all at the end of a basic block with a call, to the start of the procedure. False where
 * one has no stack left, or calls what is no function: a fault. */
bool call_enter(Worker *worker, Group *group, const BasicBlock *block);
/* Moves the lanes for which the guard holds back to behind their calls. */
bool call_return(Worker *worker, Group *group, const BasicBlock *block);

/* ==== output ====================================================================================================== */

/* Printf and assert of kernels. Of what printf writes, OUTPUT_BYTES are kept, and the rest is counted. */

enum { OUTPUT_BYTES = 64 * 1024 };

typedef struct Output {
    pthread_mutex_t lock;
    size_t length;
    uint64_t lost;
    char text[OUTPUT_BYTES];
} Output;

/* Adds what one thread printed in one call; it is kept or lost as a whole. */
size_t output_take(Output *output, char *buffer, size_t size, uint64_t *lost);

#endif
