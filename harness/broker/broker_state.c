#include "harness/broker/broker_state.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== handles ===================================================================================================== */

uint64_t handles_add(Handles *handles, void *object)
{
    if (handles->count == HANDLES_MAX || (handles->most != 0 && handles->living >= handles->most))
        return 0;
    if (handles->count == handles->capacity) {
        uint32_t capacity = handles->capacity == 0 ? 64 : 2 * handles->capacity;
        void **objects = realloc(handles->objects, capacity * sizeof *objects);
        if (objects == NULL)
            return 0;
        handles->objects = objects;
        handles->capacity = capacity;
    }
    handles->objects[handles->count] = object;
    handles->living++;
    return handles->first + handles->count++;
}

void *handles_get(const Handles *handles, uint64_t number)
{
    uint64_t index = number - handles->first;
    return index < handles->count ? handles->objects[index] : NULL;
}

void *handles_remove(Handles *handles, uint64_t number)
{
    void *object = handles_get(handles, number);
    if (object != NULL) {
        handles->objects[number - handles->first] = NULL;
        handles->living--;
    }
    return object;
}

void handles_free(Handles *handles)
{
    free(handles->objects);
    *handles = (Handles){.first = handles->first, .most = handles->most};
}

/* ==== broker request ============================================================================================== */

void broker_violation(Broker *broker, MistakeKind kind, const char *text)
{
    broker->end = SERVE_VIOLATION;
    broker->violation = kind;
    snprintf(broker->end_text, sizeof broker->end_text, "%s", text);
}

void broker_malformed(Broker *broker)
{
    broker_violation(broker, MISTAKE_BAD_REQUEST,
                     "the submission sent a malformed request over the judge's own channel");
}

const uint64_t *broker_words(const Broker *broker)
{
    return ((const RingWords *)broker->record.body)->word;
}

/* ==== broker note ================================================================================================= */

bool broker_has_fault(const Broker *broker, DeviceFault *fault)
{
    broker->device->report->fault(broker->device, fault);
    return fault->kind != DEVICE_NO_FAULT && fault->kind != DEVICE_BAD_LAUNCH;
}

static Mistake mistake_of_call(MistakeKind kind, const char *call)
{
    Mistake mistake = {.kind = kind};
    size_t length = 0;
    while (text_in_word(call[length]))
        length++;
    snprintf(mistake.call, sizeof mistake.call, "%.*s", (int)length, call);
    return mistake;
}

void broker_note_error(Broker *broker, Mistake mistake, CudaError error, const char *what, const char *hint)
{
    CallError *first = &broker->reply.report.first_error;
    DeviceFault fault;
    if (error == CUDA_ERROR_SUCCESS || first->error != CUDA_ERROR_SUCCESS || broker_has_fault(broker, &fault))
        return;
    *first = (CallError){.error = error, .place = broker->record.head.place, .mistake = mistake};
    snprintf(first->text, sizeof first->text, hint[0] == '\0' ? "%s: %s" : "%s: %s (%s)", what, cuda_error_text(error),
             hint);
}

/* After an error of the submission's own, that error is the cause of what follows. */
void broker_note_missing(Broker *broker, const char *call, const char *hint)
{
    CallError *missing = &broker->not_provided;
    if (missing->error == CUDA_ERROR_SUCCESS && broker->reply.report.first_error.error == CUDA_ERROR_SUCCESS) {
        *missing = (CallError){.error = CUDA_ERROR_NOT_SUPPORTED,
                               .place = broker->record.head.place,
                               .mistake = mistake_of_call(MISTAKE_NOT_PROVIDED, call)};
        snprintf(missing->text, sizeof missing->text, "%s", call);
    }
    broker_note_error(broker, mistake_of_call(MISTAKE_CALL_FAILED, call), CUDA_ERROR_NOT_SUPPORTED, call, hint);
}

