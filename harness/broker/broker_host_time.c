#include "harness/broker/broker_host_time.h"

#include "base/clock.h"

#include <math.h>

static const double INTERVAL_S = 0.02, LEAST_S = 1e-3; /* of waiting that is worth a question; at the end of a call */

void broker_host_time_start(Broker *broker)
{
    HostTime *time = &broker->host_time;
    const bool is_known = host_clock_ask(broker->host_clock, HOST_ALL, &time->seen);
    time->has_clock = is_known && broker->device->info.modelled;
}

void broker_host_time_begin(Broker *broker)
{
    HostTime *time = &broker->host_time;
    time->own_s = time->waited_s = 0;
    time->requests = broker->requests;
    time->since_s = now_s();
}

/* A request that has come while the grader was being asked ends the silence, too. */
static void settle(Broker *broker)
{
    HostTime *time = &broker->host_time;
    HostClock clock;
    const double asked_s = now_s();
    time->has_clock = time->has_clock && host_clock_ask(broker->host_clock, HOST_ALL, &clock);
    if (time->has_clock) {
        const bool silent = broker->requests == time->requests && ring_is_empty(&broker->reader);
        time->own_s += host_clock_own_s(&time->seen, &clock, silent ? asked_s - time->since_s : time->waited_s, silent);
        time->seen = clock;
    } else {
        time->own_s += time->waited_s;
    }
    time->waited_s = 0;
    time->requests = broker->requests;
    time->since_s = asked_s;
}

void broker_host_time_add(Broker *broker, double waited_s)
{
    HostTime *time = &broker->host_time;
    time->waited_s += waited_s;
    if (time->waited_s >= INTERVAL_S || !time->has_clock)
        settle(broker);
}

void broker_host_time_end(Broker *broker)
{
    if (broker->host_time.waited_s >= LEAST_S)
        settle(broker);
}

double broker_host_time_limit(const Broker *broker)
{
    const CallLimits *limits = &broker->limits;
    return broker->device->info.modelled && limits->wall_seconds > 0 ? fmin(limits->host_seconds, limits->wall_seconds)
                                                                     : limits->host_seconds;
}

double broker_host_time_left(const Broker *broker)
{
    return fmax(0, broker_host_time_limit(broker) - broker->host_time.own_s);
}
