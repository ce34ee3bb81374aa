#include "harness/device/host_origin.h"

#include <stdlib.h>
#include <string.h>

/* ==== address range =============================================================================================== */

static uint64_t rounded_up(uint64_t bytes)
{
    return (bytes + ADDRESS_ALIGNMENT - 1) / ADDRESS_ALIGNMENT * ADDRESS_ALIGNMENT;
}

uint64_t address_zones_begin(const AddressPiece *piece)
{
    return piece->address - ADDRESS_ZONE_BYTES;
}

uint64_t address_zones_end(const AddressPiece *piece)
{
    return piece->address + rounded_up(piece->bytes) + ADDRESS_ZONE_BYTES;
}

/* The index of the first piece beyond an address. */
static size_t index_after(const AddressRange *range, uint64_t address)
{
    size_t low = 0, high = range->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (range->pieces[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static AddressPiece *insert(AddressRange *range, size_t index, AddressPiece piece)
{
    if (range->count == range->capacity) {
        size_t capacity = range->capacity == 0 ? 64 : 2 * range->capacity;
        AddressPiece *pieces = realloc(range->pieces, capacity * sizeof *pieces);
        if (pieces == NULL)
            return NULL;
        range->pieces = pieces;
        range->capacity = capacity;
    }
    memmove(&range->pieces[index + 1], &range->pieces[index], (range->count - index) * sizeof piece);
    range->pieces[index] = piece;
    range->count++;
    range->used_bytes += piece.bytes;
    return &range->pieces[index];
}

/* The gap before piece `index`, or behind the last one. */
static uint64_t gap_begin(const AddressRange *range, size_t index)
{
    return index > 0 ? address_zones_end(&range->pieces[index - 1]) : range->base;
}

static uint64_t gap_end(const AddressRange *range, size_t index)
{
    return index < range->count ? address_zones_begin(&range->pieces[index]) : range->base + range->span;
}

static bool is_possible(const AddressRange *range, uint64_t bytes)
{
    return bytes > 0 && bytes <= range->span - 2 * ADDRESS_ZONE_BYTES - ADDRESS_ALIGNMENT;
}

AddressPiece *address_take(AddressRange *range, uint64_t bytes)
{
    const uint64_t needed = rounded_up(bytes) + 2 * ADDRESS_ZONE_BYTES;
    for (size_t i = 0; i <= range->count && is_possible(range, bytes); i++) {
        uint64_t gap = gap_begin(range, i);
        if (gap_end(range, i) - gap >= needed)
            return insert(range, i, (AddressPiece){.address = gap + ADDRESS_ZONE_BYTES, .bytes = bytes});
    }
    return NULL;
}

AddressPiece *address_take_at(AddressRange *range, uint64_t address, uint64_t bytes)
{
    const AddressPiece piece = {.address = address, .bytes = bytes};
    const size_t index = index_after(range, address);
    const uint64_t begin = gap_begin(range, index), end = gap_end(range, index);
    if (!is_possible(range, bytes) || address % ADDRESS_ALIGNMENT != 0 || address >= end ||
        address < begin + ADDRESS_ZONE_BYTES || address_zones_end(&piece) > end)
        return NULL;
    return insert(range, index, piece);
}

bool address_give_back(AddressRange *range, uint64_t address)
{
    size_t index = index_after(range, address);
    if (index == 0 || range->pieces[index - 1].address != address)
        return false;
    range->used_bytes -= range->pieces[index - 1].bytes;
    memmove(&range->pieces[index - 1], &range->pieces[index], (range->count - index) * sizeof *range->pieces);
    range->count--;
    return true;
}

AddressPiece *address_find(const AddressRange *range, uint64_t address, uint64_t bytes)
{
    size_t index = index_after(range, address);
    if (index == 0)
        return NULL;
    AddressPiece *piece = &range->pieces[index - 1];
    uint64_t offset = address - piece->address;
    return offset <= piece->bytes && bytes <= piece->bytes - offset && bytes > 0 ? piece : NULL;
}

void address_range_free(AddressRange *range)
{
    free(range->pieces);
    *range = (AddressRange){.base = range->base, .span = range->span};
}

/* ==== host origin ================================================================================================= */

enum {
    WORD = sizeof(uint32_t),
    FILL_BYTES = 64 /* of a fill, so that host_origin_compare() gets on by more than one */
};

struct HostBytes {
    uint32_t uses; /* ranges that refer to it */
    uint64_t count, capacity;
    uint8_t bytes[];
};

static void drop(HostOrigin *origin, HostRange *range)
{
    if (--range->bytes->uses > 0)
        return;
    origin->held_bytes -= range->bytes->count;
    free(range->bytes);
}

void host_origin_free(HostOrigin *origin)
{
    for (size_t i = 0; i < origin->count; i++)
        drop(origin, &origin->ranges[i]);
    free(origin->ranges);
    *origin = (HostOrigin){0};
}

size_t host_origin_find(const HostOrigin *origin, uint64_t address)
{
    size_t low = 0, high = origin->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (origin->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- changing the set -------------------------------------------------------------------------------------------- */

/* Makes room for `more` ranges; forgetting a part of a range may need one of them. */
static bool reserve(HostOrigin *origin, size_t more)
{
    size_t wanted = origin->count + more, capacity = origin->capacity;
    if (wanted > HOST_ORIGIN_MOST)
        return false;
    while (capacity < wanted)
        capacity = capacity == 0 ? 16 : capacity * 2;
    HostRange *ranges = capacity == origin->capacity ? origin->ranges
                                                     : realloc(origin->ranges, capacity * sizeof *ranges);
    if (ranges == NULL)
        return false;
    origin->ranges = ranges;
    origin->capacity = capacity;
    return true;
}

/* The part of a range in [begin, end), which is not empty. It uses the range's bytes as well. */
static HostRange part_of(const HostRange *range, uint64_t begin, uint64_t end)
{
    HostRange part = *range;
    part.begin = begin > range->begin ? begin : range->begin;
    part.end = end < range->end ? end : range->end;
    part.offset += part.begin - range->begin;
    part.bytes->uses++;
    return part;
}

/* Index of the first range from `first` on that begins at `end` or behind it. */
static size_t find_end(const HostOrigin *origin, size_t first, uint64_t end)
{
    while (first < origin->count && origin->ranges[first].begin < end)
        first++;
    return first;
}

/* Puts other ranges in the place of what lies in [begin, end). There is room for them and for one more. Where a row of
 * memory is written again, nothing moves. Returns the index of the first one added. */
static size_t replace(HostOrigin *origin, uint64_t begin, uint64_t end, const HostRange *added, size_t added_count)
{
    size_t first = host_origin_find(origin, begin), last = find_end(origin, first, end), removed = last - first;
    HostRange *at = origin->ranges + first, before = {0}, after = {0};
    const size_t keeps_before = removed > 0 && begin > at->begin;
    const size_t keeps_after = removed > 0 && end < at[removed - 1].end;
    size_t placed = keeps_before + added_count + keeps_after;
    if (keeps_before)
        before = part_of(at, 0, begin);
    if (keeps_after)
        after = part_of(&at[removed - 1], end, UINT64_MAX);
    for (size_t i = 0; i < removed; i++)
        drop(origin, &at[i]);
    if (placed != removed)
        memmove(at + placed, at + removed, (origin->count - last) * sizeof *at);
    if (keeps_before)
        *at++ = before;
    for (size_t i = 0; i < added_count; i++)
        *at++ = added[i];
    if (keeps_after)
        *at = after;
    origin->count = origin->count - removed + placed;
    return first + keeps_before;
}

/* Makes one of two neighbours if the second goes on with the bytes where the first ends. */
static void join(HostOrigin *origin, size_t index)
{
    HostRange *range = &origin->ranges[index], *next = range + 1;
    if (index + 1 >= origin->count || range->end != next->begin || range->bytes != next->bytes ||
        range->kernels != next->kernels)
        return;
    const uint64_t count = range->bytes->count, reached = range->offset + (range->end - range->begin);
    if (reached % count != next->offset % count)
        return;
    range->end = next->end;
    range->bytes->uses--;
    memmove(next, next + 1, (origin->count - index - 2) * sizeof *next);
    origin->count--;
}

/* Only a range in whose middle something is forgotten becomes two. If there is no room for that, all of it is
 * forgotten. */
void host_origin_forget(HostOrigin *origin, uint64_t address, uint64_t bytes)
{
    if (origin->count == 0 || bytes == 0)
        return;
    if (!reserve(origin, 1)) {
        size_t first = host_origin_find(origin, address), last = find_end(origin, first, address + bytes);
        if (last > first) {
            address = origin->ranges[first].begin;
            bytes = origin->ranges[last - 1].end - address;
        }
    }
    replace(origin, address, address + bytes, NULL, 0);
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

/* Programs often write one piece behind the other: then the range that ends at `to`, whose bytes nobody else uses, can
 * grow. NULL: there is none. */
static HostRange *growing_range(HostOrigin *origin, uint64_t to)
{
    size_t index = host_origin_find(origin, to);
    HostRange *before = index == 0 ? NULL : &origin->ranges[index - 1];
    return before != NULL && before->end == to && before->kernels == origin->kernels && before->bytes->uses == 1 &&
                   before->offset + (before->end - before->begin) == before->bytes->count
               ? before
               : NULL;
}

static bool grow(HostOrigin *origin, HostRange *range, const void *from, uint64_t bytes)
{
    HostBytes *grown = range->bytes;
    if (grown->count + bytes > grown->capacity) {
        const uint64_t capacity = (grown->count + bytes) * 3 / 2;
        grown = realloc(grown, sizeof *grown + capacity);
        if (grown == NULL)
            return false;
        grown->capacity = capacity;
    }
    memcpy(grown->bytes + grown->count, from, bytes);
    grown->count += bytes;
    origin->held_bytes += bytes;
    range->bytes = grown;
    range->end += bytes;
    return true;
}

/* [to, end) holds `count` bytes of the host over and over; there is room for two more ranges. */
static bool add(HostOrigin *origin, uint64_t to, uint64_t end, const void *from, uint64_t count)
{
    HostRange range = {
        .begin = to, .end = end, .kernels = origin->kernels, .bytes = malloc(sizeof *range.bytes + count)};
    if (range.bytes == NULL)
        return false;
    *range.bytes = (HostBytes){.uses = 1, .count = count, .capacity = count};
    memcpy(range.bytes->bytes, from, count);
    origin->held_bytes += count;
    replace(origin, to, end, &range, 1);
    return true;
}

/* Programs often write the same array again in each call: then its copy is written again, too. */
static bool overwrite(HostOrigin *origin, uint64_t to, const void *from, uint64_t bytes)
{
    size_t index = host_origin_find(origin, to);
    HostRange *range = origin->ranges + index;
    if (index == origin->count || range->begin != to || range->end - to != bytes || range->offset != 0 ||
        range->bytes->count != bytes || range->bytes->uses > 1)
        return false;
    memcpy(range->bytes->bytes, from, bytes);
    range->kernels = origin->kernels;
    return true;
}

bool host_origin_write(HostOrigin *origin, uint64_t to, const void *from, uint64_t bytes)
{
    if (bytes == 0 || overwrite(origin, to, from, bytes))
        return true;
    if (origin->held_bytes + bytes > HOST_ORIGIN_MOST_BYTES || !reserve(origin, 2))
        return false;
    if (growing_range(origin, to) == NULL)
        return add(origin, to, to + bytes, from, bytes);
    replace(origin, to, to + bytes, NULL, 0);
    return grow(origin, growing_range(origin, to), from, bytes);
}

bool host_origin_fill(HostOrigin *origin, uint64_t to, uint8_t value, uint64_t bytes)
{
    if (bytes == 0 || (value == 0 && origin->count == 0))
        return true;
    if (!reserve(origin, 2))
        return false;
    if (value != 0) {
        uint8_t values[FILL_BYTES];
        memset(values, value, sizeof values);
        return add(origin, to, to + bytes, values, sizeof values);
    }
    replace(origin, to, to + bytes, NULL, 0);
    return true;
}

bool host_origin_copy(HostOrigin *origin, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (origin->count == 0 || bytes == 0)
        return true;
    size_t first = host_origin_find(origin, from), count = find_end(origin, first, from + bytes) - first;
    if (!reserve(origin, count + 1))
        return false;
    HostRange *copied = count == 0 ? NULL : malloc(count * sizeof *copied);
    if (copied == NULL && count > 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        copied[i] = part_of(&origin->ranges[first + i], from, from + bytes);
        copied[i].begin += to - from;
        copied[i].end += to - from;
    }
    size_t added = replace(origin, to, to + bytes, copied, count);
    free(copied);
    if (count > 0) {
        join(origin, added + count - 1);
        join(origin, added > 0 ? added - 1 : 0);
    }
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Adds to `*written` how many words are not zero, and to `*same` how many of those are as they were. */
static void count_words(const uint8_t *host, const uint8_t *now, uint64_t words, uint64_t *written, uint64_t *same)
{
    for (uint64_t i = 0; i < words; i++) {
        uint32_t before, after;
        memcpy(&before, host + i * WORD, WORD);
        memcpy(&after, now + i * WORD, WORD);
        *written += before != 0;
        *same += before != 0 && before == after;
    }
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

ContentOrigin host_origin_compare(const HostOrigin *origin, const HostRange *range, uint64_t base,
                                  uint32_t element_bytes, const uint8_t *now)
{
    uint64_t written = 0, same = 0, count = range->end - range->begin, next;
    const HostBytes *host = range->bytes;
    uint64_t at = range->offset % host->count;
    for (uint64_t i = 0; i < count; i = next) { /* an element, or the part of one that the range holds */
        uint64_t inside = (range->begin + i - base) % element_bytes;
        bool is_zero = true, is_same = true;
        const uint64_t words = element_bytes == WORD && inside == 0 ? lower(count - i, host->count - at) / WORD : 0;
        if (words > 0) { /* most arrays have such elements: large outputs are compared at the speed of memory */
            count_words(host->bytes + at, now + i, words, &written, &same);
            next = i + words * WORD;
            at = (at + words * WORD) % host->count;
            continue;
        }
        for (next = i; next < count && next < i + element_bytes - inside; next++) {
            is_zero &= host->bytes[at] == 0;
            is_same &= host->bytes[at] == now[next];
            at = at + 1 == host->count ? 0 : at + 1;
        }
        written += !is_zero;
        same += !is_zero && is_same;
    }
    if (range->kernels == origin->kernels)
        return same > 0 ? ORIGIN_HOST : ORIGIN_UNKNOWN;
    return 2 * same > written ? ORIGIN_LIKE_HOST : ORIGIN_UNKNOWN;
}
