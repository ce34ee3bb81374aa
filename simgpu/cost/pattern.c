#include "simgpu/cost/pattern.h"

#include "base/arena.h"
#include "base/elf.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/code/lanes.h"
#include "simgpu/cost/machine_lines.h"

#include <stdlib.h>
#include <string.h>

/* ==== merged loads ================================================================================================ */

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
        if (is_shared_load(other) && lane_bytes(other) == lane_bytes(load) && machine_bytes(sizes, other) == NO_LOAD &&
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
    uint32_t bytes = machine_bytes(sizes, load), own = lane_bytes(load), count = 0;
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

/* Another load of the block has a machine instruction and brings the same bytes, which nothing has changed in between: ptxas
 * leaves this load out. Whether the lines of the machine code may be believed does not matter, since no compiler would load
 * twice. */
static bool is_needless(const Code *code, const BasicBlock *block, LineSizes *sizes, const Instruction *load)
{
    const Instruction *changed = &code->instructions[block->first];
    for (const Instruction *i = changed; i < load; i++)
        changed = instruction_facts(i).stores ? i + 1 : changed;
    for (const Instruction *other = changed; other < load && sizes->steps_left > 0; other++, sizes->steps_left--)
        if (is_shared_load(other) && !other->is_merged && other->sources[0].slot == load->sources[0].slot &&
            other->offset <= load->offset &&
            load->offset + lane_bytes(load) <= other->offset + merged_bytes(other, lane_bytes(other)) &&
            !changes(sizes, other, load, load->sources[0]))
            return true;
    return false;
}

static void merge_loads(const Code *code, const BasicBlock *block, LineSizes *sizes)
{
    for (int32_t i = block->first; i < block->end; i++)
        if (is_shared_load(&code->instructions[i]))
            merge(code, block, sizes, &code->instructions[i]);
    for (int32_t i = block->first; i < block->end; i++) {
        Instruction *load = &code->instructions[i];
        if (is_shared_load(load) && machine_bytes(sizes, load) == NO_LOAD && !load->is_merged &&
            is_needless(code, block, sizes, load))
            load->is_merged = true;
    }
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
            merge_loads(code, &code->blocks[b], &sizes);
    free(sizes.bytes);
}

/* ==== pattern ===================================================================================================== */

enum { WARP = 32, MAX_LANES = 1024, MIN_RUN = 4 };

void pattern_new(Pattern *pattern, uint32_t capacity)
{
    *pattern = (Pattern){.kind = PATTERN_NONE};
    pattern->relative = zeroed(capacity, sizeof *pattern->relative);
    pattern->runs = zeroed(capacity / MIN_RUN + 1, sizeof *pattern->runs);
}

void pattern_free(Pattern *pattern)
{
    free(pattern->relative);
    free(pattern->runs);
    *pattern = (Pattern){.kind = PATTERN_NONE};
}

static bool is_active(const uint32_t *bits, uint32_t lane)
{
    return bits == NULL || (bits[lane / WARP] >> (lane % WARP) & 1);
}

/* From the lane before. Lanes on both sides of the first one may lie more than 2 GiB apart. */
static int64_t step_to(const Pattern *pattern, uint32_t lane)
{
    return (int64_t)pattern->relative[lane] - pattern->relative[lane - 1];
}

/* Length of the run from `start` in which each lane is `step` beyond the one before. */
static uint32_t run_length(const Pattern *pattern, uint32_t start, int32_t *step)
{
    uint32_t end = start + 1;
    int64_t wide = end < pattern->count ? step_to(pattern, end) : 0;
    *step = (int32_t)wide;
    if (*step != wide) {
        *step = 0;
        return 1;
    }
    while (end < pattern->count && step_to(pattern, end) == wide)
        end++;
    return end - start;
}

static void find_runs(Pattern *pattern)
{
    pattern->run_count = 0;
    for (uint32_t lane = 0; lane < pattern->count;) {
        PatternRun run = {.lane = lane};
        run.count = run_length(pattern, lane, &run.step);
        if (pattern->run_count == pattern->count / MIN_RUN) {
            pattern->kind = PATTERN_SCATTERED;
            return;
        }
        pattern->runs[pattern->run_count++] = run;
        lane += run.count;
    }
    pattern->kind = PATTERN_RUNS;
}

/* Fills in the differences to the first lane; false: they do not fit. */
static bool relate(Pattern *pattern, const uint64_t *addresses, const uint32_t *bits)
{
    static const uint8_t all[MAX_LANES] = {[0 ... MAX_LANES - 1] = 1};
    uint8_t mask[MAX_LANES];
    LaneSpan span;
    const uint32_t start = pattern->first / WARP, end = (pattern->first + pattern->count + WARP - 1) / WARP;
    if (bits != NULL)
        lanes_best()->unpack_bits(bits + start, end - start, mask);
    bool is_near = lanes_best()->relate(addresses, bits != NULL ? mask + pattern->first % WARP : all, pattern->count,
                                        pattern->relative, &span);
    pattern->low = span.low;
    pattern->high = span.high;
    pattern->misaligned = span.bits;
    return is_near;
}

bool pattern_set(Pattern *pattern, const uint64_t *addresses, uint32_t first, uint32_t count, const uint32_t *bits)
{
    pattern->kind = PATTERN_NONE;
    pattern->first = first;
    pattern->count = count;
    pattern->distinct = 0;
    pattern->load_wavefronts = pattern->lines = 0;
    memset(pattern->wavefronts, 0, sizeof pattern->wavefronts);
    memset(pattern->sectors, 0, sizeof pattern->sectors);
    if (!relate(pattern, addresses, bits))
        return false;
    if (run_length(pattern, 0, &pattern->step) == count)
        pattern->kind = PATTERN_STRIDED;
    else if (bits != NULL)
        pattern->kind = PATTERN_SCATTERED; /* inactive lanes between the others break every run */
    else
        find_runs(pattern);
    return true;
}

/* ---- costs ----------------------------------------------------------------------------------------------- */

/* The set of memory units (words, sectors or lines) that one warp accesses: an open-addressed hash table, which becomes
 * empty when its generation number changes. It also counts the units of each bank of shared memory. */
enum { SET_SLOTS = 256 }; /* at most 128 units: 32 lanes of 16 bytes */

typedef struct UnitSet {
    int64_t unit[SET_SLOTS];
    uint64_t generation[SET_SLOTS], current;
    uint32_t count;
    int64_t last; /* unit */
    uint32_t banks[SHARED_BANKS];
} UnitSet;

static UnitSet *empty_set(void)
{
    static _Thread_local UnitSet set;
    set.current++;
    set.count = 0;
    memset(set.banks, 0, sizeof set.banks);
    return &set;
}

static void set_add(UnitSet *set, int64_t unit)
{
    if (set->count > 0 && unit == set->last) /* neighbouring lanes mostly share a unit */
        return;
    set->last = unit;
    uint32_t slot = (uint32_t)((uint64_t)unit * 0x9E3779B97F4A7C15 >> 56); /* Fibonacci hashing */
    for (; set->generation[slot] == set->current; slot = (slot + 1) % SET_SLOTS)
        if (set->unit[slot] == unit)
            return;
    set->generation[slot] = set->current;
    set->unit[slot] = unit;
    set->count++;
    set->banks[(uint64_t)unit % SHARED_BANKS]++;
}

/* Floor division, since addresses below the first lane's are negative here. */
static int64_t unit_of(int64_t address, int64_t bytes)
{
    return address >= 0 ? address / bytes : -((bytes - 1 - address) / bytes);
}

/* Loops over the warps of a pattern: each has lanes [begin, end), counted from the pattern's first. */
#define EACH_WARP(pattern, begin, end)                                                                                 \
    for (uint32_t begin = 0, end = 0; begin < (pattern)->count && (end = part_end(pattern, begin, WARP), true);        \
         begin = end)

/* End of the part that `begin` lies in, where a part is a warp or an equal fraction of it, of `lanes` lanes. */
static uint32_t part_end(const Pattern *pattern, uint32_t begin, uint32_t lanes)
{
    uint32_t end = ((pattern->first + begin) / lanes + 1) * lanes - pattern->first;
    return end < pattern->count ? end : pattern->count;
}

uint32_t pattern_sectors(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes)
{
    int64_t start = (int64_t)(first_address % SECTOR_BYTES);
    uint32_t *known = &pattern->sectors[start];
    if (*known != 0)
        return *known;
    EACH_WARP(pattern, begin, end)
    {
        UnitSet *set = empty_set();
        for (uint32_t i = begin; i < end; i++)
            if (is_active(bits, pattern->first + i))
                set_add(set, unit_of(start + pattern->relative[i], SECTOR_BYTES));
        *known += set->count;
    }
    return *known;
}

static uint32_t deepest_bank(const UnitSet *set)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < SHARED_BANKS; bank++)
        most = set->banks[bank] > most ? set->banks[bank] : most;
    return most;
}

