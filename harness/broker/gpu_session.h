/* gpu_session.h - which kind of session a device's name means.  */
#ifndef HARNESS_BROKER_GPU_SESSION_H
#define HARNESS_BROKER_GPU_SESSION_H

#include "base/status.h"
#include "harness/broker/control.h"
#include "harness/broker/session.h"
#include "harness/device/device.h"
#include "harness/device/device_monitor.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== broker process ============================================================================================== */

/* The broker as the session sees it: a process that owns the device, and the socket to it.
 *
 *     broker_process_start    it looks for the device, and says hello when it has found it
 *     broker_process_hello    waits for that, and learns what is known of the device
 *     broker_process_open     has it open the device, whose lock this process takes first
 *     broker_process_send, broker_process_receive    requests and replies (control.h)
 *     broker_process_stop     kills and reaps it
 *
 * The lock of a real device is taken once and held until broker_process_end(), across all brokers that are started. */

typedef struct BrokerProcess {
    char device[64]; /* as the user named it; after the first hello, the handle of the device that was found */
    pid_t pid;       /* 0: no process */
    int control;     /* the socket */
    bool greeted;    /* it has said hello */
    bool open_asked, opened;
    bool is_compiling;              /* ControlReply.is_compiling, when it last replied */
    double started_s, open_seconds; /* when it was started; how long it took until the device was open */
    int lock;                       /* -1: not held */
    WaitTell *tell;                 /* hears who holds the lock; may be NULL */
    void *tell_context;
    DeviceInfo info;
} BrokerProcess;

/* A broker that has not been started. */
BrokerProcess broker_process_new(const char *device);
MUST_USE Status broker_process_start(BrokerProcess *broker, Message *why);
MUST_USE Status broker_process_hello(BrokerProcess *broker, Message *why);
/* Asks it to open the device now if nobody else uses it, and does not wait. */
MUST_USE Status broker_process_ask_to_open(BrokerProcess *broker, Message *why);
/* Waits until the device is open. */
MUST_USE Status broker_process_open(BrokerProcess *broker, Message *why);
MUST_USE Status broker_process_send(const BrokerProcess *broker, const ControlRequest *request, const int *descriptors,
                                    size_t count, Message *why);
/* The next reply, and at most `more_size` bytes behind it. Any fault of the broker is a Status; so is one that the
 * reply reports. */
MUST_USE Status broker_process_receive(BrokerProcess *broker, ControlReply *reply, void *more, size_t more_size,
                                       Message *why);
void broker_process_stop(BrokerProcess *broker);
/* Stops it and gives the lock back. */
void broker_process_end(BrokerProcess *broker);

/* ==== broker reserve ============================================================================================== */

/* Brokers that open the device ahead of time, each for one load to come.
 *
 * To open a real device takes a third of a second, most of it the driver's (lab/measurements.md). A sitting needs five
 * devices that nothing has used before, so they are opened at the same time, while nothing is timed. */

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

/* ==== session open ================================================================================================ */

/* `device`: as cpu_device_is_named() or device_open() takes it. Of a GPU, the broker starts at once and finds the
 * device in the background; it opens the device when nobody else uses it. */
MUST_USE Status session_open(const char *device, Session **session, Message *why);

#endif
