/* device_addresses.h - the range of virtual addresses in which all device memory lies.
 *
 * The broker allocates device memory only in [DEVICE_BASE, DEVICE_BASE + DEVICE_SPAN); in the runner nothing but managed
 * memory lies there. So an address alone tells, in both processes, whether it means device or host
 * memory. */
#ifndef HARNESS_PROTOCOL_DEVICE_ADDRESSES_H
#define HARNESS_PROTOCOL_DEVICE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_BASE 0x200000000000ull
#define DEVICE_SPAN (1ull << 38)

static inline bool is_in_device_range(uint64_t address)
{
    return address - DEVICE_BASE < DEVICE_SPAN;
}

#endif
