#include "service/head/head_state.h"

#include "base/json.h"
#include "service/log/log.h"
#include "service/store/host_times.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <stdio.h>
#include <string.h>

/* Verdict, sentence and device of a result.json. */
static Status read_result(const SpoolDone *done, Arena *arena, Recording *recording, Message *why)
{
    JsonFile file;
    Status status = json_parse("result.json", done->result, strlen(done->result), &file, why);
    if (status != STATUS_OK)
        return status;
    const cJSON *seconds = json_get(file.root, "seconds"), *step;
    const char *verdict = json_string(file.root, "verdict"), *text = json_string(file.root, "text");
    recording->verdict = arena_string(arena, verdict == NULL ? "" : verdict);
    recording->text = arena_string(arena, text == NULL ? "" : text);
    cJSON_ArrayForEach(step, seconds) if (cJSON_IsNumber(step)) recording->device_s += step->valuedouble;
    json_free(&file);
    return verdict == NULL ? fail(STATUS_BAD_INPUT, why, "result.json: there is no verdict") : STATUS_OK;
}

/* What the server knows better than a worker: who handed it in, when, under which name, and how other machines time. */
static Status complete_run(Head *head, const QueuedJob *judging, const SpoolDone *done, Arena *arena, Run *run,
                           Message *why)
{
    StoredSubmission row;
    Status status = submissions_read(head->store, judging->submission, arena, &row, why);
    if (status != STATUS_OK)
        return status;
    *run = *done->run;
    run->person = row.person;
    run->time_utc = row.received_utc;
    run->file_name = row.file_name;
    run->source_hash = row.source_hash;
    status = host_times_review(head->store, run, arena, &run->rank_status, why);
    if (status != STATUS_OK)
        return status;
    return submissions_source(head->store, row.source_hash, arena, &run->source, why);
}

static Status record(Head *head, const QueuedJob *judging, const SpoolDone *done, Arena *arena, Message *why)
{
    Run run;
    RecordingOutcome outcome;
    char id[32];
    Recording recording = {.judging = judging->id,
                           .attempt = done->id.attempt,
                           .device = done->device,
                           .result = done->result,
                           .explain = done->explain,
                           .report = done->report,
                           .case_verdicts = done->case_verdicts};
    Status status = read_result(done, arena, &recording, why);
    if (status == STATUS_OK && done->run != NULL && strcmp(judging->mode, "rank") == 0) {
        status = complete_run(head, judging, done, arena, &run, why);
        recording.run = &run;
    }
    if (status == STATUS_OK)
        status = judgings_record(head->store, &recording, &outcome, why);
    if (status != STATUS_OK)
        return status;
    snprintf(id, sizeof id, "%lld-%d", (long long)done->id.judging, done->id.attempt);
    log_event(LEVEL_INFO, outcome == TOO_LATE ? "late_result" : "recorded", "judging", id, "worker", done->worker,
              "verdict", recording.verdict);
    return STATUS_OK;
}

/* A result must be of this very source and revision. */
static const char *mismatch(const QueuedJob *judging, const SpoolDone *done)
{
    if (strcmp(done->source_hash, judging->source_hash) != 0)
        return "the result is of another source";
    if (strcmp(done->revision, judging->revision) != 0)
        return "the problem has another revision where the worker is";
    return NULL;
}

static Status take_done(Head *head, SpoolId id, Arena *arena, Message *why)
{
    SpoolDone done;
    QueuedJob judging;
    Message damage;
    Status read = spool_read_done(head->options.spool, id, arena, &done, &damage);
    if (read == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (read == STATUS_BAD_INPUT)
        return head_give_up(head, id, "", "worker_failed", damage.text, why);
    if (read != STATUS_OK) {
        *why = damage;
        return read;
    }
    Status status = judgings_read(head->store, id.judging, arena, &judging, why);
    if (status == STATUS_NOT_FOUND)
        return spool_forget(head->options.spool, id, why); /* of another store */
    if (status != STATUS_OK)
        return status;
    status = judgings_start(head->store, id.judging, id.attempt, done.worker, why);
    if (status != STATUS_OK)
        return status;
    if (strcmp(done.outcome, "judged") != 0)
        return head_give_up(head, id, done.worker, done.outcome, done.why, why);
    if (mismatch(&judging, &done) != NULL)
        return head_give_up(head, id, done.worker, "worker_failed", mismatch(&judging, &done), why);
    status = record(head, &judging, &done, arena, why);
    if (status == STATUS_BAD_INPUT)
        return head_give_up(head, id, done.worker, "worker_failed", why->text, why);
    head_note_change(head);
    return status == STATUS_OK ? spool_forget(head->options.spool, id, why) : status;
}

Status head_take_results(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolId *ids;
    size_t count;
    Status status = spool_list_done(head->options.spool, &arena, &ids, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Arena one = {0};
        status = take_done(head, ids[i], &one, why);
        arena_free(&one);
    }
    arena_free(&arena);
    return status;
}
