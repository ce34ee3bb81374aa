#include "harness/control/control.h"

#include "harness/sandbox/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

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
