#include "harness/protocol/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ==== cuda error ================================================================================================== */

static const char UNRECOGNIZED[] = "unrecognized error code";

const char *cuda_error_name(CudaError error)
{
    switch (error) {
#define CUDA_ERROR(constant, value, name, text)                                                                        \
    case value:                                                                                                        \
        return #name;
#include "harness/cuda/cuda_error.def"
#undef CUDA_ERROR
    default: return UNRECOGNIZED;
    }
}

const char *cuda_error_text(CudaError error)
{
    switch (error) {
#define CUDA_ERROR(constant, value, name, text)                                                                        \
    case value:                                                                                                        \
        return text;
#include "harness/cuda/cuda_error.def"
#undef CUDA_ERROR
    default: return UNRECOGNIZED;
    }
}

/* ==== ring ======================================================================================================== */

enum {
    SPINS = 400,     /* a few microseconds: longer than most answers take, shorter than a sleep and a wake-up */
    FLUSH_ROOM = 64, /* bytes of the buffer that only a RING_FLUSH may use */
    SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int ring_create(void)
{
    int descriptor = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor >= 0 &&
        (ftruncate(descriptor, sizeof(RingMemory)) != 0 || fcntl(descriptor, F_ADD_SEALS, SEALS) != 0)) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

/* Without the seals the other side could shrink the memory, and a read beyond its new end would be a SIGBUS. */
RingMemory *ring_map(int descriptor)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return NULL;
    if (facts.st_size != sizeof(RingMemory) || (fcntl(descriptor, F_GET_SEALS) & SEALS) != SEALS) {
        errno = EINVAL;
        return NULL;
    }
    void *memory = mmap(NULL, sizeof(RingMemory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void ring_unmap(RingMemory *ring)
{
    if (ring != NULL)
        munmap(ring, sizeof *ring);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* On a single core spinning is useless: the other side cannot run meanwhile. */
static int spins(void)
{
    static int count = -1;
    if (count < 0) {
        cpu_set_t cores;
        count = sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 1 ? SPINS : 0;
    }
    return count;
}

static void pause_core(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

/* A sleeper that missed its wake-up looks again after LOOK_SECONDS, and each time twice as long after the time before, up
 * to MOST_LOOK_SECONDS. A look takes about 10 us of processor time on a busy machine, which the model charges as work of
 * the host: with a look each 5 ms, 16 waits of 4 s for the simulated GPU were charged 137 ms. */
static const double LOOK_SECONDS = 0.005, MOST_LOOK_SECONDS = 1;

/* Waits until `*word` is no longer `seen`. No wake-up of a single sleeper is lost: the waker changes the word and then
 * reads `sleeps`; the sleeper sets `sleeps`, and then the kernel reads the word before it lets the sleeper sleep. But two
 * threads of a submission may sleep on two words and share `sleeps`. And runners have been seen that did nothing after a
 * reply until their time was up, for reasons unknown: in three of 16 gradings of a program with a million requests, side by
 * side on a virtual machine with four GPUs, and in none of 16 since a sleeper looks again now and then. */
static void await_change(_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *sleeps)
{
    for (int i = spins(); i > 0; i--) {
        if (atomic_load_explicit(word, memory_order_acquire) != seen)
            return;
        pause_core();
    }
    for (double seconds = LOOK_SECONDS; atomic_load(word) == seen;) {
        atomic_store(sleeps, 1);
        futex_wait(word, seen, seconds);
        seconds = 2 * seconds < MOST_LOOK_SECONDS ? 2 * seconds : MOST_LOOK_SECONDS;
    }
}

/* ---- the runner's side ------------------------------------------------------------------------------------------- */

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static void put(RingMemory *ring, uint64_t at, const void *bytes, size_t count)
{
    size_t offset = at % RING_BYTES;
    size_t first = count < RING_BYTES - offset ? count : RING_BYTES - offset;
    if (first > 0)
        memcpy(ring->buffer + offset, bytes, first);
    if (count > first)
        memcpy(ring->buffer, (const uint8_t *)bytes + first, count - first);
}

void ring_wake_broker(RingMemory *ring)
{
    atomic_fetch_add(&ring->doorbell, 1);
    futex_wake(&ring->doorbell);
}

bool ring_send(RingMemory *ring, uint32_t kind, bool wants_reply, uint32_t place, const void *body, size_t bytes,
               const void *more, size_t more_bytes)
{
    RingRequest head = {
        .kind = kind, .body_bytes = (uint32_t)(bytes + more_bytes), .wants_reply = wants_reply, .place = place};
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    size_t room = RING_BYTES - (kind == RING_FLUSH ? 0 : FLUSH_ROOM);
    if (written - taken + sizeof head + padded(head.body_bytes) > room)
        return false;
    put(ring, written, &head, sizeof head);
    put(ring, written + sizeof head, body, bytes);
    put(ring, written + sizeof head + bytes, more, more_bytes);
    atomic_store(&ring->written, written + sizeof head + padded(head.body_bytes));
    if (atomic_exchange(&ring->broker_sleeps, 0) != 0)
        ring_wake_broker(ring);
    return true;
}

uint32_t ring_replies(RingMemory *ring)
{
    return atomic_load(&ring->reply_count);
}

void ring_await_reply(RingMemory *ring, uint32_t replies_before, RingReply *reply)
{
    await_change(&ring->reply_count, replies_before, &ring->runner_sleeps);
    *reply = ring->reply;
}

bool ring_waits_for_launches(const RingMemory *ring)
{
    return atomic_load_explicit(&ring->waits_for_launches, memory_order_relaxed) != 0;
}

void ring_await_command(RingMemory *ring, uint32_t commands_before, RingCommand *command)
{
    await_change(&ring->command_count, commands_before, &ring->runner_sleeps);
    *command = ring->command;
}

/* ---- the broker's side ------------------------------------------------------------------------------------------- */

bool ring_has_turns(const RingMemory *ring)
{
    return atomic_load(&ring->has_turns) != 0;
}

void ring_set_turns(RingMemory *ring, bool has_turns)
{
    atomic_store(&ring->has_turns, has_turns);
}

void ring_wait_for_launches(RingMemory *ring, bool wait)
{
    atomic_store_explicit(&ring->waits_for_launches, wait, memory_order_relaxed);
}

static void get(const RingMemory *ring, uint64_t at, void *bytes, size_t count)
{
    size_t offset = at % RING_BYTES;
    size_t first = count < RING_BYTES - offset ? count : RING_BYTES - offset;
    memcpy(bytes, ring->buffer + offset, first);
    if (count > first)
        memcpy((uint8_t *)bytes + first, ring->buffer, count - first);
}

RingTake ring_take(RingReader *reader, RingRecord *record)
{
    uint64_t available = atomic_load_explicit(&reader->ring->written, memory_order_acquire) - reader->taken;
    if (available == 0)
        return RING_EMPTY;
    if (available > RING_BYTES || available < sizeof record->head)
        return RING_BROKEN;
    get(reader->ring, reader->taken, &record->head, sizeof record->head);
    if (record->head.body_bytes > RING_MAX_BODY)
        return RING_BROKEN;
    size_t bytes = sizeof record->head + padded(record->head.body_bytes);
    if (bytes > available)
        return RING_BROKEN;
    get(reader->ring, reader->taken + sizeof record->head, record->body, record->head.body_bytes);
    reader->taken += bytes;
    atomic_store_explicit(&reader->ring->taken, reader->taken, memory_order_release);
    return RING_TAKEN;
}

bool ring_is_empty(const RingReader *reader)
{
    return atomic_load(&reader->ring->written) == reader->taken;
}

uint32_t ring_doorbell(RingMemory *ring)
{
    return atomic_load(&ring->doorbell);
}

bool ring_spin(RingReader *reader)
{
    for (int i = spins(); i > 0; i--) {
        if (!ring_is_empty(reader))
            return true;
        pause_core();
    }
    return false;
}

void ring_sleep(RingReader *reader, uint32_t bell, double seconds)
{
    atomic_store(&reader->ring->broker_sleeps, 1);
    if (ring_is_empty(reader))
        futex_wait(&reader->ring->doorbell, bell, seconds);
    atomic_store(&reader->ring->broker_sleeps, 0);
}

static void wake_runner(RingMemory *ring, _Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    if (atomic_exchange(&ring->runner_sleeps, 0) != 0)
        futex_wake(word);
}

void ring_reply(RingMemory *ring, const RingReply *reply)
{
    ring->reply = *reply;
    wake_runner(ring, &ring->reply_count);
}

void ring_command(RingMemory *ring, const RingCommand *command)
{
    ring->command = *command;
    wake_runner(ring, &ring->command_count);
}
