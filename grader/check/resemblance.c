#include "grader/check/resemblance.h"

#include "base/arena.h"
#include "base/tensor.h"
#include "harness/broker/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = TENSOR_MAX_RANK + 1 };

/* How an array lies in memory, if it is not in row-major order. */
typedef struct ArrayOrder {
    int rank;
    size_t shape[MOST_AXES];
    int axes[MOST_AXES];        /* the index that counts slowest first */
    size_t reversed[MOST_AXES]; /* how many positions along an index, from the first on, are in reverse order */
    size_t rotated[MOST_AXES];  /* by how many positions along an index the elements are moved, in a circle */
} ArrayOrder;

typedef struct AlteredArray {
    size_t parameter, count, element; /* `element`: in bytes */
    ArrayOrder order;                 /* row-major */
} AlteredArray;

/* By how many positions an array lies too far on along each index; too far back, if `back`. */
typedef struct ArrayMove {
    size_t by[MOST_AXES];
    bool back;
} ArrayMove;

/* ==== altered array =============================================================================================== */

/* Copies of an array as a mistake would have it: in another order, without a part, moved.
 *
 * Owns     each copy is the caller's, who frees it. */

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

/* The array in row-major order, if it lies in memory as `order` says. */
static char *array_in_order(const char *data, const AlteredArray *array, const ArrayOrder *order)
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

/* The array with zeros in the first position along each index whose bit is set in `firsts`, and in the last one along
 * those of `lasts`. */
static char *array_cut_off(const char *data, const AlteredArray *array, unsigned firsts, unsigned lasts)
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

/* The array moved to where it belongs, with zeros where nothing comes to lie. */
static char *array_moved(const char *data, const AlteredArray *array, const ArrayMove *move)
{
    char *copy = allocated(calloc(array->count, array->element));
    move_to(copy, data, array, move);
    return copy;
}

/* The same with call_poison_word() in place of zeros. */
static char *output_moved(const char *data, const AlteredArray *array, const ArrayMove *move, uint32_t poison,
                          bool of_floats)
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

/* How many elements have a place after the move. */
static size_t array_move_keeps(const AlteredArray *array, const ArrayMove *move)
{
    size_t count = 1;
    for (int i = 0; i < array->order.rank; i++)
        count *= array->order.shape[i] > move->by[i] ? array->order.shape[i] - move->by[i] : 0;
    return count;
}

/* ==== resemblance ================================================================================================= */

/* Of small images alone many moves are tried, each of which is compared with all of the output. */
enum { CHANNELS_OF_A_PIXEL = 4, MOST_ELEMENTS = 1 << 22, MOST_MOVED = 1 << 16 };

typedef struct Search {
    const ResemblanceSubject *subject;
    Message *why;
    Status status;
    WrongNature nature; /* once it is found */
} Search;

static bool goes_on(const Search *search)
{
    return search->status == STATUS_OK && search->nature == WRONG_NATURE_UNKNOWN;
}

/* An array of many indices has so many variants that one of them may agree with one or two wrong elements by chance.
 * Samples are small: a higher bound would leave most of them without a reason. */
static bool has_enough(const Search *search, const ArrayOrder *order)
{
    return order->rank <= 2 || search->subject->wrong >= 3;
}

/* ---- testing a variant ------------------------------------------------------------------------------------------- */

static ResemblanceVariant as_it_is(const ResemblanceSubject *subject)
{
    ResemblanceVariant variant = {.sizes = *subject->sizes, .output = subject->output};
    memcpy(variant.inputs, subject->inputs, sizeof variant.inputs);
    return variant;
}

static void test(Search *search, const ResemblanceVariant *variant, WrongNature nature)
{
    const ResemblanceSubject *subject = search->subject;
    bool is_right = goes_on(search);
    for (int in_all = 0; in_all < 2 && is_right && search->status == STATUS_OK; in_all++)
        search->status = subject->test(subject->context, variant, in_all, &is_right, search->why);
    if (is_right && search->status == STATUS_OK)
        search->nature = nature;
}

/* Tests with other data in one place: an input, or the output. */
static void test_with(Search *search, size_t parameter, const void *data, WrongNature nature)
{
    ResemblanceVariant variant = as_it_is(search->subject);
    *(parameter == problem_output(search->subject->problem) ? &variant.output : &variant.inputs[parameter]) = data;
    test(search, &variant, nature);
}

