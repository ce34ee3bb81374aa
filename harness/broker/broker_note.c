#include "harness/broker/broker_note.h"

#include "base/text.h"

#include <stdio.h>

void broker_note_error(Broker *broker, MistakeKind kind, CudaError error, const char *call, const char *hint)
{
    CallReport *report = &broker->reply.report;
    if (error == CUDA_ERROR_SUCCESS || report->first_error != CUDA_ERROR_SUCCESS)
        return;
    report->first_error = error;
    report->first_error_kind = kind;
    snprintf(report->first_error_text, sizeof report->first_error_text, hint[0] == '\0' ? "%s: %s" : "%s: %s (%s)",
             call, cuda_error_text(error), hint);
}

/* After an error of the submission's own, that error is the cause of what follows. */
void broker_note_missing(Broker *broker, const char *call, const char *hint)
{
    if (broker->not_provided[0] == '\0' && broker->reply.report.first_error == CUDA_ERROR_SUCCESS)
        snprintf(broker->not_provided, sizeof broker->not_provided, "%s", call);
    broker_note_error(broker, MISTAKE_CALL_FAILED, CUDA_ERROR_NOT_SUPPORTED, call, hint);
}

CudaError serve_note_error(Broker *broker, RingReply *reply)
{
    const RingNote *note = (const RingNote *)broker->record.body;
    if (text_is_terminated(note->call, sizeof note->call))
        broker_note_error(broker, MISTAKE_CALL_FAILED, note->error, note->call, "");
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
