#include "harness/compile/compiled.h"

#include "base/sandbox.h"
#include "harness/compile/compile_sandbox.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== host line =================================================================================================== */

static const double WALL_SECONDS = 10;
enum { MAX_OUTPUT = 64 * 1024, CPU_SECONDS = 5 };

/* Finds the first line in the submission among lines such as "/submission/submission.cu:12 (discriminator 2)",
 * innermost first; 0: none. Code that the compiler has added belongs to "/submission/submission.cu:?". */
static int first_line(const Text *output)
{
    static const char own[] = COMPILE_SOURCE_NAME ":";
    for (const char *at = output->data; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");
        const char *name = memrchr(at, '/', length);
        name = name == NULL ? at : name + 1;
        long line = strncmp(name, own, strlen(own)) == 0 ? strtol(name + strlen(own), NULL, 10) : 0;
        if (line > 0)
            return (int)line;
        at += length + (at[length] == '\n');
    }
    return 0;
}

int host_line(const char *object_path, uint64_t offset)
{
    static const char object[] = "/submission/submission.so", *const environment[] = {"LC_ALL=C", NULL};
    char address[32];
    const char *const argv[] = {"/usr/bin/addr2line", "-i", "-e", object, address, NULL};
    const SandboxMount mounts[] = {{object_path, object, false}};
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .environment = environment,
                    .limits = {.address_space_bytes = 1ul << 30, .file_bytes = MAX_OUTPUT, .cpu_seconds = CPU_SECONDS}},
        .mounts = mounts,
        .mount_count = 1,
        .memory_bytes = 1ul << 30,
        .read_only = true};
    Sandbox *sandbox = NULL;
    ProcessSpec process;
    ProcessEnd end = {0};
    Text output = {0};
    Message why = {0};
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)offset);
    Status status = sandbox_new(&spec, &sandbox, &process, &why);
    THEN(status, process_run(&process, WALL_SECONDS, MAX_OUTPUT, &output, &end, &why));
    int line = status == STATUS_OK && end.exit_status == 0 ? first_line(&output) : 0;
    sandbox_free(sandbox);
    text_free(&output);
    return line;
}

/* ==== compiled ==================================================================================================== */

void compiled_free(Compiled *compiled)
{
    text_free(&compiled->diagnostics);
    arena_free(&compiled->arena);
    *compiled = (Compiled){0};
}

/* ==== library kernel ============================================================================================== */

/* The names of a nested name, "_ZN3cub6detail6KernelI...", one after the other; false where there is no other one.
 * Source: Itanium C++ ABI, 5.1.2, <nested-name>. */
static bool next_name(const char **at, const char *end, const char **name, size_t *length)
{
    size_t count = 0;
    while (*at < end && isdigit((unsigned char)**at) && count < 100000)
        count = 10 * count + (size_t)(*(*at)++ - '0');
    if (count == 0 || count > (size_t)(end - *at))
        return false;
    *name = *at;
    *length = count;
    *at += count;
    return true;
}

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

/* An inline namespace with the version, "CUB_300001_SM_900", which nobody writes. */
static bool is_version(const char *name, size_t length)
{
    return length > 4 && (memcmp(name, "CUB_", 4) == 0 || (length > 7 && memcmp(name, "THRUST_", 7) == 0));
}

bool library_kernel_name(const char *mangled, size_t length, char *name, size_t size)
{
    static const char nested[] = "_ZN";
    const char *at = mangled + sizeof nested - 1, *end = mangled + length, *part;
    size_t part_length, used = 0;
    bool is_library = false;
    name[0] = '\0';
    if (length < sizeof nested || memcmp(mangled, nested, sizeof nested - 1) != 0)
        return false;
    while (next_name(&at, end, &part, &part_length)) {
        is_library |= is_name(part, part_length, "cub") || is_name(part, part_length, "thrust");
        if (!is_library || is_version(part, part_length) || used >= size)
            continue;
        int added = snprintf(name + used, size - used, "%s%.*s", used > 0 ? "::" : "", (int)part_length, part);
        used += added > 0 ? (size_t)added : 0;
    }
    return is_library;
}

/* A kernel without work, from which the libraries learn what the device can do. */
static bool does_nothing(const char *name)
{
    static const char empty[] = "::EmptyKernel";
    size_t length = strlen(name);
    return length >= sizeof empty - 1 && strcmp(name + length - (sizeof empty - 1), empty) == 0;
}

static bool find_in_module(const CompileModule *module, char *name, size_t size)
{
    static const char entry[] = ".entry ";
    const char *at = module->image, *end = at + module->bytes;
    while ((at = memmem(at, (size_t)(end - at), entry, sizeof entry - 1)) != NULL) {
        const char *mangled = at += sizeof entry - 1;
        while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '$'))
            at++;
        if (library_kernel_name(mangled, (size_t)(at - mangled), name, size) && !does_nothing(name))
            return true;
    }
    return false;
}

bool library_kernel_find(const Compiled *compiled, char *name, size_t size)
{
    for (size_t i = 0; i < compiled->module_count; i++)
        if (find_in_module(&compiled->modules[i], name, size))
            return true;
    return false;
}