static void test_order(Search *search, const AlteredArray *array, const ArrayOrder *order, WrongNature nature)
{
    const ResemblanceSubject *subject = search->subject;
    bool is_output = array->parameter == problem_output(subject->problem);
    if (!goes_on(search))
        return;
    char *copy = array_in_order(is_output ? subject->output : subject->inputs[array->parameter], array, order);
    test_with(search, array->parameter, copy, nature);
    free(copy);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* False for a parameter that is no array, and once the search is over. */
static bool describe_array(Search *search, size_t parameter, AlteredArray *array)
{
    const ResemblanceSubject *subject = search->subject;
    const Parameter *is = &subject->problem->parameters[parameter];
    *array = (AlteredArray){.parameter = parameter, .element = element_bytes(is->type), .order.rank = is->rank};
    if (is->role == ROLE_SIZE || !goes_on(search))
        return false;
    search->status = problem_shape(subject->problem, parameter, subject->sizes, array->order.shape, &array->count,
                                   search->why);
    for (int i = 0; i < array->order.rank; i++)
        array->order.axes[i] = i;
    return search->status == STATUS_OK;
}

/* Of one element there is one order only, and copies of very large arrays take too long. */
static bool find_array(Search *search, size_t parameter, AlteredArray *array)
{
    return describe_array(search, parameter, array) && array->count > 1 && array->count <= MOST_ELEMENTS;
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

/* Zeros of an earlier case look like an input that is not used at all, such as a forgotten bias. */
static bool is_all_zero(const char *data, const AlteredArray *array)
{
    size_t i = 0;
    while (i < array->count * array->element && data[i] == 0)
        i++;
    return i == array->count * array->element;
}

/* Data that the submission kept from an earlier case: one array, or all. */
static void try_stale(Search *search, const void *const *earlier)
{
    const ResemblanceSubject *subject = search->subject;
    ResemblanceVariant all = as_it_is(subject);
    size_t known = 0;
    AlteredArray array;
    for (size_t i = 0; i < subject->problem->parameter_count && earlier != NULL; i++)
        if (earlier[i] != NULL && describe_array(search, i, &array) && !is_all_zero(earlier[i], &array)) {
            test_with(search, i, earlier[i], WRONG_NATURE_STALE);
            all.inputs[i] = earlier[i];
            known++;
        }
    if (known > 1)
        test(search, &all, WRONG_NATURE_STALE);
}

/* Tests the filter in reverse order along each index whose bit is set in `axes`. */
static void try_flip(Search *search, const AlteredArray *array, int axes)
{
    ArrayOrder order = array->order;
    for (int i = 0; i < order.rank; i++)
        order.reversed[i] = axes >> i & 1 ? order.shape[i] : 0;
    test_order(search, array, &order, WRONG_NATURE_FLIPPED);
}

static void try_swapped_axes(Search *search, const AlteredArray *array, WrongNature nature)
{
    for (int i = 0; i < array->order.rank; i++)
        for (int j = i + 1; j < array->order.rank; j++) {
            ArrayOrder order = array->order;
            order.axes[i] = j;
            order.axes[j] = i;
            if (has_enough(search, &order))
                test_order(search, array, &order, nature);
        }
}

/* The weights of a layer, [row][column][in][out], as PyTorch keeps them, [out][in][row][column], and TensorFlow Lite,
 * [out][row][column][in]. There are two of them only, so two wrong elements are enough. */
static void try_other_layouts(Search *search, const AlteredArray *filter)
{
    static const int layouts[][4] = {{3, 2, 0, 1}, {3, 0, 1, 2}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        ArrayOrder order = filter->order;
        memcpy(order.axes, layouts[i], sizeof layouts[i]);
        if (order.rank == 4 && search->subject->wrong >= 2)
            test_order(search, filter, &order, WRONG_NATURE_CHANNELS);
    }
}

/* Convolution and correlation are often confused: along all indices, along the first two, or, which is rarer than swapped
 * indices, along others. */
static void try_filter(Search *search, const AlteredArray *filter)
{
    const int all = (1 << filter->order.rank) - 1;
    try_flip(search, filter, all);
    try_flip(search, filter, all & 3);
    try_swapped_axes(search, filter, WRONG_NATURE_FILTER_TURNED);
    try_other_layouts(search, filter);
    for (int axes = 1; axes < all && has_enough(search, &filter->order); axes++)
        try_flip(search, filter, axes);
}

/* Two inputs are taken for each other: the row and the column filter, say. */
static void try_swapped_inputs(Search *search, const AlteredArray *array)
{
    AlteredArray other;
    for (size_t i = array->parameter + 1; i < search->subject->problem->parameter_count; i++) {
        if (i == problem_output(search->subject->problem) || !find_array(search, i, &other) ||
            other.count != array->count || other.element != array->element)
            continue;
        ResemblanceVariant variant = as_it_is(search->subject);
        variant.inputs[i] = search->subject->inputs[array->parameter];
        variant.inputs[array->parameter] = search->subject->inputs[i];
        test(search, &variant, WRONG_NATURE_INPUTS_SWAPPED);
    }
}

/* The same elements by other sizes. */
static bool keeps_counts(const Problem *problem, const Sizes *sizes, const Sizes *others)
{
    size_t shape[TENSOR_MAX_RANK], count, other;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role != ROLE_SIZE &&
            (problem_shape(problem, i, sizes, shape, &count, NULL) != STATUS_OK ||
             problem_shape(problem, i, others, shape, &other, NULL) != STATUS_OK || count != other))
            return false;
    return true;
}

/* Width and height are mixed up, and with them perhaps those of the filter. Swaps two sizes, and then, from `first` on,
 * tries to swap two more. */
static void try_swapped_sizes(Search *search, const Sizes *sizes, size_t first, int more)
{
    const Problem *problem = search->subject->problem;
    for (size_t i = first; i < problem->parameter_count; i++)
        for (size_t j = i + 1; j < problem->parameter_count; j++) {
            ResemblanceVariant variant = as_it_is(search->subject);
            variant.sizes = *sizes;
            if (problem->parameters[i].role != ROLE_SIZE || problem->parameters[j].role != ROLE_SIZE ||
                sizes->values[i] == sizes->values[j])
                continue;
            variant.sizes.values[i] = sizes->values[j];
            variant.sizes.values[j] = sizes->values[i];
            if (keeps_counts(problem, search->subject->sizes, &variant.sizes))
                test(search, &variant, WRONG_NATURE_TRANSPOSED);
            if (more > 0)
                try_swapped_sizes(search, &variant.sizes, i + 1, more - 1);
        }
}

/* The same order in the image and in the output. */
static void test_both(Search *search, const AlteredArray *image, const AlteredArray *output, const ArrayOrder orders[2],
                      WrongNature nature)
{
    ResemblanceVariant variant = as_it_is(search->subject);
    if (!goes_on(search) || !has_enough(search, &orders[0]))
        return;
    char *first = array_in_order(variant.inputs[image->parameter], image, &orders[0]);
    char *second = array_in_order(variant.output, output, &orders[1]);
    variant.inputs[image->parameter] = first;
    variant.output = second;
    test(search, &variant, nature);
    free(first);
    free(second);
}

/* All arrays have their channels first, where the statement has them last. */
static void try_channels_first(Search *search, const AlteredArray *image, const AlteredArray *output)
{
    const int rank = image->order.rank;
    ArrayOrder orders[2] = {image->order, output->order};
    for (int images = 0; images < 2 && images + 2 < rank && output->order.rank == rank; images++) {
        for (int i = images; i < rank; i++)
            orders[0].axes[i] = orders[1].axes[i] = i == images ? rank - 1 : i - 1;
        test_both(search, image, output, orders, WRONG_NATURE_CHANNELS);
        orders[0] = image->order;
        orders[1] = output->order;
    }
}

/* Colours in another order: BGR for RGB, ARGB for RGBA. */
static void try_order_of_channels(Search *search, const AlteredArray *array, int axis)
{
    const size_t extent = array->order.shape[axis], leading[] = {extent, extent > 3 ? 3 : 0};
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
        ArrayOrder order = array->order;
        order.reversed[axis] = leading[i];
        if (leading[i] > 1)
            test_order(search, array, &order, WRONG_NATURE_CHANNELS);
    }
    for (size_t i = 1; i < extent && extent <= CHANNELS_OF_A_PIXEL; i++) {
        ArrayOrder order = array->order;
        order.rotated[axis] = i;
        test_order(search, array, &order, WRONG_NATURE_CHANNELS);
    }
}

