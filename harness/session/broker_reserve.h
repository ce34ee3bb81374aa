/* broker_reserve.h - brokers that open the device ahead of time, each for one load to come.
 *
 * To open a real device takes a third of a second, most of it the driver's (docs/measurements.md). A sitting needs five
 * devices that nothing has used before, so they are opened at the same time, while nothing is timed.  */
#ifndef HARNESS_SESSION_BROKER_RESERVE_H
#define HARNESS_SESSION_BROKER_RESERVE_H

#include "harness/session/broker_process.h"

enum { BROKER_RESERVE_MOST = 8 };

typedef struct BrokerReserve {
    BrokerProcess brokers[BROKER_RESERVE_MOST]; /* the last one is taken first */
    size_t count;
    size_t open; /* of them, the first ones */
} BrokerReserve;

/* Starts brokers for the device of `first`, which holds its lock, until there are `count`; fewer where the device has too little
 * memory for all. One that cannot be started is left out. */
void broker_reserve_fill(BrokerReserve *reserve, const BrokerProcess *first, size_t count);
/* Waits until all have opened their device, which disturbs what others do there. One that cannot open it is left out. */
void broker_reserve_await(BrokerReserve *reserve);
/* The same, and puts one of them in the place of `used`, which it stops. False, and `used` is as it was: there is none. */
bool broker_reserve_take(BrokerReserve *reserve, BrokerProcess *used);
/* Writes at most `room` of their processes; returns how many it has written. */
size_t broker_reserve_list(const BrokerReserve *reserve, pid_t *pids, size_t room);
/* Stops all. */
void broker_reserve_stop(BrokerReserve *reserve);

#endif
