#include "simgpu/ptx/fatbin.h"

#include "base/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { FATBIN_MAGIC = (int)0xBA55ED50, ENTRY_PTX = 1, ENTRY_ELF = 2 };
enum { FLAG_ZSTD = 0x8000, FLAG_LZ4 = 0x2000, FLAGS_COMPRESSED = FLAG_ZSTD | FLAG_LZ4 };

typedef struct FatbinHeader {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t payload_bytes; /* of all entries together */
} FatbinHeader;

typedef struct EntryHeader {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes; /* padded to 8 */
    uint32_t compressed_bytes, unknown;
    uint16_t minor, major; /* of the PTX language or of the ELF layout */
    uint32_t compute;      /* 90 */
    uint32_t name_offset, name_bytes;
    uint64_t flags, zero, uncompressed_bytes;
} EntryHeader;

_Static_assert(sizeof(FatbinHeader) == 16 && sizeof(EntryHeader) == 64, "the layout of the file");

/* Copies a part out of the image. A hostile image may end anywhere and need not be aligned, so all reads go through
 * this. */
static bool copy_out(void *part, size_t part_bytes, const void *image, size_t bytes, uint64_t offset)
{
    if (offset > bytes || bytes - offset < part_bytes)
        return false;
    memcpy(part, (const char *)image + offset, part_bytes);
    return true;
}

/* ---- fatbin ------------------------------------------------------------------------------------------------------ */

size_t fatbin_size(const void *image, size_t available)
{
    FatbinHeader header;
    if (!copy_out(&header, sizeof header, image, available, 0) || header.magic != (uint32_t)FATBIN_MAGIC ||
        header.header_bytes < sizeof header || !elf_has_bytes(available, header.header_bytes, header.payload_bytes))
        return 0;
    return header.header_bytes + header.payload_bytes;
}

/* PTX text is followed by zero bytes. */
static size_t text_length(const char *text, size_t bytes)
{
    const char *end = memchr(text, '\0', bytes);
    return end == NULL ? bytes : (size_t)(end - text);
}

typedef struct FatbinReading {
    Fatbin *fatbin;
    int compute;         /* the newest suitable architecture */
    int cubin_compute;   /* architecture of the cubin in `fatbin` */
    uint64_t compressed; /* flags of compressed PTX that was skipped */
} FatbinReading;

static void take_entry(FatbinReading *reading, const EntryHeader *entry, const char *payload)
{
    Fatbin *fatbin = reading->fatbin;
    if (entry->compute > (uint32_t)reading->compute)
        return;
    int compute = (int)entry->compute;
    if (entry->kind == ENTRY_PTX && (entry->flags & FLAGS_COMPRESSED) != 0) {
        reading->compressed = entry->flags;
    } else if (entry->kind == ENTRY_PTX && (fatbin->ptx == NULL || compute > fatbin->ptx_compute)) {
        fatbin->ptx = payload;
        fatbin->ptx_bytes = text_length(payload, entry->payload_bytes);
        fatbin->ptx_compute = compute;
    } else if (entry->kind == ENTRY_ELF && (entry->flags & FLAGS_COMPRESSED) == 0 &&
               (fatbin->cubin == NULL || compute > reading->cubin_compute)) {
        fatbin->cubin = payload;
        fatbin->cubin_bytes = entry->payload_bytes;
        reading->cubin_compute = compute;
    }
}

static Status read_entries(FatbinReading *reading, const char *image, size_t size, size_t offset, Message *why)
{
    while (offset < size) {
        EntryHeader entry;
        if (!copy_out(&entry, sizeof entry, image, size, offset) || entry.header_bytes < sizeof entry ||
            !elf_has_bytes(size, offset, entry.header_bytes) ||
            !elf_has_bytes(size, offset + entry.header_bytes, entry.payload_bytes))
            return fail(STATUS_BAD_INPUT, why, "fatbin: the entry at byte %zu extends beyond the end at byte %zu",
                        offset, size);
        take_entry(reading, &entry, image + offset + entry.header_bytes);
        offset += entry.header_bytes + entry.payload_bytes;
    }
    return STATUS_OK;
}

