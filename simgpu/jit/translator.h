/* translator.h - when a kernel is translated: not before it has shown that it pays.
 *
 * A launch begins in the interpreter. From its first blocks follows how much remains; where that is a good deal, a
 * library made earlier is loaded, and where it is more than compiling takes, one is compiled by another thread while
 * the interpreter goes on. Blocks that begin when it is there use it.  */
#ifndef SIMGPU_JIT_TRANSLATOR_H
#define SIMGPU_JIT_TRANSLATOR_H

#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/translation.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum JobState {
    JOB_NEW,
    JOB_ABSENT, /* translated to C, but there is no library in the folder */
    JOB_COMPILING,
    JOB_READY,
    JOB_FAILED
} JobState;

/* One kernel and one shape of block. */
typedef struct TranslationJob {
    struct TranslationJob *next;
    const TranslatorSettings *settings;
    const Code *code;
    uint32_t shape[3];
    Translation *translation;
    _Atomic int state; /* JobState */
    pthread_mutex_t lock;
    pthread_t thread; /* that compiles */
    bool has_thread;
} TranslationJob;

/* The job for that shape; makes one where there is none. */
TranslationJob *job_find(TranslationJob **jobs, const TranslatorSettings *settings, const Code *code,
                         const uint32_t shape[3]);
/* Waits for what is going on. */
void jobs_free(TranslationJob *jobs);

/* The translation, where it is there. Takes steps towards it if they pay where `lane_instructions` remain. */
const Translation *job_consider(TranslationJob *job, uint64_t lane_instructions);

#endif
