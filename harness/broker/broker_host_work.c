#include "harness/broker/broker_host_work.h"

#include "base/clock.h"
#include "harness/control/host_clock.h"

#include <math.h>

/* Measured on two cores with a load of nine: up to 0.4 ms for a filter that goes to the host and back, 0.85 ns a byte
 * for large arrays, and 10 us for each kernel or copy that is asked for. Arrays in fresh pages took up to 3.6 ns a byte
 * in a virtual machine, whose own host finds the memory for each page within the time of the process that touches it. A
 * core of 100 Gflop/s does no more in these times than an H200 of 30 Tflop/s does in 3.3 us, in 0.017 ns a byte, and in
 * 0.07 us. The model takes 16 us for two copies across the bus, 0.02 ns for a byte, and 2 us for an empty kernel. */
static const double FREE_S = 1e-3, FREE_S_A_BYTE = 5e-9, FREE_S_AN_OPERATION = 20e-6;

/* The same work takes more processor time where others have the core, and so the caches, in between: a thread that sleeps for
 * a millisecond took 0.1 ms alone, and up to 1.4 ms beside 36 processes on two cores. */
static const double BUSY_SHARE = 0.1, MOST_BUSY_S = 5e-3; /* free, of the time for which it waits for a core; in all */

static double clock_of_runner(Broker *broker, HostQuestion question, HostClock *clock)
{
    HostWork *work = &broker->host_work;
    if (!work->has_no_clock && host_clock_ask(broker->host_clock, question, clock) && clock->computed_s >= 0)
        return clock->computed_s;
    *clock = (HostClock){.delayed_s = work->delayed_s};
    if (work->has_data && !work->has_no_clock)
        return work->since_s; /* the process has ended */
    work->has_no_clock = true;
    return now_s() - broker->busy_seconds;
}

void broker_host_work_begin(Broker *broker)
{
    broker->host_work = (HostWork){0};
    ring_wait_for_launches(broker->reader.ring, false);
}

void broker_host_work_copied(Broker *broker, uint64_t bytes, bool to_host)
{
    HostWork *work = &broker->host_work;
    work->copied_bytes += bytes;
    if (broker->device->simulation == NULL || !to_host || work->has_data)
        return;
    HostClock clock;
    work->since_s = clock_of_runner(broker, HOST_ALL, &clock);
    work->delayed_s = clock.delayed_s;
    work->has_data = true;
    ring_wait_for_launches(broker->reader.ring, true);
}

static double free_seconds(const Broker *broker)
{
    DeviceStatistics statistics;
    broker->device->report->statistics(broker->device, &statistics);
    return FREE_S + FREE_S_A_BYTE * (double)broker->host_work.copied_bytes +
           FREE_S_AN_OPERATION * (double)(statistics.kernels + statistics.copies);
}

void broker_host_work_charge(Broker *broker)
{
    HostWork *work = &broker->host_work;
    if (!work->has_data)
        return;
    HostClock clock;
    double due_s = clock_of_runner(broker, HOST_COMPUTED, &clock) - work->since_s - free_seconds(broker) -
                   work->charged_s;
    if (due_s <= 0)
        return;
    (void)clock_of_runner(broker, HOST_ALL, &clock);
    due_s -= fmin(BUSY_SHARE * fmax(clock.delayed_s - work->delayed_s, 0), MOST_BUSY_S);
    if (due_s <= 0)
        return;
    work->charged_s += due_s;
    broker->device->simulation->host_works(broker->device, due_s);
}
