#include "harness/device/cuda_gate.h"

#include "base/clock.h"
#include "base/elf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* ==== cuda fault ================================================================================================== */

/* After these errors a context is dead (CUDA Driver API, CUresult: "the context cannot be used"). */
static bool is_sticky(CudaError error)
{
    switch (error) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILURE:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return true;
    default: return false;
    }
}

static MistakeKind mistake_of(CudaError sticky)
{
    return sticky == CUDA_ERROR_ASSERT               ? MISTAKE_TRAP
           : sticky == CUDA_ERROR_MISALIGNED_ADDRESS ? MISTAKE_MISALIGNED
                                                     : MISTAKE_DEVICE_FAULT;
}

/* "convolve", or "one of the kernels fill, convolve", since the hardware does not say which of several it was. */
static void name_kernels(const CudaDevice *cuda, char *text, size_t size)
{
    char name[120];
    size_t length = (size_t)snprintf(text, size, "%s", cuda->last_kernel_count > 1 ? "one of the kernels " : "");
    if (cuda->last_kernel_count == 0)
        snprintf(text, size, "a kernel");
    for (unsigned i = 0; i < cuda->last_kernel_count && length < size; i++) {
        symbol_name(cuda->last_kernels[i], name, sizeof name);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", name);
    }
}

static void set_fault(CudaDevice *cuda, DeviceFaultKind kind, MistakeKind mistake, const char *what)
{
    char kernels[300];
    if (cuda->fault.kind != DEVICE_NO_FAULT)
        return;
    name_kernels(cuda, kernels, sizeof kernels);
    cuda->fault.kind = kind;
    cuda->fault.mistake.kind = mistake;
    snprintf(cuda->fault.text, sizeof cuda->fault.text, "%s: %s", kernels, what);
}

CudaError cuda_note(CudaDevice *cuda, CudaError error)
{
    if (!is_sticky(error) || cuda->sticky != CUDA_ERROR_SUCCESS)
        return error;
    char what[200];
    cuda->sticky = error;
    snprintf(what, sizeof what, "%s (the simulated GPU, DEVICE=sim, may show where)", cuda_error_text(error));
    set_fault(cuda, DEVICE_FAULT, mistake_of(error), what);
    return error;
}

/* Keeps the fault of work that took longer than the time limit. Returns its error, which is sticky. */
static CudaError cuda_time_is_up(CudaDevice *cuda)
{
    char what[100];
    snprintf(what, sizeof what, "still running after %g s", cuda->time_limit_s);
    set_fault(cuda, DEVICE_TIME_LIMIT, MISTAKE_KERNEL_TIME, what);
    cuda->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    return cuda->sticky;
}

/* ==== cuda gate =================================================================================================== */

/* Theory of operation
 *
 * Between the begin of a bracket and the first call that waits, every stream is held: before its first operation, the
 * stream waits for a word in host memory, the gate. So all launches of solve() are in the device's queues before the
 * first one runs, and the time that the host needs to submit them is not measured.
 *
 * The event `start` of the bracket is recorded in the first stream that is used, behind that wait. The end of the work
 * is marked whenever the host is about to wait: with the event `stop`, and with a random number, the nonce, that the
 * device writes to host memory in stream order. If more work follows, a later mark replaces this one. If all work is in
 * one stream, the mark goes into that stream. Otherwise a stream of the judge's waits for the others through events,
 * and carries the mark; a mark in the legacy stream would hold up the others.
 *
 * The host's clock runs from the opening of the gate to the arrival of the nonce. A kernel can forge the events, which
 * lie in the memory of the context (docs/explanation/security.md). To open the gate early, or to write the nonce early, it would have
 * to find the number in the commands that the driver has queued. So the host's clock is held against what follows: the
 * gate's word must be as the judge left it when the judge opens the gate; if the device is seen idle later than the
 * nonce allows, the later moment counts; and once the device seems to be idle, each stream gets a second number, its echo,
 * which did not exist before and arrives within microseconds unless work is still running there.
 *
 * A mark costs the device less than a microsecond, the same in every submission and on both clocks.
 *
 * A bracket also tells how long the device was busy. It was idle from the moment at which the host saw that all work had
 * ended (at the end of a wait, or when it looked while the host code was silent) to the next operation. What the host
 * does not see counts as busy, so that an allocation may seem to be work, but work never to be an allocation.  */

