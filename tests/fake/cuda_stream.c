#include "tests/fake/cuda.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE_LENGTH = 1024, DEADLOCK_S = 5 };

typedef struct CUstream_st Stream;

struct CUstream_st {
    Stream *next;
    int number; /* 0: the legacy default stream */
    bool blocking, destroyed;
    Operation *head, *tail;
    size_t length;
};

struct CUevent_st {
    Event *next;
    bool timed, destroyed;
    uint64_t recorded, reached; /* number of recordings requested, and of the last one that ended */
    double time_s;              /* when that one ended */
};

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* an operation was appended or has ended */
static Stream legacy = {.blocking = true};
static Stream *streams; /* all streams ever created */
static Event *events;   /* all events ever created */
static int stream_count;
static uint64_t last_ticket;
/* ---- the queues -------------------------------------------------------------------------------------------------- */

static Stream *stream_of(CuStream handle)
{
    Stream *stream = handle == NULL || handle == CU_STREAM_LEGACY ? &legacy : handle;
    return stream->destroyed ? NULL : stream;
}

int number_of(CuStream handle)
{
    return handle == NULL || handle == CU_STREAM_LEGACY ? 0 : handle->number;
}

static bool has_older(const Stream *stream, uint64_t ticket)
{
    return stream->head != NULL && stream->head->ticket < ticket;
}

/* The legacy stream waits for all older work of blocking streams, and they wait for its older work. */
static bool is_held_up(const Stream *stream, uint64_t ticket)
{
    if (!stream->blocking)
        return false;
    if (stream != &legacy)
        return has_older(&legacy, ticket);
    for (const Stream *other = streams; other != NULL; other = other->next)
        if (other->blocking && has_older(other, ticket))
            return true;
    return false;
}

static void drop_head(Stream *stream)
{
    Operation *done = stream->head;
    stream->head = done->next;
    stream->length--;
    free(done);
}

static bool step(Stream *stream)
{
    char line[128];
    Operation *head = stream->head;
    if (head == NULL || is_held_up(stream, head->ticket) || !head->run(head))
        return false;
    snprintf(line, sizeof line, "ran %s stream=%d", head->call, stream->number);
    write_log(line);
    drop_head(stream);
    return true;
}

/* After a fault nothing runs. */
static void drop_everything(void)
{
    while (legacy.head != NULL)
        drop_head(&legacy);
    for (Stream *stream = streams; stream != NULL; stream = stream->next)
        while (stream->head != NULL)
            drop_head(stream);
}

static bool all_are_idle(const void *unused)
{
    for (const Stream *stream = streams; stream != NULL; stream = stream->next)
        if (stream->head != NULL)
            return false;
    return legacy.head == NULL;
}

static bool step_all(void)
{
    bool moved = step(&legacy);
    for (Stream *stream = streams; stream != NULL; stream = stream->next)
        moved |= step(stream);
    if (fake.error != CUDA_ERROR_SUCCESS)
        drop_everything();
    return moved;
}

static void *carry_out(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&fake.lock);
        while (all_are_idle(NULL))
            pthread_cond_wait(&changed, &fake.lock);
        bool moved = step_all();
        if (moved)
            pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&fake.lock);
        if (!moved)
            usleep(5);
    }
    return NULL;
}

bool start_queues(void)
{
    static bool started;
    pthread_t thread;
    if (started)
        return true;
    started = pthread_create(&thread, NULL, carry_out, NULL) == 0;
    if (started)
        pthread_detach(thread);
    return started;
}

static bool run_wait_value(Operation *operation)
{
    return __atomic_load_n((uint64_t *)at(operation->to), __ATOMIC_ACQUIRE) == operation->value;
}

static bool is_held(const Stream *stream)
{
    return stream->head != NULL && stream->head->run == run_wait_value;
}

static bool any_is_held(void)
{
    for (const Stream *stream = streams; stream != NULL; stream = stream->next)
        if (is_held(stream))
            return true;
    return is_held(&legacy);
}

static void die_of_deadlock(void)
{
    fprintf(stderr, "fake driver: deadlock: %s waits for a stream that waits for a value in memory\n", fake.logged);
    abort();
}

/* Waits inside a call, as a driver does: its caller cannot open a gate meanwhile. */
static CudaError wait_until(bool (*is_done)(const void *), const void *of)
{
    double free_s = now_s(); /* when last no stream was held */
    while (fake.error == CUDA_ERROR_SUCCESS && !is_done(of)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&changed, &fake.lock, &until);
        if (!any_is_held())
            free_s = now_s();
        else if (now_s() - free_s > DEADLOCK_S)
            die_of_deadlock();
    }
    return fake.error;
}

CudaError wait_until_idle(void)
{
    return wait_until(all_are_idle, NULL);
}

static bool is_empty(const void *stream)
{
    return ((const Stream *)stream)->head == NULL;
}

static bool has_room(const void *stream)
{
    return ((const Stream *)stream)->length < QUEUE_LENGTH;
}

