#include "harness/broker/broker_request.h"

#include <stdio.h>

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