CudaError serve_note_error(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (text_is_terminated(note->call, sizeof note->call))
        broker_note_error(broker, mistake_of_call(MISTAKE_CALL_FAILED, note->call), note->error, note->call, "");
    else
        broker_malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

CudaError serve_note_missing(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (text_is_terminated(note->call, sizeof note->call))
        broker_note_missing(broker, note->call, "this judge does not provide it");
    else
        broker_malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

CudaError serve_note_memory(Broker *broker, RingReply *reply)
{
    broker->reply.host_memory_refused = true;
    return CUDA_ERROR_SUCCESS;
}

CudaError serve_load_failed(Broker *broker, RingReply *reply)
{
    broker->end = SERVE_LOAD_FAILED;
    snprintf(broker->end_text, sizeof broker->end_text, "%.*s", (int)broker->record.head.body_bytes,
             (const char *)broker->record.body);
    return CUDA_ERROR_SUCCESS;
}

/* ==== broker host time ============================================================================================ */

static const double INTERVAL_S = 0.02, LEAST_S = 1e-3; /* of waiting that is worth a question; at the end of a call */

void broker_host_time_start(Broker *broker)
{
    HostTime *time = &broker->host_time;
    const bool is_known = host_clock_ask(broker->host_clock, HOST_ALL, &time->seen);
    time->has_clock = is_known && broker->device->info.modelled;
}

void broker_host_time_begin(Broker *broker)
{
    HostTime *time = &broker->host_time;
    time->own_s = time->waited_s = 0;
    time->requests = broker->requests;
    time->since_s = now_s();
}

/* A request that has come while the grader was being asked ends the silence, too. */
static void settle(Broker *broker)
{
    HostTime *time = &broker->host_time;
    HostClock clock;
    const double asked_s = now_s();
    time->has_clock = time->has_clock && host_clock_ask(broker->host_clock, HOST_ALL, &clock);
    if (time->has_clock) {
        const bool silent = broker->requests == time->requests && ring_is_empty(&broker->reader);
        time->own_s += host_clock_own_s(&time->seen, &clock, silent ? asked_s - time->since_s : time->waited_s, silent);
        time->seen = clock;
    } else {
        time->own_s += time->waited_s;
    }
    time->waited_s = 0;
    time->requests = broker->requests;
    time->since_s = asked_s;
}

void broker_host_time_add(Broker *broker, double waited_s)
{
    HostTime *time = &broker->host_time;
    time->waited_s += waited_s;
    if (time->waited_s >= INTERVAL_S || !time->has_clock)
        settle(broker);
}

void broker_host_time_end(Broker *broker)
{
    if (broker->host_time.waited_s >= LEAST_S)
        settle(broker);
}

double broker_host_time_limit(const Broker *broker)
{
    const CallLimits *limits = &broker->limits;
    return broker->device->info.modelled && limits->wall_seconds > 0 ? fmin(limits->host_seconds, limits->wall_seconds)
                                                                     : limits->host_seconds;
}

double broker_host_time_left(const Broker *broker)
{
    return fmax(0, broker_host_time_limit(broker) - broker->host_time.own_s);
}

/* ==== broker host work ============================================================================================ */

/* Measured on two cores with a load of nine: up to 0.4 ms for a filter that goes to the host and back, 0.85 ns a byte
 * for large arrays, and 10 us for each kernel or copy that is asked for. Arrays in fresh pages took up to 3.6 ns a byte
 * in a virtual machine, whose own host finds the memory for each page within the time of the process that touches it. A
 * core of 100 Gflop/s does no more in these times than an H200 of 30 Tflop/s does in 3.3 us, in 0.017 ns a byte, and in
 * 0.07 us. The model takes 16 us for two copies across the bus, 0.02 ns for a byte, and 2 us for an empty kernel. */
static const double FREE_S = 1e-3, FREE_S_A_BYTE = 5e-9, FREE_S_AN_OPERATION = 20e-6;

/* The same work takes more processor time where others have the core, and so the caches, in between: a thread that sleeps for
 * a millisecond took 0.1 ms alone, and up to 1.4 ms beside 36 processes on two cores. */
static const double BUSY_SHARE = 0.1, MOST_BUSY_S = 5e-3; /* free, of the time for which it waits for a core; in all */

static double clock_of_runner(Broker *broker, HostQuestion question, HostClock *clock)
{
    HostWork *work = &broker->host_work;
    if (!work->has_no_clock && host_clock_ask(broker->host_clock, question, clock) && clock->computed_s >= 0)
        return clock->computed_s;
    *clock = (HostClock){.delayed_s = work->delayed_s};
    if (work->has_data && !work->has_no_clock)
        return work->since_s; /* the process has ended */
    work->has_no_clock = true;
    return now_s() - broker->busy_seconds;
}

void broker_host_work_begin(Broker *broker)
{
    broker->host_work = (HostWork){0};
    ring_wait_for_launches(broker->reader.ring, false);
}

void broker_host_work_copied(Broker *broker, uint64_t bytes, bool to_host)
{
    broker->host_work.copied_bytes += bytes;
    if (to_host)
        broker_host_work_learned(broker);
}

void broker_host_work_learned(Broker *broker)
{
    HostWork *work = &broker->host_work;
    if (broker->device->simulation == NULL || work->has_data)
        return;
    HostClock clock;
    work->since_s = clock_of_runner(broker, HOST_ALL, &clock);
    work->delayed_s = clock.delayed_s;
    work->has_data = true;
    ring_wait_for_launches(broker->reader.ring, true);
}

static double free_seconds(const Broker *broker)
{
    DeviceStatistics statistics;
    broker->device->report->statistics(broker->device, &statistics);
    return FREE_S + FREE_S_A_BYTE * (double)broker->host_work.copied_bytes +
           FREE_S_AN_OPERATION * (double)(statistics.kernels + statistics.copies);
}

static void charge(Broker *broker)
{
    HostWork *work = &broker->host_work;
    HostClock clock;
    double due_s = clock_of_runner(broker, HOST_COMPUTED, &clock) - work->since_s - free_seconds(broker) -
                   work->charged_s;
    if (due_s <= 0)
        return;
    (void)clock_of_runner(broker, HOST_ALL, &clock);
    due_s -= fmin(BUSY_SHARE * fmax(clock.delayed_s - work->delayed_s, 0), MOST_BUSY_S);
    if (due_s <= 0)
        return;
    work->charged_s += due_s;
    broker->device->simulation->host_works(broker->device, due_s);
}

/* To ask the clock takes many times as long as a query does. While the broker asks, it does not wait for the host, so
 * the limit on the host's time would hardly count. */
static const double QUERIES_S = 1e-3; /* from a charge to that of the next query */

void broker_host_work_charge(Broker *broker, bool is_query)
{
    HostWork *work = &broker->host_work;
    if (!work->has_data || (is_query && now_s() - work->asked_s < QUERIES_S))
        return;
    charge(broker);
    work->asked_s = now_s();
}
