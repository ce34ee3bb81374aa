#include "harness/broker/control.h"

#include "base/process.h"
#include "base/text.h"
#include "harness/device/execution_profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ==== control check =============================================================================================== */

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static bool lies_within(const ControlSpan *span, uint64_t bytes)
{
    return span->offset <= bytes && span->bytes <= bytes - span->offset;
}

/* An access past the end of shared memory would be a SIGBUS. */
static bool has_bytes(int descriptor, uint64_t bytes)
{
    struct stat facts;
    return descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size >= bytes;
}

static bool is_duration(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

/* A bool whose byte is neither 0 nor 1 could be both true and false. */
static bool are_flags(const bool *const *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*(const unsigned char *)flags[i] > 1)
            return false;
    return true;
}
#define ARE_FLAGS(...)                                                                                                 \
    are_flags((const bool *const[]){__VA_ARGS__}, sizeof(const bool *[]){__VA_ARGS__} / sizeof(bool *))

static bool is_order(const DeviceOrder *order)
{
    return order->kind <= DEVICE_ORDER_DRAWN && ARE_FLAGS(&order->is_exact);
}

static bool is_valid_load(const ControlRequest *request, const int *descriptors)
{
    if (request->module_count > CONTROL_MAX_MODULES || !has_bytes(descriptors[1], request->memory_bytes) ||
        !is_duration(request->limits.host_seconds) || !is_duration(request->limits.device_seconds) ||
        !is_duration(request->seconds_left))
        return false;
    for (uint32_t i = 0; i < request->module_count; i++)
        if (!lies_within(&request->modules[i], request->memory_bytes))
            return false;
    return true;
}

/* A probe reads its array as 32-bit words. */
static bool may_be_probed(const ControlArgument *argument)
{
    return argument->role == ARGUMENT_INPUT && argument->span.offset % sizeof(uint32_t) == 0;
}

static bool is_valid_argument(const ControlArgument *argument, uint64_t buffer_bytes)
{
    return ARE_FLAGS(&argument->float_output, &argument->probed) && argument->role <= ARGUMENT_VALUE &&
           text_is_terminated(argument->name, sizeof argument->name) && lies_within(&argument->span, buffer_bytes) &&
           argument->span.bytes + argument_result_offset(argument->role, argument->span.bytes) <=
               buffer_bytes - argument->span.offset &&
           (!argument->probed || may_be_probed(argument));
}

static bool is_valid_call(const ControlRequest *request, const ControlState *state)
{
    uint32_t probed = 0;
    if (!ARE_FLAGS(&request->check_inputs, &request->exchanged, &request->sanitize, &request->is_untimed,
                   &request->samples_blocks, &request->is_secret, &request->repeats_addresses) ||
        !is_order(&request->order))
        return false;
    if (request->argument_count > CALL_MAX_PARAMETERS || (request->exchanged && !state->has_exchange) ||
        !is_duration(request->seconds_left))
        return false;
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (!is_valid_argument(&request->arguments[i], state->buffer_bytes))
            return false;
        probed += request->arguments[i].probed;
    }
    return probed <= (state->is_simulated ? 1 : 0);
}