CudaError append(CuStream handle, const Operation *operation, const void *staged, size_t bytes)
{
    Stream *stream = stream_of(handle);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = wait_until(has_room, stream);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    Operation *added = malloc(sizeof *added + bytes);
    if (added == NULL)
        abort();
    *added = *operation;
    added->next = NULL;
    added->ticket = ++last_ticket;
    if (bytes > 0)
        memcpy(added->staged, staged, bytes);
    *(stream->head == NULL ? &stream->head : &stream->tail->next) = added;
    stream->tail = added;
    stream->length++;
    pthread_cond_broadcast(&changed);
    return CUDA_ERROR_SUCCESS;
}

CudaError append_and_wait(CuStream stream, const Operation *operation)
{
    CudaError error = append(stream, operation, NULL, 0);
    return error == CUDA_ERROR_SUCCESS ? wait_until(is_empty, stream_of(stream)) : error;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

CudaError cuStreamCreate(CuStream *created, unsigned flags)
{
    ENTER("cuStreamCreate %u", flags);
    Stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        abort();
    *stream = (Stream){.next = streams, .number = ++stream_count, .blocking = flags == CU_STREAM_BLOCKING};
    streams = *created = stream;
    return leave(wait_until_idle());
}

/* Queued operations still run. The handle's memory is kept, so that later use of it is detected. */
CudaError cuStreamDestroy(CuStream stream)
{
    ENTER("cuStreamDestroy stream=%d", number_of(stream));
    if (stream_of(stream) == NULL || stream_of(stream) == &legacy)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    stream->destroyed = true;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuStreamQuery(CuStream handle)
{
    ENTER("cuStreamQuery stream=%d", number_of(handle));
    const Stream *stream = stream_of(handle);
    if (stream == NULL)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    const bool works = stream->head != NULL && stream->head->run != run_hide;
    bool busy = works || (stream == &legacy && is_held_up(stream, UINT64_MAX));
    return leave(busy ? CUDA_ERROR_NOT_READY : CUDA_ERROR_SUCCESS);
}

static bool run_wait_event(Operation *operation)
{
    return operation->event->reached >= operation->record;
}

CudaError cuStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags)
{
    ENTER("cuStreamWaitEvent stream=%d", number_of(stream));
    Operation operation = {
        .call = "cuStreamWaitEvent", .run = run_wait_event, .event = event, .record = event->recorded};
    return leave(event->destroyed ? CUDA_ERROR_INVALID_RESOURCE_HANDLE : append(stream, &operation, NULL, 0));
}

CudaError cuStreamWaitValue64(CuStream stream, CuAddress address, uint64_t value, unsigned flags)
{
    ENTER("cuStreamWaitValue64 stream=%d", number_of(stream));
    Operation operation = {.call = "cuStreamWaitValue64", .run = run_wait_value, .to = address, .value = value};
    if (address % 8 != 0 || !is_reachable(address, 8) || flags != CU_WAIT_VALUE_EQ)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

static bool run_write_value(Operation *operation)
{
    __atomic_store_n((uint64_t *)at(operation->to), operation->value, __ATOMIC_RELEASE);
    return true;
}

CudaError cuStreamWriteValue64(CuStream stream, CuAddress address, uint64_t value, unsigned flags)
{
    ENTER("cuStreamWriteValue64 stream=%d", number_of(stream));
    Operation operation = {.call = "cuStreamWriteValue64", .run = run_write_value, .to = address, .value = value};
    if (address % 8 != 0 || !is_reachable(address, 8) || flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool run_record(Operation *operation)
{
    operation->event->reached = operation->record;
    operation->event->time_s = now_s();
    return true;
}

CudaError cuEventCreate(CuEvent *event, unsigned flags)
{
    ENTER("cuEventCreate %u", flags);
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        abort();
    **event = (Event){.next = events, .timed = (flags & CU_EVENT_UNTIMED) == 0};
    events = *event;
    return leave(CUDA_ERROR_SUCCESS);
}

/* The handle's memory is kept: a queue may still refer to it, and later use of it is detected. */
CudaError cuEventDestroy(CuEvent event)
{
    ENTER("cuEventDestroy");
    bool twice = event->destroyed;
    event->destroyed = true;
    return leave(twice ? CUDA_ERROR_INVALID_RESOURCE_HANDLE : CUDA_ERROR_SUCCESS);
}

CudaError cuEventRecord(CuEvent event, CuStream stream)
{
    ENTER("cuEventRecord stream=%d", number_of(stream));
    if (event->destroyed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    Operation operation = {.call = "cuEventRecord", .run = run_record, .event = event, .record = event->recorded + 1};
    CudaError error = append(stream, &operation, NULL, 0);
    if (error == CUDA_ERROR_SUCCESS)
        event->recorded++;
    return leave(error);
}

CudaError cuEventQuery(CuEvent event)
{
    ENTER("cuEventQuery");
    if (event->destroyed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    return leave(event->reached == event->recorded ? CUDA_ERROR_SUCCESS : CUDA_ERROR_NOT_READY);
}

CudaError cuEventElapsedTime(float *milliseconds, CuEvent start, CuEvent stop)
{
    ENTER("cuEventElapsedTime");
    if (start->destroyed || stop->destroyed || start->recorded == 0 || stop->recorded == 0 || !start->timed ||
        !stop->timed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    if (start->reached != start->recorded || stop->reached != stop->recorded)
        return leave(CUDA_ERROR_NOT_READY);
    *milliseconds = (float)((stop->time_s - start->time_s) * 1e3);
    return leave(CUDA_ERROR_SUCCESS);
}
