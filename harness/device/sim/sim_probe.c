#include "harness/device/sim/sim_probe.h"

#include <stdio.h>
#include <string.h>

/* Values are exchanged only during a launch, so that the host and later copies read from a constant variable what was
 * written to it. */

static void exchange_word(uint32_t *word, const uint32_t *from, const uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*word == from[i]) {
            *word = to[i];
            return;
        }
}

static void exchange(const SimModule *module, const uint32_t *from, const uint32_t *to, size_t count)
{
    uint64_t address, bytes;
    for (uint32_t number = 0; simgpu_constant(module, number, &address, &bytes); number++)
        for (uint64_t offset = 0; offset + sizeof(uint32_t) <= bytes; offset += sizeof(uint32_t))
            exchange_word(byte_at(address + offset), from, to, count);
}

void sim_probe_launch(SimDevice *sim, const SimModule *module, SimLaunch *grid, SimReport *report)
{
    DeviceProbe *probe = sim->probe;
    grid->watched_source = probe->source;
    grid->watched_target = probe->target;
    exchange(module, probe->words, probe->others, probe->count);
    simgpu_launch(sim->gpu, grid, report);
    exchange(module, probe->others, probe->words, probe->count);
    if (report->watched_store && probe->direct_load[0] == '\0') {
        memcpy(probe->direct_load, report->watched_load, sizeof probe->direct_load);
        probe->direct_line = mistake_at(MISTAKE_NOT_THROUGH_CONSTANTS, report->watched_file, report->watched_line).line;
    }
}
