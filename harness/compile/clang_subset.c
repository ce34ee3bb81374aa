#include "harness/compile/clang_subset.h"

#include "harness/compile/compile_report.h"

#include <stdio.h>
#include <string.h>

#define WITHOUT "clang compiles a subset of CUDA without"

/* What CUDA's headers that are not in harness/cuda/ belong to, by the beginnings of their names. */
static const struct {
    const char *header, *part;
} parts[] = {
    {"cub/", "CUB"},
    {"thrust/", "Thrust"},
    {"cuda/", "libcu++"},
    {"nv/", "libcu++"},
    {"cooperative_groups", "cooperative groups"},
    {"cuda_awbarrier", "barrier objects"},
    {"cuda_pipeline_helpers", "the helpers of pipelines"},
    {"cuda_fp16.hpp", "the internal headers of CUDA"},
    {"cuda_bf16.hpp", "the internal headers of CUDA"},
    {"cuda_fp4", "numbers of 8 bits and less"},
    {"cuda_fp6", "numbers of 8 bits and less"},
    {"cuda_fp8", "numbers of 8 bits and less"},
    {"crt/", "the internal headers of CUDA"},
    {"fatbinary_section.h", "the internal headers of CUDA"},
    {"cudart_platform.h", "the internal headers of CUDA"},
    {"cuComplex.h", "complex numbers"},
    {"cuda_occupancy.h", "the calculator of occupancy"},
    {"curand", "cuRAND"},
    {"cufft", "cuFFT"},
    {"cublas", "cuBLAS"},
    {"nvblas", "cuBLAS"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},
    {"cupti", "CUPTI"},
    {"nvperf", "CUPTI"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvjpeg", "nvJPEG"},
    {"nvrtc.h", "NVRTC"},
    {"nvJitLink.h", "nvJitLink"},
    {"nvvm.h", "NVVM"},
    {"nvml.h", "NVML"},
    {"nvtx3/", "NVTX"},
    {"nvToolsExt", "NVTX"},
    {"nv_decode.h", "the decoder of symbols"},
    {"library_types.h", "the types of NVIDIA's libraries"},
    {"cudalibxt.h", "the types of NVIDIA's libraries"},
    {"cudaProfiler", "the driver's profiler"},
    {"cudaTypedefs.h", "the types of the driver's functions"},
    {"cudaGL", "OpenGL"},
    {"cuda_gl_interop.h", "OpenGL"},
    {"cudaEGL", "EGL"},
    {"cuda_egl_interop.h", "EGL"},
    {"cudaVDPAU", "VDPAU"},
    {"cuda_vdpau_interop.h", "VDPAU"},
    {"generated_", "the internal headers of CUDA"},
};

/* The part of CUDA that a header belongs to, and its name: from "x.cu:3:10: fatal error: 'device_monitor.h' file not found". NULL if
 * the first error is another one. */
static const char *missing_part(const Text *output, const char **header, size_t *header_length)
{
    size_t length;
    const char *line = report_first_error(output, &length);
    const char *end = line != NULL ? memmem(line, length, "' file not found", 16) : NULL;
    const char *quote = end != NULL ? memrchr(line, '\'', (size_t)(end - line)) : NULL;
    if (quote == NULL)
        return NULL;
    *header = quote + 1;
    *header_length = (size_t)(end - *header);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(*header, parts[i].header, strlen(parts[i].header)) == 0)
            return parts[i].part;
    return NULL;
}

/* What clang's code generator says when the GPU has neither an instruction for a function of C nor a library with it:
 * "error: no libcall available for facos", in some versions only the first sign, in others only the second. */
static const char no_function[] = "no libcall available for f", no_code[] = "error in backend: Cannot select";

static bool generator_failed(const Text *output)
{
    return strstr(output->data, no_function) != NULL || strstr(output->data, no_code) != NULL;
}

bool subset_is_refusal(const Text *output)
{
    size_t length;
    const char *header, *line = report_first_error(output, &length);
    return (line != NULL && memmem(line, length, WITHOUT, strlen(WITHOUT)) != NULL) ||
           missing_part(output, &header, &length) != NULL || generator_failed(output);
}

bool subset_headline(const Text *output, const CompileJob *job, Text *diagnostics)
{
    size_t length;
    const char *header, *part = missing_part(output, &header, &length);
    const char *function = strstr(output->data, no_function);
    if (part != NULL)
        text_printf(diagnostics, "%s: %.*s is a header of %s: " WITHOUT " it\n", job->file_name, (int)length, header,
                    part);
    if (!generator_failed(output))
        return true;
    if (function != NULL)
        text_printf(diagnostics, "%s: a kernel calls the function %.*s(): " WITHOUT " it\n", job->file_name,
                    (int)strcspn(function + strlen(no_function), "\n"), function + strlen(no_function));
    else
        text_printf(diagnostics, "%s: a kernel needs an instruction that clang cannot make: " WITHOUT " it\n",
                    job->file_name);
    return false;
}

void subset_hint(const Text *output, const CompileJob *job, const Toolkit *toolkit, Text *diagnostics)
{
    static const char *const signs[] = {
        WITHOUT,     "file not found",  "to __host__ function", "use of undeclared identifier", "unknown type name",
        no_function, "error in backend"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(output->data, signs[i]) != NULL) {
            text_printf(diagnostics,
                        "%s: compiled by %s, which knows a subset of CUDA: no textures, cooperative "
                        "groups, nor NVIDIA's libraries; to have all of it: make toolchain\n",
                        job->file_name, toolkit->name);
            return;
        }
}