/* Channels first instead of last, or the other way round. */
static void try_place_of_channels(Search *search, const AlteredArray *array)
{
    const int rank = array->order.rank;
    for (int images = 0; images < 2 && images + 2 < rank; images++) {
        ArrayOrder first = array->order, last = array->order;
        for (int i = images; i < rank; i++) {
            first.axes[i] = i == images ? rank - 1 : i - 1;
            last.axes[i] = i == rank - 1 ? images : i + 1;
        }
        if (!has_enough(search, &first))
            return;
        test_order(search, array, &first, WRONG_NATURE_CHANNELS);
        test_order(search, array, &last, WRONG_NATURE_CHANNELS);
    }
}

/* A row of bytes holds pixels of several channels: they become an index of their own. */
static void split_pixels(const Problem *problem, AlteredArray *array)
{
    ArrayOrder *order = &array->order;
    int last = order->rank - 1;
    if (problem->parameters[array->parameter].type != ELEMENT_UINT8 || order->shape[last] % CHANNELS_OF_A_PIXEL != 0)
        return;
    order->shape[last] /= CHANNELS_OF_A_PIXEL;
    order->shape[last + 1] = CHANNELS_OF_A_PIXEL;
    order->axes[last + 1] = last + 1;
    order->rank++;
}

/* An array that a mistake has put into another order. Where it has one row only, channels that come first look like
 * columns and channels that are swapped: so channels are tried first. */
