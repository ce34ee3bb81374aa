/* watched.h - runs the kernels of data/watched.cu and looks at what the watch found.  */
#ifndef SIMGPU_TESTS_WATCHED_H
#define SIMGPU_TESTS_WATCHED_H

#include "simgpu/tests/machine.h"

enum { WATCHED_THREADS = 128, WATCHED_MAX_BLOCKS = 512, WATCHED_ELEMENTS = WATCHED_THREADS * WATCHED_MAX_BLOCKS };

/* A kernel of blocks of 128 threads on a machine of its own. The host fills the input with 0, 1, 2, ...; output and words
 * it fills with zeros, which count as written where `all_written` says so. */
static inline SimReport watched_run(const char *name, uint32_t blocks, int threads, uint32_t watch, bool all_written)
{
    static float numbers[WATCHED_ELEMENTS];
    SimGpu *gpu = machine_new(0, threads);
    SimModule *module;
    SimReport report;
    SimFunction *function = machine_read(gpu, "watched.ptx", name, &module);
    for (int i = 0; i < WATCHED_ELEMENTS; i++)
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
                        .shape.block = {WATCHED_THREADS, 1, 1},
                        .parameters = arrays,
                        .warp_instructions = 10000000,
                        .watch = watch};
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: outcome %d: %s", name, report.outcome, report.fault.text);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    return report;
}

/* What is expected of one kernel. */
typedef struct WatchedRow {
    const char *kernel;
    uint32_t blocks;
    SimFindingKind kind;
    uint64_t times;   /* that it was seen at the first place; 0: not looked at */
    const char *text; /* a part of the first finding's sentence */
} WatchedRow;

static inline void expect_finding(const WatchedRow *row, const SimReport *report)
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
