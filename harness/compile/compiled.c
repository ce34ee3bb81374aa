#include "harness/compile/compiled.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
