#include "simgpu/cost/merged_loads.h"

#include "base/allocated.h"
#include "base/elf.h"
#include "simgpu/cost/machine_lines.h"

#include <stdlib.h>
#include <string.h>

/* ---- sizes in the machine code ---------------------------------------------------------------------------------- */

/* Bytes per lane that the machine instructions of a PTX line load from shared memory. */
enum { NO_LOAD = 0, SEVERAL_SIZES = 255 };

typedef struct LineSizes {
    uint8_t *bytes; /* [count], by line of PTX */
    size_t count;
    uint64_t steps_left; /* in the search for loads that belong together */
} LineSizes;

/* Bits 0 to 8 are the operation, bits 73 to 75 the size: 4 to 6 for 32, 64 and 128 bits. */
static uint8_t loaded_bytes(const uint64_t word[2])
{
    enum { LDS = 0x184, SIZE_32 = 4, SIZE_128 = 6 };
    uint64_t size = word[1] >> 9 & 7;
    if ((word[0] & 0x1ff) != LDS)
        return NO_LOAD;
    return size >= SIZE_32 && size <= SIZE_128 ? (uint8_t)(4u << (size - SIZE_32)) : SEVERAL_SIZES;
}

static void note_sizes(const ElfSection *section, const int32_t *lines, LineSizes *sizes)
{
    for (size_t i = 0; i < section->bytes / MACHINE_INSTRUCTION_BYTES; i++) {
        uint64_t word[2];
        memcpy(word, section->data + i * MACHINE_INSTRUCTION_BYTES, sizeof word);
        uint8_t bytes = loaded_bytes(word);
        if (bytes == NO_LOAD || lines[i] <= 0 || (size_t)lines[i] >= sizes->count)
            continue;
        uint8_t *known = &sizes->bytes[lines[i]];
        *known = *known == NO_LOAD || *known == bytes ? bytes : SEVERAL_SIZES;
    }
}

static bool read_sizes(const void *cubin, size_t bytes, const char *kernel, LineSizes *sizes)
{
    Elf elf;
    ElfSection section;
    if (cubin == NULL || !elf_open(&elf, cubin, bytes) || !elf_find(&elf, ".text.", kernel, &section) ||
        section.data == NULL)
        return false;
    size_t count = section.bytes / MACHINE_INSTRUCTION_BYTES;
    int32_t *lines = zeroed(count + 1, sizeof *lines);
    bool known = machine_lines(cubin, bytes, kernel, lines, count);
    if (known)
        note_sizes(&section, lines, sizes);
    free(lines);
    return known;
}

/* ---- loads in PTX ---------------------------------------------------------------------------------------- */

static bool is_shared_load(const Instruction *instruction)
{
    return instruction->kind == LOAD && instruction->space == PTX_SHARED && instruction->guard.slot == NO_SLOT;
}

static uint32_t own_bytes(const Instruction *load)
{
    return (uint32_t)load->count << load->size;
}

static uint8_t machine_bytes(const LineSizes *sizes, const Instruction *load)
{
    return load->ptx_line > 0 && (size_t)load->ptx_line < sizes->count ? sizes->bytes[load->ptx_line] : NO_LOAD;
}

/* Whether an instruction of a block in [from, to) changes the register. */
static bool changes(LineSizes *sizes, const Instruction *from, const Instruction *to, Operand base)
{
    for (; from < to && sizes->steps_left > 0; from++, sizes->steps_left--)
        for (int i = 0; i < MAX_RESULTS; i++)
            if (from->results[i].slot == base.slot && base.slot != NO_SLOT)
                return true;
    return false;
}

/* The load `distance` bytes beyond `load` without a machine instruction of its own; NULL: there is none. */
static Instruction *beyond(const Code *code, const BasicBlock *block, LineSizes *sizes, const Instruction *load,
                           uint32_t distance)
{
    for (int32_t i = block->first; i < block->end && sizes->steps_left > 0; i++, sizes->steps_left--) {
        Instruction *other = &code->instructions[i];
        if (is_shared_load(other) && own_bytes(other) == own_bytes(load) && machine_bytes(sizes, other) == NO_LOAD &&
            other->sources[0].slot == load->sources[0].slot && other->offset == load->offset + distance &&
            !changes(sizes, load < other ? load : other, load < other ? other : load, load->sources[0]))
            return other;
    }
    return NULL;
}

static void merge(const Code *code, const BasicBlock *block, LineSizes *sizes, Instruction *load)
{
    enum { MOST_LOADS = 16 };
    Instruction *others[MOST_LOADS];
    uint32_t bytes = machine_bytes(sizes, load), own = own_bytes(load), count = 0;
    if (bytes == SEVERAL_SIZES || bytes <= own)
        return;
    for (uint32_t distance = own; distance < bytes; distance += own) {
        others[count] = beyond(code, block, sizes, load, distance);
        if (others[count++] == NULL)
            return;
    }
    load->merged_bytes = (uint8_t)bytes;
    for (uint32_t i = 0; i < count; i++)
        others[i]->is_merged = true;
}

void merged_loads_find(const void *cubin, size_t bytes, const char *kernel, Code *code)
{
    enum { MOST_STEPS = 1 << 26 }; /* a kernel of 10000 loads in one block takes half of them */
    LineSizes sizes = {.count = 1, .steps_left = MOST_STEPS};
    for (int i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].ptx_line >= (int32_t)sizes.count)
            sizes.count = (size_t)code->instructions[i].ptx_line + 1;
    sizes.bytes = zeroed(sizes.count, sizeof *sizes.bytes);
    if (read_sizes(cubin, bytes, kernel, &sizes))
        for (int b = 0; b < code->block_count; b++)
            for (int32_t i = code->blocks[b].first; i < code->blocks[b].end; i++)
                if (is_shared_load(&code->instructions[i]))
                    merge(code, &code->blocks[b], &sizes, &code->instructions[i]);
    free(sizes.bytes);
}
