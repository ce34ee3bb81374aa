#include "grader/device_oracle/device_oracle.h"

#include "base/allocated.h"
#include "grader/device_oracle/oracle_process.h"
#include "harness/control/control.h"
#include "harness/sandbox/process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opening a device and compiling take 2 s; a check takes milliseconds on a GPU. */
enum { ANSWER_SECONDS = 120, MAX_POSTED = 16 };

struct DeviceOracle {
    const Problem *problem;
    char device[64];
    pid_t process; /* 0: it has ended */
    int exit_status;
    int control;
    int exchange;                         /* descriptor from the last answer; -1: none */
    OracleRequestKind posted[MAX_POSTED]; /* requests without an answer, oldest first */
    size_t posted_count;
};

/* --- the process -------------------------------------------------------------------------------------------------- */

static void end_process(DeviceOracle *oracle)
{
    if (oracle->process == 0)
        return;
    close(oracle->control);
    process_kill(oracle->process, &oracle->exit_status);
    oracle->process = 0;
    oracle->posted_count = 0;
}

static Status lost(DeviceOracle *oracle, Message *why)
{
    end_process(oracle);
    return fail(STATUS_SYSTEM, why,
                "the oracle on %s, the judge's process that checks outputs, ended unexpectedly (exit status %d)",
                oracle->device, oracle->exit_status);
}

static Status post(DeviceOracle *oracle, const OracleRequest *request, const int *descriptor, Message *why)
{
    if (oracle->process == 0)
        return lost(oracle, why);
    if (oracle->posted_count == MAX_POSTED)
        return fail(STATUS_BAD_INPUT, why, "the oracle on %s: more than %d requests at a time", oracle->device,
                    MAX_POSTED);
    if (!control_send(oracle->control, request, sizeof *request, NULL, 0, descriptor, descriptor == NULL ? 0 : 1))
        return lost(oracle, why);
    oracle->posted[oracle->posted_count++] = request->kind;
    return STATUS_OK;
}

static bool has_answered(const DeviceOracle *oracle)
{
    struct pollfd control = {.fd = oracle->control, .events = POLLIN};
    int ready;
    do
        ready = poll(&control, 1, ANSWER_SECONDS * 1000);
    while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* Receives the answer to the oldest request. */
static Status await(DeviceOracle *oracle, OracleReply *reply, Message *why)
{
    int descriptors[CONTROL_MAX_DESCRIPTORS];
    if (!has_answered(oracle)) {
        end_process(oracle);
        return fail(STATUS_SYSTEM, why, "the oracle on %s did not answer within %d s", oracle->device, ANSWER_SECONDS);
    }
    if (!control_receive(oracle->control, reply, sizeof *reply, NULL, 0, descriptors))
        return lost(oracle, why);
    oracle->exchange = descriptors[0];
    memmove(oracle->posted, oracle->posted + 1, --oracle->posted_count * sizeof *oracle->posted);
    return reply->status == STATUS_OK ? STATUS_OK : fail(reply->status, why, "%s", reply->why.text);
}

Status device_oracle_start(const Problem *problem, const char *device, int compute, DeviceOracle **oracle, Message *why)
{
    OracleRequest request = {.kind = ORACLE_PROBLEM, .revision = problem->revision, .compute = compute};
    DeviceOracle *started = allocated(calloc(1, sizeof *started));
    started->problem = problem;
    snprintf(started->device, sizeof started->device, "%s", device);
    snprintf(request.problem, sizeof request.problem, "%s", problem->id);
    Status status = control_start("oracle", started->device, &started->process, &started->control, why);
    if (status == STATUS_OK)
        status = post(started, &request, NULL, why);
    else
        started->process = 0;
    if (status == STATUS_OK)
        *oracle = started;
    else
        device_oracle_stop(started);
    return status;
}

void device_oracle_begin_stop(const DeviceOracle *oracle)
{
    if (oracle != NULL && oracle->process != 0)
        process_begin_kill(oracle->process);
}

void device_oracle_stop(DeviceOracle *oracle)
{
    if (oracle == NULL)
        return;
    end_process(oracle);
    free(oracle);
}

pid_t device_oracle_pid(const DeviceOracle *oracle)
{
    return oracle->process;
}

/* --- the case ---------------------------------------------------------------------------------------------------- */

/* False and errno: the memory could not be written. */
static bool written(int memory, const uint8_t *data, size_t bytes, size_t offset)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t step = pwrite(memory, data + done, bytes - done, (off_t)(offset + done));
        if (step < 0 && errno != EINTR)
            return false;
        done += step > 0 ? (size_t)step : 0;
    }
    return true;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

