#include "grader/judge/uninitialised_rerun.h"

static Status try_contents(Call *call, Session *session, const Oracle *oracle, const CallReport *first,
                           CaseResult *item, Judgement *decided, Message *why)
{
    CallReport again;
    Status status = session_call(session, call->arguments, call->problem->parameter_count, true, &again, why);
    item->compared = status == STATUS_OK && again.outcome == CALL_OK;
    if (item->compared)
        status = call_compare(call, oracle, &item->comparison, why);
    if (status == STATUS_OK)
        *decided = judgement_of_rerun(first, &again, item->compared ? &item->comparison : NULL);
    text_free(&again.printed);
    return status;
}

Status uninitialised_rerun_try(Call *call, Session *session, const Oracle *oracle, const CallReport *first,
                               CaseResult *item, Judgement *decided, Message *why)
{
    static const uint8_t bytes[] = {0x4D, 0xFF};
    Status status = STATUS_OK;
    session_watch(session, false);
    for (size_t i = 0; i < sizeof bytes && status == STATUS_OK && decided->verdict == VERDICT_ACCEPTED; i++) {
        session_set_uninitialised_byte(session, bytes[i]);
        status = try_contents(call, session, oracle, first, item, decided, why);
    }
    session_set_uninitialised_byte(session, 0);
    return status;
}
