/* fatbin.h - reads and writes the container in which nvcc stores PTX and machine code.
 *
 * The section .nv_fatbin of a shared object holds several fatbins one after the other. Each is a header and entries,
 * and each entry is a header and a payload: PTX text, or an ELF file of machine code (a cubin).
 *
 * Source   layout as observed in the output of nvcc 11 to 13; NVIDIA documents only that fatbins exist.  */
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

/* Bytes of the fatbin that starts at `image`, including its header; 0: there is none within `available` bytes. */
size_t fatbin_size(const void *image, size_t available);
/* Checks every length against `bytes`, since the image may be hostile. STATUS_BAD_INPUT: it is not a fatbin.
 * STATUS_UNSUPPORTED: all PTX for suitable architectures is compressed. A fatbin without PTX is valid: `ptx` is
 * NULL. */
MUST_USE Status fatbin_read(const void *image, size_t bytes, int compute, Fatbin *fatbin, Message *why);
/* Appends a fatbin with one PTX text for architecture `compute`, which fatbin_read() can read. */
void fatbin_write(const char *ptx, size_t bytes, int compute, Text *image);
/* 32-bit registers per thread of a kernel, given by its mangled name; 0: the cubin does not say. */
uint32_t cubin_registers(const void *cubin, size_t bytes, const char *kernel);
/* Bytes per thread of a kernel's local memory, with spilled registers; 0: the cubin does not say. */
uint32_t cubin_frame_bytes(const void *cubin, size_t bytes, const char *kernel);
/* Bytes of the stack that the kernel and its calls need, those of unknown depth left out; 0: unknown. */
uint32_t cubin_least_stack(const void *cubin, size_t bytes, const char *kernel);
/* Bytes of the stack that one call of a device function takes in the kernel. False where the function is not found, or
 * the machine language is not known. */
bool cubin_call_bytes(const void *cubin, size_t bytes, const char *kernel, const char *function, uint32_t *stack_bytes);
/* Whether the kernel's machine code loads __constant__ arrays through the uniform datapath (ULDC c[0x3][UR]). Only such
 * loads are slow on a long array (simgpu/cost/cost.c). */
bool cubin_loads_constants_uniformly(const void *cubin, size_t bytes, const char *kernel);

#endif