/* Whether each active lane of [begin, end) accesses the same as the lane whose number differs by the bit `apart`. */
static bool go_in_pairs(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end, uint32_t apart)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t lane = pattern->first + i, other = (lane ^ apart) - pattern->first;
        if (other < pattern->count && is_active(bits, lane) && is_active(bits, lane ^ apart) &&
            pattern->relative[i] != pattern->relative[other])
            return false;
    }
    return true;
}

/* Wavefronts of the lanes [begin, end), which go through together. */
static uint32_t part_wavefronts(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end,
                                int64_t start, uint32_t bytes)
{
    UnitSet *set = empty_set();
    for (uint32_t i = begin; i < end; i++)
        if (is_active(bits, pattern->first + i))
            for (uint32_t offset = 0; offset < bytes; offset += BANK_BYTES)
                set_add(set, unit_of(start + pattern->relative[i] + offset, BANK_BYTES));
    return deepest_bank(set);
}

uint32_t pattern_wavefronts(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes)
{
    int64_t start = (int64_t)(first_address % BANK_BYTES);
    uint32_t *known = &pattern->wavefronts[start];
    uint32_t pair_lanes = bytes > 2 * BANK_BYTES ? WARP / 2 : WARP;
    if (*known != 0)
        return *known;
    for (uint32_t begin = 0; begin < pattern->count;) {
        uint32_t end = part_end(pattern, begin, pair_lanes), lanes = pair_lanes;
        if (bytes > BANK_BYTES && !go_in_pairs(pattern, bits, begin, end, 1) &&
            !go_in_pairs(pattern, bits, begin, end, 2))
            lanes /= 2;
        for (uint32_t from = begin, to; from < end; from = to) {
            to = part_end(pattern, from, lanes);
            *known += part_wavefronts(pattern, bits, from, to, start, bytes);
        }
        begin = end;
    }
    return *known;
}