static const double SETTLE_SECONDS = 20e-6; /* how long after the awaited work the nonce may arrive */

/* A device that is seen idle, or an echo that arrives, this much later than usual was still working. Honest brackets
 * stay below a third of it (measured on an H200). */
static const double LATE_SECONDS = 20e-6;

/* For an echo without a time limit, once the driver says that all streams are idle. A starved host looks late. */
static const double ECHO_SECONDS = 10;

/* How long to look for the nonce between two queries of the driver, which take a microsecond while the device works. If
 * all work is in one stream, the nonce arrives before the driver reports the end. */
static const double LOOK_SECONDS = 10e-6, LOOK_SECONDS_OF_MANY = 1e-6;

/* ---- the end of the work ----------------------------------------------------------------------------------------- */

static DeviceStream *next_used(CudaDevice *cuda, DeviceStream *after)
{
    DeviceStream *stream = after == NULL ? &cuda->legacy : after == &cuda->legacy ? cuda->streams : after->next;
    while (stream != NULL && !stream->used)
        stream = stream == &cuda->legacy ? cuda->streams : stream->next;
    return stream;
}

/* Lets the judge's own stream wait for a stream's work. */
static CudaError join(CudaDevice *cuda, DeviceStream *stream)
{
    CudaError error = cuda->driver->cuEventRecord(stream->joint, stream->raw);
    THEN(error, cuda->driver->cuStreamWaitEvent(cuda->own.raw, stream->joint, 0));
    cuda->own.used = true;
    cuda->idle = false;
    stream->used = false;
    return cuda_note(cuda, error);
}

/* The stream that holds all work; if there are several, the judge's own, after it was made to wait for all of them. */
static CudaError last_stream(CudaDevice *cuda, CuStream *raw)
{
    DeviceStream *only = next_used(cuda, NULL);
    CudaError error = CUDA_ERROR_SUCCESS;
    *raw = cuda->own.raw;
    if (only == NULL)
        return CUDA_ERROR_SUCCESS;
    if (!cuda->own.used && next_used(cuda, only) == NULL) {
        *raw = only->raw;
        return CUDA_ERROR_SUCCESS;
    }
    for (DeviceStream *stream = only; stream != NULL && error == CUDA_ERROR_SUCCESS; stream = next_used(cuda, stream)) {
        error = join(cuda, stream);
        stream->used = true; /* if it is used again, it must be joined again */
    }
    return error;
}

static CudaError mark_end(CudaDevice *cuda)
{
    CudaBracket *bracket = &cuda->bracket;
    CuStream raw;
    if (!bracket->open || !bracket->started || bracket->marked)
        return CUDA_ERROR_SUCCESS;
    if (getrandom(&bracket->nonce, sizeof bracket->nonce, 0) != (ssize_t)sizeof bracket->nonce)
        return CUDA_ERROR_UNKNOWN;
    CudaError error = last_stream(cuda, &raw);
    THEN(error, cuda_note(cuda, cuda->driver->cuEventRecord(bracket->stop, raw)));
    THEN(error, cuda_note(cuda, cuda->driver->cuStreamWriteValue64(raw, cuda->nonce_address, bracket->nonce, 0)));
    bracket->marked = error == CUDA_ERROR_SUCCESS;
    bracket->arrived = false;
    return error;
}

