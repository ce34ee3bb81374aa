#include "service/spool/spool_idle.h"

#include "service/spool/spool_files.h"
#include "service/spool/spool_record.h"

#include <string.h>

static const char *const FOLDER = "idle";

Status spool_show_idle(const char *spool, const SpoolIdle *idle, Message *why)
{
    Text text = {0};
    spool_write_idle(idle, &text);
    Status status = spool_put_worker(spool, FOLDER, idle->worker, &text, why);
    text_free(&text);
    return status;
}

Status spool_forget_idle(const char *spool, const char *worker, Message *why)
{
    const SpoolPath path = spool_worker_path(spool, FOLDER, worker),
                    unfinished = spool_worker_temporary(spool, FOLDER, worker);
    Status status = spool_remove(&unfinished, why);
    return status == STATUS_OK ? spool_remove(&path, why) : status;
}

Status spool_list_idle(const char *spool, Arena *arena, SpoolIdle **idle, size_t *count, Message *why)
{
    const char **workers;
    Status status = spool_list_workers(spool, FOLDER, false, arena, &workers, count, why);
    *idle = arena_array(arena, *count, sizeof **idle);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        SpoolIdle *one = &(*idle)[i];
        Message ignored;
        const SpoolPath path = spool_worker_path(spool, FOLDER, workers[i]);
        *one = (SpoolIdle){.device = "", .device_name = ""};
        strcpy(one->worker, workers[i]);
        if (spool_read_idle(path.text, arena, one, &ignored) != STATUS_OK)
            one->count = 0;
    }
    return status;
}

Status spool_sweep_idle(const char *spool, Message *why)
{
    Arena arena = {0};
    const char **workers;
    size_t count;
    Status status = spool_list_workers(spool, FOLDER, true, &arena, &workers, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolPath path = spool_worker_temporary(spool, FOLDER, workers[i]);
        status = spool_remove(&path, why);
    }
    arena_free(&arena);
    return status;
}
