/* Fuzzes the reader of fatbins and of the machine code in them. The input is a file that a compiler might have made. */
#include "simgpu/ptx/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* In memory of its own, so that AddressSanitizer finds reads past its end. */
static void read_payload(const void *payload, size_t bytes, void read(const void *, size_t))
{
    void *copy = malloc(bytes + (bytes == 0));
    memcpy(copy, payload, bytes);
    read(copy, bytes);
    free(copy);
}

static void read_cubin(const void *cubin, size_t bytes)
{
    static const char *const kernels[] = {"convolve", "_Z8convolvePKfS0_Pfii", ""};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        cubin_registers(cubin, bytes, kernels[i]);
        cubin_loads_constants_uniformly(cubin, bytes, kernels[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    Fatbin fatbin;
    Message why;
    for (size_t at = 0, size; (size = fatbin_size(data + at, bytes - at)) != 0; at += size)
        if (size > bytes - at)
            abort();
    if (fatbin_read(data, bytes, 90, &fatbin, &why) == STATUS_OK && fatbin.cubin != NULL)
        read_payload(fatbin.cubin, fatbin.cubin_bytes, read_cubin);
    read_cubin(data, bytes);
    return 0;
}
