#include "grader/judge/opinion_ahead.h"

#include "base/clock.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/problem_edition.h"
#include "grader/result/version.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_S = 600 };

const char *opinion_device(bool is_modelled)
{
    const char *named = getenv("CONVJUDGE_SECOND_OPINION");
    if (named != NULL && named[0] != '\0')
        return named;
    return is_modelled ? NULL : "sim";
}

static Status subject_of(const Problem *problem, const Submission *submission, Digest *subject, Message *why)
{
    Hash hash;
    Digest edition;
    hash_begin(&hash);
    hash_add_string(&hash, CONVJUDGE_VERSION);
    hash_add_string(&hash, submission->hash.hex);
    hash_add_string(&hash, problem->id);
    Status status = problem_edition(problem, &edition, why);
    if (status == STATUS_OK)
        hash_add_string(&hash, edition.hex);
    *subject = hash_end(&hash);
    return status;
}

Status opinion_ahead_make(const Problem *problem, const Submission *submission, const char *device,
                          JudgeFunction *judge, OpinionAhead *ahead, Message *why)
{
    OpinionProcess process = {0};
    *ahead = (OpinionAhead){0};
    const JudgeJob job = {.problem = problem,
                          .submission = submission,
                          .secret = &ahead->secret,
                          .device = device,
                          .untimed_only = true,
                          .is_opinion = true};
    if ((size_t)snprintf(ahead->device, sizeof ahead->device, "%s", device) >= sizeof ahead->device)
        return fail(STATUS_BAD_INPUT, why, "the name of the simulated GPU is too long: %.80s...", device);
    Status status = subject_of(problem, submission, &ahead->subject, why);
    if (status == STATUS_OK)
        status = key_new(&ahead->secret, why);
    if (status == STATUS_OK)
        status = opinion_process_start(&job, judge, &process, why);
    if (status == STATUS_OK && !opinion_process_await(&process, now_s() + LONGEST_S, &ahead->answer))
        status = fail(STATUS_BUSY, why, "no second opinion within %d s", LONGEST_S);
    opinion_process_stop(&process);
    return status;
}

/* Stands behind the opinion in its file: what is damaged there is no opinion. */
static Digest sum_of(const OpinionAhead *ahead)
{
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, ahead, sizeof *ahead);
    return hash_end(&hash);
}

Status opinion_ahead_write(const char *path, const OpinionAhead *ahead, Message *why)
{
    char part[PATH_MAX];
    Text bytes = {0};
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the name is too long", path);
    const Digest sum = sum_of(ahead);
    text_append(&bytes, (const char *)ahead, sizeof *ahead);
    text_append(&bytes, (const char *)&sum, sizeof sum);
    Status status = text_write_file(part, &bytes, why);
    text_free(&bytes);
    if (status == STATUS_OK && rename(part, path) != 0)
        return fail_errno(why, "%s", path);
    return status;
}

bool opinion_ahead_read(const char *path, const Problem *problem, const Submission *submission, OpinionAhead *ahead)
{
    Text bytes = {0};
    Digest subject, sum;
    Message ignored;
    bool fits = text_read_file(path, sizeof *ahead + sizeof sum, &bytes, &ignored) == STATUS_OK &&
                bytes.length == sizeof *ahead + sizeof sum &&
                subject_of(problem, submission, &subject, &ignored) == STATUS_OK;
    if (fits) {
        memcpy(ahead, bytes.data, sizeof *ahead);
        sum = sum_of(ahead);
        fits = memcmp(bytes.data + sizeof *ahead, &sum, sizeof sum) == 0 &&
               memcmp(&ahead->subject, &subject, sizeof subject) == 0;
    }
    text_free(&bytes);
    return fits;
}
