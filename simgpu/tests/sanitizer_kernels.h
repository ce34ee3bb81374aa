/* sanitizer_kernels.h - runs the kernels of data/sanitizer.cu and its like, and compares what the sanitizer found.  */
#ifndef SIMGPU_TESTS_SANITIZER_KERNELS_H
#define SIMGPU_TESTS_SANITIZER_KERNELS_H

#include "simgpu/tests/machine.h"

enum {
    SANITIZER_THREADS = 128,
    SANITIZER_MAX_BLOCKS = 512,
    SANITIZER_ELEMENTS = SANITIZER_THREADS * SANITIZER_MAX_BLOCKS
};

/* A kernel of blocks of 128 threads on a machine of its own. The host fills the input with 0, 1, 2, ...; output and
 * words it fills with zeros, which count as written where `all_written` says so. */
static inline SimReport sanitizer_run_of(const char *file, const char *name, uint32_t blocks, int threads,
                                         uint32_t flags, bool all_written, const Chacha20Key *sample_key)
{
    static float numbers[SANITIZER_ELEMENTS];
    SimGpu *gpu = machine_new(0, threads);
    SimModule *module;
    SimReport report;
    SimFunction *function = machine_read(gpu, file, name, &module);
    for (int i = 0; i < SANITIZER_ELEMENTS; i++)
        numbers[i] = (float)i;
    const uint64_t arrays[] = {machine_array(gpu, numbers, sizeof numbers), machine_array(gpu, NULL, sizeof numbers),
                               machine_array(gpu, NULL, sizeof numbers)};
    const char *const names[] = {"input", "output", "words"};
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        simgpu_name(gpu, arrays[i], names[i], sizeof(float));
        if (i == 0 || all_written)
            simgpu_mark_written(gpu, arrays[i], sizeof numbers);
    }
    SimLaunch launch = {.function = function,
                        .shape.grid = {blocks, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .parameters = arrays,
                        .warp_instructions = 10000000,
                        .flags = flags,
                        .sample_key = sample_key};
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", name, report.outcome, report.fault.text);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    return report;
}

static inline SimReport sanitizer_run_sampled(const char *name, uint32_t blocks, int threads, uint32_t flags,
                                              bool all_written, const Chacha20Key *sample_key)
{
    return sanitizer_run_of("sanitizer.ptx", name, blocks, threads, flags, all_written, sample_key);
}

static inline SimReport sanitizer_run(const char *name, uint32_t blocks, int threads, uint32_t flags, bool all_written)
{
    return sanitizer_run_sampled(name, blocks, threads, flags, all_written, NULL);
}

/* What is expected of one kernel. */
typedef struct SanitizerRow {
    const char *kernel;
    uint32_t blocks;
    SimFindingKind kind;
    uint64_t times;   /* that it was seen at the first place; 0: not looked at */
    const char *text; /* a part of the first finding's sentence */
} SanitizerRow;

static inline void expect_finding(const SanitizerRow *row, const SimReport *report)
{
    const SimFinding *first = &report->findings[0];
    if (report->finding_count == 0)
        fail_test("%s: nothing was found", row->kernel);
    if (first->kind != row->kind || strstr(first->where.text, row->text) == NULL ||
        (row->times > 0 && first->where.lanes != row->times))
        fail_test("%s: kind %d, seen %llu times: %s", row->kernel, first->kind, (unsigned long long)first->where.lanes,
                  first->where.text);
}

static inline void expect_none(const char *kernel, const SimReport *report)
{
    if (report->finding_count > 0)
        fail_test("%s: %u findings: %s", kernel, report->finding_count, report->findings[0].where.text);
}

#endif
