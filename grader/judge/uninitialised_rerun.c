#include "grader/judge/uninitialised_rerun.h"

static Status rerun_with(uint8_t byte, Call *call, bool is_secret, Session *session, const Oracle *oracle,
                         const CallReport *first, CaseOutput *output, Judgement *decided, Message *why)
{
    const CallOptions options = {
        .check_inputs = true, .untimed = true, .is_secret = is_secret, .uninitialised_byte = byte};
    CallReport again;
    Status status = session_call(session, call->arguments, call->problem->parameter_count, &options, &again, why);
    output->compared = status == STATUS_OK && again.outcome == CALL_OK;
    if (output->compared)
        status = call_compare(call, oracle, NULL, &output->comparison, why);
    if (status == STATUS_OK)
        *decided = judgement_of_rerun(first, &again, output->compared ? &output->comparison : NULL);
    text_free(&again.printed);
    return status;
}

Status uninitialised_rerun_try(Call *call, bool is_secret, Session *session, const Oracle *oracle,
                               const CallReport *first, CaseOutput *output, Judgement *decided, Message *why)
{
    static const uint8_t bytes[] = {DEVICE_LARGE_BYTE, DEVICE_NAN_BYTE};
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof bytes && status == STATUS_OK && decided->verdict == VERDICT_ACCEPTED; i++)
        status = rerun_with(bytes[i], call, is_secret, session, oracle, first, output, decided, why);
    return status;
}
