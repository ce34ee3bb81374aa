#include "service/worker/pilot.h"

double pilot_reserve_s(const Pilot *pilot, double limit_s)
{
    return limit_s < pilot->lifetime_s / 2 ? limit_s : pilot->lifetime_s / 2;
}

static double left_s(const Pilot *pilot, double now_s)
{
    return pilot->started_s + pilot->lifetime_s - PILOT_MARGIN_S - now_s;
}

bool pilot_has_time(const Pilot *pilot, double now_s, double limit_s)
{
    return pilot->lifetime_s <= 0 || left_s(pilot, now_s) >= pilot_reserve_s(pilot, limit_s);
}

bool pilot_ends(const Pilot *pilot, double now_s)
{
    return pilot->lifetime_s > 0 &&
           (pilot->is_short || left_s(pilot, now_s) <= 0 || now_s - pilot->worked_s >= pilot->idle_s);
}
