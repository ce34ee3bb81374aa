/* fatbin.h - reads and writes the container in which nvcc stores PTX and machine code.
 *
 * A shared object's section .nv_fatbin holds several fatbins one after the other; each is a header and entries, and
 * each entry is a header and a payload: PTX text, or an ELF file of machine code (a cubin).
 *
 * Source   layout as observed in the output of nvcc 11 to 13; NVIDIA documents only its existence.  */
#ifndef SIMGPU_PTX_FATBIN_H
#define SIMGPU_PTX_FATBIN_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Fatbin { /* pointers into the image */
    const char *ptx;    /* of the highest architecture not above `compute`; not terminated; NULL: none */
    size_t ptx_bytes;
    int ptx_compute;   /* 90 */
    const void *cubin; /* ELF of the highest architecture not above `compute`; NULL: none */
    size_t cubin_bytes;
} Fatbin;

/* Bytes of the fatbin that starts at `image` (header included), 0 where there is none within `available` bytes. */
size_t fatbin_size(const void *image, size_t available);
/* Every length is checked against `bytes`: the image may be hostile. STATUS_BAD_INPUT where it is no fatbin;
 * STATUS_UNSUPPORTED where all the PTX that would do is compressed. A fatbin without PTX is fine: `ptx` is NULL. */
MUST_USE Status fatbin_read(const void *image, size_t bytes, int compute, Fatbin *fatbin, Message *why);
/* Appends a fatbin of one PTX text for architecture `compute`, as fatbin_read() takes it. */
void fatbin_write(const char *ptx, size_t bytes, int compute, Text *image);
/* 32-bit registers a thread of one kernel (by mangled name), as the cubin says; 0 where it does not say. */
uint32_t cubin_registers(const void *cubin, size_t bytes, const char *kernel);
/* Does the kernel's machine code load __constant__ arrays through the uniform datapath (ULDC c[0x3][UR])? Only such
 * loads are slow on a long array; see cost.c. */
bool cubin_loads_constants_uniformly(const void *cubin, size_t bytes, const char *kernel);

#endif
