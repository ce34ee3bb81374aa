#include "harness/session/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

Status shared_memory_new(const char *name, size_t bytes, SharedMemory *memory, Message *why)
{
    *memory = (SharedMemory){0};
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return fail_errno(why, "shared memory");
    void *mapped = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)bytes) == 0 &&
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
        Status status = fail_errno(why, "%zu bytes of shared memory", bytes);
        close(descriptor);
        return status;
    }
    *memory = (SharedMemory){.base = mapped, .bytes = bytes, .descriptor = descriptor};
    return STATUS_OK;
}

void shared_memory_free(SharedMemory *memory)
{
    if (memory->base == NULL)
        return;
    munmap(memory->base, memory->bytes);
    close(memory->descriptor);
    *memory = (SharedMemory){0};
}
