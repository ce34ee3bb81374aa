/* run_kernels.h - loads a module and launches every kernel in it, for fuzzers.  */
#ifndef TESTS_FUZZ_RUN_KERNELS_H
#define TESTS_FUZZ_RUN_KERNELS_H

#include "simgpu/lower/lowering.h"
#include "simgpu/tests/machine.h"

#include <stdio.h>

enum {
    ARRAYS = 3,
    ARRAY_BYTES = 16384,
    PARAMETER_BYTES = 4096,
    MOST_KERNELS = 8,
    MOST_DEVICE_BYTES = 8 << 20, /* of the module's variables, too */
    WARP_INSTRUCTIONS = 4000,
    TEXELS = 32
};

typedef struct Machine {
    SimGpu *gpu;
    uint64_t arrays[ARRAYS], texture, surface;
} Machine;

static uint64_t texture_over(SimGpu *gpu, uint64_t address, bool is_surface)
{
    const SimTexture description = {.layout = SIM_TEXTURE_ARRAY,
                                    .address = address,
                                    .type = SIM_TEXEL_F32,
                                    .channels = 1,
                                    .dimensions = 2,
                                    .extent = {TEXELS, TEXELS, 1},
                                    .pitch = TEXELS * sizeof(float),
                                    .slice_bytes = TEXELS * TEXELS * sizeof(float),
                                    .filters = true,
                                    .is_surface = is_surface};
    return simgpu_texture_new(gpu, &description);
}

static Machine machine(SimGpu *gpu)
{
    Machine made = {.gpu = gpu};
    for (int i = 0; i < ARRAYS; i++)
        made.arrays[i] = machine_array(gpu, NULL, ARRAY_BYTES);
    made.texture = texture_over(gpu, made.arrays[0], false);
    made.surface = texture_over(gpu, made.arrays[0], true);
    simgpu_set_memory_limit(gpu, MOST_DEVICE_BYTES);
    return made;
}

/* Pointers, or `object` and pointers, for what is as wide as a pointer; small sizes for the rest. */
static void fill_parameters(const Machine *on, const SimFunctionInfo *info, uint64_t object, unsigned char *to)
{
    unsigned pointers = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        uint32_t offset = info->parameter_offsets[i];
        uint64_t value = info->parameter_sizes[i] == 8 ? on->arrays[pointers++ % ARRAYS] : 5 + i;
        if (object != 0 && info->parameter_sizes[i] == 8 && pointers == 1)
            value = object;
        if (info->parameter_sizes[i] <= sizeof value && offset <= PARAMETER_BYTES - sizeof value)
            memcpy(to + offset, &value, info->parameter_sizes[i]);
    }
}

/* In memory of just their size, so that a read beyond them is found. */
static void launch(const Machine *on, SimFunction *function, uint64_t object, uint32_t flags)
{
    static const LaunchShape shapes[] = {
        {.grid = {2, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 1024},
        {.grid = {1, 2, 1}, .block = {8, 5, 2}, .dynamic_shared_bytes = 512},
    };
    static unsigned char filled[PARAMETER_BYTES];
    SimFunctionInfo info;
    SimReport report = {0};
    simgpu_function_info(function, &info);
    if (info.parameter_bytes > sizeof filled)
        return;
    memset(filled, 0, sizeof filled);
    fill_parameters(on, &info, object, filled);
    unsigned char *parameters = malloc(info.parameter_bytes + (info.parameter_bytes == 0));
    memcpy(parameters, filled, info.parameter_bytes);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        const SimLaunch asked = {.function = function,
                                 .shape = shapes[i],
                                 .parameters = parameters,
                                 .warp_instructions = WARP_INSTRUCTIONS,
                                 .flags = i == 0 ? flags : flags & SIM_COUNT_LINES,
                                 .watched_source = on->arrays[0],
                                 .watched_target = on->arrays[1],
                                 .is_untimed = i != 0};
        simgpu_launch(on->gpu, &asked, &report);
        if (report.outcome != SIM_OK && report.fault.text[0] == '\0')
            abort();
        if (strstr(report.fault.text, REGISTER_MISUSE) != NULL)
            abort(); /* simgpu/lower has let a wrong operand through */
    }
    if (memcmp(parameters, filled, info.parameter_bytes) != 0)
        abort(); /* a kernel has written into its parameters */
    free(parameters);
}

/* The next name of a kernel between `at` and `end`, where a zero byte stands. */
static bool next_kernel(const char **at, const char *end, char *name, size_t size)
{
    const char *entry = memmem(*at, (size_t)(end - *at), ".entry", strlen(".entry"));
    if (entry == NULL)
        return false;
    entry += strlen(".entry");
    entry += strspn(entry, " \t\n");
    size_t length = strcspn(entry, " \t\n(;{");
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), entry);
    *at = entry + length;
    return true;
}

/* Launches the first `most_kernels` of the image, PTX or a fatbin, behind which a zero byte stands. */
static void run_kernels(const Machine *on, const char *image, size_t bytes, int most_kernels, uint32_t flags)
{
    SimModule *module = NULL;
    Message why = {0};
    char name[256], printed[4096];
    uint64_t lost;
    if (simgpu_module_load(on->gpu, image, bytes, &module, &why) != STATUS_OK) {
        if (why.text[0] == '\0')
            abort();
        return;
    }
    const bool has_textures = memmem(image, bytes, "tex.", 4) != NULL || memmem(image, bytes, "tld4.", 5) != NULL;
    const bool has_surfaces = memmem(image, bytes, "suld.", 5) != NULL || memmem(image, bytes, "sust.", 5) != NULL;
    const char *at = image;
    for (int i = 0; i < most_kernels && next_kernel(&at, image + bytes, name, sizeof name); i++) {
        SimFunction *function = simgpu_function(module, name);
        if (function != NULL)
            launch(on, function,
                   has_surfaces && (!has_textures || i % 2 == 1) ? on->surface
                   : has_textures                                ? on->texture
                                                                 : 0,
                   flags);
    }
    simgpu_take_output(on->gpu, printed, sizeof printed, &lost);
    simgpu_module_unload(on->gpu, module);
}

#endif
