#include "simgpu/cost/combine.h"

#include <math.h>

static const double UNITS_POWER = 4;

/* (sum t_i^p)^(1/p) of the units, or of the other parts and `first`. Scaled by the largest term, so that no power leaves
 * the range of a double. */
static double power_sum(const CostPart *parts, int count, bool of_units, double first, double power)
{
    double largest = first, sum = 0;
    for (int i = 0; i < count; i++)
        if (parts[i].is_unit == of_units)
            largest = fmax(largest, parts[i].seconds);
    if (!(largest > 0))
        return 0;
    for (int i = 0; i < count; i++)
        if (parts[i].is_unit == of_units)
            sum += pow(parts[i].seconds / largest, power);
    return largest * pow(sum + pow(first / largest, power), 1 / power);
}

double combine_seconds(const CostPart *parts, int count, const HardwareProfile *profile)
{
    double units = power_sum(parts, count, true, 0, UNITS_POWER);
    return power_sum(parts, count, false, units, profile->combine_power);
}

void combine_weights(const CostPart *parts, int count, const HardwareProfile *profile, double *weights)
{
    double units = power_sum(parts, count, true, 0, UNITS_POWER), power = profile->combine_power;
    double all = combine_seconds(parts, count, profile);
    for (int i = 0; i < count; i++) {
        double seconds = parts[i].seconds;
        if (!(seconds > 0))
            weights[i] = 0;
        else if (parts[i].is_unit)
            weights[i] = pow(units / all, power) * pow(seconds / units, UNITS_POWER);
        else
            weights[i] = pow(seconds / all, power);
    }
}
