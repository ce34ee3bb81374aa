#include "harness/runtime/memory.h"

#include "harness/runtime/managed.h"

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