Status fatbin_read(const void *image, size_t bytes, int compute, Fatbin *fatbin, Message *why)
{
    *fatbin = (Fatbin){0};
    size_t size = fatbin_size(image, bytes);
    if (size == 0)
        return fail(STATUS_BAD_INPUT, why,
                    "fatbin: no header of a fatbin, or one for more than the %zu bytes that there are", bytes);
    FatbinHeader header;
    memcpy(&header, image, sizeof header);
    FatbinReading reading = {.fatbin = fatbin, .compute = compute};
    Status status = read_entries(&reading, image, size, header.header_bytes, why);
    if (status == STATUS_OK && fatbin->ptx == NULL && reading.compressed != 0)
        status = fail(STATUS_UNSUPPORTED, why,
                      "fatbin: the PTX is compressed with %s, expected plain text (nvcc "
                      "--no-compress)",
                      reading.compressed & FLAG_ZSTD ? "zstd" : "LZ4");
    if (status != STATUS_OK)
        *fatbin = (Fatbin){0};
    return status;
}

/* The PTX gets at least one zero byte after it, as nvcc writes it. */
void fatbin_write(const char *ptx, size_t bytes, int compute, Text *image)
{
    static const char zeros[8];
    const size_t padding = 8 - bytes % 8;
    const EntryHeader entry = {.kind = ENTRY_PTX,
                               .version = 0x101,
                               .header_bytes = sizeof entry,
                               .payload_bytes = bytes + padding,
                               .compute = (uint32_t)compute};
    const FatbinHeader header = {.magic = (uint32_t)FATBIN_MAGIC,
                                 .version = 1,
                                 .header_bytes = sizeof header,
                                 .payload_bytes = sizeof entry + entry.payload_bytes};
    text_append(image, (const char *)&header, sizeof header);
    text_append(image, (const char *)&entry, sizeof entry);
    text_append(image, ptx, bytes);
    text_append(image, zeros, padding);
}

/* ---- cubin ------------------------------------------------------------------------------------------------------- */

/* .nv.info is a list of attributes {u8 format, u8 attribute, u16 length or value}, followed by `length` bytes if the
 * format is 4. Attributes 0x2f and 0x11 are {u32 symbol, u32 number} of one function: its registers, and the bytes of
 * its frame in local memory. */
enum { ATTRIBUTE_FRAME = 0x11, ATTRIBUTE_LEAST_STACK = 0x12, ATTRIBUTE_REGISTERS = 0x2f };

static uint32_t attribute_of_symbol(const ElfSection *info, uint8_t attribute, uint32_t symbol)
{
    enum { FORMAT_SIZED = 4 };
    struct {
        uint8_t format, attribute;
        uint16_t length;
    } head;
    for (size_t at = 0; copy_out(&head, sizeof head, info->data, info->bytes, at); at += sizeof head) {
        uint32_t pair[2];
        if (head.format != FORMAT_SIZED)
            continue;
        if (head.attribute == attribute && copy_out(pair, sizeof pair, info->data, info->bytes, at + sizeof head) &&
            pair[0] == symbol)
            return pair[1];
        at += head.length;
    }
    return 0;
}

/* The section that holds a kernel's machine code. */
static bool find_code(const void *cubin, size_t bytes, const char *kernel, Elf *elf, ElfSection *code)
{
    return cubin != NULL && elf_open(elf, cubin, bytes) && elf_find(elf, ".text.", kernel, code) && code->data != NULL;
}

uint32_t cubin_registers(const void *cubin, size_t bytes, const char *kernel)
{
    Elf elf;
    ElfSection code, info;
    if (!find_code(cubin, bytes, kernel, &elf, &code))
        return 0;
    uint32_t symbol = code.info & 0xFFFFFF;
    bool listed = elf_find(&elf, ".nv.info", "", &info) && info.data != NULL;
    uint32_t registers = listed ? attribute_of_symbol(&info, ATTRIBUTE_REGISTERS, symbol) : 0;
    return registers != 0 ? registers : code.info >> 24; /* the place in the output of nvcc up to 12 */
}

