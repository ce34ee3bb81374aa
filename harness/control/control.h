/* control.h - the socket between the grader and a process of the judge's own that has a device: the broker, or the
 * oracle.
 *
 * A packet (SOCK_SEQPACKET) is one message: a struct of fixed size, bytes of any number behind it, and descriptors.  */
#ifndef HARNESS_CONTROL_CONTROL_H
#define HARNESS_CONTROL_CONTROL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CONTROL_MAX_DESCRIPTORS = 3 };

/* Starts this program again as `subcommand DESCRIPTOR DEVICE`, where DESCRIPTOR is the other end of `*socket`. The
 * child dies with this process (process.h); process_kill() ends it sooner. */
MUST_USE Status control_start(const char *subcommand, const char *device, pid_t *child, int *socket, Message *why);

/* Sends `message`, then the bytes of `more` (none if NULL), in one packet. False if the other end is closed. */
bool control_send(int socket, const void *message, size_t bytes, const void *more, size_t more_bytes,
                  const int *descriptors, size_t descriptor_count);

/* Receives a message of exactly `bytes`, up to `more_size` bytes behind it, and descriptors (-1: none), which the
 * caller closes. False if the other end is closed, or sent a packet of another size. */
bool control_receive(int socket, void *message, size_t bytes, void *more, size_t more_size,
                     int descriptors[CONTROL_MAX_DESCRIPTORS]);
/* Closes the descriptors that are not -1. */
void control_close(const int descriptors[CONTROL_MAX_DESCRIPTORS]);

#endif
