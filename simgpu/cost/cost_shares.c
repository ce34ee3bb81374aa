#include "base/allocated.h"
#include "simgpu/cost/cost.h"

#include <math.h>
#include <stdlib.h>

static double part_of(uint64_t count, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)count * (double)part / (double)whole;
}

/* The cost of the kernel if it had only this line. Quantities without a line (footprint, longest warp) are divided in
 * proportion to the counters that cause them. */
static Cost cost_of_line(const CostInput *kernel, const SimLine *line)
{
    const SimCounters *all = kernel->counters, *own = &line->counters;
    SimCounters counters = *own;
    CostInput input = *kernel;
    counters.unique_load_sectors = (uint64_t)part_of(all->unique_load_sectors, own->global_load_sectors,
                                                     all->global_load_sectors);
    counters.unique_store_sectors = (uint64_t)part_of(all->unique_store_sectors, own->global_store_sectors,
                                                      all->global_store_sectors);
    counters.missing_load_sectors = (uint64_t)part_of(all->missing_load_sectors, own->global_load_sectors,
                                                      all->global_load_sectors);
    input.counters = &counters;
    input.longest_warp_instructions = (uint64_t)part_of(kernel->longest_warp_instructions, own->warp_instructions,
                                                        all->warp_instructions);
    input.longest_warp_loads = (uint64_t)part_of(kernel->longest_warp_loads,
                                                 own->global_load_requests + own->local_requests,
                                                 all->global_load_requests + all->local_requests);
    input.longest_warp_shared = (uint64_t)part_of(kernel->longest_warp_shared, own->shared_load_requests,
                                                  all->shared_load_requests);
    input.longest_warp_constant = (uint64_t)part_of(kernel->longest_warp_constant, own->constant_requests,
                                                    all->constant_requests);
    return cost_model(&input);
}

/* Divides the share of one part among the lines, in proportion to the time of each beyond that of an empty kernel. */
static void divide_part(int part, double share, const Cost *empty, const Cost *costs, size_t count, double *shares)
{
    double nothing = empty->parts[part].seconds, sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fmax(0, costs[i].parts[part].seconds - nothing);
    for (size_t i = 0; i < count && sum > 0; i++)
        shares[i] += share * fmax(0, costs[i].parts[part].seconds - nothing) / sum;
}

void cost_shares(const CostInput *input, const SimLine *lines, size_t count, double *shares)
{
    Cost *costs = zeroed(count, sizeof *costs);
    const Cost whole = cost_model(input), empty = cost_of_line(input, &(SimLine){.line = 0});
    double weights[COST_MAX_PARTS], in_parts = 1 - input->profile->launch_s / whole.seconds;
    combine_weights(whole.parts, whole.part_count, whole.blocks_together, input->profile, weights);
    for (size_t i = 0; i < count; i++) {
        shares[i] = 0;
        costs[i] = cost_of_line(input, &lines[i]);
    }
    for (int part = 0; part < whole.part_count; part++)
        divide_part(part, in_parts * weights[part], &empty, costs, count, shares);
    free(costs);
}