static void try_orders(Search *search, const Problem *problem, const AlteredArray *array)
{
    AlteredArray pixels = *array;
    split_pixels(problem, &pixels);
    const int rank = pixels.order.rank;
    try_place_of_channels(search, &pixels);
    try_swapped_axes(search, array, WRONG_NATURE_TRANSPOSED);
    for (int i = 0; i < rank && rank > 2 && has_enough(search, &pixels.order); i++)
        try_order_of_channels(search, &pixels, i);
}

/* ---- parts that are missing -------------------------------------------------------------------------------------- */

/* An input that has no part in the output, such as a forgotten bias. */
static void try_left_out(Search *search, const AlteredArray *array)
{
    char *zeros = allocated(calloc(array->count, array->element));
    test_with(search, array->parameter, zeros, WRONG_NATURE_LEFT_OUT);
    free(zeros);
}

static void test_cut_off(Search *search, const AlteredArray *array, unsigned firsts, unsigned lasts)
{
    if (!goes_on(search))
        return;
    char *copy = array_cut_off(search->subject->inputs[array->parameter], array, firsts, lasts);
    test_with(search, array->parameter, copy, WRONG_NATURE_CUT_OFF);
    free(copy);
}

/* A loop over the filter or over the channels begins one too late, or ends one too early, or both; or all loops do. */
static void try_cut_off(Search *search, const AlteredArray *array)
{
    unsigned all = 0;
    if (!has_enough(search, &array->order))
        return;
    for (int axis = 0; axis < array->order.rank; axis++) {
        const size_t extent = array->order.shape[axis];
        const unsigned one = 1u << axis;
        if (extent == 1)
            continue;
        test_cut_off(search, array, one, 0);
        test_cut_off(search, array, 0, one);
        if (extent > 2) /* of two positions nothing would be left */
            test_cut_off(search, array, one, one);
        all |= one;
    }
    if ((all & (all - 1)) == 0) /* one index: that has been tested */
        return;
    test_cut_off(search, array, all, 0);
    test_cut_off(search, array, 0, all);
}

/* The same loop in the row and in the column filter, say. */
static void try_filters_cut_off(Search *search, size_t image, unsigned firsts, unsigned lasts)
{
    const Problem *problem = search->subject->problem;
    ResemblanceVariant variant = as_it_is(search->subject);
    char *copies[PROBLEM_MAX_PARAMETERS];
    size_t count = 0;
    AlteredArray array;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        if (i == image || i == problem_output(problem) || !find_array(search, i, &array) || array.order.rank > 1)
            continue;
        variant.inputs[i] = copies[count++] = array_cut_off(search->subject->inputs[i], &array, firsts, lasts);
    }
    if (count > 1)
        test(search, &variant, WRONG_NATURE_CUT_OFF);
    for (size_t i = 0; i < count; i++)
        free(copies[i]);
}

/* ---- the place of the filter ------------------------------------------------------------------------------------- */

typedef void MoveTest(Search *search, const AlteredArray *array, const ArrayMove *move);

/* Both ways: the filter begins at the output where the statement centres it, or the reverse. What lies beyond the
 * border then depends on more than the place of the filter, and does not count. */
static void test_moved_output(Search *search, const AlteredArray *output, const ArrayMove *by)
{
    enum { LEAST = 3 };
    const size_t left = array_move_keeps(output, by);
    ArrayMove move = *by;
    for (int back = 0; back < 2 && left >= LEAST && left < output->count && goes_on(search); back++) {
        ResemblanceVariant variant = as_it_is(search->subject);
        move.back = back;
        char *copy = output_moved(search->subject->output, output, &move, search->subject->poison,
                                  search->subject->problem->parameters[output->parameter].type == ELEMENT_FLOAT32);
        variant.output = copy;
        variant.in_part = true;
        test(search, &variant, WRONG_NATURE_MOVED);
        free(copy);
    }
}

