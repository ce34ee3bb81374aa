#include "harness/runner/direct_role.h"

#include "harness/runner/cuda_library.h"
#include "harness/runner/submission.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_TO_DEVICE = 1 /* cudaMemcpyHostToDevice */ };

static int (*cuda_malloc)(void **address, size_t bytes);
static int (*cuda_memcpy)(void *to, const void *from, size_t bytes, int kind);
static int (*cuda_synchronize)(void);

static void give_up(const char *what)
{
    fprintf(stderr, "convjudge-runner: %s\n", what);
    exit(2);
}

static void open_runtime(const char *path)
{
    void *library = cuda_library_open(path);
    *(void **)&cuda_malloc = cuda_library_function(library, "cudaMalloc");
    *(void **)&cuda_memcpy = cuda_library_function(library, "cudaMemcpy");
    *(void **)&cuda_synchronize = cuda_library_function(library, "cudaDeviceSynchronize");
}

/* The contents come from a fixed seed, so that a measurement can be repeated. */
static void *device_array(size_t count, int is_float)
{
    size_t bytes = count * (is_float ? sizeof(float) : 1);
    char *host = malloc(bytes + 1);
    uint32_t seed = 1;
    void *device;
    for (size_t i = 0; host != NULL && i < count; i++) {
        seed = seed * 1664525 + 1013904223; /* Numerical Recipes, section 7.1, "Quick and Dirty Generators" */
        if (is_float)
            ((float *)(void *)host)[i] = (float)(seed >> 8) / (1 << 24);
        else
            host[i] = (char)(seed >> 24);
    }
    if (host == NULL || cuda_malloc(&device, bytes) != 0 || cuda_memcpy(device, host, bytes, HOST_TO_DEVICE) != 0)
        give_up("no memory for the arrays, or no GPU");
    free(host);
    return device;
}

static unsigned long long argument_word(const char *text)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL)
        give_up(text);
    unsigned long long number = strtoull(colon + 1, NULL, 10);
    if (strncmp(text, "value:", 6) == 0)
        return number;
    return (unsigned long long)(uintptr_t)device_array(number, strncmp(text, "float:", 6) == 0);
}

int direct_role(const char *cudart_path, const char *object_path, int count, char **arguments)
{
    unsigned long long words[SOLVE_MAX_WORDS] = {0};
    if (count > SOLVE_MAX_WORDS)
        give_up("too many arguments");
    open_runtime(cudart_path);
    for (int i = 0; i < count; i++)
        words[i] = argument_word(arguments[i]);
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL)
        give_up(dlerror());
    submission_call(solve, words);
    if (cuda_synchronize() != 0)
        give_up("a kernel failed");
    return 0;
}