void cuda_observe(CudaDevice *cuda)
{
    CudaBracket *bracket = &cuda->bracket;
    if (bracket->marked && !bracket->arrived && cuda->shared->nonce == bracket->nonce) {
        bracket->arrived = true;
        bracket->arrived_s = now_s();
    }
}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

enum { MOST_QUERIES = 4 }; /* with more streams in use, finding out whether all are idle would take too long */

static void begin_pause(CudaDevice *cuda)
{
    CudaBracket *bracket = &cuda->bracket;
    if (!bracket->open || !bracket->started || bracket->pausing)
        return;
    bracket->pausing = true;
    bracket->pause_s = now_s();
}

static void end_pause(CudaDevice *cuda)
{
    CudaBracket *bracket = &cuda->bracket;
    if (bracket->pausing)
        bracket->pauses_s += now_s() - bracket->pause_s;
    bracket->pausing = false;
}

/* `done` is known to be idle; NULL: none is. */
static bool all_streams_are_idle(CudaDevice *cuda, const DeviceStream *done)
{
    int queries = 0;
    if (cuda->own.used && cuda->driver->cuStreamQuery(cuda->own.raw) != CUDA_ERROR_SUCCESS)
        return false;
    for (DeviceStream *stream = next_used(cuda, NULL); stream != NULL; stream = next_used(cuda, stream))
        if (stream != done &&
            (++queries > MOST_QUERIES || cuda->driver->cuStreamQuery(stream->raw) != CUDA_ERROR_SUCCESS))
            return false;
    return true;
}

bool cuda_is_idle(CudaDevice *cuda)
{
    const CudaBracket *bracket = &cuda->bracket;
    if (!bracket->open || !bracket->started || bracket->pausing || cuda->holding || cuda->sticky != CUDA_ERROR_SUCCESS)
        return true;
    cuda_observe(cuda);
    const bool is_idle = all_streams_are_idle(cuda, NULL);
    if (is_idle)
        begin_pause(cuda);
    return is_idle;
}

/* ---- the gate ---------------------------------------------------------------------------------------------------- */

/* The gate's word must still be the one that closed it: nothing runs while the gate is closed, and nobody else writes. */
static void stop_holding(CudaDevice *cuda)
{
    cuda->bracket.gate_forged |= cuda->shared->gate != cuda->words.closed;
    cuda->holding = false;
    cuda->held = 0;
}

static void open_gate(CudaDevice *cuda)
{
    stop_holding(cuda);
    cuda->bracket.released_s = now_s();
    cuda->shared->gate = cuda->words.open;
}

static CudaError close_gate(CudaDevice *cuda)
{
    if (getrandom(&cuda->words, sizeof cuda->words, 0) != (ssize_t)sizeof cuda->words)
        return CUDA_ERROR_UNKNOWN;
    cuda->shared->gate = cuda->words.closed;
    cuda->held = 0;
    cuda->holding = true;
    return CUDA_ERROR_SUCCESS;
}

CudaError cuda_release(CudaDevice *cuda)
{
    if (!cuda->holding || cuda->held == 0)
        return CUDA_ERROR_SUCCESS;
    CudaError error = mark_end(cuda);
    open_gate(cuda);
    return error;
}

void cuda_open_for_copy(CudaDevice *cuda)
{
    cuda->bracket.marked = false;
    if (cuda->holding)
        open_gate(cuda);
}

static CudaError hold(CudaDevice *cuda, DeviceStream *stream)
{
    if (stream->held_for == cuda->words.open)
        return CUDA_ERROR_SUCCESS;
    stream->held_for = cuda->words.open;
    return cuda_note(
        cuda, cuda->driver->cuStreamWaitValue64(stream->raw, cuda->gate_address, cuda->words.open, CU_WAIT_VALUE_EQ));
}

