#include "harness/runtime/managed.h"

#include "harness/protocol/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ==== transfer ==================================================================================================== */

cudaError_t transfer_check(uint64_t address, uint64_t bytes)
{
    return client_call(RING_OWNED, (RingWords){{address, bytes}}, NULL);
}

static uint64_t piece_bytes(uint64_t bytes)
{
    return bytes < TRANSFER_PIECE_BYTES ? bytes : TRANSFER_PIECE_BYTES;
}

cudaError_t transfer_to_device(uint64_t to, const void *from, uint64_t bytes, uint64_t stream, RingWait wait)
{
    cudaError_t error = bytes > TRANSFER_PIECE_BYTES ? transfer_check(to, bytes) : cudaSuccess;
    for (uint64_t done = 0; done < bytes && error == cudaSuccess; done += piece_bytes(bytes - done)) {
        uint64_t count = piece_bytes(bytes - done);
        client_lock();
        do {
            memcpy(client_staging(), (const uint8_t *)from + done, count);
            error = client_call(RING_WRITE, (RingWords){{to + done, count, stream, wait}}, NULL);
        } while (error == CLIENT_AGAIN);
        client_unlock();
    }
    return error;
}

cudaError_t transfer_from_device(void *to, uint64_t from, uint64_t bytes, uint64_t stream, RingWait wait)
{
    cudaError_t error = bytes > TRANSFER_PIECE_BYTES ? transfer_check(from, bytes) : cudaSuccess;
    for (uint64_t done = 0; done < bytes && error == cudaSuccess; done += piece_bytes(bytes - done)) {
        uint64_t count = piece_bytes(bytes - done);
        client_lock();
        error = client_call(RING_READ, (RingWords){{from + done, count, stream, wait}}, NULL);
        if (error == cudaSuccess)
            memcpy((uint8_t *)to + done, client_staging(), count);
        client_unlock();
    }
    return error;
}

/* ==== stream ====================================================================================================== */

/* ---- the per-thread default stream ------------------------------------------------------------------------------- */

static pthread_key_t own_stream; /* its number; NULL: the thread has not used it */
static pthread_once_t own_stream_once = PTHREAD_ONCE_INIT;

static void free_own_stream(void *number)
{
    client_call(RING_STREAM_FREE, (RingWords){{(uint64_t)(uintptr_t)number}}, NULL);
}

static void make_own_stream_key(void)
{
    pthread_key_create(&own_stream, free_own_stream);
}

/* "An implicit stream local to both the thread and the CUcontext", which "will synchronize with the legacy default
 * stream" (CUDA Runtime API, "Stream synchronization behavior"). Where it cannot be made, the legacy stream stands in for
 * it and returns the error. */
static uint64_t own_stream_id(void)
{
    RingReply reply;
    pthread_once(&own_stream_once, make_own_stream_key);
    void *number = pthread_getspecific(own_stream);
    if (number == NULL && client_call(RING_STREAM_NEW, (RingWords){{RING_STREAM_OF_THREAD}}, &reply) == cudaSuccess) {
        number = (void *)(uintptr_t)reply.value[0];
        pthread_setspecific(own_stream, number);
    }
    return (uint64_t)(uintptr_t)number;
}

uint64_t stream_id(cudaStream_t stream)
{
    uint64_t id = (uint64_t)(uintptr_t)stream;
    if (stream == cudaStreamPerThread)
        return own_stream_id();
    return id < RING_FIRST_HANDLE ? 0 : id;
}

RingWait stream_copy_wait(cudaStream_t stream)
{
    return stream == HOST_WAITS ? RING_HOST_WAITS : RING_STREAM_ORDER;
}

