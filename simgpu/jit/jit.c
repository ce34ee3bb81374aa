#include "simgpu/jit/jit.h"

#include "simgpu/jit/enter.h"
#include "simgpu/jit/prove.h"
#include "simgpu/jit/translation_job.h"

static void begin_block(TranslationJob *job, Worker *worker, uint64_t lane_instructions_left)
{
    const Translation *translation = worker->jit == NULL ? job_consider(job, lane_instructions_left) : NULL;
    if (translation != NULL)
        begin_translation(worker, translation);
    if (worker->jit != NULL)
        worker->jit->frame.is_sanitized = worker->sanitizer != NULL; /* of some launches, only a few blocks are */
    if (worker->jit != NULL && worker->trace != NULL)
        ask_for_loads(worker);
}

static void end_worker(Worker *worker)
{
    if (worker->jit != NULL)
        settle_all(worker);
    jit_state_free(worker->jit);
    worker->jit = NULL;
}

const Translator jit_translator = {
    .find = job_find,
    .free = jobs_free,
    .begin_block = begin_block,
    .run = run_translation,
    .end_worker = end_worker,
};
