#include "service/classroom/class_watch.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "service/class/class_read.h"
#include "service/classroom/class_groups.h"
#include "service/classroom/extensions.h"
#include "service/log/log.h"
#include "service/store/case_verdicts.h"

#include <stdlib.h>
#include <sys/stat.h>

struct ClassWatch {
    const char *path, *person;
    Store *store;
    ClassFile file;
    struct stat seen; /* of the file that was read, or refused, last */
    double looked_s;
};

/* From now on, workers judge all cases of the problems that give points for groups of them. */
static Status want_cases(Store *store, const ClassFile *file, Message *why)
{
    Arena arena = {0};
    size_t count;
    const char **problems = class_problems_with_groups(file, &arena, &count);
    Status status = case_verdicts_want(store, problems, count, why);
    arena_free(&arena);
    return status;
}

Status class_take_for(ClassFile *file, Store *store, const char *person, Message *why)
{
    Status status = class_groups_join(store, file, why);
    if (status == STATUS_OK)
        status = extensions_audit(store, file, person, why);
    return status == STATUS_OK ? want_cases(store, file, why) : status;
}

Status class_read_for(const char *path, Store *store, const char *person, ClassFile *file, Message *why)
{
    Status status = class_file_read(path, file, why);
    if (status == STATUS_OK)
        status = class_take_for(file, store, person, why);
    if (status != STATUS_OK)
        class_file_free(file);
    return status;
}

Status class_watch_start(const char *path, Store *store, const char *person, ClassWatch **watch, Message *why)
{
    ClassWatch *started = zeroed(1, sizeof *started);
    *started = (ClassWatch){.path = path, .person = person, .store = store, .looked_s = now_s()};
    /* Looked at first: what is written meanwhile is read again. */
    if (stat(path, &started->seen) != 0)
        started->seen = (struct stat){0};
    Status status = class_read_for(path, store, person, &started->file, why);
    *watch = status == STATUS_OK ? started : NULL;
    if (status != STATUS_OK)
        free(started);
    return status;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void read_anew(ClassWatch *watch)
{
    ClassFile file = {0};
    Message why;
    if (class_read_for(watch->path, watch->store, watch->person, &file, &why) != STATUS_OK) {
        log_event(LEVEL_ERROR, "class_refused", "path", watch->path, "why", why.text, "kept", "the one read before");
        return;
    }
    class_file_free(&watch->file);
    watch->file = file;
    log_event(LEVEL_INFO, "class_read", "path", watch->path);
}

void class_watch_look(ClassWatch *watch, bool is_told)
{
    struct stat now = {0};
    const double moment_s = now_s();
    if (watch == NULL || (!is_told && moment_s < watch->looked_s + CLASS_LOOK_S))
        return;
    watch->looked_s = moment_s;
    if (stat(watch->path, &now) != 0)
        now = (struct stat){0};
    if (!is_told && is_same(&now, &watch->seen))
        return;
    watch->seen = now;
    read_anew(watch);
}

const ClassFile *class_watch_file(const ClassWatch *watch)
{
    return watch == NULL ? NULL : &watch->file;
}

void class_watch_stop(ClassWatch *watch)
{
    if (watch != NULL)
        class_file_free(&watch->file);
    free(watch);
}
