#include "simgpu/jit/translation_job.h"

#include "base/allocated.h"
#include "simgpu/jit/build.h"
#include "simgpu/jit/translate/translate.h"

#include <stdlib.h>
#include <string.h>

/* The number of lane instructions that must be left. The interpreter executes about 6e9 a second, a translation up to
 * ten times as many. Writing the C and loading a library takes milliseconds; compiling takes 0.15 s plus 3 ms for
 * each instruction (on one core of 2023). */
#define LOADING_PAYS 20000000ull
#define COMPILING_PAYS 1000000000ull
#define COMPILING_PAYS_PER_INSTRUCTION 20000000ull

TranslationJob *job_find(TranslationJob **jobs, const TranslatorSettings *settings, const Code *code,
                         const uint32_t shape[3])
{
    for (TranslationJob *job = *jobs; job != NULL; job = job->next)
        if (memcmp(job->shape, shape, sizeof job->shape) == 0)
            return job;
    TranslationJob *job = allocated(calloc(1, sizeof *job));
    job->settings = settings;
    job->code = code;
    memcpy(job->shape, shape, sizeof job->shape);
    pthread_mutex_init(&job->lock, NULL);
    job->next = *jobs;
    return *jobs = job;
}

void jobs_free(TranslationJob *jobs)
{
    while (jobs != NULL) {
        TranslationJob *next = jobs->next;
        if (jobs->has_thread)
            translation_abandon(jobs->translation);
        if (jobs->has_thread)
            pthread_join(jobs->thread, NULL);
        translation_free(jobs->translation);
        pthread_mutex_destroy(&jobs->lock);
        free(jobs);
        jobs = next;
    }
}

static JobState build_library(TranslationJob *job, bool may_compile)
{
    const TranslatorSettings *settings = job->settings;
    bool is_built = translation_build(job->translation, settings->compiler, settings->folder, may_compile);
    return is_built ? JOB_READY : may_compile ? JOB_FAILED : JOB_ABSENT;
}

static void *compile_in_thread(void *context)
{
    TranslationJob *job = context;
    atomic_store(&job->state, build_library(job, true));
    return NULL;
}

static void compile_meanwhile(TranslationJob *job)
{
    atomic_store(&job->state, JOB_COMPILING);
    job->has_thread = pthread_create(&job->thread, NULL, compile_in_thread, job) == 0;
    if (!job->has_thread)
        atomic_store(&job->state, JOB_FAILED);
}

static void take_steps(TranslationJob *job, uint64_t lane_instructions)
{
    const bool always = job->settings->when != SIM_TRANSLATE_WHERE_IT_PAYS, compiles = !job->settings->compiles_nothing;
    if (atomic_load(&job->state) == JOB_NEW && (always || lane_instructions >= LOADING_PAYS)) {
        job->translation = translation_new(job->code, job->shape);
        atomic_store(&job->state, job->translation == NULL ? JOB_FAILED : build_library(job, always && compiles));
    }
    uint64_t enough = COMPILING_PAYS + COMPILING_PAYS_PER_INSTRUCTION * (uint64_t)job->code->instruction_count;
    if (atomic_load(&job->state) == JOB_ABSENT && lane_instructions >= enough && compiles)
        compile_meanwhile(job);
}

const Translation *job_consider(TranslationJob *job, uint64_t lane_instructions)
{
    JobState state = (JobState)atomic_load(&job->state);
    if ((state == JOB_NEW || state == JOB_ABSENT) && pthread_mutex_trylock(&job->lock) == 0) {
        take_steps(job, lane_instructions);
        pthread_mutex_unlock(&job->lock);
    }
    return atomic_load(&job->state) == JOB_READY ? job->translation : NULL;
}
