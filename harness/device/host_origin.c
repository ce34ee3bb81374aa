#include "harness/device/host_origin.h"

#include <stdlib.h>
#include <string.h>

struct HostBytes {
    uint32_t uses; /* ranges that refer to it */
    uint64_t count;
    uint8_t bytes[];
};

static void drop(HostOrigin *origin, HostRange *range)
{
    if (range->bytes == NULL || --range->bytes->uses > 0)
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
    if (part.bytes != NULL)
        part.bytes->uses++;
    return part;
}

/* Replaces `removed` ranges from `index` on by others; there is room. */
static void splice(HostOrigin *origin, size_t index, size_t removed, const HostRange *added, size_t added_count)
{
    HostRange *at = origin->ranges + index;
    for (size_t i = 0; i < removed; i++)
        drop(origin, &at[i]);
    memmove(at + added_count, at + removed, (origin->count - index - removed) * sizeof *at);
    if (added_count > 0)
        memcpy(at, added, added_count * sizeof *at);
    origin->count += added_count;
    origin->count -= removed;
}

/* There is room for one more range. */
static void forget(HostOrigin *origin, uint64_t begin, uint64_t end)
{
    HostRange kept[2];
    size_t first = host_origin_find(origin, begin), last = first, kept_count = 0;
    while (last < origin->count && origin->ranges[last].begin < end)
        last++;
    if (first == last)
        return;
    if (origin->ranges[first].begin < begin)
        kept[kept_count++] = part_of(&origin->ranges[first], 0, begin);
    if (origin->ranges[last - 1].end > end)
        kept[kept_count++] = part_of(&origin->ranges[last - 1], end, UINT64_MAX);
    splice(origin, first, last - first, kept, kept_count);
}

/* Only a range in whose middle something is forgotten becomes two. If there is no room for that, all of it is
 * forgotten. */
void host_origin_forget(HostOrigin *origin, uint64_t address, uint64_t bytes)
{
    if (origin->count == 0 || bytes == 0)
        return;
    if (reserve(origin, 1)) {
        forget(origin, address, address + bytes);
        return;
    }
    size_t first = host_origin_find(origin, address), last = first;
    while (last < origin->count && origin->ranges[last].begin < address + bytes)
        last++;
    splice(origin, first, last - first, NULL, 0);
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

/* Programs often write one piece behind the other: then the range before, whose bytes nobody else uses, grows. */
static bool grow(HostOrigin *origin, size_t index, uint64_t to, const void *from, uint64_t bytes)
{
    HostRange *before = index == 0 ? NULL : &origin->ranges[index - 1];
    if (before == NULL || before->end != to || before->kernels != origin->kernels || before->bytes == NULL ||
        before->bytes->uses > 1 || before->offset + (before->end - before->begin) != before->bytes->count)
        return false;
    HostBytes *grown = realloc(before->bytes, sizeof *grown + before->bytes->count + bytes);
    if (grown == NULL)
        return false;
    memcpy(grown->bytes + grown->count, from, bytes);
    grown->count += bytes;
    origin->held_bytes += bytes;
    before->bytes = grown;
    before->end += bytes;
    return true;
}

static void insert(HostOrigin *origin, HostRange range)
{
    splice(origin, host_origin_find(origin, range.begin), 0, &range, 1);
}

static HostBytes *bytes_new(HostOrigin *origin, const void *from, uint64_t count)
{
    HostBytes *new = malloc(sizeof *new + count);
    if (new == NULL)
        return NULL;
    *new = (HostBytes){.uses = 1, .count = count};
    memcpy(new->bytes, from, count);
    origin->held_bytes += count;
    return new;
}

bool host_origin_write(HostOrigin *origin, uint64_t to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (origin->held_bytes + bytes > HOST_ORIGIN_MOST_BYTES || !reserve(origin, 2))
        return false;
    forget(origin, to, to + bytes);
    if (grow(origin, host_origin_find(origin, to), to, from, bytes))
        return true;
    HostRange range = {.begin = to, .end = to + bytes, .kernels = origin->kernels};
    range.bytes = bytes_new(origin, from, bytes);
    if (range.bytes != NULL)
        insert(origin, range);
    return range.bytes != NULL;
}

bool host_origin_fill(HostOrigin *origin, uint64_t to, uint8_t value, uint64_t bytes)
{
    if (bytes == 0 || (value == 0 && origin->count == 0))
        return true;
    if (!reserve(origin, 2))
        return false;
    forget(origin, to, to + bytes);
    if (value != 0)
        insert(origin, (HostRange){.begin = to, .end = to + bytes, .value = value, .kernels = origin->kernels});
    return true;
}

bool host_origin_copy(HostOrigin *origin, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (origin->count == 0 || bytes == 0)
        return true;
    size_t first = host_origin_find(origin, from), last = first;
    while (last < origin->count && origin->ranges[last].begin < from + bytes)
        last++;
    if (!reserve(origin, last - first + 1))
        return false;
    HostRange *copied = last == first ? NULL : malloc((last - first) * sizeof *copied);
    if (copied == NULL && last != first)
        return false;
    for (size_t i = first; i < last; i++) {
        HostRange part = part_of(&origin->ranges[i], from, from + bytes);
        part.begin += to - from;
        part.end += to - from;
        copied[i - first] = part;
    }
    forget(origin, to, to + bytes);
    splice(origin, host_origin_find(origin, to), 0, copied, last - first);
    free(copied);
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static uint8_t host_byte(const HostRange *range, uint64_t index)
{
    return range->bytes == NULL ? range->value : range->bytes->bytes[range->offset + index];
}

ContentOrigin host_origin_compare(const HostOrigin *origin, const HostRange *range, uint64_t base,
                                  uint32_t element_bytes, const uint8_t *now)
{
    uint64_t written = 0, same = 0, count = range->end - range->begin, next;
    for (uint64_t i = 0; i < count; i = next) { /* an element, or the part of one that the range holds */
        uint64_t inside = (range->begin + i - base) % element_bytes;
        bool is_zero = true, is_same = true;
        for (next = i; next < count && next < i + element_bytes - inside; next++) {
            is_zero &= host_byte(range, next) == 0;
            is_same &= host_byte(range, next) == now[next];
        }
        written += !is_zero;
        same += !is_zero && is_same;
    }
    if (range->kernels == origin->kernels)
        return same > 0 ? ORIGIN_HOST : ORIGIN_UNKNOWN;
    return 2 * same > written ? ORIGIN_LIKE_HOST : ORIGIN_UNKNOWN;
}
