/* The process that holds a CPU baseline: convjudge-cpu-runner MEMORY-DESCRIPTOR OBJECT. Like convjudge-runner it knows
 * nothing but the arrays of its calls, and no clock of its own counts. */
#include "harness/protocol/cpu_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef void SolveCall(const unsigned long long *arguments);

/* Every page is there before a call, so that none is first met while the clock runs. */
static CpuMemory *map_memory(int descriptor)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return NULL;
    void *memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? NULL : memory;
}

static void call_solve(CpuMemory *memory, SolveCall *call)
{
    unsigned long long words[CPU_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < memory->word_count && i < CPU_MAX_WORDS; i++)
        words[i] = memory->words[i].value + (memory->words[i].is_array ? (unsigned long long)(uintptr_t)memory : 0);
    call(words);
}

int main(int argc, char **argv)
{
    CpuMemory *memory = argc == 3 ? map_memory(atoi(argv[1])) : NULL;
    if (memory == NULL) {
        perror("convjudge-cpu-runner MEMORY-DESCRIPTOR OBJECT");
        return 2;
    }
    void *object = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    SolveCall *call = object == NULL ? NULL : (SolveCall *)(uintptr_t)dlsym(object, "convjudge_call");
    if (call == NULL) {
        snprintf(memory->error, sizeof memory->error, "%s", dlerror());
        cpu_phase_set(memory, CPU_REFUSED);
        return 2;
    }
    for (uint32_t idle = CPU_READY;; idle = CPU_RETURNED) {
        fflush(NULL);
        cpu_phase_set(memory, idle);
        while (atomic_load(&memory->phase) == idle)
            cpu_phase_wait(memory, idle, -1);
        call_solve(memory, call);
    }
}
