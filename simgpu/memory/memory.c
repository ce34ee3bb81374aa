#include "simgpu/memory/memory.h"

#include "base/arena.h"
#include "simgpu/memory/origin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ==== heap ======================================================================================================== */

enum { GRANULE = 16, FEW_PIECES = 256 };

static void heap_begin(Heap *heap, uint64_t address, uint64_t bytes)
{
    *heap = (Heap){.address = address, .bytes = bytes};
    heap->piece_of = zeroed(bytes / GRANULE + 1, sizeof *heap->piece_of);
}

static void heap_end(Heap *heap)
{
    free(heap->pieces);
    free(heap->piece_of);
    *heap = (Heap){0};
}

static uint64_t room_for(uint64_t bytes)
{
    uint64_t room = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    return room > 0 ? room : GRANULE;
}

static bool may_reuse(const HeapPiece *piece, HeapUser user)
{
    return piece->is_free && (piece->freed_by == user.block || user.block - piece->freed_by >= user.resident);
}

static uint64_t take(Heap *heap, HeapPiece *piece, uint64_t bytes)
{
    piece->is_free = false;
    piece->bytes = bytes;
    heap->live++;
    heap->taken += bytes;
    return heap->address + piece->offset;
}

/* The first of the next `most` pieces in which as much fits, unless more than half of it would be wasted. Pieces mostly
 * become free in the order in which they were given. */
static HeapPiece *find_free(Heap *heap, HeapUser user, uint64_t room, size_t most)
{
    if (heap->live == heap->count)
        return NULL;
    for (size_t i = 0; i < most && i < heap->count; i++) {
        HeapPiece *piece = &heap->pieces[(heap->next + i) % heap->count];
        if (piece->room < room || piece->room > 2 * room || !may_reuse(piece, user))
            continue;
        heap->next = (size_t)(piece - heap->pieces) + 1;
        return piece;
    }
    return NULL;
}

static HeapPiece *append(Heap *heap, uint64_t room)
{
    if (heap->end + GRANULE > heap->bytes || room > heap->bytes - heap->end - GRANULE)
        return NULL;
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity == 0 ? 64 : 2 * heap->capacity;
        heap->pieces = allocated(realloc(heap->pieces, heap->capacity * sizeof *heap->pieces));
    }
    HeapPiece *piece = &heap->pieces[heap->count++];
    *piece = (HeapPiece){.offset = heap->end + GRANULE, .room = room};
    for (uint64_t at = piece->offset; at < piece->offset + room; at += GRANULE)
        heap->piece_of[at / GRANULE] = (uint32_t)heap->count;
    heap->end = piece->offset + room;
    return piece;
}

static uint64_t heap_allocate(Heap *heap, HeapUser user, uint64_t bytes)
{
    if (bytes == 0 || bytes > heap->bytes)
        return 0;
    HeapPiece *piece = find_free(heap, user, room_for(bytes), FEW_PIECES);
    if (piece == NULL)
        piece = append(heap, room_for(bytes));
    if (piece == NULL)
        piece = find_free(heap, user, room_for(bytes), heap->count);
    return piece != NULL ? take(heap, piece, bytes) : 0;
}

static HeapPiece *piece_at(const Heap *heap, uint64_t address)
{
    if (address < heap->address || address - heap->address >= heap->bytes)
        return NULL;
    uint32_t number = heap->piece_of[(address - heap->address) / GRANULE];
    return number > 0 ? &heap->pieces[number - 1] : NULL;
}

HeapFree heap_free(Heap *heap, HeapUser user, uint64_t address)
{
    HeapPiece *piece = piece_at(heap, address);
    if (piece == NULL || heap->address + piece->offset != address)
        return HEAP_NO_PIECE;
    if (piece->is_free)
        return HEAP_FREED_BEFORE;
    piece->is_free = true;
    piece->freed_by = user.block;
    heap->live--;
    heap->taken -= piece->bytes;
    return HEAP_FREED;
}

bool heap_holds(const Heap *heap, uint64_t address, uint64_t bytes)
{
    const HeapPiece *piece = piece_at(heap, address);
    return piece != NULL && !piece->is_free && address - heap->address - piece->offset + bytes <= piece->bytes;
}

const HeapPiece *heap_nearest(const Heap *heap, uint64_t address)
{
    const HeapPiece *nearest = NULL;
    for (size_t i = 0; i < heap->count && heap->address + heap->pieces[i].offset <= address; i++)
        nearest = &heap->pieces[i];
    return nearest;
}

/* ==== memory ====================================================================================================== */

enum {
    PAGE_BYTES = 4096,
    PATTERN_FILE_BYTES = 4 << 20,
    MAX_ALLOCATIONS = 8192 /* each takes at least two mappings of the host, which has 65530 (vm.max_map_count) */
};

/* A file of one byte. Mapping it many times is much faster than filling memory that may never be read. */
static int new_pattern_file(uint8_t pattern)
{
    int file = memfd_create("simgpu-pattern", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, PATTERN_FILE_BYTES) != 0)
        return file;
    void *pages = mmap(NULL, PATTERN_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pages == MAP_FAILED) {
        close(file);
        return -1;
    }
    memset(pages, pattern, PATTERN_FILE_BYTES);
    munmap(pages, PATTERN_FILE_BYTES);
    return file;
}

