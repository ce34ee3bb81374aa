#include "harness/runner/cpu_role.h"

#include "harness/protocol/cpu_memory.h"
#include "harness/runner/submission.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* MAP_POPULATE: the clock of a call must not run while pages are first touched. */
static CpuMemory *map_memory(int descriptor)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return NULL;
    void *memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? NULL : memory;
}

static void call_solve(CpuMemory *memory, SolveCall *solve)
{
    unsigned long long words[SOLVE_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < memory->word_count && i < SOLVE_MAX_WORDS; i++)
        words[i] = memory->words[i].value + (memory->words[i].is_array ? (unsigned long long)(uintptr_t)memory : 0);
    submission_call(solve, words);
}

int cpu_role(int memory_descriptor, const char *object_path)
{
    CpuMemory *memory = map_memory(memory_descriptor);
    if (memory == NULL) {
        perror("convjudge-runner: the shared memory");
        return 2;
    }
    cpu_phase_set(memory, CPU_LOADING);
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL) {
        snprintf(memory->error, sizeof memory->error, "%s", dlerror());
        cpu_phase_set(memory, CPU_REFUSED);
        return 2;
    }
    for (uint32_t idle = CPU_READY;; idle = CPU_RETURNED) {
        cpu_phase_set(memory, idle);
        while (atomic_load(&memory->phase) == idle)
            cpu_phase_wait(memory, idle, -1);
        call_solve(memory, solve);
    }
}
