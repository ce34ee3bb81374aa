#include "simgpu/memory/heap.h"

#include "base/allocated.h"

#include <stdlib.h>

enum { GRANULE = 16, FEW_PIECES = 256 };

void heap_begin(Heap *heap, uint64_t address, uint64_t bytes)
{
    *heap = (Heap){.address = address, .bytes = bytes};
    heap->piece_of = zeroed(bytes / GRANULE + 1, sizeof *heap->piece_of);
}

void heap_end(Heap *heap)
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

uint64_t heap_allocate(Heap *heap, HeapUser user, uint64_t bytes)
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
