/* Runs each launch twice from the same memory by one worker, first interpreted and then translated. Everything must be
 * the same, also the sums of atomic operations. Of a launch that is stopped, only the outcome must be the same.  */

#include "base/arena.h"
#include "simgpu/gpu.h"
#include "simgpu/launch.h"
#include "simgpu/memory/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a launch changes --------------------------------------------------------------------------------------- */

typedef struct AllocationState {
    unsigned char *contents;
    uint8_t *written;   /* Allocation.written */
    uint8_t *from_host; /* Allocation.from_host */
    uint64_t l2_low, l2_end;
    bool kernel_wrote;
} AllocationState;

typedef struct Snapshot {
    AllocationState *allocations; /* [count] */
    int count;
    size_t output_length;
    uint64_t output_lost;
    char output[OUTPUT_BYTES];
} Snapshot;

static void *copy_of(const void *bytes, size_t count)
{
    return bytes == NULL ? NULL : memcpy(allocated(malloc(count)), bytes, count);
}

static Snapshot *snapshot_new(const SimGpu *gpu)
{
    Snapshot *snapshot = zeroed(1, sizeof *snapshot);
    snapshot->count = gpu->memory.count;
    snapshot->allocations = zeroed((size_t)snapshot->count, sizeof *snapshot->allocations);
    for (int i = 0; i < snapshot->count; i++) {
        Allocation *allocation = &gpu->memory.allocations[i];
        origin_make_map(allocation);
        snapshot->allocations[i] = (AllocationState){
            .contents = copy_of((const void *)allocation->address, allocation->bytes),
            .written = copy_of(allocation->written, allocation->bytes),
            .from_host = copy_of(allocation->from_host, allocation->bytes),
            .l2_low = allocation->l2_low,
            .l2_end = allocation->l2_end,
            .kernel_wrote = allocation->kernel_wrote};
    }
    snapshot->output_length = gpu->output.length;
    snapshot->output_lost = gpu->output.lost;
    memcpy(snapshot->output, gpu->output.text, gpu->output.length);
    return snapshot;
}

static void snapshot_restore(const Snapshot *snapshot, SimGpu *gpu)
{
    for (int i = 0; i < snapshot->count; i++) {
        Allocation *allocation = &gpu->memory.allocations[i];
        const AllocationState *state = &snapshot->allocations[i];
        memcpy((void *)allocation->address, state->contents, allocation->bytes);
        free(allocation->written);
        allocation->written = copy_of(state->written, allocation->bytes);
        free(allocation->from_host);
        allocation->from_host = copy_of(state->from_host, allocation->bytes);
        allocation->l2_low = state->l2_low;
        allocation->l2_end = state->l2_end;
        allocation->kernel_wrote = state->kernel_wrote;
    }
    gpu->output.length = snapshot->output_length;
    gpu->output.lost = snapshot->output_lost;
}

static void snapshot_free(Snapshot *snapshot)
{
    for (int i = 0; i < snapshot->count; i++) {
        free(snapshot->allocations[i].contents);
        free(snapshot->allocations[i].written);
        free(snapshot->allocations[i].from_host);
    }
    free(snapshot->allocations);
    free(snapshot);
}

/* ---- differences: true where one was found, and described ---------------------------------------------------- */

typedef struct MemoryWords {
    char *text;
    size_t size;
} MemoryWords;

static bool numbers_differ(const MemoryWords *words, const char *what, uint64_t interpreted, uint64_t translated)
{
    if (interpreted == translated)
        return false;
    snprintf(words->text, words->size, "%s: %llu interpreted, %llu translated", what, (unsigned long long)interpreted,
             (unsigned long long)translated);
    return true;
}

static bool texts_differ(const MemoryWords *words, const char *what, const char *interpreted, const char *translated)
{
    if (strcmp(interpreted, translated) == 0)
        return false;
    snprintf(words->text, words->size, "%s: '%.90s' interpreted, '%.90s' translated", what, interpreted, translated);
    return true;
}

