#include "service/head/head_state.h"

#include "base/clock.h"
#include "service/log/log.h"
#include "service/spool/spool_idle.h"
#include "service/store/judgings.h"

#include <stdio.h>

static const double LOOK_S = 1; /* workers show themselves every few seconds */

/* A worker that was killed has left its file. */
static Status look_at_idle(Head *head, const SpoolIdle *idle, Message *why)
{
    pthread_mutex_lock(&head->lock);
    const bool is_gone = presences_see(&head->presences, idle, now_s()) > head->options.lease_s;
    if (is_gone)
        presences_forget(&head->presences, idle->worker);
    pthread_mutex_unlock(&head->lock);
    return is_gone ? spool_forget_idle(head->options.spool, idle->worker, why) : STATUS_OK;
}

static void tell_of_workers(bool are_lacking, int64_t waiting)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)waiting);
    if (are_lacking)
        log_event(LEVEL_WARNING, "no_worker", "waiting", number);
    else
        log_event(LEVEL_INFO, "no_worker_is_over");
}

/* A worker that ends its job shows itself as idle a moment later, and another one may take a while to start: so nobody is
 * missed before a lease has passed. */
static Status look_for_workers(Head *head, Message *why)
{
    int64_t waiting = 0;
    Status status = STATUS_OK;
    if (head->presences.count > 0 || head->watch.count > 0)
        head->manned_s = now_s();
    else if (!head->options.workers_come_later && now_s() - head->manned_s > head->options.lease_s)
        status = judgings_waiting(head->store, &waiting, why);
    if (status != STATUS_OK)
        return status;
    const bool are_lacking = waiting > 0, is_new = are_lacking != head->lacks_workers;
    pthread_mutex_lock(&head->lock);
    head->lacks_workers = are_lacking;
    pthread_mutex_unlock(&head->lock);
    if (is_new)
        tell_of_workers(are_lacking, waiting);
    return STATUS_OK;
}

Status head_look_at_idle(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolIdle *idle;
    size_t count;
    if (now_s() < head->looked_at_idle_s + LOOK_S)
        return STATUS_OK;
    head->looked_at_idle_s = now_s();
    Status status = spool_list_idle(head->options.spool, &arena, &idle, &count, why);
    if (status == STATUS_OK) {
        presences_begin(&head->presences); /* only this thread writes to the list */
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = look_at_idle(head, &idle[i], why);
    }
    if (status == STATUS_OK) {
        pthread_mutex_lock(&head->lock);
        presences_end(&head->presences);
        pthread_mutex_unlock(&head->lock);
        status = look_for_workers(head, why);
    }
    arena_free(&arena);
    return status;
}
