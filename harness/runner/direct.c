/* Calls solve() once on a real GPU, with NVIDIA's own CUDA runtime, for a profiler to look at:
 *
 *     convjudge-direct-runner CUDART OBJECT ARGUMENT...
 *
 * One ARGUMENT for each parameter: "float:COUNT" and "byte:COUNT" are arrays, filled with numbers between 0 and 1, or
 * bytes; "value:NUMBER" is handed over as it is. Nothing here is confined: the object runs with the caller's
 * rights.  */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 16, HOST_TO_DEVICE = 1 };

typedef void SolveCall(const unsigned long long *arguments);

static int (*cuda_malloc)(void **address, size_t bytes);
static int (*cuda_memcpy)(void *to, const void *from, size_t bytes, int kind);
static int (*cuda_synchronize)(void);

static void give_up(const char *what)
{
    fprintf(stderr, "convjudge-direct-runner: %s\n", what);
    exit(2);
}

static void *symbol(void *library, const char *name)
{
    void *found = library == NULL ? NULL : dlsym(library, name);
    if (found == NULL)
        give_up(dlerror());
    return found;
}

/* Global, so that the object's calls go there. */
static void open_runtime(const char *path)
{
    void *runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    *(void **)&cuda_malloc = symbol(runtime, "cudaMalloc");
    *(void **)&cuda_memcpy = symbol(runtime, "cudaMemcpy");
    *(void **)&cuda_synchronize = symbol(runtime, "cudaDeviceSynchronize");
}

/* Filled from a fixed seed: what is measured shall repeat. */
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
        give_up("no room for the arrays, or no GPU");
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

int main(int argc, char **argv)
{
    unsigned long long words[MAX_ARGUMENTS] = {0};
    if (argc < 3 || argc - 3 > MAX_ARGUMENTS)
        give_up("CUDART OBJECT ARGUMENT...");
    open_runtime(argv[1]);
    for (int i = 3; i < argc; i++)
        words[i - 3] = argument_word(argv[i]);
    SolveCall *call = (SolveCall *)(uintptr_t)symbol(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), "convjudge_call");
    call(words);
    if (cuda_synchronize() != 0)
        give_up("the kernels failed");
    return 0;
}
