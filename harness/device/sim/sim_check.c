#include "harness/device/sim/sim_check.h"

#include "harness/device/sim/sim_mistake.h"

#include <stdio.h>

/* In a launch of more threads only a few blocks are checked, because the check takes time. */
static const uint64_t MAX_SANITIZED_THREADS = 1 << 16;
/* If a call launches a kernel again and again, checking the first launches is enough. */
static const uint32_t MAX_SANITIZED_LAUNCHES = 64;

/* Of what belongs to every other block. */
static uint8_t odd_byte(uint8_t byte)
{
    switch (byte) {
    case DEVICE_LARGE_BYTE: return DEVICE_NAN_BYTE;
    case DEVICE_NAN_BYTE: return DEVICE_LARGE_BYTE;
    default: return byte;
    }
}

void sim_set_check(Device *device, DeviceCheck *check)
{
    SimDevice *sim = sim_of(device);
    sim->check = check;
    sim->sanitized_launches = 0;
    simgpu_set_compiles(sim->gpu, check == NULL || !check->is_secret);
    if (check != NULL) {
        const uint8_t byte = check->uninitialised_byte != 0 ? check->uninitialised_byte : SIM_UNINITIALISED_BYTE;
        simgpu_set_uninitialised_bytes(sim->gpu, byte, odd_byte(byte));
        simgpu_forget_released(sim->gpu); /* those were the judge's own */
    }
    for (size_t i = 0; check != NULL && i < check->array_count; i++) {
        const DeviceNamed *array = &check->arrays[i];
        simgpu_name(sim->gpu, array->address, array->name, array->element_bytes);
        if (array->is_unwritten)
            simgpu_mark_unwritten(sim->gpu, array->address, array->bytes);
    }
}

uint32_t sim_launch_flags(SimDevice *sim, const LaunchShape *shape)
{
    uint32_t lines = sim->profile != NULL ? SIM_COUNT_LINES : 0;
    uint64_t threads = launch_block_count(shape) * launch_block_threads(shape);
    uint32_t sample = threads > MAX_SANITIZED_THREADS ? SIM_SANITIZE_SAMPLE : 0;
    bool sanitize = sim->check != NULL && sim->check->sanitize && sim->sanitized_launches < MAX_SANITIZED_LAUNCHES;
    sim->sanitized_launches += sanitize;
    return lines | (sanitize ? SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED | sample : 0);
}

bool sim_is_untimed(const SimDevice *sim)
{
    return sim->check != NULL && sim->check->is_untimed && !sim->has_timed_event && sim->profile == NULL;
}

/* Some findings need not change the result. Lanes of a warp that stays together run in order, though CUDA does not
 * promise it. A value that was never written, or that a shuffle takes from an inactive lane, may be thrown away; a
 * second run with other contents of uninitialised memory finds out. */
static bool can_change_results(SimFindingKind kind)
{
    switch (kind) {
    case SIM_RACE_OF_BLOCKS:
    case SIM_NO_FENCE:
    case SIM_RACE_OF_WARPS:
    case SIM_RACE_OF_LANES:
    case SIM_RACE_WITH_COPY:
    case SIM_RACE_WITH_PRODUCT:
    case SIM_UNWAITED_PRODUCT:
    case SIM_UNFENCED_PRODUCT:
    case SIM_NO_PROXY_FENCE:
    case SIM_RACE_IN_CLUSTER:
    case SIM_OUTSIDE_VARIABLE: return true;
    case SIM_RACE_IN_WARP:
    case SIM_UNINITIALISED:
    case SIM_UNSET_VARIABLE:
    case SIM_BAD_SHUFFLE:
    case SIM_MIXED_BARRIERS:
    case SIM_FINDING_KINDS: return false;
    }
    return false;
}

static void add_finding(DeviceFindings *findings, const SimFinding *finding)
{
    if (findings->count == DEVICE_MAX_FINDINGS) {
        findings->more++;
        return;
    }
    DeviceFinding *item = &findings->items[findings->count++];
    item->is_undefined = finding->kind == SIM_UNINITIALISED || finding->kind == SIM_UNSET_VARIABLE ||
                         finding->kind == SIM_BAD_SHUFFLE;
    item->is_unwritten = finding->kind == SIM_UNINITIALISED || finding->kind == SIM_UNSET_VARIABLE;
    item->is_global = finding->where.space == SIM_GLOBAL;
    item->mistake = sim_mistake_of_finding(finding);
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
        sim->fault.mistake = sim_mistake_of_finding(finding);
        sim->sticky = CUDA_ERROR_LAUNCH_FAILURE;
        snprintf(sim->fault.text, sizeof sim->fault.text, "%s", finding->where.text);
    }
    sim->check->findings.more += report->findings_more;
}
