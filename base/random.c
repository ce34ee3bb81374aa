#include "base/random.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

Status random_bytes(void *bytes, size_t count, Message *why)
{
    uint8_t *to = bytes;
    while (count > 0) {
        const ssize_t got = getrandom(to, count, 0);
        if (got < 0 && errno != EINTR)
            return fail_errno(why, "the kernel gives no random numbers");
        to += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return STATUS_OK;
}
