#include "simgpu/gpu/pool.h"

#include "base/allocated.h"

#include <stdlib.h>

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