/* If the gate is open, the host's clock starts just before the first operation is submitted. */
static CudaError record_start(CudaDevice *cuda, DeviceStream *stream)
{
    CudaBracket *bracket = &cuda->bracket;
    if (!bracket->open || bracket->started)
        return CUDA_ERROR_SUCCESS;
    bracket->started = true;
    bracket->released_s = now_s();
    return cuda_note(cuda, cuda->driver->cuEventRecord(bracket->start, stream->raw));
}

CudaError cuda_enter(CudaDevice *cuda, DeviceStream *stream, CuStream *raw)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    if (stream == NULL)
        stream = &cuda->legacy;
    TRY(cuda->sticky);
    if (cuda->held >= CUDA_MAX_HELD)
        error = cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS && cuda->holding)
        error = hold(cuda, stream);
    THEN(error, record_start(cuda, stream));
    end_pause(cuda);
    cuda->held += cuda->holding;
    cuda->idle = false;
    cuda->bracket.marked = false;
    stream->used = true;
    *raw = stream->raw;
    return error;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

typedef CudaError Poll(CudaDevice *cuda, void *what);

static CudaError poll_stream(CudaDevice *cuda, void *stream)
{
    return cuda->driver->cuStreamQuery(((DeviceStream *)stream)->raw);
}

static CudaError poll_event(CudaDevice *cuda, void *event)
{
    return cuda->driver->cuEventQuery(event);
}

static void look_for_nonce(CudaDevice *cuda)
{
    const CudaBracket *bracket = &cuda->bracket;
    double seconds = next_used(cuda, next_used(cuda, NULL)) == NULL ? LOOK_SECONDS : LOOK_SECONDS_OF_MANY;
    for (double start_s = now_s(); bracket->marked && !bracket->arrived && now_s() - start_s < seconds;)
        cuda_observe(cuda);
}

/* Polls, because the driver's own waiting calls have no deadline. */
static CudaError wait_until(CudaDevice *cuda, Poll *poll, void *what)
{
    double start_s = now_s(), spent_s = 0;
    CudaError error;
    while ((error = poll(cuda, what)) == CUDA_ERROR_NOT_READY) {
        look_for_nonce(cuda);
        spent_s = now_s() - start_s;
        if (cuda->time_limit_s > 0 && cuda->waited_s + spent_s > cuda->time_limit_s)
            return cuda_time_is_up(cuda);
    }
    cuda->waited_s += spent_s;
    return cuda_note(cuda, error);
}

/* When only the mark is left, it arrives within microseconds. */
static void settle(CudaDevice *cuda)
{
    const CudaBracket *bracket = &cuda->bracket;
    for (double start_s = now_s(); bracket->marked && !bracket->arrived && now_s() - start_s < SETTLE_SECONDS;)
        cuda_observe(cuda);
}

static CudaError release_and_wait(CudaDevice *cuda, Poll *poll, void *what)
{
    if (cuda->sticky != CUDA_ERROR_SUCCESS || cuda->idle)
        return cuda->sticky;
    CudaError error = cuda_release(cuda);
    THEN(error, mark_end(cuda));
    double before_s = cuda->waited_s;
    THEN(error, wait_until(cuda, poll, what));
    if (cuda->waited_s > before_s)
        cuda->bracket.idle_s = now_s();
    if (error == CUDA_ERROR_SUCCESS)
        settle(cuda);
    return error;
}

static CudaError wait_for_stream(CudaDevice *cuda, DeviceStream *stream)
{
    return release_and_wait(cuda, poll_stream, stream);
}

CudaError cuda_wait(CudaDevice *cuda, DeviceStream *stream)
{
    DeviceStream *done = stream == NULL ? &cuda->legacy : stream;
    TRY(wait_for_stream(cuda, done));
    if (cuda->bracket.open && all_streams_are_idle(cuda, done))
        begin_pause(cuda);
    return CUDA_ERROR_SUCCESS;
}

static CudaError cuda_wait_event(CudaDevice *cuda, CuEvent event)
{
    return release_and_wait(cuda, poll_event, event);
}

