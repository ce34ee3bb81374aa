#include "base/clock.h"
#include "base/text.h"
#include "harness/broker/broker_state.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* Every request is hostile until checked: it was copied out of the shared memory, its kind is known, its length is
 * exactly right, every number in it is looked up and every range of addresses must be owned. */

/* What a device holds back, it holds no longer than this when nothing more comes. */
static const double HOLD_SECONDS = 0.02;

void broker_violation(Broker *broker, const char *text)
{
    broker->end = SERVE_VIOLATION;
    snprintf(broker->end_text, sizeof broker->end_text, "%s", text);
}

void broker_malformed(Broker *broker)
{
    broker_violation(broker, "the submission tampered with the judge's own channel: a malformed request");
}

const uint64_t *broker_words(const Broker *broker)
{
    return ((const RingWords *)broker->record.body)->word;
}

/* ---- errors, for the report -------------------------------------------------------------------------------------- */

void broker_note_error(Broker *broker, CudaError error, const char *call, const char *hint)
{
    CallReport *report = &broker->reply.report;
    if (error == CUDA_ERROR_SUCCESS || report->first_error != CUDA_ERROR_SUCCESS)
        return;
    report->first_error = error;
    snprintf(report->first_error_text, sizeof report->first_error_text, hint[0] == '\0' ? "%s: %s" : "%s: %s (%s)",
             call, cuda_error_text(error), hint);
}

/* An error of the submission's own that came before stays the reason of what follows. */
void broker_note_missing(Broker *broker, const char *call, const char *hint)
{
    if (broker->not_provided[0] == '\0' && broker->reply.report.first_error == CUDA_ERROR_SUCCESS)
        snprintf(broker->not_provided, sizeof broker->not_provided, "%s", call);
    broker_note_error(broker, CUDA_ERROR_NOT_SUPPORTED, call, hint);
}

