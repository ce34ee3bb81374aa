#include "harness/runtime/wait.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/turn.h"

#include <stdlib.h>

/* ==== pool ======================================================================================================== */

typedef struct PoolBlock { /* an allocation of a pool */
    uint64_t address, bytes;
    cudaMemPool_t pool;
    bool is_freed; /* on this stream: */
    uint64_t stream;
    struct PoolBlock *next;
} PoolBlock;

struct CUmemPoolHandle_st {
    uint64_t most_bytes;        /* 0: no limit but the device's */
    uint64_t used, used_high;   /* by living allocations */
    uint64_t kept, kept_high;   /* the same and what was freed, but is not given back */
    uint64_t release_threshold; /* of these figures alone */
    int reuse[3];               /* hints: cudaMemPoolReuse... */
    struct CUmemPoolHandle_st *next;
};
typedef struct CUmemPoolHandle_st Pool;

static Pool default_pool = {.reuse = {1, 1, 1}};
static Pool *all_pools = &default_pool;
static Pool *current_pool = &default_pool;
static PoolBlock *all_blocks;

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void give_back(PoolBlock **link)
{
    PoolBlock *block = *link;
    *link = block->next;
    if (block->pool != NULL)
        block->pool->kept -= block->bytes;
    memory_release(block->address);
    free(block);
}

/* Gives back what was freed, on one stream or on all. */
static void settle(bool all, uint64_t stream)
{
    client_lock();
    for (PoolBlock **link = &all_blocks; *link != NULL;) {
        if ((*link)->is_freed && (all || (*link)->stream == stream))
            give_back(link);
        else
            link = &(*link)->next;
    }
    client_unlock();
}

void pool_settle(cudaStream_t stream)
{
    if (all_blocks != NULL)
        settle(false, stream_id(stream));
}

void pool_settle_all(void)
{
    if (all_blocks != NULL)
        settle(true, 0);
}