/* The filter is centred where the statement has it begin at the output: with zeros beyond the border, all that can be
 * compared is right then, also with a stride and where few elements are left after a move of the output. */
static void test_moved_image(Search *search, const AlteredArray *image, const ArrayMove *by)
{
    const size_t left = array_move_keeps(image, by);
    ArrayMove move = *by;
    if (left == 0 || left == image->count || !goes_on(search))
        return;
    move.back = true;
    char *copy = array_moved(search->subject->inputs[image->parameter], image, &move);
    test_with(search, image->parameter, copy, WRONG_NATURE_MOVED);
    free(copy);
}

/* Which indices of the filter go with which of the array, the problem does not say: all neighbouring ones are tried in
 * their order. A filter with one index may be applied along several. */
static void try_moves(Search *search, const AlteredArray *filter, const AlteredArray *array, MoveTest *test_move)
{
    const ArrayOrder *taps = &filter->order;
    const int rank = array->order.rank, extents = taps->rank == 1 ? rank : taps->rank;
    for (int axes = extents < rank ? extents : rank; axes > 0; axes--)
        for (int first = 0; first + axes <= (taps->rank == 1 ? axes : extents); first++)
            for (int onto = 0; onto + axes <= rank; onto++) {
                ArrayMove move = {.back = false};
                for (int i = 0; i < axes; i++)
                    move.by[onto + i] = taps->shape[taps->rank == 1 ? 0 : first + i] / 2;
                test_move(search, array, &move);
            }
}

/* Most elements must be wrong, since a part of the output may be right after a move by chance. */
static void try_place_of_filter(Search *search, const AlteredArray *filter, const AlteredArray *image,
                                const AlteredArray *output)
{
    if (2 * search->subject->wrong < output->count || output->count > MOST_ELEMENTS)
        return;
    try_moves(search, filter, output, test_moved_output);
    if (image->count <= MOST_MOVED && has_enough(search, &image->order))
        try_moves(search, filter, image, test_moved_image);
}

/* ---- search ------------------------------------------------------------------------------------------------------ */

/* The first input is what a filter is applied to; the others are the filter, a bias and the like. */
static size_t main_input(const Problem *problem)
{
    size_t i = 0;
    while (i < problem->parameter_count && problem->parameters[i].role != ROLE_IN)
        i++;
    return i;
}

/* One wrong element among others may be right by chance. What is cut off is tried last, since a filter in another place
 * leaves out a part of the image, too. */
static void try_missing_parts(Search *search, size_t image)
{
    const Problem *problem = search->subject->problem;
    AlteredArray before, output, array;
    if (!describe_array(search, image, &before) || !describe_array(search, problem_output(problem), &output) ||
        (search->subject->wrong == 1 && output.count > 1))
        return;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != image && i != output.parameter && find_array(search, i, &array)) {
            try_left_out(search, &array);
            try_place_of_filter(search, &array, &before, &output);
        }
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != output.parameter && find_array(search, i, &array)) {
            split_pixels(problem, &array);
            try_cut_off(search, &array);
        }
    try_filters_cut_off(search, image, 1, 0);
    try_filters_cut_off(search, image, 0, 1);
    try_filters_cut_off(search, image, 1, 1);
}

Status resemblance_find(const ResemblanceSubject *subject, WrongNature *nature, Message *why)
{
    const Problem *problem = subject->problem;
    const size_t image = main_input(problem), output = problem_output(problem);
    Search search = {.subject = subject, .why = why, .nature = WRONG_NATURE_UNKNOWN};
    AlteredArray array, before;
    for (int which = 0; which < EARLIER_CASES; which++)
        try_stale(&search, subject->earlier[which]);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != image && i != output && find_array(&search, i, &array)) {
            try_filter(&search, &array);
            try_swapped_inputs(&search, &array);
        }
    if (find_array(&search, image, &before) && find_array(&search, output, &array)) {
        split_pixels(problem, &before);
        split_pixels(problem, &array);
        try_channels_first(&search, &before, &array);
    }
    try_swapped_sizes(&search, subject->sizes, 0, 1);
    const size_t large[] = {output, image};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (large[i] < problem->parameter_count && find_array(&search, large[i], &array))
            try_orders(&search, problem, &array);
    try_missing_parts(&search, image);
    *nature = search.nature == WRONG_NATURE_UNKNOWN ? *nature : search.nature;
    return search.status;
}
