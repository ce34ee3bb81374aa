#include "simgpu/gpu/touched.h"

#include "base/allocated.h"

#include <stdlib.h>

static void add(SimReport *report, SimTouched *list, const Touched *range, bool is_store)
{
    if (range->low < range->high)
        list[report->touched_count++] = (SimTouched){range->low, range->high - range->low, is_store};
}

void touched_report(SimGpu *gpu, const Touched *loaded, const Touched *stored, SimReport *report)
{
    free(gpu->touched);
    report->touched = gpu->touched = zeroed(2 * (size_t)gpu->memory.count, sizeof *gpu->touched);
    for (int i = 0; i < gpu->memory.count; i++) {
        add(report, gpu->touched, &loaded[i], false);
        add(report, gpu->touched, &stored[i], true);
    }
}
