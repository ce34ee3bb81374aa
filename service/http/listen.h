/* listen.h - sockets that listen.  */
#ifndef SERVICE_HTTP_LISTEN_H
#define SERVICE_HTTP_LISTEN_H

#include "base/status.h"

#include <stddef.h>
#include <sys/types.h>

/* A Unix socket with these permissions, in place of one that nobody listens on any more. */
MUST_USE Status listen_unix(const char *path, mode_t mode, int *listening, Message *why);

/* "127.0.0.1:8080", "[::1]:8080" or "localhost:0", where 0 takes any free port. `found` becomes the address in numbers. */
MUST_USE Status listen_address(const char *address, int *listening, char *found, size_t found_bytes, Message *why);

#endif
