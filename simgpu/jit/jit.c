#include "simgpu/jit/jit.h"

#include "simgpu/jit/enter.h"
#include "simgpu/jit/learn.h"
#include "simgpu/jit/translator.h"

static void begin_block(TranslationJob *job, Worker *worker, uint64_t lane_instructions_left)
{
    const Translation *translation = worker->visit == NULL ? job_consider(job, lane_instructions_left) : NULL;
    if (translation != NULL)
        visit_begin(worker, translation);
    if (worker->visit != NULL && worker->trace != NULL)
        visit_begin_trace(worker);
}

static void end_worker(Worker *worker)
{
    if (worker->visit != NULL)
        visit_settle(worker);
    visit_free(worker->visit);
    worker->visit = NULL;
}

const Translator jit_translator = {
    .find = job_find,
    .free = jobs_free,
    .begin_block = begin_block,
    .run = visit_run,
    .end_worker = end_worker,
};