CudaError cuda_wait_own(CudaDevice *cuda)
{
    return wait_until(cuda, poll_stream, &cuda->own);
}

/* Within a bracket the streams stay "used", because the mark at its end must be queued behind all of them. */
CudaError cuda_wait_all(CudaDevice *cuda)
{
    CudaError error = cuda->sticky;
    for (DeviceStream *stream = next_used(cuda, NULL); stream != NULL && error == CUDA_ERROR_SUCCESS;
         stream = next_used(cuda, stream)) {
        error = wait_for_stream(cuda, stream);
        stream->used = stream->used && cuda->bracket.open;
    }
    if (error == CUDA_ERROR_SUCCESS && cuda->own.used)
        error = wait_for_stream(cuda, &cuda->own);
    if (error == CUDA_ERROR_SUCCESS) {
        cuda->own.used = cuda->own.used && cuda->bracket.open;
        cuda->last_kernel_count = 0;
        cuda->bounce_used = 0;
        cuda->idle = true;
        begin_pause(cuda);
    }
    return error;
}

/* ---- echoes ------------------------------------------------------------------------------------------------------ */

/* Lets the stream write a new random number, and waits for it. `took_s`: how long that took. */
static CudaError echo(CudaDevice *cuda, DeviceStream *stream, double *took_s)
{
    uint64_t word;
    const double start_s = now_s(), limit_s = cuda->time_limit_s > 0 ? cuda->time_limit_s : ECHO_SECONDS;
    if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word)
        return CUDA_ERROR_UNKNOWN;
    CudaError error = cuda_note(cuda, cuda->driver->cuStreamWriteValue64(stream->raw, cuda->echo_address, word, 0));
    while (error == CUDA_ERROR_SUCCESS && cuda->shared->echo != word)
        if (now_s() - start_s > limit_s)
            error = cuda->time_limit_s > 0 ? cuda_time_is_up(cuda) : CUDA_ERROR_UNKNOWN;
    *took_s = now_s() - start_s;
    return error;
}

CudaError cuda_measure_echo(CudaDevice *cuda, double *took_s)
{
    return echo(cuda, &cuda->own, took_s);
}

static CudaError collect_echo(CudaDevice *cuda, DeviceStream *stream)
{
    double took_s;
    CudaError error = echo(cuda, stream, &took_s);
    cuda->bracket.late_s = fmax(cuda->bracket.late_s, took_s - cuda->usual_echo_s);
    return error;
}

/* Waits for a stream that nothing will use again, and makes sure that nothing runs there. */
static CudaError cuda_finish(CudaDevice *cuda, DeviceStream *stream)
{
    CudaError error = cuda_wait(cuda, stream);
    if (error == CUDA_ERROR_SUCCESS && stream->used)
        error = collect_echo(cuda, stream);
    stream->used = false;
    return error;
}

/* ---- the bracket ------------------------------------------------------------------------------------------------- */

/* Writes twice the size of the L2, after no line can be persistent there (cudaAccessPropertyPersisting). */
static CudaError make_caches_cold(CudaDevice *cuda)
{
    const CudaDriver *driver = cuda->driver;
    CuStream raw;
    driver->cuCtxSetLimit(CU_LIMIT_PERSISTING_L2,
                          0); /* fails on a device without persisting lines, which needs no reset */
    driver->cuCtxResetPersistingL2Cache();
    TRY(cuda_enter(cuda, &cuda->own, &raw));
    TRY(cuda_note(cuda, driver->cuMemsetD32Async(cuda->flush_address, 0, cuda->flush_bytes / 4, raw)));
    return cuda_wait_all(cuda);
}

CudaError cuda_bracket_begin(CudaDevice *cuda)
{
    CudaBracket *bracket = &cuda->bracket;
    TRY(cuda_wait_all(cuda));
    TRY(make_caches_cold(cuda));
    *bracket = (CudaBracket){.open = true, .start = bracket->start, .stop = bracket->stop};
    return close_gate(cuda);
}