bool control_request_is_valid(const ControlRequest *request, const int descriptors[CONTROL_MAX_DESCRIPTORS],
                              const ControlState *state)
{
    switch (request->kind) {
    case CONTROL_OPEN: return !state->is_open;
    case CONTROL_LOAD: return state->is_open && !state->has_runner && is_valid_load(request, descriptors);
    case CONTROL_BUFFERS:
        return state->is_open && request->memory_bytes > 0 && has_bytes(descriptors[0], request->memory_bytes);
    case CONTROL_EXCHANGE: return state->is_open && descriptors[0] >= 0 && request->memory_bytes == state->buffer_bytes;
    case CONTROL_PROFILE:
        return state->is_open && state->is_simulated && request->memory_bytes == sizeof(ExecutionProfile) &&
               has_bytes(descriptors[0], request->memory_bytes);
    case CONTROL_CALL: return state->has_runner && is_valid_call(request, state);
    case CONTROL_RUNNER_GONE: return state->is_open;
    }
    return false; /* the number is not a ControlKind */
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

#define IS_TERMINATED(text) text_is_terminated(text, sizeof text)

static bool is_mistake(const Mistake *mistake)
{
    return mistake->kind < MISTAKE_KINDS && mistake->line >= 0 && mistake->side < MISTAKE_SIDES &&
           mistake->limit < LAUNCH_LIMIT_COUNT && IS_TERMINATED(mistake->array) && IS_TERMINATED(mistake->kernel) &&
           IS_TERMINATED(mistake->call);
}

static bool is_call_error(const CallError *error)
{
    return is_mistake(&error->mistake) && IS_TERMINATED(error->text);
}

static bool are_conflicts(const DeviceConflicts *conflicts)
{
    if (conflicts->count > DEVICE_MAX_CONFLICTS || !ARE_FLAGS(&conflicts->is_fault_unordered))
        return false;
    for (uint32_t i = 0; i < conflicts->count; i++) {
        const DeviceConflict *item = &conflicts->items[i];
        if (!is_mistake(&item->mistake) || !is_order(&item->order) ||
            !ARE_FLAGS(&item->is_race, &item->is_of_function) || !IS_TERMINATED(item->first.name) ||
            !IS_TERMINATED(item->second.name) || !IS_TERMINATED(item->place))
            return false;
    }
    return true;
}

static bool is_valid_report(const CallReport *report)
{
    if (report->findings.count > DEVICE_MAX_FINDINGS || report->printed.data != NULL)
        return false;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const DeviceFinding *item = &report->findings.items[i];
        if (!is_mistake(&item->mistake))
            return false;
        if (!IS_TERMINATED(item->text) || !ARE_FLAGS(&item->is_undefined, &item->is_unwritten, &item->is_global))
            return false;
    }
    if (report->output_origin > ORIGIN_HOST || !are_conflicts(&report->conflicts) ||
        !ARE_FLAGS(&report->allocation_refused, &report->input_changed, &report->output_copied,
                   &report->pending_at_return, &report->statistics.has_counters, &report->statistics.is_sample_unsound))
        return false;
    return report->outcome <= CALL_INTEGRITY_VIOLATION && report->phase <= PHASE_SOLVE &&
           is_mistake(&report->mistake) && is_call_error(&report->first_error) &&
           is_call_error(&report->not_provided) && report->direct_line >= 0 && IS_TERMINATED(report->text) &&
           IS_TERMINATED(report->direct_load) && IS_TERMINATED(report->statistics.limiter) &&
           IS_TERMINATED(report->statistics.longest);
}

bool control_reply_is_valid(const ControlReply *reply)
{
    const DeviceInfo *device = &reply->device;
    return reply->status <= STATUS_SYSTEM && IS_TERMINATED(reply->why.text) && IS_TERMINATED(device->handle) &&
           IS_TERMINATED(device->id) && IS_TERMINATED(device->name) && IS_TERMINATED(device->uuid) &&
           IS_TERMINATED(device->driver) && IS_TERMINATED(device->passed_over) && IS_TERMINATED(device->unconfined) &&
           ARE_FLAGS(&device->modelled, &device->calibrated, &device->pageable_access, &reply->runner_gone,
                     &reply->host_memory_refused, &reply->is_compiling) &&
           reply->printed_bytes <= CONTROL_MAX_PRINTED && is_valid_report(&reply->report);
}

/* ==== host clock ================================================================================================== */

bool host_clock_new(int *graders, int *brokers)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *graders = ends[0];
    *brokers = ends[1];
    return true;
}

static bool receive(int socket, void *message, size_t bytes)
{
    ssize_t received;
    do
        received = recv(socket, message, bytes, 0);
    while (received < 0 && errno == EINTR);
    return received == (ssize_t)bytes;
}