Status device_oracle_wait(DeviceOracle *oracle, OracleAnswer *answer, Message *why)
{
    Status status = oracle->process == 0 ? lost(oracle, why) : STATUS_OK;
    answer->seconds = 0;
    while (oracle->posted_count > 0) {
        OracleReply reply = {0};
        const OracleRequestKind kind = oracle->posted[0];
        Status one = await(oracle, &reply, status == STATUS_OK ? why : NULL);
        status = status == STATUS_OK ? one : status;
        if (one != STATUS_OK)
            continue;
        answer->seconds += reply.seconds;
        if (kind == ORACLE_CHECK) {
            answer->accepted = reply.accepted;
            answer->comparison = reply.comparison;
            answer->taken_s = reply.taken_s;
        }
    }
    return status;
}

Status device_oracle_ready(DeviceOracle *oracle, Message *why)
{
    OracleAnswer ignored;
    return device_oracle_wait(oracle, &ignored, why);
}

/* Puts the values that each call perturbs where the array of the call will lie; the process keeps a copy. */
static Status give_files(const DeviceOracle *oracle, const Testcase *testcase, int memory, const size_t *offsets,
                         Message *why)
{
    for (size_t i = 0; i < oracle->problem->parameter_count; i++) {
        const CaseSource *source = &testcase->sources[i];
        if (oracle->problem->parameters[i].role != ROLE_IN || source->kind != SOURCE_PERTURBED)
            continue;
        const size_t bytes = tensor_count(&source->literal) * element_bytes(source->literal.type);
        if (!written(memory, source->literal.data, bytes, offsets[i]))
            return fail_errno(why, "the oracle's view of a file");
    }
    return STATUS_OK;
}

Status device_oracle_case(DeviceOracle *oracle, const Testcase *testcase, int memory, size_t memory_bytes,
                          const size_t *offsets, int *exchange, Message *why)
{
    OracleRequest request = {
        .kind = ORACLE_CASE, .testcase = *testcase, .memory_bytes = memory_bytes, .through_host = exchange == NULL};
    for (size_t i = 0; i < oracle->problem->parameter_count; i++)
        if (oracle->problem->parameters[i].role != ROLE_SIZE)
            request.offsets[i] = offsets[i];
    Status status = device_oracle_ready(oracle, why);
    if (status == STATUS_OK)
        status = give_files(oracle, testcase, memory, offsets, why);
    if (status == STATUS_OK)
        status = post(oracle, &request, &memory, why);
    if (status == STATUS_OK)
        status = device_oracle_ready(oracle, why);
    if (exchange != NULL)
        *exchange = status == STATUS_OK ? oracle->exchange : -1;
    return status;
}

Status device_oracle_fill(DeviceOracle *oracle, const GeneratorKey *secret, Message *why)
{
    const OracleRequest request = {.kind = ORACLE_FILL, .secret = *secret};
    return post(oracle, &request, NULL, why);
}

Status device_oracle_check(DeviceOracle *oracle, Message *why)
{
    const OracleRequest request = {.kind = ORACLE_CHECK};
    return post(oracle, &request, NULL, why);
}
