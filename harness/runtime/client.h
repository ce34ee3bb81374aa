/* client.h - the end of the ring in the submission's process: it asks the broker, and keeps the last error.
 *
 * Errors     client_call() and client_call_body() return the broker's error. result() makes it the last error of the
 *            calling thread, and tells the broker about the first one, so that the report can name the call.
 * Threads    any. A call that uses staging holds the lock from filling it until it has read it.  */
#ifndef HARNESS_RUNTIME_CLIENT_H
#define HARNESS_RUNTIME_CLIENT_H

#include "harness/protocol/ring.h"
#include "harness/runtime/cuda_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ==== place ======================================================================================================= */

/* Boxes of bytes, and where they begin: in host memory, device memory or a CUDA array. */

typedef struct CopyPlace {    /* where a box begins */
    void *pointer;            /* in memory; NULL: in the array */
    size_t pitch, slice_rows; /* in memory: bytes from row to row, rows from slice to slice */
    uint64_t array;           /* the broker's number of the array */
    size_t x_bytes, y, z;     /* in the array */
} CopyPlace;

typedef struct Box {
    size_t width_bytes, height, depth;
} Box;

/* The pointer may be const, since nothing is written to the place that a copy reads. */
static inline CopyPlace place_in_memory(const void *pointer, size_t pitch, size_t slice_rows)
{
    return (CopyPlace){.pointer = (void *)(uintptr_t)pointer, .pitch = pitch, .slice_rows = slice_rows};
}

/* The place at this distance from another. */
static inline CopyPlace place_behind(CopyPlace place, size_t x_bytes, size_t y, size_t z)
{
    if (place.pointer == NULL) {
        place.x_bytes += x_bytes;
        place.y += y;
        place.z += z;
    } else {
        place.pointer = (char *)place.pointer + (z * place.slice_rows + y) * place.pitch + x_bytes;
    }
    return place;
}

/* Copies a box within host memory. */
static inline void place_copy_on_host(CopyPlace to, CopyPlace from, Box box)
{
    for (size_t z = 0; z < box.depth; z++)
        for (size_t y = 0; y < box.height; y++)
            memmove(place_behind(to, 0, y, z).pointer, place_behind(from, 0, y, z).pointer, box.width_bytes);
}

/* ==== older ======================================================================================================= */

/* The structs of CUDA 11 and 12, for programs compiled with their headers. These structs are shorter than
 * those of CUDA 13, which the rest of this library uses. */

/* The submission was compiled with the headers of CUDA 11 or 12. Its object calls this before any other function. */
__attribute__((visibility("default"))) void convjudge_compiled_for(int cuda_major);

/* Fills in a struct of the program: as many bytes as it has in the program's version of CUDA. */
void fill_struct(void *to, const void *from, size_t bytes_in_11, size_t bytes_in_12, size_t bytes);
#define FILL_STRUCT(to, from, bytes_in_11, bytes_in_12) fill_struct(to, from, bytes_in_11, bytes_in_12, sizeof *(from))

/* True if the submission was compiled with the headers of CUDA 11. */
bool compiled_for_11(void);
/* True if it was compiled with those of CUDA 11 or 12. */
bool compiled_before_13(void);
struct cudaDeviceProp;
/* Fills in the struct of CUDA 11, which is also the beginning of the struct of CUDA 12. */
void fill_older_properties(void *to, const struct cudaDeviceProp *properties, int clock_khz, int memory_clock_khz);

/* ==== client ====================================================================================================== */

/* Begins the client; before that, every call fails with cudaErrorInitializationError. */
void client_begin(RingMemory *ring);
/* `take` makes a copy whose turn has come (turn.h). */
void client_on_turn(cudaError_t (*take)(uint64_t turn));
/* Forgets the errors of the calling thread, and which one the broker has been told about: solve() is about to be
 * called. */
void client_begin_call(void);

/* The lock is recursive. */
void client_lock(void);
void client_unlock(void);
uint8_t *client_staging(void);

/* The staging buffer has been used for something else, and the call has not been carried out: fill it, and call
 * again. Only calls with data in staging answer so. */
#define CLIENT_AGAIN ((cudaError_t)10001) /* CUDA's own errors end at 10000 */

/* Does the device make copies from and to pinned memory when their turn comes (turn.h)? */
bool client_has_turns(void);
/* Returns the number of requests so far. */
uint64_t client_calls(void);
/* Marks that the calling thread is in a host function, where each call returns cudaErrorNotPermitted, or ends that. */
void client_forbid_calls(bool forbid);
/* Sends a call and waits for its reply. `reply` may be NULL. */
cudaError_t client_call(RingKind kind, RingWords words, RingReply *reply);
cudaError_t client_call_body(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes,
                             RingReply *reply);
/* Posts a request; an error of it comes with a later reply. What asks the device for something is left out where calls
 * are forbidden. */
void client_post(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes);
/* Waits until all posted requests are done. */
void client_flush(void);

/* Every CUDA call ends with `return result(...)`. `call` is the name of the CUDA call. */
#define result(error) result_of(__func__, error)
cudaError_t result_of(const char *call, cudaError_t error);
/* The result of a CUDA call that this library does not provide. */
cudaError_t missing(const char *call);

/* ---- who asks ---------------------------------------------------------------------------------------------------- */

/* A place is 1 + the offset of an instruction in the submission's object; 0: unknown. It is that of the call that led into
 * this library, whose functions all keep a frame pointer, so that a few loads find it. It only chooses a line of a
 * message. */

/* The object with this address is the submission. The first call counts. */
void caller_is_in(const void *address);
/* The place of a return address. */
uint32_t caller_place_of(const void *return_address);
/* Returns the place where the submission has called this library, or its stand-in. */
uint32_t caller_place(void);
/* Lets a place stand in for the caller's in this thread (0: none), and returns the one before. Work is attributed to
 * the place that describes it, not to the one that launches it: <<<...>>>, and the nodes of a graph. */
uint32_t caller_stand_in(uint32_t place);

#endif
