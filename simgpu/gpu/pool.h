/* pool.h - the threads of the host that run the blocks of a launch.  */
#ifndef SIMGPU_GPU_POOL_H
#define SIMGPU_GPU_POOL_H

#include <pthread.h>
#include <stdbool.h>

/* Threads that wait for work. The one that calls is worker 0 and needs no thread. */
typedef struct Pool {
    pthread_t *threads;
    int count; /* of threads, the caller not included */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    void (*work)(void *context); /* run once by every thread that is asked */
    void *context;
    int asked, running; /* threads that shall still begin, that have not ended yet */
    bool is_closing;
} Pool;

void pool_start(Pool *pool, int threads);
void pool_stop(Pool *pool);
/* Runs `work` on the caller and on up to `helpers` threads, and returns when all that began have ended. Where the
 * caller has finished it before a thread woke up, that thread sleeps on. */
void pool_run(Pool *pool, int helpers, void (*work)(void *context), void *context);

#endif
