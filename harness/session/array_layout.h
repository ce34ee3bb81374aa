/* array_layout.h - where the arrays of a call lie in the memory that they share: each begins on a page of its own.  */
#ifndef HARNESS_SESSION_ARRAY_LAYOUT_H
#define HARNESS_SESSION_ARRAY_LAYOUT_H

#include "harness/session/session.h"

enum { ARRAY_PAGE_BYTES = 4096 };

static inline bool argument_is_array(const SessionArgument *argument)
{
    return argument->role != ARGUMENT_VALUE;
}

/* Lays the arrays out from `first_offset` on. Returns the offset of the first byte behind them all. */
static inline size_t array_layout(const SessionArgument *arguments, size_t count, size_t first_offset,
                                  size_t offsets[CALL_MAX_PARAMETERS])
{
    size_t offset = first_offset;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = offset;
        if (argument_is_array(&arguments[i]))
            offset += (arguments[i].bytes + ARRAY_PAGE_BYTES - 1) / ARRAY_PAGE_BYTES * ARRAY_PAGE_BYTES;
    }
    return offset;
}

#endif
