#include "simgpu/gpu.h"

#include "base/arena.h"
#include "simgpu/cost/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== cooperative ================================================================================================= */

enum { WORKSPACE_BYTES = 8 };

void cooperative_reserve(SimGpu *gpu, const SimLaunch *launch)
{
    if ((launch->flags & SIM_COOPERATIVE) != 0 && gpu->workspace == 0)
        gpu->workspace = memory_alloc(&gpu->memory, WORKSPACE_BYTES, "the workspace of grid.sync()");
}

bool cooperative_check(SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    if ((launch->flags & SIM_COOPERATIVE) == 0)
        return true;
    cooperative_reserve(gpu, launch);
    uint32_t resident = cost_resident_blocks(&gpu->profile, &launch->function->info,
                                             (uint32_t)launch_block_threads(&launch->shape),
                                             launch->shape.dynamic_shared_bytes);
    uint64_t most = (uint64_t)resident * gpu->profile.multiprocessors, blocks = launch_block_count(&launch->shape);
    if (gpu->workspace != 0 && blocks <= most)
        return true;
    report->outcome = SIM_BAD_LAUNCH;
    snprintf(report->fault.text, sizeof report->fault.text,
             gpu->workspace == 0
                 ? "no device memory is left for the workspace of a cooperative launch"
                 : "a cooperative launch of %llu blocks, of which at most %llu fit on the device at once",
             (unsigned long long)blocks, (unsigned long long)most);
    return false;
}

/* Where the blocks count who has come to grid.sync(): two words, of which the first is not used there
 * (cooperative_groups/details/helpers.h of CUDA 13.0, grid_workspace). */
uint64_t cooperative_workspace(const SimGpu *gpu, const SimLaunch *request)
{
    if ((request->flags & SIM_COOPERATIVE) == 0)
        return 0;
    memset((void *)gpu->workspace, 0, WORKSPACE_BYTES);
    return gpu->workspace;
}

/* ==== pool ======================================================================================================== */

static void *wait_for_work(void *argument)
{
    Pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->is_closing) {
        if (pool->asked == 0) {
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        pool->asked--;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

void pool_start(Pool *pool, int threads)
{
    *pool = (Pool){0};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->threads = allocated(calloc((size_t)threads, sizeof *pool->threads));
    while (pool->count < threads - 1 && pthread_create(&pool->threads[pool->count], NULL, wait_for_work, pool) == 0)
        pool->count++; /* fewer threads than wanted only make launches slower */
}

void pool_stop(Pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->is_closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    free(pool->threads);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
}

void pool_run(Pool *pool, int helpers, void (*work)(void *context), void *context)
{
    helpers = helpers < pool->count ? helpers : pool->count;
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->asked = pool->running = helpers;
    if (helpers > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    work(context);
    pthread_mutex_lock(&pool->lock);
    pool->running -= pool->asked; /* threads that have not begun need not begin */
    pool->asked = 0;
    while (pool->running > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
