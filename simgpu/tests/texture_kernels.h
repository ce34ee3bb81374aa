/* texture_kernels.h - runs the kernels of data/texture.cu, each one block of threads.  */
#ifndef SIMGPU_TESTS_TEXTURE_KERNELS_H
#define SIMGPU_TESTS_TEXTURE_KERNELS_H

#include "simgpu/tests/one_gpu.h"

static inline SimReport run(const char *kernel, const void *parameters, uint32_t threads)
{
    SimModule *module;
    SimReport report;
    SimLaunch launch = {.function = machine_read(gpu, "texture.ptx", kernel, &module),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {threads, 1, 1},
                        .parameters = parameters};
    simgpu_launch(gpu, &launch, &report);
    simgpu_module_unload(gpu, module);
    return report;
}

typedef struct Four {
    union {
        float number[4];
        uint32_t bits[4];
    };
} Four;

/* Lets a kernel read at `places` (floats, or integers for tex1Dfetch) into `values`, one place for each thread. */
static inline SimReport fetch(const char *kernel, uint64_t texture, const Four *places, Four *values, uint32_t threads)
{
    uint64_t from = machine_array(gpu, places, threads * sizeof *places);
    uint64_t to = machine_array(gpu, NULL, threads * sizeof *values);
    const uint64_t parameters[] = {texture, from, to};
    SimReport report = run(kernel, parameters, threads);
    memcpy(values, at(to), threads * sizeof *values);
    assert_true(simgpu_release(gpu, from) && simgpu_release(gpu, to));
    return report;
}

static inline void fetch_well(const char *kernel, uint64_t texture, const Four *places, Four *values, uint32_t threads)
{
    SimReport report = fetch(kernel, texture, places, values, threads);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", kernel, report.outcome, report.fault.text);
}

/* A CUDA array of floats with one channel, address mode wrap, and no filter. */
static inline SimTexture array_of(const float *texels, uint32_t dimensions, uint32_t width, uint32_t height,
                                  uint32_t depth)
{
    size_t bytes = (size_t)width * height * depth * sizeof *texels;
    return (SimTexture){.layout = SIM_TEXTURE_ARRAY,
                        .address = machine_array(gpu, texels, bytes),
                        .type = SIM_TEXEL_F32,
                        .channels = 1,
                        .dimensions = dimensions,
                        .extent = {width, height, depth},
                        .pitch = width * sizeof *texels,
                        .slice_bytes = (uint64_t)width * height * sizeof *texels};
}

static inline uint64_t made(const SimTexture *description)
{
    uint64_t texture = simgpu_texture_new(gpu, description);
    assert_true(texture != 0);
    return texture;
}

static inline void discard(uint64_t texture, const SimTexture *description)
{
    assert_true(simgpu_texture_free(gpu, texture));
    assert_true(simgpu_release(gpu, description->address));
}

#endif
