/* random.h - random bytes that nobody can guess: the poison of outputs, seeds, keys and tokens.
 *
 * Errors   STATUS_SYSTEM where the kernel gives none.
 * Source   getrandom(2): up to 256 bytes come at once, more may come in parts.  */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/status.h"

#include <stddef.h>

MUST_USE Status random_bytes(void *bytes, size_t count, Message *why);

#endif