static bool counters_differ(const MemoryWords *words, const SimCounters *interpreted, const SimCounters *translated)
{
#define COUNTER(NAME, UNIT)                                                                                            \
    if (numbers_differ(words, #NAME, interpreted->NAME, translated->NAME))                                             \
        return true;
#include "simgpu/cost/counters.def"
    return false;
}

static bool findings_differ(const MemoryWords *words, const SimReport *interpreted, const SimReport *translated)
{
    if (numbers_differ(words, "findings", interpreted->finding_count, translated->finding_count) ||
        numbers_differ(words, "findings beyond those", interpreted->findings_more, translated->findings_more))
        return true;
    for (uint32_t i = 0; i < interpreted->finding_count; i++) {
        const SimFault *one = &interpreted->findings[i].where, *other = &translated->findings[i].where;
        if (texts_differ(words, "a finding", one->text, other->text) ||
            numbers_differ(words, "times of a finding", one->lanes, other->lanes))
            return true;
    }
    return false;
}

static bool lines_differ(const MemoryWords *words, const SimReport *interpreted, const SimReport *translated)
{
    for (size_t i = 0; i < interpreted->line_count; i++) {
        const SimLine *one = &interpreted->lines[i], *other = &translated->lines[i];
        if (counters_differ(words, &one->counters, &other->counters))
            return true;
#define LINE_COUNTER(NAME, UNIT)                                                                                       \
    if (numbers_differ(words, #NAME " of a line", one->NAME, other->NAME))                                             \
        return true;
#include "simgpu/cost/counters.def"
    }
    return false;
}

static bool reports_differ(const MemoryWords *words, const SimReport *interpreted, const SimReport *translated)
{
    return counters_differ(words, &interpreted->counters, &translated->counters) ||
           numbers_differ(words, "instructions of the longest warp", interpreted->longest.instructions,
                          translated->longest.instructions) ||
           numbers_differ(words, "modelled time, ps", (uint64_t)(interpreted->modelled_s * 1e12),
                          (uint64_t)(translated->modelled_s * 1e12)) ||
           texts_differ(words, "fault", interpreted->fault.text, translated->fault.text) ||
           texts_differ(words, "watched load", interpreted->watched_load, translated->watched_load) ||
           numbers_differ(words, "watched store", interpreted->watched_store, translated->watched_store) ||
           findings_differ(words, interpreted, translated) || lines_differ(words, interpreted, translated);
}

static bool bytes_differ(const MemoryWords *words, const char *what, const char *label,
                         const unsigned char *interpreted, const unsigned char *translated, uint64_t bytes)
{
    if (interpreted == NULL || translated == NULL || memcmp(interpreted, translated, bytes) == 0)
        return false;
    uint64_t i = 0;
    while (interpreted[i] == translated[i])
        i++;
    snprintf(words->text, words->size, "%s, byte %llu of %s: %u interpreted, %u translated", what,
             (unsigned long long)i, label[0] != '\0' ? label : "an allocation", interpreted[i], translated[i]);
    return true;
}

/* Compares with the memory of `gpu`, as the translation left it. */
static bool memory_differs(const MemoryWords *words, const Snapshot *interpreted, const SimGpu *gpu)
{
    for (int i = 0; i < interpreted->count; i++) {
        const AllocationState *one = &interpreted->allocations[i];
        const Allocation *other = &gpu->memory.allocations[i];
        if (bytes_differ(words, "memory", other->label, one->contents, (const unsigned char *)other->address,
                         other->bytes) ||
            bytes_differ(words, "what is written", other->label, one->written, other->written, other->bytes) ||
            bytes_differ(words, "what is the host's", other->label, one->from_host, other->from_host, other->bytes) ||
            numbers_differ(words, "an allocation was written all over", one->written == NULL, other->written == NULL) ||
            numbers_differ(words, "a kernel wrote an allocation", one->kernel_wrote, other->kernel_wrote))
            return true;
    }
    return numbers_differ(words, "printed bytes", interpreted->output_length, gpu->output.length) ||
           bytes_differ(words, "output", "printf", (const unsigned char *)interpreted->output,
                        (const unsigned char *)gpu->output.text, interpreted->output_length);
}

/* ---- both engines ------------------------------------------------------------------------------------------------ */

static bool engines_differ(const MemoryWords *words, const SimGpu *gpu, const SimReport *interpreted,
                           const Snapshot *after, const SimReport *translated)
{
    if (numbers_differ(words, "outcome", interpreted->outcome, translated->outcome))
        return true;
    if (interpreted->outcome == SIM_ENDLESS || interpreted->outcome == SIM_TIME_LIMIT ||
        interpreted->outcome == SIM_CANCELLED)
        return false;
    return reports_differ(words, interpreted, translated) || memory_differs(words, after, gpu);
}

void launch_compared(SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    char difference[sizeof report->fault.text - 160];
    if (launch->function->code.uses_heap) { /* malloc() gives other addresses in each run */
        launch_run(gpu, launch, &(LaunchHow){.interprets = false}, report);
        return;
    }
    cooperative_reserve(gpu, launch); /* no launch may add an allocation to those of `before` */
    Snapshot *before = snapshot_new(gpu);
    SimReport interpreted;
    launch_run(gpu, launch, &(LaunchHow){.interprets = true}, &interpreted);
    SimLine *lines = gpu->lines;
    gpu->lines = NULL; /* or else the next launch would free them */
    Snapshot *after = snapshot_new(gpu);
    snapshot_restore(before, gpu);
    launch_run(gpu, launch, &(LaunchHow){.interprets = false}, report);
    if (engines_differ(&(MemoryWords){difference, sizeof difference}, gpu, &interpreted, after, report)) {
        report->outcome = SIM_ENGINES_DIFFER;
        snprintf(report->fault.text, sizeof report->fault.text, "kernel %.80s: the engines differ: %s",
                 launch->function->plain_name, difference);
    }
    snapshot_free(before);
    snapshot_free(after);
    free(lines);
}