static CudaError serve_note_error(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (text_is_terminated(note->call, sizeof note->call))
        broker_note_error(broker, note->error, note->call, "");
    else
        broker_malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_note_missing(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (text_is_terminated(note->call, sizeof note->call))
        broker_note_missing(broker, note->call, "this judge does not provide it");
    else
        broker_malformed(broker);
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_note_memory(Broker *broker, RingReply *reply)
{
    broker->reply.host_memory_refused = true;
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_nothing(Broker *broker, RingReply *reply)
{
    return CUDA_ERROR_SUCCESS;
}

static CudaError serve_load_failed(Broker *broker, RingReply *reply)
{
    broker->end = SERVE_LOAD_FAILED;
    snprintf(broker->end_text, sizeof broker->end_text, "%.*s", (int)broker->record.head.body_bytes,
             (const char *)broker->record.body);
    return CUDA_ERROR_SUCCESS;
}

/* ---- dispatch ---------------------------------------------------------------------------------------------------- */

static const struct {
    Serve *serve;
    uint32_t least_bytes, most_bytes; /* of the body */
} REQUESTS[RING_KIND_COUNT] = {
#define WORDS sizeof(RingWords), sizeof(RingWords)
    [RING_READY] = {serve_nothing, 0, 0},
    [RING_LOAD_FAILED] = {serve_load_failed, 0, 600},
    [RING_RETURNED] = {serve_nothing, 0, 0},
    [RING_FLUSH] = {serve_nothing, 0, 0},
    [RING_NOTE_ERROR] = {serve_note_error, sizeof(RingNote), sizeof(RingNote)},
    [RING_NOTE_MISSING] = {serve_note_missing, sizeof(RingNote), sizeof(RingNote)},
    [RING_NOTE_MEMORY] = {serve_note_memory, 0, 0},
    [RING_MODULE] = {serve_module, WORDS},
    [RING_FUNCTION] = {serve_function, sizeof(RingName), sizeof(RingName)},
    [RING_VARIABLE] = {serve_variable, sizeof(RingName), sizeof(RingName)},
    [RING_SET_SHARED] = {serve_set_shared, WORDS},
    [RING_OCCUPANCY] = {serve_occupancy, WORDS},
    [RING_ALLOC] = {serve_alloc, WORDS},
    [RING_RELEASE] = {serve_release, WORDS},
    [RING_MEMORY_INFO] = {serve_memory_info, WORDS},
    [RING_WRITE] = {serve_write, WORDS},
    [RING_READ] = {serve_read, WORDS},
    [RING_COPY] = {serve_copy, WORDS},
    [RING_FILL] = {serve_fill, WORDS},
    [RING_OWNED] = {serve_owned, WORDS},
    [RING_COPY_BOX] = {serve_copy_box, sizeof(RingCopyBox), sizeof(RingCopyBox)},
    [RING_FILL_ROWS] = {serve_fill_rows, sizeof(RingFillRows), sizeof(RingFillRows)},
    [RING_ARRAY_NEW] = {serve_array_new, sizeof(RingArray), sizeof(RingArray)},
    [RING_ARRAY_FREE] = {serve_array_free, WORDS},
    [RING_TEXTURE_NEW] = {serve_texture_new, sizeof(RingTexture), sizeof(RingTexture)},
    [RING_TEXTURE_FREE] = {serve_texture_free, WORDS},
    [RING_LAUNCH] = {serve_launch, sizeof(RingLaunch), RING_MAX_BODY},
    [RING_SYNCHRONIZE] = {serve_synchronize, WORDS},
    [RING_STREAM_NEW] = {serve_stream_new, WORDS},
    [RING_STREAM_FREE] = {serve_stream_free, WORDS},
    [RING_STREAM_SYNCHRONIZE] = {serve_stream_synchronize, WORDS},
    [RING_STREAM_QUERY] = {serve_stream_query, WORDS},
    [RING_STREAM_WAIT] = {serve_stream_wait, WORDS},
    [RING_EVENT_NEW] = {serve_event_new, WORDS},
    [RING_EVENT_FREE] = {serve_event_free, WORDS},
    [RING_EVENT_RECORD] = {serve_event_record, WORDS},
    [RING_EVENT_SYNCHRONIZE] = {serve_event_synchronize, WORDS},
    [RING_EVENT_QUERY] = {serve_event_query, WORDS},
    [RING_EVENT_ELAPSED] = {serve_event_elapsed, WORDS},
    [RING_DEVICE_INFO] = {serve_device_info, WORDS},
#undef WORDS
};

static void answer(Broker *broker, const RingRequest *head, RingKind awaited)
{
    RingReply reply = {0};
    if (head->kind >= RING_KIND_COUNT || REQUESTS[head->kind].serve == NULL ||
        head->body_bytes < REQUESTS[head->kind].least_bytes || head->body_bytes > REQUESTS[head->kind].most_bytes) {
        broker_malformed(broker);
        return;
    }
    reply.error = REQUESTS[head->kind].serve(broker, &reply);
    if (reply.error == CUDA_ERROR_LAUNCH_TIMEOUT && broker->end == SERVE_GOING)
        broker->end = SERVE_DEVICE_TIME;
    if (head->kind == awaited && broker->end == SERVE_GOING)
        broker->end = SERVE_DONE;
    if (head->wants_reply) {
        reply.posted_error = broker->posted_error;
        broker->posted_error = CUDA_ERROR_SUCCESS;
        ring_reply(broker->reader.ring, &reply);
    } else if (broker->posted_error == CUDA_ERROR_SUCCESS) {
        broker->posted_error = reply.error;
    }
}

/* The grader speaks up during a call only to say that the runner is gone, or by being gone itself. */
static bool grader_calls(const Broker *broker)
{
    struct pollfd control = {.fd = broker->control, .events = POLLIN};
    return poll(&control, 1, 0) > 0;
}

static void wait_for_runner(Broker *broker, uint32_t bell)
{
    double left = fmax(0, broker->limits.host_seconds - broker->host_seconds), start = now_s();
    ring_wait(&broker->reader, bell, fmin(left, HOLD_SECONDS));
    double waited = now_s() - start;
    if (waited >= HOLD_SECONDS)
        broker->device->ops->let_go(broker->device);
    broker->host_seconds += waited;
    if (broker->host_seconds >= broker->limits.host_seconds)
        broker->end = SERVE_HOST_TIME;
}

void broker_serve(Broker *broker, RingKind awaited)
{
    broker->end = SERVE_GOING;
    broker->host_seconds = 0;
    while (broker->end == SERVE_GOING) {
        uint32_t bell = ring_bell(broker->reader.ring);
        switch (ring_take(&broker->reader, &broker->record)) {
        case RING_TAKEN: {
            RingRequest head = broker->record.head;
            answer(broker, &head, awaited);
            break;
        }
        case RING_BROKEN: broker_malformed(broker); break;
        case RING_EMPTY:
            if (ring_spin(&broker->reader))
                break;
            if (grader_calls(broker))
                broker->end = SERVE_RUNNER_GONE;
            else
                wait_for_runner(broker, bell);
            break;
        }
    }
}