static PoolBlock **link_of(uint64_t address)
{
    PoolBlock **link = &all_blocks;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

static void count_free(PoolBlock *block)
{
    block->is_freed = true;
    if (block->pool != NULL)
        block->pool->used -= block->bytes;
}

bool pool_forget(uint64_t address)
{
    client_lock();
    PoolBlock **link = link_of(address), *block = *link;
    bool was_freed = block != NULL && block->is_freed;
    if (block != NULL && !was_freed) {
        count_free(block);
        if (block->pool != NULL)
            block->pool->kept -= block->bytes;
        *link = block->next;
        free(block);
    }
    client_unlock();
    return was_freed;
}

/* If there is no room, what was freed is given back first, for which the host waits. */
static cudaError_t take_memory(uint64_t bytes, uint64_t *address)
{
    cudaError_t error = memory_allocate(bytes, address);
    if (error != cudaErrorMemoryAllocation || all_blocks == NULL)
        return error;
    pool_settle_all();
    return memory_allocate(bytes, address);
}

/* Tells the device that all uses of the memory come after its allocation and before it is freed. */
static cudaError_t tell_device(uint64_t address, uint64_t bytes, RingRenewal kind, cudaStream_t stream)
{
    if (!client_has_turns())
        return cudaSuccess;
    return client_call(RING_RENEW, (RingWords){{address, bytes, stream_id(stream), kind}}, NULL);
}

cudaError_t pool_allocate(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    uint64_t address;
    if (pointer == NULL || pool == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (pool->most_bytes != 0 && (pool->used > pool->most_bytes || bytes > pool->most_bytes - pool->used))
        return cudaErrorMemoryAllocation;
    PoolBlock *block = malloc(sizeof *block);
    cudaError_t error = block == NULL ? cudaErrorMemoryAllocation : take_memory(bytes, &address);
    if (error != cudaSuccess) {
        free(block);
        return error;
    }
    client_lock();
    *block = (PoolBlock){.address = address, .bytes = bytes, .pool = pool, .next = all_blocks};
    all_blocks = block;
    pool->used += bytes;
    pool->kept += bytes;
    pool->used_high = greater(pool->used_high, pool->used);
    pool->kept_high = greater(pool->kept_high, pool->kept);
    error = tell_device(address, bytes, RING_ALLOCATED, stream);
    client_unlock();
    *pointer = (void *)(uintptr_t)address;
    return error;
}

bool pool_free(uint64_t address, cudaStream_t stream, cudaError_t *error)
{
    client_lock();
    PoolBlock *block = *link_of(address);
    *error = block != NULL && block->is_freed ? cudaErrorInvalidValue : cudaSuccess;
    if (block != NULL && *error == cudaSuccess) {
        count_free(block);
        block->stream = stream_id(stream);
        *error = tell_device(block->address, block->bytes, RING_FREED, stream);
    }
    client_unlock();
    return block != NULL;
}

cudaMemPool_t pool_in_use(void)
{
    return current_pool;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static cudaError_t give_pool(cudaMemPool_t *to, Pool *pool, int device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (to == NULL)
        return cudaErrorInvalidValue;
    *to = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return result(give_pool(pool, &default_pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return result(give_pool(pool, current_pool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0 || pool == NULL)
        return result(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    current_pool = pool;
    return cudaSuccess;
}

/* Pools of host memory, and those that other processes can open, are a limit of the judge. */
static cudaError_t pool_new(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    if (pool == NULL || properties == NULL || properties->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice || properties->handleTypes != cudaMemHandleTypeNone)
        return missing("memory pools outside of the device, or for other processes");
    if (properties->location.id != 0)
        return cudaErrorInvalidDevice;
    Pool *made = malloc(sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *made = (Pool){.most_bytes = properties->maxSize, .reuse = {1, 1, 1}, .next = all_pools};
    all_pools = made;
    client_unlock();
    *pool = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    return result(pool_new(pool, properties));
}

/* Its allocations stay until they are freed (CUDA Runtime API, cudaMemPoolDestroy). */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    if (pool == NULL || pool == &default_pool)
        return result(cudaErrorInvalidValue);
    client_lock();
    Pool **link = &all_pools;
    while (*link != NULL && *link != pool)
        link = &(*link)->next;
    cudaError_t error = *link == NULL ? cudaErrorInvalidValue : cudaSuccess;
    if (error == cudaSuccess) {
        *link = pool->next;
        for (PoolBlock *block = all_blocks; block != NULL; block = block->next)
            if (block->pool == pool)
                block->pool = NULL;
        if (current_pool == pool)
            current_pool = &default_pool;
        free(pool);
    }
    client_unlock();
    return result(error);
}

/* Memory whose use the host has not waited for cannot be given back. */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep)
{
    return result(pool == NULL ? cudaErrorInvalidValue : cudaSuccess);
}

/* Programs may set the highest figures to zero, and no other figure. */
static cudaError_t set_attribute(Pool *pool, enum cudaMemPoolAttr attribute, const void *value)
{
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute - 1] = *(const int *)value; break;
    case cudaMemPoolAttrReleaseThreshold: pool->release_threshold = *(const uint64_t *)value; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(const uint64_t *)value != 0)
            return cudaErrorInvalidValue;
        if (attribute == cudaMemPoolAttrUsedMemHigh)
            pool->used_high = pool->used;
        else
            pool->kept_high = pool->kept;
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t get_attribute(const Pool *pool, enum cudaMemPoolAttr attribute, void *value)
{
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->reuse[attribute - 1]; break;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->release_threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->kept; break;
    case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->kept_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; break;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return result(pool == NULL || value == NULL ? cudaErrorInvalidValue : set_attribute(pool, attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return result(pool == NULL || value == NULL ? cudaErrorInvalidValue : get_attribute(pool, attribute, value));
}

/* The one device can always access its own pools. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count)
{
    bool valid = pool != NULL && (count == 0 || accesses != NULL);
    for (size_t i = 0; i < count && valid; i++)
        valid = accesses[i].location.type == cudaMemLocationTypeDevice && accesses[i].location.id == 0 &&
                accesses[i].flags == cudaMemAccessFlagsProtReadWrite;
    return result(valid ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    if (flags == NULL || pool == NULL || location == NULL || location->type != cudaMemLocationTypeDevice ||
        location->id != 0)
        return result(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

/* ==== graph memory ================================================================================================ */

typedef struct GraphMemory {
    uint64_t address, bytes;
    size_t holders;
    bool is_allocated;
    struct GraphMemory *next;
} GraphMemory;

static GraphMemory *all_graph_memory;

static GraphMemory **graph_memory_link(uint64_t address)
{
    GraphMemory **link = &all_graph_memory;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

static void give_back_if_unused(GraphMemory **link)
{
    GraphMemory *memory = *link;
    if (memory->holders > 0 || memory->is_allocated)
        return;
    *link = memory->next;
    memory_release(memory->address);
    free(memory);
}

cudaError_t graph_memory_new(void **pointer, size_t bytes)
{
    GraphMemory *memory = malloc(sizeof *memory);
    uint64_t address;
    cudaError_t error = memory == NULL ? cudaErrorMemoryAllocation : take_memory(bytes, &address);
    if (error != cudaSuccess) {
        free(memory);
        return error;
    }
    client_lock();
    *memory = (GraphMemory){.address = address, .bytes = bytes, .holders = 1, .next = all_graph_memory};
    all_graph_memory = memory;
    client_unlock();
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

bool graph_memory_is(uint64_t address)
{
    client_lock();
    const bool is = *graph_memory_link(address) != NULL;
    client_unlock();
    return is;
}

void graph_memory_hold(uint64_t address)
{
    client_lock();
    GraphMemory *memory = *graph_memory_link(address);
    if (memory != NULL)
        memory->holders++;
    client_unlock();
}

void graph_memory_let_go(uint64_t address)
{
    client_lock();
    GraphMemory **link = graph_memory_link(address);
    if (*link != NULL) {
        (*link)->holders--;
        give_back_if_unused(link);
    }
    client_unlock();
}

cudaError_t graph_memory_renew(uint64_t address, RingRenewal kind, cudaStream_t stream)
{
    client_lock();
    GraphMemory **link = graph_memory_link(address);
    cudaError_t error = *link == NULL ? cudaErrorInvalidValue : tell_device(address, (*link)->bytes, kind, stream);
    if (error == cudaSuccess) {
        (*link)->is_allocated = kind == RING_ALLOCATED;
        give_back_if_unused(link);
    }
    client_unlock();
    return error;
}

/* ==== wait ======================================================================================================== */

cudaError_t wait_for_stream(cudaStream_t stream)
{
    cudaError_t error = client_call(RING_STREAM_SYNCHRONIZE, (RingWords){{stream_id(stream)}}, NULL);
    if (error == cudaSuccess)
        pool_settle(stream);
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t wait_for_event(cudaEvent_t event)
{
    cudaError_t error = client_call(RING_EVENT_SYNCHRONIZE, (RingWords){{event_id(event)}}, NULL);
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t wait_for_device(void)
{
    cudaError_t error = client_call(RING_SYNCHRONIZE, (RingWords){{0}}, NULL);
    if (error == cudaSuccess)
        pool_settle_all();
    return error == cudaSuccess ? managed_pull() : error;
}

/* ---- functions of the host --------------------------------------------------------------------------------------- */

typedef struct HostFunction {
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* NULL: `function` */
    cudaStream_t stream;
    void *argument;
} HostFunction;

static void call_function(void *what, cudaError_t status)
{
    const HostFunction *host = what;
    if (host->callback != NULL)
        host->callback(host->stream, status, host->argument);
    else if (status == cudaSuccess)
        host->function(host->argument);
    free(what);
}

/* Until the turn is kept, nobody else may be asked to take it. */
static cudaError_t ask_for_turn(HostFunction *host, cudaStream_t stream)
{
    RingReply reply;
    client_lock();
    cudaError_t error = client_call(RING_HOST_CALL, (RingWords){{stream_id(stream)}}, &reply);
    if (error == cudaSuccess && !turn_keep_call(reply.value[0], call_function, host))
        error = cudaErrorMemoryAllocation;
    if (error != cudaSuccess)
        free(host);
    else if (reply.value[1] != 0)
        error = turn_take(reply.value[0]);
    client_unlock();
    return error;
}

static cudaError_t run_in_order(HostFunction function, cudaStream_t stream)
{
    HostFunction *host = malloc(sizeof *host);
    if (host == NULL)
        return cudaErrorMemoryAllocation;
    *host = function;
    if (client_has_turns() && !managed_exists() && turns_have_driver())
        return ask_for_turn(host, stream);
    cudaError_t error = wait_for_stream(stream);
    host_call_now(call_function, host, error);
    return error;
}

cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream)
{
    return function == NULL ? cudaErrorInvalidValue
                            : run_in_order((HostFunction){.function = function, .argument = argument}, stream);
}

cudaError_t host_callback_run(cudaStreamCallback_t callback, void *argument, cudaStream_t stream)
{
    return callback == NULL
               ? cudaErrorInvalidValue
               : run_in_order((HostFunction){.callback = callback, .stream = stream, .argument = argument}, stream);
}
