#include "harness/device/cuda/cuda_fault.h"

#include "base/symbol.h"

#include <stdio.h>

/* After these errors a context is dead (CUDA Driver API, CUresult: "the context cannot be used"). */
static bool is_sticky(CudaError error)
{
    switch (error) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILURE:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return true;
    default: return false;
    }
}

static MistakeKind mistake_of(CudaError sticky)
{
    return sticky == CUDA_ERROR_ASSERT               ? MISTAKE_TRAP
           : sticky == CUDA_ERROR_MISALIGNED_ADDRESS ? MISTAKE_MISALIGNED
                                                     : MISTAKE_DEVICE_FAULT;
}

/* "convolve", or "one of the kernels fill, convolve", since the hardware does not say which of several it was. */
static void name_kernels(const CudaDevice *cuda, char *text, size_t size)
{
    char name[120];
    size_t length = (size_t)snprintf(text, size, "%s", cuda->last_kernel_count > 1 ? "one of the kernels " : "");
    if (cuda->last_kernel_count == 0)
        snprintf(text, size, "a kernel");
    for (unsigned i = 0; i < cuda->last_kernel_count && length < size; i++) {
        symbol_name(cuda->last_kernels[i], name, sizeof name);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", name);
    }
}

static void set_fault(CudaDevice *cuda, DeviceFaultKind kind, MistakeKind mistake, const char *what)
{
    char kernels[300];
    if (cuda->fault.kind != DEVICE_NO_FAULT)
        return;
    name_kernels(cuda, kernels, sizeof kernels);
    cuda->fault.kind = kind;
    cuda->fault.mistake.kind = mistake;
    snprintf(cuda->fault.text, sizeof cuda->fault.text, "%s: %s", kernels, what);
}

CudaError cuda_note(CudaDevice *cuda, CudaError error)
{
    if (!is_sticky(error) || cuda->sticky != CUDA_ERROR_SUCCESS)
        return error;
    char what[200];
    cuda->sticky = error;
    snprintf(what, sizeof what, "%s (the simulated GPU, DEVICE=sim, may show where)", cuda_error_text(error));
    set_fault(cuda, DEVICE_FAULT, mistake_of(error), what);
    return error;
}

CudaError cuda_time_is_up(CudaDevice *cuda)
{
    char what[100];
    snprintf(what, sizeof what, "still running after %g s", cuda->time_limit_s);
    set_fault(cuda, DEVICE_TIME_LIMIT, MISTAKE_KERNEL_TIME, what);
    cuda->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    return cuda->sticky;
}
