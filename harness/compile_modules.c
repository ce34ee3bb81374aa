/* What the compiled object holds for the device, and what of it tells one submission from another. */
#include "harness/compile_parts.h"

#include "base/elf.h"
#include "simgpu/fatbin.h"

#include <stdlib.h>
#include <string.h>

/* Fatbins lie one after the other, each at a multiple of 8. */
static size_t skip_padding(const ElfSection *section, size_t offset)
{
    while (offset < section->bytes && section->data[offset] == '\0')
        offset++;
    return offset;
}

static Status split(const char *path, const ElfSection *section, Arena *arena, CompileModule **modules, size_t *count,
                    Message *why)
{
    for (int fill = 0; fill <= 1; fill++) { /* count, then copy */
        size_t found = 0, offset = skip_padding(section, 0);
        while (offset < section->bytes) {
            size_t bytes = fatbin_size(section->data + offset, section->bytes - offset);
            if (bytes == 0)
                return fail(STATUS_BAD_INPUT, why, "%s: .nv_fatbin: no fatbin at byte %zu", path, offset);
            if (fill)
                (*modules)[found] = (CompileModule){memcpy(arena_alloc(arena, bytes), section->data + offset, bytes), bytes};
            found++;
            offset = skip_padding(section, offset + bytes);
        }
        if (!fill)
            *modules = arena_array(arena, found, sizeof **modules);
        *count = found;
    }
    return STATUS_OK;
}

Status modules_read(const char *object_path, Arena *arena, CompileModule **modules, size_t *count, Message *why)
{
    Text object = {0};
    Elf elf;
    ElfSection section;
    *modules = NULL;
    *count = 0;
    Status status = text_read_file(object_path, COMPILE_FILE_BYTES, &object, why);
    if (status != STATUS_OK)
        return status;
    if (!elf_open(&elf, object.data, object.length))
        status = fail(STATUS_BAD_INPUT, why, "%s: no ELF file", object_path);
    else if (elf_find(&elf, ".nv_fatbin", "", &section) && section.data != NULL) /* none: no kernels */
        status = split(object_path, &section, arena, modules, count, why);
    text_free(&object);
    return status;
}

/* ---- the digest of the machine code ----------------------------------------------------------------------------------- */

typedef struct Pieces {
    Digest *digests;
    size_t count, capacity;
} Pieces;

static void add_piece(Pieces *pieces, const ElfSection *section)
{
    Hash hash;
    hash_begin(&hash);
    if (section->data != NULL)
        hash_add(&hash, section->data, section->bytes);
    else
        hash_add(&hash, &section->bytes, sizeof section->bytes);
    if (pieces->count == pieces->capacity) {
        pieces->capacity = pieces->capacity * 2 + 16;
        pieces->digests = realloc(pieces->digests, pieces->capacity * sizeof *pieces->digests);
        if (pieces->digests == NULL)
            abort();
    }
    pieces->digests[pieces->count++] = hash_end(&hash);
}

static void add_pieces(Pieces *pieces, const void *image, size_t bytes, const char *const *prefixes)
{
    Elf elf;
    ElfSection section;
    if (image == NULL || !elf_open(&elf, image, bytes))
        return;
    for (unsigned i = 0; i < elf.section_count; i++)
        if (elf_section(&elf, i, &section))
            for (const char *const *prefix = prefixes; *prefix != NULL; prefix++)
                if (strncmp(section.name, *prefix, strlen(*prefix)) == 0)
                    add_piece(pieces, &section);
}

static int compare_digests(const void *a, const void *b)
{
    return strcmp(((const Digest *)a)->hex, ((const Digest *)b)->hex);
}

/* Only sections in which neither names nor lines occur are taken, and in no order, since names decide it. The host's part
 * comes from the object before linking, where addresses are still zero: launches with other block sizes differ there, but
 * not in the kernels. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object)
{
    static const char *const device[] = {".text.", ".nv.constant", ".nv.shared.", ".nv.global", NULL};
    static const char *const host[] = {".text", ".rodata.cst", NULL};
    Pieces pieces = {0};
    Hash hash;
    for (size_t i = 0; i < count; i++) {
        Fatbin fatbin;
        if (fatbin_read(modules[i].image, modules[i].bytes, compute, &fatbin, NULL) == STATUS_OK)
            add_pieces(&pieces, fatbin.cubin, fatbin.cubin_bytes, device);
    }
    add_pieces(&pieces, host_object->data, host_object->length, host);
    if (pieces.count > 0)
        qsort(pieces.digests, pieces.count, sizeof *pieces.digests, compare_digests);
    hash_begin(&hash);
    for (size_t i = 0; i < pieces.count; i++)
        hash_add_string(&hash, pieces.digests[i].hex);
    free(pieces.digests);
    return hash_end(&hash);
}
