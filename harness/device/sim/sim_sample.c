#include "harness/device/sim/sim_sample.h"

#include "base/allocated.h"
#include "harness/device/sim/sim_conflict.h"

#include <stdlib.h>

/* Of one launch: what one core executes in about half a second, translated; and interpreted, as it is for a profile. */
static const uint64_t LANE_INSTRUCTIONS = 5000000000, INTERPRETED = 1000000000;

uint64_t sim_sample_limit(const SimDevice *sim)
{
    if (sim->check == NULL || !sim->check->samples_blocks)
        return 0;
    return sim->profile != NULL ? INTERPRETED : LANE_INSTRUCTIONS;
}

SimMarked sim_sample_marked(const SimDevice *sim)
{
    const DeviceCheck *check = sim->check;
    if (check == NULL || !check->samples_blocks)
        return (SimMarked){0};
    return (SimMarked){check->output_address, check->output_bytes, check->output_poison, DEVICE_POISON_WORDS};
}

/* Adds the whole allocation that these bytes lie in. */
static void add_allocation(SimDevice *sim, struct Touches **list, uint64_t address, uint64_t bytes)
{
    SimAllocation whole = {.address = address, .bytes = bytes};
    if (*list == NULL)
        *list = zeroed(1, sizeof **list);
    if (!simgpu_find(sim->gpu, address, 1, &whole))
        whole = (SimAllocation){.address = address, .bytes = bytes};
    touches_add(*list, whole.address, whole.bytes, true);
}

static bool overlaps(const Touches *list, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        if (address < list->ranges[i].end && list->ranges[i].begin < address + bytes)
            return true;
    return false;
}

static bool is_sample(const SimReport *report)
{
    return report->sampled_share < 1 && report->outcome == SIM_OK;
}

void sim_sample_check(SimDevice *sim, const SimReport *report)
{
    if (!is_sample(report))
        return;
    sim->statistics.is_sample_unsound |= sim->incomplete != NULL; /* one sample for each call */
    for (size_t i = 0; i < report->touched_count; i++) {
        const SimTouched *touched = &report->touched[i];
        if (touched->is_store && overlaps(sim->stored, touched->address, touched->bytes))
            sim->statistics.is_sample_unsound = true;
    }
}

void sim_sample_keep(SimDevice *sim, const SimReport *report)
{
    DeviceStatistics *statistics = &sim->statistics;
    if (!is_sample(report))
        return;
    statistics->sampled_share = report->sampled_share;
    statistics->sample_error = report->sample_error;
    statistics->drawn_share = report->drawn_share;
    statistics->certain_bytes = report->certain_bytes;
    for (size_t i = 0; i < report->touched_count; i++)
        if (report->touched[i].is_store)
            add_allocation(sim, &sim->incomplete, report->touched[i].address, report->touched[i].bytes);
}

void sim_sample_touches(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store)
{
    if (sim_sample_limit(sim) == 0)
        return;
    sim->statistics.is_sample_unsound |= overlaps(sim->incomplete, address, bytes);
    if (is_store)
        add_allocation(sim, &sim->stored, address, bytes);
}

static void forget(struct Touches **list)
{
    if (*list != NULL)
        touches_free(*list);
    free(*list);
    *list = NULL;
}

void sim_sample_reset(SimDevice *sim)
{
    forget(&sim->stored);
    forget(&sim->incomplete);
    sim->statistics.sampled_share = 1;
}
