/* translation_job.h - decides when a kernel is translated: as soon as that pays.
 *
 * A launch begins in the interpreter. Its first blocks show how much work remains. If it is enough, a library that was
 * compiled earlier is loaded; if it is more than compiling takes, another thread compiles one while the interpreter
 * continues. Blocks that begin after that use the translation.  */
#ifndef SIMGPU_JIT_TRANSLATION_JOB_H
#define SIMGPU_JIT_TRANSLATION_JOB_H

#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/translation.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum JobState {
    JOB_NEW,
    JOB_ABSENT,    /* translated to C, but the compile cache has no library for it */
    JOB_COMPILING, /* in another thread */
    JOB_READY,
    JOB_FAILED /* cannot be translated or compiled */
} JobState;

/* The translation of one kernel for one shape of block. */
typedef struct TranslationJob {
    struct TranslationJob *next;
    const TranslatorSettings *settings;
    const Code *code;
    uint32_t shape[3];
    Translation *translation; /* NULL: not made yet */
    _Atomic int state;        /* JobState */
    pthread_mutex_t lock;     /* for the one worker that takes the next step */
    pthread_t thread;         /* that compiles */
    bool has_thread;
} TranslationJob;

/* Translator.find */
TranslationJob *job_find(TranslationJob **jobs, const TranslatorSettings *settings, const Code *code,
                         const uint32_t shape[3]);
/* Translator.free */
void jobs_free(TranslationJob *jobs);

/* The translation, if it is ready; else NULL. Takes the next steps if these pay for the number of lane instructions
 * that are left. */
const Translation *job_consider(TranslationJob *job, uint64_t lane_instructions);

#endif
