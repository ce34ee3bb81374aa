/* An entry of the cache is one line, "<seconds> <bytes of the module> <bytes of the object> <bytes of the host
 * object>", then the module, the object, the host object and what the compiler printed. */
#include "harness/compile/compiler_run.h"

#include "base/compile_cache.h"

#include <stdio.h>
#include <string.h>

void compiler_run_free(CompilerRun *run)
{
    text_free(&run->module);
    text_free(&run->object);
    text_free(&run->host_object);
    text_free(&run->output);
    *run = (CompilerRun){0};
}

static bool unpack(const Text *entry, CompilerRun *run)
{
    size_t module, object, host_object;
    int head = 0;
    if (sscanf(entry->data, "%lf %zu %zu %zu%n", &run->seconds, &module, &object, &host_object, &head) != 4 ||
        entry->data[head] != '\n')
        return false;
    const char *at = entry->data + head + 1;
    size_t left = entry->length - (size_t)head - 1;
    if (module > left || object > left - module || host_object > left - module - object)
        return false;
    text_append(&run->module, at, module);
    at += module;
    left -= module;
    text_append(&run->object, at, object);
    text_append(&run->host_object, at + object, host_object);
    text_append(&run->output, at + object + host_object, left - object - host_object);
    return true;
}

bool compiler_run_read(const Digest *key, CompilerRun *run)
{
    Text entry = {0};
    *run = (CompilerRun){0};
    bool found = compile_cache_read(NULL, key, &entry) && unpack(&entry, run);
    text_free(&entry);
    return found;
}

void compiler_run_write(const Digest *key, const CompilerRun *run)
{
    Text entry = {0};
    text_printf(&entry, "%.6f %zu %zu %zu\n", run->seconds, run->module.length, run->object.length,
                run->host_object.length);
    text_append(&entry, run->module.data, run->module.length);
    text_append(&entry, run->object.data, run->object.length);
    text_append(&entry, run->host_object.data, run->host_object.length);
    text_append(&entry, run->output.data, run->output.length);
    compile_cache_write(NULL, key, &entry);
    text_free(&entry);
}
