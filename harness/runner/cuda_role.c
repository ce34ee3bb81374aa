#include "harness/runner/cuda_role.h"

#include "harness/runner/cuda_library.h"
#include "harness/runner/fault_note.h"
#include "harness/runner/host_memory.h"
#include "harness/runner/submission.h"
#include "harness/runtime/attach.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The judge's runtime library lies beside the runner. */
static const char RUNTIME[] = "libcudart.so.13";

static struct {
    __typeof__(convjudge_attach) *attach;
    __typeof__(convjudge_fault) *fault;
    __typeof__(convjudge_loading) *loading;
    __typeof__(convjudge_loaded) *loaded;
    __typeof__(convjudge_next_call) *next_call;
    __typeof__(convjudge_returned) *returned;
    __typeof__(convjudge_memory_refused) *memory_refused;
} runtime;

static void open_runtime(void)
{
    void *library = cuda_library_open(RUNTIME);
#define BIND(call) *(void **)&runtime.call = cuda_library_function(library, "convjudge_" #call)
    BIND(attach);
    BIND(fault);
    BIND(loading);
    BIND(loaded);
    BIND(next_call);
    BIND(returned);
    BIND(memory_refused);
#undef BIND
}

/* If a static array exceeds the memory limit, only the loader's message says so. */
static void report_load_error(void)
{
    const char *error = dlerror();
    if (strstr(error, "failed to map segment") != NULL || strstr(error, "cannot map zero-fill pages") != NULL)
        runtime.memory_refused();
    runtime.loaded(error);
}

int cuda_role(int ring_descriptor, const char *object_path)
{
    open_runtime();
    if (!runtime.attach(ring_descriptor)) {
        perror("convjudge-runner: the ring");
        return 2;
    }
    fault_note_begin(runtime.fault(), object_path);
    host_memory_on_refusal(runtime.memory_refused);
    runtime.loading();
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL) {
        report_load_error();
        return 2;
    }
    runtime.loaded(NULL);
    for (;;) {
        unsigned long long words[SOLVE_MAX_WORDS] = {0};
        host_memory_scribble(runtime.next_call(words, SOLVE_MAX_WORDS));
        submission_call(solve, words);
        runtime.returned();
    }
}