uint64_t event_id(cudaEvent_t event)
{
    return (uint64_t)(uintptr_t)event;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

typedef struct KnownStream { /* the arguments that a stream was created with */
    cudaStream_t handle;
    unsigned flags;
    int priority;
    struct KnownStream *next;
} KnownStream;

static KnownStream *all_streams;

static cudaError_t remember_stream(cudaStream_t handle, unsigned flags, int priority)
{
    KnownStream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *stream = (KnownStream){handle, flags, priority, all_streams};
    all_streams = stream;
    client_unlock();
    return cudaSuccess;
}

static void forget_stream(cudaStream_t handle)
{
    client_lock();
    KnownStream **link = &all_streams;
    while (*link != NULL && (*link)->handle != handle)
        link = &(*link)->next;
    KnownStream *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
}

cudaError_t stream_info(cudaStream_t handle, StreamInfo *info)
{
    *info = (StreamInfo){.flags = cudaStreamDefault};
    if (handle == cudaStreamPerThread || stream_id(handle) == 0)
        return cudaSuccess;
    client_lock();
    const KnownStream *stream = all_streams;
    while (stream != NULL && stream->handle != handle)
        stream = stream->next;
    if (stream != NULL)
        *info = (StreamInfo){stream->flags, stream->priority};
    client_unlock();
    return stream == NULL ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

bool stream_is_non_blocking(cudaStream_t handle)
{
    StreamInfo info;
    return stream_info(handle, &info) == cudaSuccess && (info.flags & cudaStreamNonBlocking) != 0;
}

static cudaError_t ask_for_stream(cudaStream_t *stream, RingStreamKind kind)
{
    RingReply reply;
    cudaError_t error = client_call(RING_STREAM_NEW, (RingWords){{kind}}, &reply);
    if (error == cudaSuccess)
        *stream = (cudaStream_t)(uintptr_t)reply.value[0];
    return error;
}

cudaError_t stream_new_of_graph(cudaStream_t *stream)
{
    return ask_for_stream(stream, RING_STREAM_OF_GRAPH);
}

/* A priority is only a hint; it is clamped to the range of the device. */
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority)
{
    if (stream == NULL || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = ask_for_stream(stream, flags == 0 ? RING_STREAM_BLOCKING : RING_STREAM_NON_BLOCKING);
    if (error != cudaSuccess)
        return error;
    return remember_stream(*stream, flags,
                           priority > 0                   ? 0
                           : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                          : priority);
}

cudaError_t stream_free(cudaStream_t stream)
{
    forget_stream(stream);
    return client_call(RING_STREAM_FREE, (RingWords){{(uint64_t)(uintptr_t)stream}}, NULL);
}

cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event)
{
    return client_call(RING_STREAM_WAIT, (RingWords){{stream_id(stream), event_id(event)}}, NULL);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

cudaError_t event_new(cudaEvent_t *event, unsigned flags)
{
    RingReply reply;
    if (event == NULL || (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
        return cudaErrorInvalidValue;
    bool untimed = (flags & cudaEventDisableTiming) != 0;
    cudaError_t error = client_call(RING_EVENT_NEW, (RingWords){{untimed}}, &reply);
    if (error == cudaSuccess)
        *event = (cudaEvent_t)(uintptr_t)reply.value[0];
    return error;
}

cudaError_t event_free(cudaEvent_t event)
{
    return client_call(RING_EVENT_FREE, (RingWords){{event_id(event)}}, NULL);
}

cudaError_t event_record(cudaEvent_t event, cudaStream_t stream)
{
    return client_call(RING_EVENT_RECORD, (RingWords){{event_id(event), stream_id(stream)}}, NULL);
}

/* ==== managed ===================================================================================================== */

enum { PAGE = 4096, LINE = 64, PULL_BYTES = 1 << 20 };

typedef struct Managed {
    uint64_t address, bytes; /* on the device */
    uint8_t *host;           /* the host's copy */
    struct Managed *next;
    uint64_t seen[]; /* [lines] a digest of what the device and this process both had last */
} Managed;

static Managed *all_managed;
static uint64_t push_count;
static cudaEvent_t pushed; /* recorded behind the last push */

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Pages that were opened for other managed memory. Nothing else is ever mapped in the range of device addresses. */
static bool is_own_page(uint64_t page)
{
    bool own = is_in_device_range(page);
    for (const Managed *managed = all_managed; managed != NULL && !own; managed = managed->next)
        own = (uintptr_t)managed->host == managed->address && managed->address < page + PAGE &&
              managed->address + managed->bytes > page;
    return own;
}

/* True if the pages are there now; some may have been there before, with other managed memory on them. */
static bool map_pages(uint64_t first, uint64_t end)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *mapped = mmap((void *)(uintptr_t)first, end - first, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped != MAP_FAILED || errno != EEXIST)
        return mapped != MAP_FAILED;
    if (end - first <= PAGE)
        return is_own_page(first);
    uint64_t middle = first + (end - first) / PAGE / 2 * PAGE;
    return map_pages(first, middle) && map_pages(middle, end);
}

/* Other allocations on the same pages become accessible, too. They all belong to the submission. */
static cudaError_t open_pages(uint64_t address, uint64_t bytes)
{
    uint64_t first = address / PAGE * PAGE, end = (address + bytes + PAGE - 1) / PAGE * PAGE;
    return map_pages(first, end) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ---- what has changed -------------------------------------------------------------------------------------------- */

static size_t line_count(uint64_t bytes)
{
    return (bytes + LINE - 1) / LINE;
}

static uint64_t line_end(const Managed *managed, size_t line)
{
    return (line + 1) * LINE < managed->bytes ? (line + 1) * LINE : managed->bytes;
}

/* FNV-1a (Fowler, Noll, Vo) over words instead of bytes; the shift brings the upper bits down. */
static uint64_t digest(const Managed *managed, size_t line)
{
    const uint8_t *at = managed->host + line * LINE;
    uint64_t bytes = line_end(managed, line) - line * LINE, hash = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        hash = (hash ^ word) * 0x100000001B3u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Lines that the program has changed since the last push stay as they are. */
static void take_lines(Managed *managed, uint64_t from, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t at = from; at < from + count; at += LINE) {
        size_t line = at / LINE;
        if (digest(managed, line) != managed->seen[line])
            continue;
        memcpy(managed->host + at, bytes + (at - from), line_end(managed, line) - at);
        managed->seen[line] = digest(managed, line);
    }
}

static cudaError_t pull(Managed *managed)
{
    static uint8_t piece[PULL_BYTES]; /* guarded by client_lock() */
    cudaError_t error = cudaSuccess;
    for (uint64_t at = 0; at < managed->bytes && error == cudaSuccess; at += PULL_BYTES) {
        uint64_t count = managed->bytes - at < PULL_BYTES ? managed->bytes - at : PULL_BYTES;
        error = transfer_from_device(piece, managed->address + at, count, 0, RING_AT_ONCE);
        if (error == cudaSuccess)
            take_lines(managed, at, piece, count);
    }
    return error;
}

/* Lines that the program has not changed stay as they are on the device, where a kernel may have changed them. */
static cudaError_t push(Managed *managed)
{
    cudaError_t error = cudaSuccess;
    for (size_t first = 0, lines = line_count(managed->bytes); first < lines && error == cudaSuccess;) {
        size_t end = first;
        for (uint64_t now; end < lines && (now = digest(managed, end)) != managed->seen[end]; end++)
            managed->seen[end] = now;
        if (end > first)
            error = transfer_to_device(managed->address + first * LINE, managed->host + first * LINE,
                                       line_end(managed, end - 1) - first * LINE, 0, RING_AT_ONCE);
        push_count += end > first;
        first = end + 1;
    }
    return error;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static Managed *remember(uint64_t address, void *host, uint64_t bytes)
{
    Managed *managed = malloc(sizeof *managed + line_count(bytes) * sizeof *managed->seen);
    if (managed == NULL)
        return NULL;
    client_lock();
    *managed = (Managed){address, bytes, host, all_managed};
    for (size_t i = 0; i < line_count(bytes); i++)
        managed->seen[i] = digest(managed, i);
    all_managed = managed;
    client_unlock();
    return managed;
}

cudaError_t managed_adopt(uint64_t address, uint64_t bytes)
{
    cudaError_t error = open_pages(address, bytes);
    Managed *managed = error == cudaSuccess ? remember(address, (void *)(uintptr_t)address, bytes) : NULL;
    if (managed == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    error = pull(managed);
    client_unlock();
    return error;
}

static Managed **link_of_host(const void *host)
{
    Managed **link = &all_managed;
    while (*link != NULL && (*link)->host != host)
        link = &(*link)->next;
    return link;
}

/* All of it counts as changed, so that the next push fills the device's copy. */
cudaError_t managed_map(void *host, uint64_t bytes, uint64_t *address)
{
    RingReply reply;
    client_lock();
    Managed *managed = *link_of_host(host);
    cudaError_t error = managed == NULL ? client_call(RING_ALLOC, (RingWords){{bytes}}, &reply) : cudaSuccess;
    if (managed == NULL && error == cudaSuccess) {
        managed = remember(reply.value[0], host, bytes);
        error = managed == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
        for (size_t i = 0; managed != NULL && i < line_count(bytes); i++)
            managed->seen[i] = ~managed->seen[i];
    }
    if (error == cudaSuccess)
        *address = managed->address;
    client_unlock();
    return error;
}

void managed_unmap(const void *host)
{
    client_lock();
    const Managed *managed = *link_of_host(host);
    if (managed != NULL) {
        uint64_t address = managed->address;
        managed_forget(address);
        client_call(RING_RELEASE, (RingWords){{address}}, NULL);
    }
    client_unlock();
}

bool managed_forget(uint64_t address)
{
    client_lock();
    Managed **link = &all_managed;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    Managed *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
    return found != NULL;
}

void *managed_host_address(uint64_t address)
{
    client_lock();
    const Managed *managed = all_managed;
    while (managed != NULL && address - managed->address >= managed->bytes)
        managed = managed->next;
    void *host = managed == NULL ? NULL : managed->host + (address - managed->address);
    client_unlock();
    return host;
}

bool managed_holds(uint64_t address)
{
    return managed_host_address(address) != NULL;
}

bool managed_exists(void)
{
    return all_managed != NULL;
}

cudaError_t managed_push(void)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = push(managed);
    client_unlock();
    return error;
}

/* Pushes go through the default stream. Non-blocking streams do not wait for it by themselves. */
cudaError_t managed_push_for(cudaStream_t stream)
{
    uint64_t before = push_count;
    cudaError_t error = managed_push();
    if (error != cudaSuccess || push_count == 0)
        return error;
    if (pushed == NULL)
        error = event_new(&pushed, cudaEventDisableTiming);
    if (error == cudaSuccess && push_count > before)
        error = event_record(pushed, NULL);
    return error == cudaSuccess && stream_is_non_blocking(stream) ? stream_wait(stream, pushed) : error;
}

cudaError_t managed_pull(void)
{
    cudaError_t error = cudaSuccess;
    client_lock();
    for (Managed *managed = all_managed; managed != NULL && error == cudaSuccess; managed = managed->next)
        error = pull(managed);
    client_unlock();
    return error;
}

cudaError_t managed_refresh(uint64_t address, cudaError_t error)
{
    if (error != cudaSuccess || !managed_holds(address))
        return error;
    error = client_call(RING_SETTLE, (RingWords){{0}}, NULL);
    return error == cudaSuccess ? managed_pull() : error;
}

/* ==== memory ====================================================================================================== */

cudaError_t memory_allocate(uint64_t bytes, uint64_t *address)
{
    RingReply reply;
    cudaError_t error = client_call(RING_ALLOC, (RingWords){{bytes}}, &reply);
    *address = reply.value[0];
    return error;
}

cudaError_t memory_release(uint64_t address)
{
    managed_forget(address);
    return client_call(RING_RELEASE, (RingWords){{address}}, NULL);
}
