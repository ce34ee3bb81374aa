/* machine.h - a simulated H200 for the tests of the simulated GPU from outside.  */
#ifndef SIMGPU_TESTS_MACHINE_H
#define SIMGPU_TESTS_MACHINE_H

#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/simgpu.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t machine_base = 0x300000000000, machine_span = 1ull << 32;

/* The `number`-th has its memory after those before. */
static inline SimGpu *machine_new(int number, int threads)
{
    HardwareProfile profile;
    SimGpu *gpu = NULL;
    Message why = {0};
    uint64_t base = machine_base + (uint64_t)number * machine_span;
    if (hardware_profile_read("simgpu/profiles", "h200", &profile, &why) != STATUS_OK ||
        simgpu_new(&profile, base, machine_span, threads, &gpu, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return gpu;
}

/* Where GPUs that translate keep their libraries, made by the only one of them. */
static char machine_libraries[] = "/tmp/simgpu-test-XXXXXX";

static inline SimGpu *machine_new_translating(int number, int threads)
{
    SimGpu *gpu = machine_new(number, threads);
    if (mkdtemp(machine_libraries) == NULL)
        fail_test("%s: no folder for libraries", machine_libraries);
    simgpu_set_translator(gpu, "/usr/bin/gcc", machine_libraries, SIM_TRANSLATE_ALWAYS);
    return gpu;
}

static inline int machine_remove_libraries(void)
{
    DIR *entries = opendir(machine_libraries);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        unlinkat(dirfd(entries), entry->d_name, 0);
    return entries == NULL || closedir(entries) != 0 || rmdir(machine_libraries) != 0 ? -1 : 0;
}

static inline void *at(uint64_t address)
{
    return (void *)(uintptr_t)address; /* a global address is a host address */
}

/* An allocation filled with `bytes` of `data`; with zeros where that is NULL. */
static inline uint64_t machine_array(SimGpu *gpu, const void *data, size_t bytes)
{
    uint64_t address = simgpu_alloc(gpu, bytes);
    assert_true(address != 0);
    if (data != NULL)
        memcpy(at(address), data, bytes);
    else
        memset(at(address), 0, bytes);
    return address;
}

/* The module's only kernel of interest, `name`; NULL with the reason where the text is refused. */
static inline SimFunction *machine_load(SimGpu *gpu, const char *ptx, size_t length, const char *name,
                                        SimModule **module, Message *why)
{
    if (simgpu_module_load(gpu, ptx, length, module, why) != STATUS_OK)
        return NULL;
    SimFunction *function = simgpu_function(*module, name);
    if (function == NULL) {
        (void)fail(STATUS_NOT_FOUND, why, "no kernel %s", name);
        simgpu_module_unload(gpu, *module);
    }
    return function;
}

/* A kernel of a file in simgpu/tests/data. */
static inline SimFunction *machine_read(SimGpu *gpu, const char *file, const char *name, SimModule **module)
{
    Text path = {0}, text = {0};
    Message why = {0};
    SimFunction *function = NULL;
    text_printf(&path, "simgpu/tests/data/%s", file);
    if (text_read_file(path.data, 1 << 20, &text, &why) == STATUS_OK)
        function = machine_load(gpu, text.data, text.length, name, module, &why);
    if (function == NULL)
        fail_test("%s: %s", path.data, why.text);
    text_free(&path);
    text_free(&text);
    return function;
}

#endif
