#include "harness/device/sim/sim_check.h"

#include <stdio.h>

/* A launch of more threads than this is not watched: the same kernel shows its races in a smaller one, and watching
 * takes longer. */
static const uint64_t MOST_WATCHED_THREADS = 1 << 16;
/* Of a call that launches a kernel again and again, the first ones show what there is. */
static const uint32_t MOST_WATCHED_LAUNCHES = 64;

void sim_set_check(Device *device, DeviceCheck *check)
{
    SimDevice *sim = sim_of(device);
    sim->check = check;
    sim->watched_launches = 0;
    if (check != NULL) {
        simgpu_set_uninitialised_byte(sim->gpu, check->uninitialised_byte != 0 ? check->uninitialised_byte
                                                                               : SIM_UNINITIALISED_BYTE);
        simgpu_forget_released(sim->gpu); /* the judge's own */
    }
    for (size_t i = 0; check != NULL && i < check->array_count; i++) {
        const DeviceNamed *array = &check->arrays[i];
        simgpu_name(sim->gpu, array->address, array->name, array->element_bytes);
        if (array->is_unwritten)
            simgpu_mark_unwritten(sim->gpu, array->address, array->bytes);
    }
}

uint32_t sim_launch_flags(SimDevice *sim, const DeviceLaunch *launch)
{
    uint32_t lines = sim->profile != NULL ? SIM_COUNT_LINES : 0;
    bool is_watched = sim->check != NULL && sim->check->is_watched && sim->watched_launches < MOST_WATCHED_LAUNCHES &&
                      launch_block_count(&launch->shape) * launch_block_threads(&launch->shape) <= MOST_WATCHED_THREADS;
    sim->watched_launches += is_watched;
    return lines | (is_watched ? SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED : 0);
}

bool sim_is_untimed(const SimDevice *sim)
{
    return sim->check != NULL && sim->check->is_untimed && !sim->has_timed_event && sim->profile == NULL;
}

/* Lanes of a warp that stays together are in order, though nothing promises it; what nothing has written may be read
 * and thrown away, and so may the value of a lane that takes no part in a shuffle: other contents will tell. */
static bool can_change_results(SimFindingKind kind)
{
    return kind == SIM_RACE_OF_BLOCKS || kind == SIM_RACE_OF_WARPS || kind == SIM_RACE_OF_LANES ||
           kind == SIM_RACE_WITH_COPY || kind == SIM_OUTSIDE_VARIABLE;
}

static void add_finding(DeviceFindings *findings, const SimFinding *finding)
{
    if (findings->count == DEVICE_MAX_FINDINGS) {
        findings->more++;
        return;
    }
    DeviceFinding *item = &findings->items[findings->count++];
    item->is_undefined = finding->kind == SIM_UNINITIALISED || finding->kind == SIM_BAD_SHUFFLE;
    item->is_unwritten = finding->kind == SIM_UNINITIALISED;
    item->is_global = finding->where.space == SIM_GLOBAL;
    snprintf(item->text, sizeof item->text, "%s", finding->where.text);
}

void sim_keep_findings(SimDevice *sim, const SimReport *report)
{
    if (sim->check == NULL)
        return;
    for (uint32_t i = 0; i < report->finding_count; i++) {
        const SimFinding *finding = &report->findings[i];
        if (!can_change_results(finding->kind) || sim->fault.kind != DEVICE_NO_FAULT) {
            add_finding(&sim->check->findings, finding);
            continue;
        }
        sim->fault.kind = DEVICE_FAULT;
        sim->sticky = CUDA_ERROR_LAUNCH_FAILURE;
        snprintf(sim->fault.text, sizeof sim->fault.text, "%s", finding->where.text);
    }
    sim->check->findings.more += report->findings_more;
}
