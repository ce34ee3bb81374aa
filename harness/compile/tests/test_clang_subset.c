/* compile.c: which of clang's errors are about a part of CUDA that its subset lacks. */
#include "base/tests/unit.h"
#include "harness/compile/compile.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_refusal(const char *output)
{
    Text text = {0};
    text_add(&text, output);
    bool is = subset_is_refusal(&text);
    text_free(&text);
    return is;
}

static bool header_is_refused(const char *header)
{
    char output[200];
    snprintf(output, sizeof output, "submission.cu:2:10: fatal error: '%s' file not found\n", header);
    return is_refusal(output);
}

static bool header_is_there(const char *header)
{
    static const char *const aliases[] = {
#define ALIAS(name, header) name,
#include "harness/compile/aliases.def"
    };
    char here[200];
    struct stat found;
    bool is_alias = false;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        is_alias = is_alias || strcmp(aliases[i], header) == 0;
    snprintf(here, sizeof here, "harness/cuda/%s", header);
    return is_alias || stat(here, &found) == 0;
}

/* The headers of CUDA 13.0, and of its folders one each. */
static void each_header_of_cuda_is_there_or_refused(void **state)
{
    static const char *const headers[] = {
        "builtin_types.h",
        "channel_descriptor.h",
        "common_functions.h",
        "cooperative_groups.h",
        "cooperative_groups/reduce.h",
        "crt/device_functions.h",
        "cub/block/block_reduce.cuh",
        "cub/cub.cuh",
        "cuComplex.h",
        "cublasLt.h",
        "cublasXt.h",
        "cublas_v2.h",
        "cuda.h",
        "cuda/barrier",
        "cuda/pipeline",
        "cuda/ptx",
        "cuda/std/array",
        "cudaEGL.h",
        "cudaGL.h",
        "cudaProfiler.h",
        "cudaTypedefs.h",
        "cudaVDPAU.h",
        "cuda_awbarrier.h",
        "cuda_awbarrier_primitives.h",
        "cuda_bf16.h",
        "cuda_device_runtime_api.h",
        "cuda_egl_interop.h",
        "cuda_fp16.h",
        "cuda_fp16.hpp",
        "cuda_fp4.h",
        "cuda_fp6.h",
        "cuda_fp8.h",
        "cuda_gl_interop.h",
        "cuda_occupancy.h",
        "cuda_pipeline.h",
        "cuda_pipeline_helpers.h",
        "cuda_pipeline_primitives.h",
        "cuda_profiler_api.h",
        "cuda_runtime.h",
        "cuda_runtime_api.h",
        "cuda_stdint.h",
        "cuda_vdpau_interop.h",
        "cudalibxt.h",
        "cudart_platform.h",
        "cudnn.h",
        "cufft.h",
        "cufftw.h",
        "cupti.h",
        "curand.h",
        "curand_kernel.h",
        "cusolverDn.h",
        "cusparse.h",
        "device_atomic_functions.h",
        "device_double_functions.h",
        "device_functions.h",
        "device_launch_parameters.h",
        "device_types.h",
        "driver_functions.h",
        "driver_types.h",
        "fatbinary_section.h",
        "generated_cuda_meta.h",
        "host_config.h",
        "host_defines.h",
        "library_types.h",
        "math_constants.h",
        "math_functions.h",
        "mma.h",
        "nccl.h",
        "npp.h",
        "nv/target",
        "nvJitLink.h",
        "nv_decode.h",
        "nvblas.h",
        "nvjpeg.h",
        "nvml.h",
        "nvperf_host.h",
        "nvrtc.h",
        "nvtx3/nvToolsExt.h",
        "nvvm.h",
        "sm_20_atomic_functions.h",
        "sm_20_intrinsics.h",
        "sm_30_intrinsics.h",
        "sm_32_atomic_functions.h",
        "sm_32_intrinsics.h",
        "sm_35_atomic_functions.h",
        "sm_35_intrinsics.h",
        "sm_60_atomic_functions.h",
        "sm_61_intrinsics.h",
        "surface_indirect_functions.h",
        "surface_types.h",
        "texture_indirect_functions.h",
        "texture_types.h",
        "thrust/device_vector.h",
        "vector_functions.h",
        "vector_types.h",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (header_is_there(headers[i]) == header_is_refused(headers[i]))
            fail_test("%s: clang's subset should either have it or refuse it by name", headers[i]);
}

static void a_missing_header_of_somebody_else_is_an_ordinary_error(void **state)
{
    assert_false(header_is_refused("opencv2/opencv.hpp"));
    assert_false(header_is_refused("helper_cuda.h"));
    assert_false(header_is_refused("my_cub/cub.cuh"));
    assert_false(is_refusal("submission.cu:2:1: error: unknown type name 'x'\n"
                            "submission.cu:9:10: fatal error: 'cuda_fp8.h' file not found\n"));
}

static void a_function_without_device_code_is_named(void **state)
{
    static const char *const outputs[] = {
        "error: no libcall available for facos\n"
        "fatal error: error in backend: Cannot select: 0x55f0: ch = NVPTXISD::CALL\n",
        "error: no libcall available for facos\n1 error generated when compiling for sm_90.\n", /* clang 19 */
    };
    const CompileJob job = {.file_name = "x.cu"};
    const Toolkit toolkit = {.name = "clang 19.1.7"};
    for (size_t i = 0; i < COUNT_OF(outputs); i++) {
        Text text = {0}, lines = {0};
        assert_true(is_refusal(outputs[i]));
        text_add(&text, outputs[i]);
        assert_false(subset_headline(&text, &job, &lines));
        assert_string_equal(lines.data,
                            "x.cu: a kernel calls the function acos(): clang compiles a subset of CUDA without it\n");
        subset_hint(&text, &job, &toolkit, &lines);
        assert_non_null(strstr(lines.data, "make toolchain"));
        text_free(&text);
        text_free(&lines);
    }
}

/* A header, and the part of CUDA that it belongs to. */
static void the_name_of_a_header_is_shown_with_the_part_of_cuda(void **state)
{
    static const struct {
        const char *header, *part;
    } cases[] = {
        {"cub/cub.cuh", "CUB"},
        {"cuda_pipeline_helpers.h", "the helpers of pipelines"},
        {"cuda_fp8.h", "numbers of 8 bits and less"},
        {"crt/device_functions.h", "the internal headers of CUDA"},
        {"cuda_occupancy.h", "the calculator of occupancy"},
        {"nv_decode.h", "the decoder of symbols"},
        {"library_types.h", "the types of NVIDIA's libraries"},
        {"cudaProfiler.h", "the driver's profiler"},
        {"cudaTypedefs.h", "the types of the driver's functions"},
    };
    const CompileJob job = {.file_name = "x.cu"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Text text = {0}, line = {0};
        char expected[200];
        text_printf(&text, "submission.cu:2:10: fatal error: '%s' file not found\n", cases[i].header);
        assert_true(subset_headline(&text, &job, &line));
        snprintf(expected, sizeof expected, "x.cu: %s is a header of %s: clang compiles a subset of CUDA without it\n",
                 cases[i].header, cases[i].part);
        assert_string_equal(line.data, expected);
        text_free(&text);
        text_free(&line);
    }
}

static void what_the_code_generator_cannot_make_is_told_without_its_dump(void **state)
{
    const CompileJob job = {.file_name = "x.cu"};
    const Toolkit toolkit = {.name = "clang 14.0.6"};
    Text text = {0}, lines = {0};
    text_add(&text, "fatal error: error in backend: Cannot select: 0x55f0: ch = AtomicLoad\n");
    assert_false(subset_headline(&text, &job, &lines));
    subset_hint(&text, &job, &toolkit, &lines);
    assert_string_equal(lines.data,
                        "x.cu: a kernel needs an instruction that clang cannot make: clang compiles a subset of CUDA "
                        "without it\n"
                        "x.cu: compiled by clang 14.0.6, which knows a subset of CUDA: no textures, cooperative "
                        "groups, nor NVIDIA's libraries; to have all of it: make toolchain\n");
    text_free(&text);
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_header_of_cuda_is_there_or_refused),
        cmocka_unit_test(a_missing_header_of_somebody_else_is_an_ordinary_error),
        cmocka_unit_test(a_function_without_device_code_is_named),
        cmocka_unit_test(the_name_of_a_header_is_shown_with_the_part_of_cuda),
        cmocka_unit_test(what_the_code_generator_cannot_make_is_told_without_its_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