/* Asks each stream that seems to be idle for an echo. */
static CudaError collect_echoes(CudaDevice *cuda)
{
    TRY(cuda->own.used ? collect_echo(cuda, &cuda->own) : CUDA_ERROR_SUCCESS);
    for (DeviceStream *stream = next_used(cuda, NULL); stream != NULL; stream = next_used(cuda, stream))
        TRY(collect_echo(cuda, stream));
    return CUDA_ERROR_SUCCESS;
}

/* When the work had ended, as far as the host can tell. */
static double ended_s(const CudaBracket *bracket)
{
    const bool idle_late = bracket->idle_s - bracket->arrived_s > LATE_SECONDS;
    return (idle_late ? bracket->idle_s : bracket->arrived_s) + (bracket->late_s > LATE_SECONDS ? bracket->late_s : 0);
}

static CudaError take_times(CudaDevice *cuda, DeviceBracket *taken)
{
    const CudaBracket *bracket = &cuda->bracket;
    float milliseconds = 0;
    double last_pause_s = bracket->pausing ? fmax(bracket->arrived_s - bracket->pause_s, 0) : 0;
    CudaError error = cuda->driver->cuEventElapsedTime(&milliseconds, bracket->start, bracket->stop);
    taken->event_s = 1e-3 * milliseconds;
    taken->host_s = ended_s(bracket) - bracket->released_s;
    taken->ended_s = ended_s(bracket);
    taken->busy_s = fmax(fmax(taken->event_s, taken->host_s) - bracket->pauses_s - last_pause_s, 0);
    return cuda_note(cuda, error);
}

CudaError cuda_bracket_end(CudaDevice *cuda, DeviceBracket *taken)
{
    CudaBracket *bracket = &cuda->bracket;
    *taken = (DeviceBracket){0};
    cuda_observe(cuda);
    CudaError error = cuda->sticky;
    if (error == CUDA_ERROR_SUCCESS && bracket->started) {
        taken->pending = !(bracket->marked && bracket->arrived);
        error = cuda_wait_all(cuda);
        for (double start_s = now_s(); error == CUDA_ERROR_SUCCESS && !bracket->arrived;) {
            cuda_observe(cuda);
            if (now_s() - start_s > ECHO_SECONDS) /* all streams are idle, and still it has not arrived */
                error = CUDA_ERROR_UNKNOWN;
        }
        THEN(error, collect_echoes(cuda));
    }
    if (cuda->holding)
        stop_holding(cuda);
    if (error == CUDA_ERROR_SUCCESS && bracket->started)
        error = take_times(cuda, taken);
    taken->gate_forged = bracket->gate_forged;
    bracket->open = false;
    return error == CUDA_ERROR_SUCCESS ? cuda_wait_all(cuda) : error;
}

/* ==== cuda stream ================================================================================================= */

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* `joint` is only waited for; an event without a time is cheaper. */
static CudaError stream_open(CudaDevice *cuda, DeviceStream *stream)
{
    CudaError error = cuda->driver->cuEventCreate(&stream->joint, CU_EVENT_UNTIMED);
    if (error == CUDA_ERROR_SUCCESS && stream->raw == NULL)
        error = cuda->driver->cuStreamCreate(&stream->raw,
                                             stream->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_BLOCKING);
    return cuda_note(cuda, error);
}

static CudaError stream_create(Device *device, DeviceStreamKind kind, DeviceStream **stream)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda));
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*stream)->non_blocking = kind >= DEVICE_STREAM_NON_BLOCKING;
    CudaError error = stream_open(cuda, *stream);
    if (error != CUDA_ERROR_SUCCESS) {
        free(*stream);
        return error;
    }
    (*stream)->next = cuda->streams;
    cuda->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