static bool is_known(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

bool host_clock_ask(int brokers, HostQuestion question, HostClock *clock)
{
    const uint8_t asked = (uint8_t)question;
    return brokers >= 0 && send(brokers, &asked, sizeof asked, MSG_NOSIGNAL) == sizeof asked &&
           receive(brokers, clock, sizeof *clock) && (question == HOST_ALL || is_known(clock->computed_s)) &&
           is_known(clock->used_s) && is_known(clock->delayed_s) && is_known(clock->judge_delayed_s);
}

bool host_clock_question(int graders, HostQuestion *question)
{
    uint8_t asked;
    if (!receive(graders, &asked, sizeof asked))
        return false;
    *question = asked == HOST_COMPUTED ? HOST_COMPUTED : HOST_ALL;
    return true;
}

bool host_clock_answer(int graders, HostClock clock)
{
    return send(graders, &clock, sizeof clock, MSG_NOSIGNAL) == sizeof clock;
}

/* The kernel adds up a wait for a core when it ends. So while somebody waits or runs, it is not known for how long the
 * process did nothing, and only its computing counts. */
double host_clock_own_s(const HostClock *before, const HostClock *after, double waited_s, bool silent)
{
    const double computed_s = fmax(after->used_s - before->used_s, 0);
    const double delayed_s = fmax(after->delayed_s - before->delayed_s, 0);
    const double judge_s = silent ? 0 : fmax(after->judge_delayed_s - before->judge_delayed_s, 0);
    return after->is_runnable ? computed_s : fmax(computed_s, waited_s - delayed_s - judge_s);
}

/* ==== control ===================================================================================================== */

Status control_start(const char *subcommand, const char *device, pid_t *child, int *socket, Message *why)
{
    int ends[2];
    char descriptor[16];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_errno(why, "%s: no socket can be made", subcommand);
    snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
    const char *const arguments[] = {"/proc/self/exe", subcommand, descriptor, device, NULL};
    const ProcessSpec spec = {.argv = arguments,
                              .environment = (const char *const *)environ,
                              .keep = &ends[1],
                              .keep_count = 1,
                              .output = STDERR_FILENO};
    Status status = process_start(&spec, child, why);
    close(ends[1]);
    if (status != STATUS_OK)
        close(ends[0]);
    *socket = ends[0];
    return status;
}

typedef union DescriptorSpace { /* aligned for a cmsghdr */
    struct cmsghdr head;
    char bytes[CMSG_SPACE(CONTROL_MAX_DESCRIPTORS * sizeof(int))];
} DescriptorSpace;

static void attach_descriptors(struct msghdr *packet, DescriptorSpace *space, const int *descriptors, size_t count)
{
    packet->msg_control = space->bytes;
    packet->msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *head = CMSG_FIRSTHDR(packet);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), descriptors, count * sizeof(int));
}

bool control_send(int socket, const void *message, size_t bytes, const void *more, size_t more_bytes,
                  const int *descriptors, size_t descriptor_count)
{
    struct iovec pieces[] = {{(void *)message, bytes}, {(void *)more, more_bytes}};
    struct msghdr packet = {.msg_iov = pieces, .msg_iovlen = 2};
    DescriptorSpace space = {0};
    if (descriptors != NULL)
        attach_descriptors(&packet, &space, descriptors, descriptor_count);
    ssize_t sent;
    do
        sent = sendmsg(socket, &packet, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)(bytes + more_bytes);
}

static void detach_descriptors(struct msghdr *packet, int descriptors[CONTROL_MAX_DESCRIPTORS])
{
    for (size_t i = 0; i < CONTROL_MAX_DESCRIPTORS; i++)
        descriptors[i] = -1;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(packet); head != NULL; head = CMSG_NXTHDR(packet, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(descriptors, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
}

bool control_receive(int socket, void *message, size_t bytes, void *more, size_t more_size,
                     int descriptors[CONTROL_MAX_DESCRIPTORS])
{
    struct iovec pieces[] = {{message, bytes}, {more, more_size}};
    DescriptorSpace space = {0};
    struct msghdr packet = {.msg_iov = pieces,
                            .msg_iovlen = more_size > 0 ? 2 : 1,
                            .msg_control = space.bytes,
                            .msg_controllen = sizeof space.bytes};
    ssize_t received;
    do
        received = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    detach_descriptors(&packet, descriptors);
    if (received >= (ssize_t)bytes && (packet.msg_flags & MSG_TRUNC) == 0)
        return true;
    control_close(descriptors);
    return false;
}

void control_close(const int descriptors[CONTROL_MAX_DESCRIPTORS])
{
    for (size_t i = 0; i < CONTROL_MAX_DESCRIPTORS; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}
