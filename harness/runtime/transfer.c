#include "harness/runtime/transfer.h"

#include <string.h>

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