Status memory_new(uint64_t base, uint64_t span, uint64_t limit, Memory *memory, Message *why)
{
    *memory = (Memory){.limit = limit,
                       .span = span / PAGE_BYTES * PAGE_BYTES,
                       .uninitialised_byte = SIM_UNINITIALISED_BYTE,
                       .odd_byte = SIM_UNINITIALISED_BYTE,
                       .pattern_file = -1};
    if (base % PAGE_BYTES != 0 || memory->span < 4 * PAGE_BYTES)
        return fail(STATUS_BAD_INPUT, why, "device memory at 0x%llx of %llu bytes: expected whole pages, at least four",
                    (unsigned long long)base, (unsigned long long)span);
    void *range = mmap((void *)base, memory->span, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (base != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (range == MAP_FAILED)
        return fail_errno(why, "%llu bytes of addresses for device memory cannot be reserved at 0x%llx",
                          (unsigned long long)span, (unsigned long long)base);
    memory->base = (uint64_t)range;
    return STATUS_OK;
}

void memory_free(Memory *memory)
{
    if (memory->base != 0)
        munmap((void *)memory->base, memory->span);
    if (memory->pattern_file >= 0)
        close(memory->pattern_file);
    for (int i = 0; i < memory->count; i++) {
        validity_free(&memory->allocations[i]);
        origin_free(&memory->allocations[i]);
    }
    free(memory->allocations);
    heap_end(&memory->heap);
    *memory = (Memory){.pattern_file = -1};
}

void memory_set_uninitialised_bytes(Memory *memory, uint8_t byte, uint8_t odd)
{
    memory->odd_byte = odd;
    if (byte == memory->uninitialised_byte)
        return;
    memory->uninitialised_byte = byte;
    if (memory->pattern_file >= 0)
        close(memory->pattern_file);
    memory->pattern_file = -1;
    for (int i = 0; i < memory->count; i++)
        validity_fill_rest(&memory->allocations[i], byte);
}

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* The first address behind allocation `index` where another one may begin. Index -1 is the start of the range. */
static uint64_t free_after(const Memory *memory, int index)
{
    if (index < 0)
        return memory->base + PAGE_BYTES;
    return memory->allocations[index].address + whole_pages(memory->allocations[index].bytes) + PAGE_BYTES;
}

/* Where the gap before allocation `index` ends. */
static uint64_t gap_end(const Memory *memory, int index)
{
    return index < memory->count ? memory->allocations[index].address : memory->base + memory->span;
}

/* First fit: the index at which a new allocation is inserted, -1 where no gap is large enough. */
static int find_gap(const Memory *memory, uint64_t bytes)
{
    for (int i = 0; i <= memory->count; i++) {
        uint64_t end = gap_end(memory, i), start = free_after(memory, i - 1);
        if (start < end && end - start >= bytes + PAGE_BYTES)
            return i;
    }
    return -1;
}

/* Maps pages that are written at once and as a whole: all of them together, and large ones, because each page that the
 * kernel has to be asked for takes as long as writing it. Both are only advice; older kernels give pages one by one. */
static bool commit_blank(uint64_t address, uint64_t bytes)
{
    void *at = (void *)address;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
        MAP_FAILED)
        return false;
    madvise(at, bytes, MADV_HUGEPAGE);
    madvise(at, bytes, MADV_POPULATE_WRITE);
    return true;
}

/* Maps pages with their contents. Small memory is filled, because most of it is written soon. Large memory is private
 * views of the pattern file, if that can be made. */
static bool commit(Memory *memory, uint64_t address, uint64_t bytes)
{
    const bool is_large = bytes > PATTERN_FILE_BYTES;
    if (is_large && memory->pattern_file < 0)
        memory->pattern_file = new_pattern_file(memory->uninitialised_byte);
    if (!is_large || memory->pattern_file < 0) {
        if (!commit_blank(address, bytes))
            return false;
        memset((void *)address, memory->uninitialised_byte, bytes);
        return true;
    }
    for (uint64_t done = 0; done < bytes;) {
        uint64_t piece = bytes - done < PATTERN_FILE_BYTES ? bytes - done : PATTERN_FILE_BYTES;
        void *at = (void *)(address + done);
        if (mmap(at, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, memory->pattern_file, 0) ==
            MAP_FAILED)
            return false;
        done += piece;
    }
    return true;
}

static void decommit(uint64_t address, uint64_t bytes)
{
    mmap((void *)address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Index of the last allocation that begins at or before `address`; -1: none. */
static int last_before(const Memory *memory, uint64_t address)
{
    int low = 0, high = memory->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (memory->allocations[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

static void insert(Memory *memory, int index, Allocation allocation)
{
    if (memory->count == memory->capacity) {
        memory->capacity = memory->capacity == 0 ? 32 : memory->capacity * 2;
        size_t bytes = (size_t)memory->capacity * sizeof *memory->allocations;
        memory->allocations = allocated(realloc(memory->allocations, bytes));
    }
    memmove(memory->allocations + index + 1, memory->allocations + index,
            (size_t)(memory->count - index) * sizeof *memory->allocations);
    memory->allocations[index] = allocation;
    memory->count++;
}

/* What was there is of no interest once the pages have another use. */
static void forget_released(Memory *memory, uint64_t address, uint64_t bytes)
{
    for (int i = 0; i < MEMORY_RELEASED; i++) {
        Released *released = &memory->released[i];
        if (released->address < address + bytes && address < released->address + released->bytes)
            *released = (Released){0};
    }
}

static bool has_room(const Memory *memory, uint64_t bytes)
{
    return bytes > 0 && memory->used <= memory->limit && bytes <= memory->limit - memory->used &&
           bytes <= memory->span && memory->count < MAX_ALLOCATIONS;
}

/* `index`: the gap that the address lies in. */
static bool alloc_in_gap(Memory *memory, int index, Allocation allocation)
{
    uint64_t address = allocation.address, bytes = whole_pages(allocation.bytes);
    if (!(allocation.is_blank ? commit_blank(address, bytes) : commit(memory, address, bytes))) {
        decommit(address, bytes);
        return false;
    }
    insert(memory, index, allocation);
    if (!allocation.is_blank)
        validity_new(&memory->allocations[index]);
    forget_released(memory, address, bytes + PAGE_BYTES);
    memory->used += allocation.bytes;
    return true;
}

uint64_t memory_find_room(const Memory *memory, uint64_t bytes)
{
    int index = has_room(memory, bytes) ? find_gap(memory, whole_pages(bytes)) : -1;
    return index < 0 ? 0 : free_after(memory, index - 1);
}

uint64_t memory_alloc(Memory *memory, uint64_t bytes, const char *name)
{
    uint64_t address = memory_find_room(memory, bytes);
    if (address == 0)
        return 0;
    int index = last_before(memory, address) + 1;
    return alloc_in_gap(memory, index, (Allocation){.address = address, .bytes = bytes, .name = name}) ? address : 0;
}

bool memory_release(Memory *memory, uint64_t address)
{
    int index = memory_find(memory, address);
    if (index < 0 || memory->allocations[index].address != address)
        return false;
    decommit(address, whole_pages(memory->allocations[index].bytes));
    memory->released[memory->released_count++ % MEMORY_RELEASED] = (Released){
        .address = address, .bytes = memory->allocations[index].bytes};
    validity_free(&memory->allocations[index]);
    origin_free(&memory->allocations[index]);
    memory->used -= memory->allocations[index].bytes;
    memory->count--;
    memmove(memory->allocations + index, memory->allocations + index + 1,
            (size_t)(memory->count - index) * sizeof *memory->allocations);
    return true;
}

void memory_begin_heap(Memory *memory, uint64_t bytes)
{
    if (memory->heap.bytes > 0)
        return;
    uint64_t address = memory_alloc(memory, bytes, "the device heap");
    if (address != 0)
        heap_begin(&memory->heap, address, bytes);
}

uint64_t memory_heap_allocate(Memory *memory, HeapUser user, uint64_t bytes)
{
    uint64_t address = heap_allocate(&memory->heap, user, bytes);
    if (address == 0)
        return 0;
    memset((void *)address, memory->uninitialised_byte, bytes);
    validity_unmark(&memory->allocations[memory_find(memory, address)], address, bytes);
    return address;
}

bool memory_alloc_at(Memory *memory, uint64_t address, uint64_t bytes)
{
    int index = last_before(memory, address) + 1;
    const Allocation allocation = {.address = address, .bytes = bytes, .is_blank = true};
    if (!has_room(memory, bytes) || address % PAGE_BYTES != 0 || address < free_after(memory, index - 1))
        return false;
    uint64_t end = gap_end(memory, index);
    return address < end && end - address >= whole_pages(bytes) + PAGE_BYTES && alloc_in_gap(memory, index, allocation);
}

int memory_find(const Memory *memory, uint64_t address)
{
    int index = last_before(memory, address);
    if (index < 0 || address - memory->allocations[index].address >= memory->allocations[index].bytes)
        return -1;
    return index;
}

const Released *memory_find_released(const Memory *memory, uint64_t address)
{
    for (int i = 0; i < MEMORY_RELEASED && memory_find(memory, address) < 0; i++) {
        const Released *released = &memory->released[i];
        if (address >= released->address && address - released->address < released->bytes)
            return released;
    }
    return NULL;
}

void memory_forget_released(Memory *memory)
{
    memset(memory->released, 0, sizeof memory->released);
}

int memory_nearest(const Memory *memory, uint64_t address)
{
    int before = last_before(memory, address), after = before + 1;
    if (after >= memory->count)
        return before;
    if (before < 0)
        return after;
    const Allocation *left = &memory->allocations[before];
    uint64_t left_gap = address - left->address < left->bytes ? 0 : address - left->address - left->bytes;
    return left_gap <= memory->allocations[after].address - address ? before : after;
}
