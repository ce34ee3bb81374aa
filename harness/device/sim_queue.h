/* sim_queue.h - the operations of a simulated GPU's streams, and the order in which they are carried out.
 *
 * An operation is a kernel, a copy or a fill. CUDA orders two operations only if one stream holds both, if events or
 * the legacy default stream order their streams, or if the host waits for the first before it asks for the second. All
 * other operations may happen in any order. A submission that relies on the order in which it asked for them is wrong,
 * though it may work by chance; so each call of solve() has a DeviceOrder:
 *
 *     DEVICE_ORDER_LATE     an operation waits until something needs it: the host waits, or memory is freed, or the
 *                           call ends. Only what must come first comes before it, and of several operations the one
 *                           that was asked for last.
 *     DEVICE_ORDER_ISSUED   each operation is carried out when it is asked for, except that DeviceOrder.held waits
 *                           as long as it may, and for DeviceOrder.until in any case.
 *     DEVICE_ORDER_DRAWN    whenever something is asked for, some of what waits is carried out, and which operation
 *                           comes first is drawn. Nobody can foresee the order without DeviceCheck.sample_key.
 *
 * Whatever two operations touch is compared: two that nothing orders, and of which one writes where the other reads or
 * writes, are a DeviceConflict. What a kernel touches is known as one range for each allocation. So two operations may
 * be listed that work on different rows of it; the judge tries whether their order changes the result. With
 * DeviceOrder.is_exact, each byte is known (simgpu/memory/footprint.h), up to EXACT_OPERATIONS for each call.
 *
 * A kernel with programmatic stream serialization is carried out after the one before all the same. What it uses before
 * it waits for that kernel is compared with what that one uses, and is a conflict, too.
 *
 * Window   Operations are numbered in windows of QUEUE_OPERATIONS. When a window is full, all of them are carried out,
 *          and count as ordered before the next window.
 * Turns    A copy from or to pinned memory, or a function of the host, needs the submission's process. When its time has
 *          come, whatever needs it fails with DEVICE_HOST_TURN and has not changed anything; after
 *          device->simulation->take_turn() the same is asked for again.  */
#ifndef HARNESS_DEVICE_SIM_QUEUE_H
#define HARNESS_DEVICE_SIM_QUEUE_H

#include "harness/device/device.h"
#include "harness/device/sim_state.h"

/* ==== sim sample ================================================================================================== */

/* Launches that run a random sample of their blocks (simgpu/launch.h), and whether the rest of
 * the call goes without the blocks that did not run.
 *
 * A kernel that ran in part leaves memory incomplete. If anything else in the call uses an allocation that it stored into,
 * before or after it, nobody can tell what its blocks have written, or what others made of it. Then the call counts for
 * nothing, and its caller repeats it with all blocks. The same holds for a second sample in one call. What the kernel
 * itself loads again of such an allocation is no other use: a block may read what it has stored, and one that read what
 * others store would race with them. */

/* SimLaunch.sample_lane_instructions of the next launch. */
uint64_t sim_sample_limit(const SimDevice *sim);
/* SimLaunch.marked of the next launch: the output. */
SimMarked sim_sample_marked(const SimDevice *sim);
/* A launch has ended: the first precedes sim_sample_touches() for what it has used, the second follows. */
void sim_sample_check(SimDevice *sim, const SimReport *report);
void sim_sample_keep(SimDevice *sim, const SimReport *report);
/* Any operation uses these bytes. */
void sim_sample_reset(SimDevice *sim);

/* ==== sim queue =================================================================================================== */

/* Carries an operation out, and returns its modelled duration in seconds. `staging` holds the host's bytes of an
 * operation with a turn, NULL: its turn has not come, and it is left out. Calls sim_touches() for what it reads and writes. */
typedef double Carry(SimDevice *sim, void *what, uint8_t *staging);

typedef struct Work { /* an operation as it is submitted */
    Carry *carry;
    void *what;        /* from malloc(); the queue frees it */
    size_t held_bytes; /* the size of it */
    SimEngine engine;
    DeviceStream *stream; /* NULL: the legacy default stream */
    bool needs_turn;
    bool is_kernel;
    bool is_programmatic; /* DeviceLaunch.is_programmatic */
    bool is_function;     /* of the host */
    Mistake mistake;      /* what a missing dependency of it is called */
    char name[128];       /* "kernel blur", "the copy of 400 bytes to the host" */
} Work;