static uint32_t attribute_of_kernel(const void *cubin, size_t bytes, const char *kernel, uint8_t attribute)
{
    Elf elf;
    ElfSection code, info;
    if (!find_code(cubin, bytes, kernel, &elf, &code) || !elf_find(&elf, ".nv.info", "", &info) || info.data == NULL)
        return 0;
    return attribute_of_symbol(&info, attribute, code.info & 0xFFFFFF);
}

uint32_t cubin_frame_bytes(const void *cubin, size_t bytes, const char *kernel)
{
    return attribute_of_kernel(cubin, bytes, kernel, ATTRIBUTE_FRAME);
}

uint32_t cubin_least_stack(const void *cubin, size_t bytes, const char *kernel)
{
    return attribute_of_kernel(cubin, bytes, kernel, ATTRIBUTE_LEAST_STACK);
}

/* The machine code of a function that a kernel calls stands behind that of the kernel, where a local symbol names it:
 * "$kernel$function". */
static bool find_function(const Elf *elf, const char *kernel, const char *function, Elf64_Sym *found)
{
    ElfSection symbols, names;
    char wanted[1024];
    if ((size_t)snprintf(wanted, sizeof wanted, "$%s$%s", kernel, function) >= sizeof wanted ||
        !elf_find(elf, ".symtab", "", &symbols) || !elf_find(elf, ".strtab", "", &names) || symbols.data == NULL ||
        names.data == NULL)
        return false;
    for (size_t at = 0; copy_out(found, sizeof *found, symbols.data, symbols.bytes, at); at += sizeof *found)
        if (found->st_name < names.bytes && names.bytes - found->st_name > strlen(wanted) &&
            memcmp(names.data + found->st_name, wanted, strlen(wanted) + 1) == 0)
            return true;
    return false;
}

/* A function begins by lowering the stack pointer R1 (IADD3 or VIADD R1, R1, -n), unless it needs no stack. Bits 0 to 15
 * are the operation, then follow two registers of 8 bits and the number. Source: machine code of nvcc 13.0. */
static bool lowers_stack(uint64_t instruction, uint32_t *bytes)
{
    enum { IADD3_R1_R1 = 0x01017810, VIADD_R1_R1 = 0x01017836 };
    uint32_t operation = (uint32_t)instruction;
    *bytes = -(uint32_t)(instruction >> 32);
    return (operation == IADD3_R1_R1 || operation == VIADD_R1_R1) && *bytes < 1u << 20;
}

bool cubin_call_bytes(const void *cubin, size_t bytes, const char *kernel, const char *function, uint32_t *stack_bytes)
{
    enum { PROLOGUE = 8 };
    Elf elf;
    ElfSection code;
    Elf64_Sym symbol;
    uint64_t instruction[2];
    *stack_bytes = 0;
    if (!find_code(cubin, bytes, kernel, &elf, &code) || !find_function(&elf, kernel, function, &symbol))
        return false;
    for (size_t i = 0; i < PROLOGUE; i++) {
        size_t at = symbol.st_value + i * sizeof instruction;
        if (i * sizeof instruction >= symbol.st_size ||
            !copy_out(instruction, sizeof instruction, code.data, code.bytes, at))
            break;
        if (lowers_stack(instruction[0], stack_bytes))
            return true;
    }
    *stack_bytes = 0;
    return true;
}

/* An instruction of compute capability 7.5 to 9.0 takes 16 bytes: the operation in bits 0 to 11, the constant bank in
 * bits 54 to 58. Source: machine code of nvcc 13.0 as cuobjdump shows it; bank 3 holds the module's variables. */
static bool is_uniform_constant_load(uint64_t instruction)
{
    enum { ULDC_INDEXED = 0xabb, BANK_OF_VARIABLES = 3 };
    return (instruction & 0xfff) == ULDC_INDEXED && (instruction >> 54 & 0x1f) == BANK_OF_VARIABLES;
}

bool cubin_loads_constants_uniformly(const void *cubin, size_t bytes, const char *kernel)
{
    Elf elf;
    ElfSection code;
    uint64_t instruction[2];
    if (!find_code(cubin, bytes, kernel, &elf, &code))
        return false;
    for (size_t at = 0; copy_out(instruction, sizeof instruction, code.data, code.bytes, at); at += sizeof instruction)
        if (is_uniform_constant_load(instruction[0]))
            return true;
    return false;
}
