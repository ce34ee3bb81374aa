#include "simgpu/cost/block_queue.h"

#include <math.h>

/* A block that joins the others finds as many in the queue as there are on average without it. The derivative of each
 * quantity by the wait is computed beside it: both enter the time in proportion, so the wait's share of it is
 * wait * derivative / time (Euler's theorem on homogeneous functions). */
BlockQueue block_queue(double blocks, double work_s, double wait_s)
{
    double service = work_s / blocks, queued = 0, queued_change = 0, seconds = 0, change = 0;
    if (!(work_s + wait_s > 0))
        return (BlockQueue){0};
    for (int count = 1; count <= (int)blocks; count++) {
        double response = service * (1 + queued), response_change = service * queued_change;
        seconds = response + wait_s;
        change = response_change + 1;
        queued = count * response / seconds;
        queued_change = count * (response_change - response * change / seconds) / seconds;
    }
    return (BlockQueue){seconds, fmin(1, fmax(0, wait_s * change / seconds))};
}