void sim_queue_new(SimDevice *sim);
void sim_queue_free(SimDevice *sim);
/* Between the two, operations may wait. Both carry out everything that is waiting. */
CudaError sim_queue_open(SimDevice *sim);
CudaError sim_queue_close(SimDevice *sim);

/* May an operation wait that is taken in now? If not, it is carried out at once. */
bool sim_may_wait(const SimDevice *sim);
/* Takes an operation in. `turn`: where its turn is to be stored, if it needs one. The arguments have been checked. Fails
 * only with DEVICE_HOST_TURN. */
CudaError sim_submit(SimDevice *sim, const Work *work, uint64_t *turn);
/* The operation that is being carried out uses some of these bytes. */
void sim_touches(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store);
/* The same of bytes of the submission's process, by their address there. */
void sim_touches_host(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store);
/* Do the same for DeviceOrder.is_exact, except for kernels: the operation reads all of these bytes, or is about to
 * write all of them, from `from` or, if that is NULL, `value`. */
void sim_reads(SimDevice *sim, uint64_t address, uint64_t bytes);
void sim_writes(SimDevice *sim, uint64_t address, const uint8_t *from, uint8_t value, uint64_t bytes);
/* Returns the list in which a kernel notes each byte that it uses; NULL: it notes none. */
Footprint *sim_footprint(SimDevice *sim);
/* Carries out the operation whose turn it is. */
CudaError sim_take_turn(SimDevice *sim, uint64_t turn, uint8_t *staging);

/* The operations that come before an operation on the stream now; those that came before an event when it was recorded;
 * all; none. */
OperationSet sim_before_stream(SimDevice *sim, DeviceStream *stream);
OperationSet sim_before_event(SimDevice *sim, const DeviceEvent *event);
OperationSet sim_everything(SimDevice *sim);
OperationSet sim_none(SimDevice *sim);
void sim_add_before(SimDevice *sim, OperationSet *before, const OperationSet *more);

/* Carries out a set of operations. DEVICE_HOST_TURN, or the device's sticky error. */
CudaError sim_carry_out(SimDevice *sim, const OperationSet *set);
/* The host knows that these have ended: what it asks for from now on comes after them. */
void sim_host_knows(SimDevice *sim, const OperationSet *set);
/* Has the host to wait before it can know that? A query says so once of each operation (a program that polls must see
 * the end of its work). */
bool sim_is_news(SimDevice *sim, const OperationSet *set);

/* ==== sim array =================================================================================================== */

/* CUDA arrays, textures and surfaces of a simulated GPU. */

extern const DeviceArrayOps SIM_ARRAY_OPS;
extern const DeviceTextureOps SIM_TEXTURE_OPS;

/* DeviceSimulationOps.copy_away(). */
CudaError sim_copy_away(Device *device, const DevicePlace *place, const DeviceBox *box, bool to_device, uint64_t away,
                        DeviceStream *stream, uint64_t *turn, bool *is_due);

/* ==== sim tensor ================================================================================================== */

/* Tensor maps of a simulated GPU. */

extern const DeviceTensorOps SIM_TENSOR_OPS;

/* ==== sim memory ================================================================================================== */

extern const DeviceMemoryOps SIM_MEMORY_OPS;
extern const DeviceCopyOps SIM_COPY_OPS, SIM_COPIES_AT_ONCE;

/* The error that a copy of these bytes meets: the sticky error, or INVALID_VALUE if the device does not own them. */
typedef enum CopyWay {
    WITHIN_DEVICE, /* a fill, too */
    ACROSS_BUS,
    TO_WAITING_HOST /* across the bus, to memory of a host that waits for it */
} CopyWay;

/* DeviceSimulationOps.renew. */
CudaError sim_renew(Device *device, uint64_t address, uint64_t bytes, bool is_freed, DeviceStream *stream);

#endif
