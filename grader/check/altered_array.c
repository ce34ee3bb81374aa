#include "grader/check/altered_array.h"

#include "base/allocated.h"
#include "harness/session/session.h"

#include <stdlib.h>
#include <string.h>

static size_t place_in(const ArrayOrder *order, const size_t position[MOST_AXES])
{
    size_t place = 0;
    for (int i = 0; i < order->rank; i++) {
        int axis = order->axes[i];
        size_t reversed = order->reversed[axis], at = (position[axis] + order->rotated[axis]) % order->shape[axis];
        place = place * order->shape[axis] + (at < reversed ? reversed - 1 - at : at);
    }
    return place;
}

/* The next position in row-major order. */
static void step(const ArrayOrder *order, size_t position[MOST_AXES])
{
    for (int axis = order->rank - 1; axis >= 0 && ++position[axis] == order->shape[axis]; axis--)
        position[axis] = 0;
}

char *array_in_order(const char *data, const AlteredArray *array, const ArrayOrder *order)
{
    char *copy = allocated(malloc(array->count * array->element));
    size_t position[MOST_AXES] = {0};
    for (size_t i = 0; i < array->count; i++, step(order, position))
        memcpy(copy + i * array->element, data + place_in(order, position) * array->element, array->element);
    return copy;
}

static void clear_position(char *data, const AlteredArray *array, int axis, size_t position)
{
    size_t inner = array->element; /* bytes of one position */
    for (int i = axis + 1; i < array->order.rank; i++)
        inner *= array->order.shape[i];
    for (size_t at = position * inner; at < array->count * array->element; at += array->order.shape[axis] * inner)
        memset(data + at, 0, inner);
}

char *array_cut_off(const char *data, const AlteredArray *array, unsigned firsts, unsigned lasts)
{
    char *copy = allocated(malloc(array->count * array->element));
    memcpy(copy, data, array->count * array->element);
    for (int axis = 0; axis < array->order.rank; axis++) {
        if (firsts >> axis & 1)
            clear_position(copy, array, axis, 0);
        if (lasts >> axis & 1)
            clear_position(copy, array, axis, array->order.shape[axis] - 1);
    }
    return copy;
}

/* False if nothing comes to lie at the position; otherwise `from` is the element that does. */
static bool find_source(const ArrayOrder *order, const ArrayMove *move, const size_t position[MOST_AXES], size_t *from)
{
    *from = 0;
    for (int axis = 0; axis < order->rank; axis++) {
        const size_t at = move->back ? position[axis] - move->by[axis] : position[axis] + move->by[axis];
        if (at >= order->shape[axis]) /* before the first, too, where it is very large */
            return false;
        *from = *from * order->shape[axis] + at;
    }
    return true;
}

/* Leaves the elements as they are where nothing comes to lie. */
static void move_to(char *copy, const char *data, const AlteredArray *array, const ArrayMove *move)
{
    size_t position[MOST_AXES] = {0}, from;
    for (size_t i = 0; i < array->count; i++, step(&array->order, position))
        if (find_source(&array->order, move, position, &from))
            memcpy(copy + i * array->element, data + from * array->element, array->element);
}

char *array_moved(const char *data, const AlteredArray *array, const ArrayMove *move)
{
    char *copy = allocated(calloc(array->count, array->element));
    move_to(copy, data, array, move);
    return copy;
}

char *output_moved(const char *data, const AlteredArray *array, const ArrayMove *move, uint32_t poison, bool of_floats)
{
    const size_t bytes = array->count * array->element;
    char *copy = allocated(malloc(bytes));
    for (size_t at = 0; at < bytes; at += sizeof poison) {
        const uint32_t word = call_poison_word(poison, of_floats, at / sizeof word);
        memcpy(copy + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
    }
    move_to(copy, data, array, move);
    return copy;
}

size_t array_move_keeps(const AlteredArray *array, const ArrayMove *move)
{
    size_t count = 1;
    for (int i = 0; i < array->order.rank; i++)
        count *= array->order.shape[i] > move->by[i] ? array->order.shape[i] - move->by[i] : 0;
    return count;
}
