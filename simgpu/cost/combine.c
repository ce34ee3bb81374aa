#include "simgpu/cost/combine.h"

#include "simgpu/cost/block_queue.h"

#include <math.h>

static const double UNITS_POWER = 4;

/* The terms of combine.h. */
typedef struct Terms {
    double units, wait, rest, others;
} Terms;

/* By which fraction of a small change of the units and of the latency the time changes. The time is in proportion to all
 * its parts together, so the fractions of all parts add up to 1 (Euler's theorem on homogeneous functions). */
typedef struct Combined {
    double seconds, units_weight, latency_weight;
} Combined;

/* (a^p + b^p)^(1/p), scaled so that no power leaves the range of a double. */
static double power_sum(double a, double b, double power)
{
    double largest = fmax(a, b);
    return largest > 0 ? largest * pow(pow(a / largest, power) + pow(b / largest, power), 1 / power) : 0;
}

/* The fraction of such a sum that a term stands for. */
static double share(double term, double sum, double power)
{
    return sum > 0 ? pow(term / sum, power) : 0;
}

static Terms terms_of(const CostPart *parts, int count, double power)
{
    Terms terms = {0};
    for (int i = 0; i < count; i++) {
        const CostPart *part = &parts[i];
        if (part->is_unit)
            terms.units = power_sum(terms.units, part->seconds, UNITS_POWER);
        else if (part->wait_s > 0) {
            terms.wait = fmin(part->wait_s, part->seconds);
            terms.rest = part->seconds - terms.wait;
        } else
            terms.others = power_sum(terms.others, part->seconds, power);
    }
    return terms;
}

static Combined combined(const Terms *terms, double blocks, double power)
{
    const BlockQueue queue = block_queue(blocks, terms->units, terms->wait);
    double busy = fmax(0, queue.seconds - terms->wait), after = power_sum(busy, terms->rest, power);
    double turn = terms->wait + after, seconds = power_sum(turn, terms->others, power);
    if (!(turn > 0))
        return (Combined){.seconds = seconds};
    double of_turn = share(turn, seconds, power), of_busy = of_turn * after / turn * share(busy, after, power);
    double of_units = busy > 0 ? of_busy * (1 - queue.wait_share) * queue.seconds / busy : 0;
    return (Combined){.seconds = seconds, .units_weight = of_units, .latency_weight = of_turn - of_units};
}

double combine_seconds(const CostPart *parts, int count, double blocks, const HardwareProfile *profile)
{
    const Terms terms = terms_of(parts, count, profile->combine_power);
    return combined(&terms, blocks, profile->combine_power).seconds;
}

void combine_weights(const CostPart *parts, int count, double blocks, const HardwareProfile *profile, double *weights)
{
    const Terms terms = terms_of(parts, count, profile->combine_power);
    const Combined all = combined(&terms, blocks, profile->combine_power);
    for (int i = 0; i < count; i++) {
        if (parts[i].is_unit)
            weights[i] = all.units_weight * share(parts[i].seconds, terms.units, UNITS_POWER);
        else if (parts[i].wait_s > 0)
            weights[i] = all.latency_weight;
        else
            weights[i] = share(parts[i].seconds, all.seconds, profile->combine_power);
    }
}
