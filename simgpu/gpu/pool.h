/* pool.h - the threads of the host that run the blocks of a launch.  */
#ifndef SIMGPU_GPU_POOL_H
#define SIMGPU_GPU_POOL_H

#include <pthread.h>
#include <stdbool.h>

/* Threads that wait for work. The caller works as well, beside these threads. */
typedef struct Pool {
    pthread_t *threads;
    int count; /* of threads, without the caller */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    void (*work)(void *context); /* each thread that takes part calls it once */
    void *context;
    int asked, running; /* threads that should still begin; threads that have not ended */
    bool is_closing;
} Pool;

void pool_start(Pool *pool, int threads);
void pool_stop(Pool *pool);
/* Runs `work` in the caller and in up to `helpers` threads, and returns when all that have begun have ended. A thread
 * that wakes up after the caller has finished does not begin. */
void pool_run(Pool *pool, int helpers, void (*work)(void *context), void *context);

#endif