static uint32_t lines_of(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end)
{
    UnitSet *set = empty_set();
    for (uint32_t i = begin; i < end; i++)
        if (is_active(bits, pattern->first + i))
            set_add(set, unit_of(pattern->relative[i], CACHE_LINE_BYTES));
    return set->count;
}

uint32_t pattern_lines(Pattern *pattern, const uint32_t *bits)
{
    if (pattern->lines != 0)
        return pattern->lines;
    EACH_WARP(pattern, begin, end)
    {
        pattern->lines += lines_of(pattern, bits, begin, end);
    }
    return pattern->lines;
}

uint32_t pattern_load_wavefronts(Pattern *pattern, const uint32_t *bits, uint32_t bytes)
{
    enum { LINES_PER_CYCLE = 4 }; /* that are looked up */
    uint32_t lanes = bytes > BANK_BYTES ? CACHE_LINE_BYTES / bytes : WARP;
    if (pattern->load_wavefronts != 0)
        return pattern->load_wavefronts;
    EACH_WARP(pattern, begin, end)
    {
        uint32_t wavefronts = 0;
        uint32_t lookups = (lines_of(pattern, bits, begin, end) + LINES_PER_CYCLE - 1) / LINES_PER_CYCLE;
        for (uint32_t from = begin, to; from < end; from = to) {
            to = part_end(pattern, from, lanes);
            wavefronts += part_wavefronts(pattern, bits, from, to, 0, bytes);
        }
        pattern->load_wavefronts += wavefronts > lookups ? wavefronts : lookups;
    }
    return pattern->load_wavefronts;
}

uint32_t pattern_distinct(Pattern *pattern, const uint32_t *bits)
{
    if (pattern->distinct != 0)
        return pattern->distinct;
    EACH_WARP(pattern, begin, end)
    {
        UnitSet *set = empty_set();
        for (uint32_t i = begin; i < end; i++)
            if (is_active(bits, pattern->first + i))
                set_add(set, unit_of(pattern->relative[i], BANK_BYTES));
        pattern->distinct += set->count;
    }
    return pattern->distinct;
}
