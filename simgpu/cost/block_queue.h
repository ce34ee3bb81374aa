/* block_queue.h - how long a multiprocessor takes for the blocks on it, each of which waits together and works together.
 *
 * Theory   the warps of a block begin together, so they wait for memory together, and then they all ask for the units.
 *          While a block waits, the units work for other blocks, if there are any: two blocks of 1024 threads leave them
 *          idle more often than eight of 256. So blocks are customers that take turns in waiting, all at once, and in being
 *          served, one after the other. With one block the time is that of waiting and of its work; with ever more
 *          blocks it is that of all work.
 * Source   mean value analysis: Reiser and Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, Journal
 *          of the ACM 27 (1980), for one kind of customer, one queue and one delay.
 * Units    any one of time.
 * Errors   none: 0 of anything takes no time.  */
#ifndef SIMGPU_COST_BLOCK_QUEUE_H
#define SIMGPU_COST_BLOCK_QUEUE_H

typedef struct BlockQueue {
    double seconds;    /* at least `work_s`, at least `wait_s`, and at most their sum */
    double wait_share; /* 0 to 1: by which fraction of a small change of `wait_s` these seconds change */
} BlockQueue;

/* `blocks` are on the multiprocessor at once, 1 or more. All of them together need `work_s` of the units; each of them
 * waits for `wait_s` before that. */
BlockQueue block_queue(double blocks, double work_s, double wait_s);

#endif