/* A stream that is destroyed still finishes its work. The judge must see the end of it, and afterwards could not ask the
 * stream any more. */
static CudaError stream_destroy(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    DeviceStream **link = &cuda->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next;
    if (*link == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS && stream->used)
        error = cuda_finish(cuda, stream);
    THEN(error, cuda_note(cuda, cuda->driver->cuStreamDestroy(stream->raw)));
    THEN(error, cuda_note(cuda, cuda->driver->cuEventDestroy(stream->joint)));
    *link = stream->next;
    free(stream);
    return error;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    return cuda_wait(cuda_of(device), stream);
}

/* Opens the gate, because a program that polls must see the end of its work. */
static CudaError stream_query(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    return error != CUDA_ERROR_SUCCESS
               ? error
               : cuda_note(cuda, cuda->driver->cuStreamQuery(stream == NULL ? cuda->legacy.raw : stream->raw));
}

static CudaError stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    if (!event->recorded)
        return cuda->sticky;
    TRY(cuda_enter(cuda, stream, &raw));
    return cuda_note(cuda, cuda->driver->cuStreamWaitEvent(raw, event->raw, 0));
}

static CudaError synchronize_all(Device *device)
{
    return cuda_wait_all(cuda_of(device));
}

CudaError cuda_streams_open(CudaDevice *cuda)
{
    cuda->legacy.raw = CU_STREAM_LEGACY;
    cuda->own.non_blocking = true;
    TRY(stream_open(cuda, &cuda->legacy));
    TRY(stream_open(cuda, &cuda->own));
    TRY(cuda->driver->cuEventCreate(&cuda->bracket.start, CU_EVENT_TIMED));
    return cuda->driver->cuEventCreate(&cuda->bracket.stop, CU_EVENT_TIMED);
}

void cuda_streams_free(CudaDevice *cuda)
{
    while (cuda->streams != NULL) {
        DeviceStream *next = cuda->streams->next;
        free(cuda->streams);
        cuda->streams = next;
    }
}

const DeviceStreamOps CUDA_STREAM_OPS = {
    .create = stream_create,
    .destroy = stream_destroy,
    .synchronize = stream_synchronize,
    .synchronize_all = synchronize_all,
    .query = stream_query,
    .wait_event = stream_wait_event,
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static CudaError event_create(Device *device, bool is_timed, DeviceEvent **event)
{
    CudaDevice *cuda = cuda_of(device);
    TRY(cuda->sticky);
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    const unsigned flags = is_timed ? CU_EVENT_TIMED : CU_EVENT_UNTIMED;
    CudaError error = cuda_note(cuda, cuda->driver->cuEventCreate(&(*event)->raw, flags));
    if (error != CUDA_ERROR_SUCCESS)
        free(*event);
    return error;
}

static CudaError event_destroy(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky;
    THEN(error, cuda_note(cuda, cuda->driver->cuEventDestroy(event->raw)));
    free(event);
    return error;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    TRY(cuda_enter(cuda, stream, &raw));
    event->recorded = true;
    return cuda_note(cuda, cuda->driver->cuEventRecord(event->raw, raw));
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    return event->recorded ? cuda_wait_event(cuda, event->raw) : cuda->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    if (error != CUDA_ERROR_SUCCESS || !event->recorded)
        return error;
    return cuda_note(cuda, cuda->driver->cuEventQuery(event->raw));
}

static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    CudaDevice *cuda = cuda_of(device);
    float milliseconds = 0;
    TRY(cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda));
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = cuda_note(cuda, cuda->driver->cuEventElapsedTime(&milliseconds, start->raw, stop->raw));
    *seconds = 1e-3 * milliseconds;
    return error;
}

const DeviceEventOps CUDA_EVENT_OPS = {
    .create = event_create,
    .destroy = event_destroy,
    .record = event_record,
    .synchronize = event_synchronize,
    .query = event_query,
    .elapsed = event_elapsed,
};
