/* This file is long because all experiments on a wrong output share one search, its budget and its order. */
#include "grader/check/resemblance.h"

#include "base/arena.h"
#include "base/tensor.h"
#include "grader/check/tally.h"
#include "harness/broker/session.h"

#include <math.h>
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

/* The number of positions by which an array lies too far on along each index; too far back, if `back`. */
typedef struct ArrayMove {
    size_t by[MOST_AXES];
    bool back;
} ArrayMove;

/* ==== variant ===================================================================================================== */

/* The place, in the larger output, of an element of an output of this shape. */
static size_t place_within(const size_t *offset, const size_t *shape, const size_t *larger, int rank, size_t index)
{
    size_t place = 0, inner = 1;
    for (int i = rank - 1; i >= 0; i--) {
        place += (index % shape[i] + offset[i]) * inner;
        index /= shape[i];
        inner *= larger[i];
    }
    return place;
}

static bool is_within(const ResemblanceVariant *variant, int rank)
{
    for (int i = 0; i < rank; i++)
        if (variant->offset[i] > 0)
            return true;
    return false;
}

/* Computes all that lies between the first and the last element, in row-major order, and takes what is asked for. */
static Status evaluate_within(const Oracle *oracle, const Problem *problem, const ResemblanceVariant *variant,
                              const void *const *inputs, const size_t *shape, size_t first, size_t count, double *value,
                              double *magnitude, Message *why)
{
    size_t larger[TENSOR_MAX_RANK], ignored;
    const size_t output = problem_output(problem);
    const int rank = problem->parameters[output].rank;
    TRY(problem_shape(problem, output, &variant->sizes, larger, &ignored, why));
    const size_t start = place_within(variant->offset, shape, larger, rank, first);
    const size_t end = place_within(variant->offset, shape, larger, rank, first + count - 1) + 1;
    double *const all = allocated(malloc(2 * (end - start) * sizeof *all));
    Status status = oracle_evaluate_between(oracle, &variant->sizes, inputs, variant->between, start, end - start, all,
                                            all + (end - start), why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const size_t place = place_within(variant->offset, shape, larger, rank, first + i) - start;
        value[i] = all[place];
        magnitude[i] = all[end - start + place];
    }
    free(all);
    return status;
}

static Status evaluate_term(const Oracle *oracle, const Problem *problem, const ResemblanceVariant *variant, int term,
                            const size_t *shape, size_t first, size_t count, double *value, double *magnitude,
                            Message *why)
{
    const void *const *inputs = term == 0 ? variant->inputs : variant->more[term - 1];
    if (is_within(variant, problem->parameters[problem_output(problem)].rank))
        return evaluate_within(oracle, problem, variant, inputs, shape, first, count, value, magnitude, why);
    return oracle_evaluate_between(oracle, &variant->sizes, inputs, variant->between, first, count, value, magnitude,
                                   why);
}

/* Where a formula has no finite value, no output agrees with this one. */
static const double FAR_OFF = 1e300;

static Status evaluate_formula(const Oracle *oracle, const Problem *problem, const ResemblanceVariant *variant,
                               const size_t *shape, size_t first, size_t count, double *value, double *magnitude,
                               Message *why)
{
    double *const all = allocated(malloc(2 * (size_t)variant->terms * count * sizeof *all));
    Status status = STATUS_OK;
    for (int term = 0; term < variant->terms && status == STATUS_OK; term++)
        status = evaluate_term(oracle, problem, variant, term, shape, first, count, all + 2 * (size_t)term * count,
                               all + (2 * (size_t)term + 1) * count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        OracleTerm terms[VARIANT_MAX_TERMS];
        for (size_t term = 0; term < (size_t)variant->terms; term++)
            terms[term] = (OracleTerm){all[2 * term * count + i], all[(2 * term + 1) * count + i]};
        const OracleTerm result = variant->formula(terms);
        const bool is_finite = isfinite(result.value) && isfinite(result.magnitude);
        value[i] = is_finite ? result.value : FAR_OFF;
        magnitude[i] = is_finite ? result.magnitude : 0;
    }
    free(all);
    return status;
}

Status variant_evaluate(const Oracle *oracle, const Problem *problem, const ResemblanceVariant *variant,
                        const size_t shape[TENSOR_MAX_RANK], size_t first, size_t count, double *value,
                        double *magnitude, Message *why)
{
    return (variant->formula == NULL
                ? evaluate_term(oracle, problem, variant, 0, shape, first, count, value, magnitude, why)
                : evaluate_formula(oracle, problem, variant, shape, first, count, value, magnitude, why));
}

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

/* The array with its first position along an index in place of all others; or, if `is_alone`, zeros there. */
static char *array_of_first(const char *data, const AlteredArray *array, int axis, bool is_alone)
{
    char *copy = allocated(calloc(array->count, array->element));
    size_t inner = array->element;
    for (int i = axis + 1; i < array->order.rank; i++)
        inner *= array->order.shape[i];
    const size_t outer = array->order.shape[axis] * inner;
    for (size_t at = 0; at < array->count * array->element; at += inner)
        if (!is_alone || at % outer == 0)
            memcpy(copy + at, data + at / outer * outer, inner);
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

/* Each shift is compared with the whole output, so many shifts are tried on small images only. */
enum { CHANNELS_OF_A_PIXEL = 4, MOST_ELEMENTS = 1 << 22, MOST_MOVED = 1 << 16 };

typedef struct Search {
    const ResemblanceSubject *subject;
    Message *why;
    Status status;
    WrongNature nature; /* once it is found, */
    size_t parameter;   /*   with this array changed; parameter_count: several, or none */
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
    const bool was_open = goes_on(search);
    *(parameter == problem_output(search->subject->problem) ? &variant.output : &variant.inputs[parameter]) = data;
    test(search, &variant, nature);
    if (was_open && search->nature != WRONG_NATURE_UNKNOWN)
        search->parameter = parameter;
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

/* False for a parameter that is no array, or not of these sizes. */
static bool array_for(const Problem *problem, const Sizes *sizes, size_t parameter, AlteredArray *array)
{
    const Parameter *is = &problem->parameters[parameter];
    *array = (AlteredArray){.parameter = parameter, .element = element_bytes(is->type), .order.rank = is->rank};
    for (int i = 0; i < is->rank; i++)
        array->order.axes[i] = i;
    return parameter_is_array(is) &&
           problem_shape(problem, parameter, sizes, array->order.shape, &array->count, NULL) == STATUS_OK;
}

/* False also once the search is over. */
static bool describe_array(const Search *search, size_t parameter, AlteredArray *array)
{
    return goes_on(search) && array_for(search->subject->problem, search->subject->sizes, parameter, array);
}

/* Skip arrays of one element (nothing to permute) and very large ones (too slow to copy). */
static bool find_array(const Search *search, size_t parameter, AlteredArray *array)
{
    return describe_array(search, parameter, array) && array->count > 1 && array->count <= MOST_ELEMENTS;
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

/* Zeros of an earlier case look like an input that is not used at all, such as a forgotten bias; and of one or two values
 * a mistake can have made the output without keeping them. */
static bool is_telling(const char *data, const AlteredArray *array)
{
    enum { DIFFERENT = 3 };
    static const char zero[sizeof(double)];
    const char *found[DIFFERENT];
    size_t count = 0;
    for (size_t i = 0; i < array->count && count < DIFFERENT; i++) {
        const char *const element = data + i * array->element;
        bool is_new = memcmp(element, zero, array->element) != 0;
        for (size_t k = 0; k < count; k++)
            is_new = is_new && memcmp(element, found[k], array->element) != 0;
        if (is_new)
            found[count++] = element;
    }
    return count == DIFFERENT;
}

/* Data that the submission kept from an earlier case: one array, or all. */
static void try_stale(Search *search, const void *const *earlier)
{
    const ResemblanceSubject *subject = search->subject;
    ResemblanceVariant all = as_it_is(subject);
    size_t known = 0;
    AlteredArray array;
    for (size_t i = 0; i < subject->problem->parameter_count && earlier != NULL; i++)
        if (earlier[i] != NULL && describe_array(search, i, &array) && is_telling(earlier[i], &array)) {
            test_with(search, i, earlier[i], WRONG_NATURE_STALE);
            all.inputs[i] = earlier[i];
            known++;
        }
    if (known > 1)
        test(search, &all, WRONG_NATURE_STALE);
}

/* A filter is [plane][row][column], as far as it has these; the weights of a layer are [row][column][in][out]. Along an
 * index of one position nothing is flipped. */
static WrongNature flip_along(const ArrayOrder *order, int axes)
{
    static const WrongNature names[] = {WRONG_NATURE_FLIPPED_COLUMNS, WRONG_NATURE_FLIPPED_ROWS,
                                        WRONG_NATURE_FLIPPED_PLANES};
    const int rank = order->rank;
    int long_axes = 0;
    for (int axis = 0; axis < rank; axis++)
        long_axes |= (order->shape[axis] > 1) << axis;
    axes &= long_axes;
    if (axes == long_axes || (rank == 4 && axes == (long_axes & 3)))
        return WRONG_NATURE_FLIPPED;
    for (int axis = 0; axis < rank && rank <= 3; axis++)
        if (axes == 1 << axis)
            return names[rank - 1 - axis];
    return WRONG_NATURE_FLIPPED_PART;
}

static WrongNature turn_of(int rank, int first, int second)
{
    if (rank == 3 && first == 0)
        return second == 1 ? WRONG_NATURE_PLANES_FOR_ROWS : WRONG_NATURE_PLANES_FOR_COLUMNS;
    return rank == 4 && second > 1 ? WRONG_NATURE_FILTER_AXES : WRONG_NATURE_FILTER_TURNED;
}

/* Tests the filter in reverse order along each index whose bit is set in `axes`. */
static void try_flip(Search *search, const AlteredArray *array, int axes)
{
    ArrayOrder order = array->order;
    for (int i = 0; i < order.rank; i++)
        order.reversed[i] = axes >> i & 1 ? order.shape[i] : 0;
    test_order(search, array, &order, flip_along(&order, axes));
}

static void try_swapped_axes(Search *search, const AlteredArray *array, bool is_filter)
{
    for (int i = 0; i < array->order.rank; i++)
        for (int j = i + 1; j < array->order.rank; j++) {
            ArrayOrder order = array->order;
            order.axes[i] = j;
            order.axes[j] = i;
            if (has_enough(search, &order))
                test_order(search, array, &order, is_filter ? turn_of(order.rank, i, j) : WRONG_NATURE_TRANSPOSED);
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
    try_swapped_axes(search, filter, true);
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
        if (parameter_is_array(&problem->parameters[i]) &&
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

/* The last index counts slowest, or the first one fastest, behind that of the images, if there is one. */
static void move_channels(ArrayOrder *order, int images, bool first)
{
    const int rank = order->rank;
    for (int i = images; i < rank; i++)
        order->axes[i] = first ? (i == images ? rank - 1 : i - 1) : (i == rank - 1 ? images : i + 1);
}

/* All arrays have their channels first, where the statement has them last, or the other way round. */
static void try_channels_elsewhere(Search *search, const AlteredArray *image, const AlteredArray *output)
{
    const int rank = image->order.rank;
    for (int images = 0; images < 2 && images + 2 < rank && output->order.rank == rank; images++)
        for (int first = 1; first >= 0; first--) {
            ArrayOrder orders[2] = {image->order, output->order};
            move_channels(&orders[0], images, first);
            move_channels(&orders[1], images, first);
            test_both(search, image, output, orders, WRONG_NATURE_CHANNELS);
        }
}

/* Colours in another order: BGR for RGB, ARGB for RGBA, RBG for RGB. */
static void try_order_of_channels(Search *search, const AlteredArray *array, int axis)
{
    const size_t extent = array->order.shape[axis], leading[] = {extent, extent > 3 ? 3 : 0, 0};
    const size_t rotations = extent <= CHANNELS_OF_A_PIXEL ? extent : 1;
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++)
        for (size_t rotated = 0; rotated < rotations; rotated++) {
            ArrayOrder order = array->order;
            order.reversed[axis] = leading[i];
            order.rotated[axis] = rotated;
            if (leading[i] > 1 || rotated > 0)
                test_order(search, array, &order, WRONG_NATURE_CHANNELS);
        }
}

/* Channels first instead of last, or the other way round. */
static void try_place_of_channels(Search *search, const AlteredArray *array)
{
    const int rank = array->order.rank;
    for (int images = 0; images < 2 && images + 2 < rank; images++) {
        ArrayOrder first = array->order, last = array->order;
        move_channels(&first, images, true);
        move_channels(&last, images, false);
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
    try_swapped_axes(search, array, false);
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

typedef char *FilterChange(const char *data, const AlteredArray *array);

static char *reversed_filter(const char *data, const AlteredArray *array)
{
    ArrayOrder order = array->order;
    order.reversed[0] = order.shape[0];
    return array_in_order(data, array, &order);
}

static char *without_first_tap(const char *data, const AlteredArray *array)
{
    return array_cut_off(data, array, 1, 0);
}

static char *without_last_tap(const char *data, const AlteredArray *array)
{
    return array_cut_off(data, array, 0, 1);
}

static char *without_end_taps(const char *data, const AlteredArray *array)
{
    return array_cut_off(data, array, 1, 1);
}

/* Of floats. */
static char *identity_filter(const char *data, const AlteredArray *array)
{
    (void)data;
    float *const copy = allocated(calloc(array->count, sizeof *copy));
    copy[array->count / 2] = 1;
    return (char *)copy;
}

/* Some are for filters along one axis each, such as a row and a column filter; others change a single filter, too. */
static const struct FilterMistake {
    WrongNature nature;
    FilterChange *change;
    int most_axes;
    size_t least_filters;
} filter_mistakes[] = {
    {WRONG_NATURE_COPIED, identity_filter, MOST_AXES, 1}, {WRONG_NATURE_FLIPPED, reversed_filter, 1, 2},
    {WRONG_NATURE_CUT_OFF, without_first_tap, 1, 2},      {WRONG_NATURE_CUT_OFF, without_last_tap, 1, 2},
    {WRONG_NATURE_CUT_OFF, without_end_taps, 1, 2},
};

/* The same mistake in all filters. */
static void try_filter_mistake(Search *search, size_t image, const struct FilterMistake *mistake)
{
    const Problem *problem = search->subject->problem;
    ResemblanceVariant variant = as_it_is(search->subject);
    char *copies[PROBLEM_MAX_PARAMETERS];
    size_t count = 0;
    AlteredArray array;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        if (i == image || i == problem_output(problem) || !find_array(search, i, &array) ||
            array.order.rank > mistake->most_axes || problem->parameters[i].type != ELEMENT_FLOAT32)
            continue;
        variant.inputs[i] = copies[count++] = mistake->change(search->subject->inputs[i], &array);
    }
    if (count >= mistake->least_filters)
        test(search, &variant, mistake->nature);
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

/* ---- beyond the border ------------------------------------------------------------------------------------------- */

/* An image with a margin has a larger output, in whose middle the output of the case stands; and what the margin holds
 * stands where the statement has zeros. So each other border is an experiment with other arguments of the same oracle. */

enum { MOST_WITH_MARGIN = 1 << 21 };

typedef struct Border {
    AlteredArray image; /* split into pixels, as the output is then, too */
    size_t pixel;       /* elements of the output for one position along the last index that can grow */
    bool grows[MOST_AXES];
    size_t size[MOST_AXES];   /* the parameter that an index grows with */
    size_t margin[MOST_AXES]; /* at least as wide as a filter reaches past the border; 0: it does not */
} Border;

/* Where an element beyond the border is taken from, along one index. What stays outside lies in the next row or plane, in
 * row-major order. */
typedef int64_t BorderPlace(int64_t at, int64_t extent);

static int64_t nearest_inside(int64_t at, int64_t extent)
{
    return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

static int64_t other_end(int64_t at, int64_t extent)
{
    return ((at % extent) + extent) % extent;
}

static int64_t mirrored_with_edge(int64_t at, int64_t extent)
{
    const int64_t place = other_end(at, 2 * extent);
    return place < extent ? place : 2 * extent - 1 - place;
}

static int64_t mirrored_without_edge(int64_t at, int64_t extent)
{
    if (extent == 1)
        return 0;
    const int64_t place = other_end(at, 2 * extent - 2);
    return place < extent ? place : 2 * extent - 2 - place;
}

static int64_t same_place(int64_t at, int64_t extent)
{
    return at;
}

/* In an image that is narrower than a filter, the other end and the mirror image are what the filter meets inside anyway,
 * so that other mistakes give the same output. */
typedef struct BorderRule {
    WrongNature nature;
    BorderPlace *place;
    bool of_narrow_images;
    bool within_plane; /* a row that goes on in the next one does not go on in another plane */
} BorderRule;

static const BorderRule border_rules[] = {
    {WRONG_NATURE_BORDER_REPEATED, nearest_inside, true, false},
    {WRONG_NATURE_BORDER_WRAPPED, other_end, false, false},
    {WRONG_NATURE_BORDER_MIRRORED, mirrored_without_edge, false, false},
    {WRONG_NATURE_BORDER_MIRRORED, mirrored_with_edge, false, false},
    {WRONG_NATURE_BORDER_NEXT, same_place, true, true},
    {WRONG_NATURE_BORDER_NEXT, same_place, true, false},
};

static ArrayOrder order_with(const Border *border, const size_t margin[MOST_AXES])
{
    ArrayOrder order = border->image.order;
    for (int axis = 0; axis < order.rank; axis++)
        order.shape[axis] += 2 * margin[axis];
    return order;
}

static size_t count_with(const Border *border, const size_t margin[MOST_AXES])
{
    const ArrayOrder order = order_with(border, margin);
    size_t count = 1;
    for (int axis = 0; axis < order.rank; axis++)
        count *= order.shape[axis];
    return count;
}

/* Sets sizes and offset of the variant. */
static void add_margin(const Search *search, const Border *border, const size_t margin[MOST_AXES],
                       ResemblanceVariant *variant)
{
    const Problem *problem = search->subject->problem;
    const int rank = problem->parameters[problem_output(problem)].rank;
    variant->sizes = *search->subject->sizes;
    for (int axis = 0; axis < border->image.order.rank; axis++) {
        if (margin[axis] == 0)
            continue;
        variant->sizes.values[border->size[axis]] += 2 * (int64_t)margin[axis];
        variant->offset[axis] = margin[axis] * (axis == rank - 1 ? border->pixel : 1);
    }
}

/* Where the element at a position of the image with its margin comes from, as far as the rule says; -1: it is zero. */
static int64_t place_by_rule(const Border *border, const BorderRule *rule, int axes, const size_t position[MOST_AXES])
{
    const ArrayOrder *order = &border->image.order;
    int64_t from = 0, plane = 0, in_plane = 1; /* the last two indices make a plane */
    for (int axis = 0; axis < order->rank; axis++) {
        const int64_t extent = (int64_t)order->shape[axis];
        int64_t at = (int64_t)position[axis] - (int64_t)border->margin[axis];
        if (at < 0 || at >= extent) {
            if (!(axes >> axis & 1))
                return -1;
            at = rule->place(at, extent);
        }
        if (axis == order->rank - 2)
            plane = from;
        in_plane *= axis >= order->rank - 2 ? extent : 1;
        from = from * extent + at;
    }
    if (rule != NULL && rule->within_plane && (from < plane * in_plane || from >= (plane + 1) * in_plane))
        return -1;
    return from >= 0 && from < (int64_t)border->image.count ? from : -1;
}

/* The image with a margin, in the arena: along the indices whose bit is set in `axes` the rule says what the margin holds,
 * along the others it holds zeros. */
static void *image_with_margin(const Border *border, const char *image, const BorderRule *rule, int axes, Arena *arena)
{
    const ArrayOrder order = order_with(border, border->margin);
    const size_t count = count_with(border, border->margin), element = border->image.element;
    char *const copy = arena_array(arena, count, element);
    size_t position[MOST_AXES] = {0};
    for (size_t i = 0; i < count; i++, step(&order, position)) {
        const int64_t from = place_by_rule(border, rule, axes, position);
        if (from >= 0)
            memcpy(copy + i * element, image + (size_t)from * element, element);
    }
    return copy;
}

static void *constant_array(ElementType type, size_t count, double value, Arena *arena)
{
    void *const array = arena_array(arena, count, element_bytes(type));
    for (size_t i = 0; i < count; i++)
        element_store(type, array, i, value);
    return array;
}

/* Sets all inputs to ones, of the variant's sizes. */
static void set_ones(const Search *search, const Sizes *sizes, const void **inputs, Arena *arena)
{
    const Problem *problem = search->subject->problem;
    AlteredArray array;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if ((problem->parameters[i].role & ROLE_IN) != 0 && array_for(problem, sizes, i, &array))
            inputs[i] = constant_array(problem->parameters[i].type, array.count, 1, arena);
}

static double value_at(Search *search, const ResemblanceVariant *variant, size_t index)
{
    const ResemblanceSubject *subject = search->subject;
    AlteredArray output;
    double value = 0, magnitude;
    if (describe_array(search, problem_output(subject->problem), &output))
        search->status = variant_evaluate(subject->oracle, subject->problem, variant, output.order.shape, index, 1,
                                          &value, &magnitude, search->why);
    return value;
}

/* How many products the first and the last output have, where the image has a margin of ones. */
static void count_products(Search *search, const Border *border, const size_t margin[MOST_AXES], double products[2])
{
    ResemblanceVariant variant = {.terms = 1};
    Arena arena = {0};
    AlteredArray output;
    add_margin(search, border, margin, &variant);
    set_ones(search, &variant.sizes, variant.inputs, &arena);
    if (describe_array(search, problem_output(search->subject->problem), &output)) {
        products[0] = value_at(search, &variant, 0);
        products[1] = value_at(search, &variant, output.count - 1);
    }
    arena_free(&arena);
}

/* The index along which image and output are equally long and grow by one with this size, while no other array changes;
 * -1: there is none. */
static int growing_axis(const Search *search, size_t image, size_t size)
{
    const Problem *problem = search->subject->problem;
    const size_t output = problem_output(problem);
    Sizes grown = *search->subject->sizes;
    size_t extents[PROBLEM_MAX_PARAMETERS] = {0};
    int found = -1;
    grown.values[size]++;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        AlteredArray before, after;
        if (problem->parameters[i].role == ROLE_SIZE)
            continue;
        if (!array_for(problem, search->subject->sizes, i, &before) || !array_for(problem, &grown, i, &after))
            return -1;
        split_pixels(problem, &before);
        split_pixels(problem, &after);
        for (int axis = 0; axis < before.order.rank; axis++) {
            const size_t extent = before.order.shape[axis];
            if (after.order.shape[axis] == extent)
                continue;
            if ((i != image && i != output) || after.order.shape[axis] != extent + 1 || (found >= 0 && found != axis))
                return -1;
            found = axis;
            extents[i] = extent;
        }
    }
    return found >= 0 && extents[image] > 0 && extents[image] == extents[output] ? found : -1;
}

/* The shortest extent of the other inputs that is longer; 0: there is none. */
static size_t next_extent(const Search *search, size_t image, size_t shorter)
{
    const Problem *problem = search->subject->problem;
    size_t next = 0;
    AlteredArray array;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        if (i == image || (problem->parameters[i].role & ROLE_IN) == 0 || !describe_array(search, i, &array))
            continue;
        for (int axis = 0; axis < array.order.rank; axis++) {
            const size_t extent = array.order.shape[axis];
            if (extent > shorter && (next == 0 || extent < next))
                next = extent;
        }
    }
    return next;
}

static bool are_equal(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Keeps those indices along which a margin adds products. */
static bool find_reached(Search *search, Border *border)
{
    const size_t none[MOST_AXES] = {0};
    double without[2] = {0}, with[2] = {0};
    bool is_any = false;
    count_products(search, border, none, without);
    for (int axis = 0; axis < border->image.order.rank; axis++) {
        size_t one[MOST_AXES] = {0};
        one[axis] = 1;
        if (border->grows[axis])
            count_products(search, border, one, with);
        border->grows[axis] = border->grows[axis] && !are_equal(with, without);
        is_any = is_any || border->grows[axis];
    }
    return is_any;
}

/* A margin is wide enough if twice as much adds nothing. A filter reaches no farther than one of its extents. */
static bool find_margin(Search *search, Border *border)
{
    size_t twice[MOST_AXES] = {0};
    for (size_t extent = next_extent(search, border->image.parameter, 1); extent > 0 && goes_on(search);
         extent = next_extent(search, border->image.parameter, extent)) {
        double products[2] = {0}, of_twice[2] = {0};
        for (int axis = 0; axis < border->image.order.rank; axis++) {
            border->margin[axis] = border->grows[axis] ? extent : 0;
            twice[axis] = 2 * border->margin[axis];
        }
        if (count_with(border, twice) > MOST_WITH_MARGIN)
            return false;
        count_products(search, border, border->margin, products);
        count_products(search, border, twice, of_twice);
        if (are_equal(products, of_twice))
            return true;
    }
    return false;
}

/* False where no filter reaches past the border of the image. */
static bool find_border(Search *search, size_t image, Border *border)
{
    const Problem *problem = search->subject->problem;
    bool is_any = false;
    *border = (Border){.pixel = 1};
    if (image >= problem->parameter_count || !describe_array(search, image, &border->image) ||
        border->image.count > MOST_WITH_MARGIN)
        return false;
    const int rank = border->image.order.rank;
    split_pixels(problem, &border->image);
    border->pixel = border->image.order.rank > rank ? CHANNELS_OF_A_PIXEL : 1;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const int axis = problem->parameters[i].role == ROLE_SIZE ? growing_axis(search, image, i) : -1;
        if (axis < 0)
            continue;
        border->grows[axis] = is_any = true;
        border->size[axis] = i;
    }
    return is_any && find_reached(search, border) && find_margin(search, border);
}

static void test_border(Search *search, const Border *border, const BorderRule *rule, int axes)
{
    ResemblanceVariant variant = as_it_is(search->subject);
    const size_t image = border->image.parameter;
    Arena arena = {0};
    if (!goes_on(search))
        return;
    for (int axis = 0; axis < border->image.order.rank && !rule->of_narrow_images; axis++)
        if ((axes >> axis & 1) && border->image.order.shape[axis] < border->margin[axis])
            return;
    add_margin(search, border, border->margin, &variant);
    variant.inputs[image] = image_with_margin(border, search->subject->inputs[image], rule, axes, &arena);
    test(search, &variant, rule->nature);
    arena_free(&arena);
}

/* Along all indices, or along one alone. */
static void try_border_rules(Search *search, const Border *border)
{
    int all = 0;
    for (int axis = 0; axis < border->image.order.rank; axis++)
        all |= border->grows[axis] << axis;
    for (size_t i = 0; i < sizeof border_rules / sizeof *border_rules; i++) {
        test_border(search, border, &border_rules[i], all);
        for (int axis = 0; axis < border->image.order.rank && (all & (all - 1)) != 0; axis++)
            if (border->grows[axis])
                test_border(search, border, &border_rules[i], 1 << axis);
    }
}

/* The terms: the output; the sum of the taps that lie inside the image; the sum of all taps. Where taps cancel, a quotient
 * would allow any error, so that its factor is limited. */
static OracleTerm times(OracleTerm term, double factor)
{
    const double MOST = 100;
    return (OracleTerm){term.value * factor, term.magnitude * fmin(fabs(factor), MOST)};
}

static OracleTerm by_share_inside(const OracleTerm *terms)
{
    return times(terms[0], terms[2].value / terms[1].value);
}

static OracleTerm by_sum_inside(const OracleTerm *terms)
{
    return times(terms[0], 1 / terms[1].value);
}

static OracleTerm by_sum(const OracleTerm *terms)
{
    return times(terms[0], 1 / terms[2].value);
}

static void try_renormalised(Search *search, const Border *border)
{
    static OracleFormula *const formulas[] = {by_share_inside, by_sum_inside, by_sum};
    ResemblanceVariant variant = as_it_is(search->subject);
    const size_t image = border->image.parameter;
    const ElementType type = search->subject->problem->parameters[image].type;
    Arena arena = {0};
    if (!goes_on(search))
        return;
    add_margin(search, border, border->margin, &variant);
    memcpy(variant.more[0], variant.inputs, sizeof variant.inputs);
    memcpy(variant.more[1], variant.inputs, sizeof variant.inputs);
    variant.inputs[image] = image_with_margin(border, search->subject->inputs[image], NULL, 0, &arena);
    variant.more[0][image] = image_with_margin(border, constant_array(type, border->image.count, 1, &arena), NULL, 0,
                                               &arena);
    variant.more[1][image] = constant_array(type, count_with(border, border->margin), 1, &arena);
    variant.terms = 3;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        variant.formula = formulas[i];
        test(search, &variant, WRONG_NATURE_RENORMALISED);
    }
    arena_free(&arena);
}

/* One or two elements may agree by chance. */
static void try_borders(Search *search, size_t image)
{
    Border border;
    if (!goes_on(search) || search->subject->wrong < 2 || !find_border(search, image, &border))
        return;
    try_border_rules(search, &border);
    try_renormalised(search, &border);
}

/* ---- another formula --------------------------------------------------------------------------------------------- */

static OracleTerm with_value(OracleTerm term, double value)
{
    return (OracleTerm){value, term.magnitude};
}

static OracleTerm positive(const OracleTerm *terms)
{
    return with_value(terms[0], fmax(0, terms[0].value));
}

static OracleTerm without_sign(const OracleTerm *terms)
{
    return with_value(terms[0], fabs(terms[0].value));
}

/* The lowest eight bits of a whole number. */
static double low_byte(double whole)
{
    return whole - 256 * floor(whole / 256);
}

static OracleTerm wrapped(const OracleTerm *terms)
{
    return with_value(terms[0], low_byte(rint(terms[0].value)));
}

static OracleTerm wrapped_after_truncation(const OracleTerm *terms)
{
    return with_value(terms[0], low_byte(trunc(terms[0].value)));
}

/* As a GPU converts a negative float to an unsigned number. */
static OracleTerm wrapped_above(const OracleTerm *terms)
{
    return with_value(terms[0], low_byte(trunc(fmax(0, terms[0].value))));
}

static const struct {
    WrongNature nature;
    OracleFormula *formula;
    bool is_of_bytes;
} formulas[] = {
    {WRONG_NATURE_RECTIFIED, positive, false},   {WRONG_NATURE_NOT_RECTIFIED, without_sign, false},
    {WRONG_NATURE_WRAPPED, wrapped, true},       {WRONG_NATURE_WRAPPED, wrapped_after_truncation, true},
    {WRONG_NATURE_WRAPPED, wrapped_above, true},
};

static void try_formulas(Search *search)
{
    const Problem *problem = search->subject->problem;
    const size_t output = problem_output(problem);
    const bool of_bytes = problem->parameters[output].type == ELEMENT_UINT8;
    ResemblanceVariant variant = as_it_is(search->subject);
    AlteredArray array;
    if (!describe_array(search, output, &array) || search->subject->wrong < 2 || search->subject->wrong == array.count)
        return;
    variant.terms = 1;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        variant.formula = formulas[i].formula;
        if (formulas[i].is_of_bytes == of_bytes)
            test(search, &variant, formulas[i].nature);
    }
}

/* The terms of an output with a bias, which may be rectified (ReLU): with a bias in place that makes all sums positive;
 * with no image; with no image and the bias negated; with no image and the bias of the first term. */
typedef struct BiasedSum {
    double products, bias, magnitude;
} BiasedSum;

static BiasedSum biased_sum(const OracleTerm *terms)
{
    const double bias = terms[1].value != 0 ? terms[1].value : -terms[2].value;
    return (BiasedSum){.products = terms[0].value - terms[3].value,
                       .bias = bias,
                       .magnitude = terms[0].magnitude - terms[3].magnitude + fabs(bias)};
}

static OracleTerm bias_after_rectifier(const OracleTerm *terms)
{
    const BiasedSum sum = biased_sum(terms);
    return (OracleTerm){fmax(0, sum.products) + sum.bias, sum.magnitude};
}

static OracleTerm both_rectified(const OracleTerm *terms)
{
    const BiasedSum sum = biased_sum(terms);
    return (OracleTerm){fmax(0, sum.products) + fmax(0, sum.bias), sum.magnitude};
}

static OracleTerm not_rectified(const OracleTerm *terms)
{
    const BiasedSum sum = biased_sum(terms);
    return (OracleTerm){sum.products + sum.bias, sum.magnitude};
}

static OracleTerm magnitude_instead(const OracleTerm *terms)
{
    const BiasedSum sum = biased_sum(terms);
    return (OracleTerm){fabs(sum.products + sum.bias), sum.magnitude};
}

static const struct {
    WrongNature nature;
    OracleFormula *formula;
} bias_formulas[] = {
    {WRONG_NATURE_BIAS_LATE, bias_after_rectifier},
    {WRONG_NATURE_BIAS_LATE, both_rectified},
    {WRONG_NATURE_NOT_RECTIFIED, not_rectified},
    {WRONG_NATURE_NOT_RECTIFIED, magnitude_instead},
};

static void negate(float *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = -from[i];
}

/* True if the array is added to the output: then there is something left of it without an image. */
static bool is_added(Search *search, const AlteredArray *image, const AlteredArray *array)
{
    ResemblanceVariant variant = as_it_is(search->subject);
    Arena arena = {0};
    variant.inputs[image->parameter] = arena_array(&arena, image->count, image->element);
    variant.inputs[array->parameter] = constant_array(ELEMENT_FLOAT32, array->count, 1, &arena);
    const bool is_left = value_at(search, &variant, 0) == 1;
    arena_free(&arena);
    return is_left;
}

static void try_bias(Search *search, const AlteredArray *image, const AlteredArray *bias)
{
    const float *const own = search->subject->inputs[bias->parameter];
    const double above_all = exp2(ceil(log2(1 + search->subject->largest)) + 1); /* a power of 2, without rounding */
    ResemblanceVariant variant = as_it_is(search->subject);
    Arena arena = {0};
    void *const zeros = arena_array(&arena, image->count, image->element);
    void *const large = constant_array(ELEMENT_FLOAT32, bias->count, above_all, &arena);
    float *const negative = arena_array(&arena, bias->count, bias->element);
    negate(negative, own, bias->count);
    const void *const biases[VARIANT_MAX_TERMS - 1] = {own, negative, large};
    for (int i = 0; i < VARIANT_MAX_TERMS - 1; i++) {
        memcpy(variant.more[i], variant.inputs, sizeof variant.inputs);
        variant.more[i][image->parameter] = zeros;
        variant.more[i][bias->parameter] = biases[i];
    }
    variant.inputs[bias->parameter] = large;
    variant.terms = VARIANT_MAX_TERMS;
    for (size_t i = 0; i < sizeof bias_formulas / sizeof *bias_formulas; i++) {
        variant.formula = bias_formulas[i].formula;
        test(search, &variant, bias_formulas[i].nature);
    }
    arena_free(&arena);
}

static void try_biases(Search *search, size_t image)
{
    const Problem *problem = search->subject->problem;
    AlteredArray before, array;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != image && (problem->parameters[i].role & ROLE_IN) != 0 && problem->parameters[i].type == ELEMENT_FLOAT32 &&
            describe_array(search, image, &before) && before.count <= MOST_ELEMENTS &&
            describe_array(search, i, &array) && array.order.rank == 1 && is_added(search, &before, &array))
            try_bias(search, &before, &array);
}

/* ---- between two passes ------------------------------------------------------------------------------------------ */

static double with_fewer_bits(double value, int bits)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

static double to_bfloat16(double sum)
{
    return with_fewer_bits(sum, 8);
}

static double to_half(double sum)
{
    return with_fewer_bits(sum, 11);
}

static double to_half_levels(double sum)
{
    return rint(2 * sum) / 2;
}

static double wrapped_level(double sum)
{
    return low_byte(rint(sum));
}

static double truncated_level(double sum)
{
    return tally_level(trunc(sum));
}

static OracleBetween *const between_passes[] = {rint,           tally_level,   trunc,   truncated_level,
                                                to_half_levels, wrapped_level, to_half, to_bfloat16};

static void try_between(Search *search)
{
    AlteredArray output;
    if (!find_array(search, problem_output(search->subject->problem), &output))
        return;
    ResemblanceVariant variant = as_it_is(search->subject);
    for (size_t i = 0; i < sizeof between_passes / sizeof *between_passes; i++) {
        variant.between = between_passes[i];
        test(search, &variant, WRONG_NATURE_BETWEEN);
    }
}

/* ---- one position for all ---------------------------------------------------------------------------------------- */

/* One channel, plane or image stands for all, or the others have no part in the output. */
static void try_first(Search *search, const AlteredArray *array)
{
    for (int axis = 0; axis < array->order.rank; axis++)
        for (int is_alone = 0; is_alone < 2; is_alone++) {
            if (array->order.shape[axis] == 1 || !has_enough(search, &array->order) || search->subject->wrong < 2 ||
                !goes_on(search))
                continue;
            char *copy = array_of_first(search->subject->inputs[array->parameter], array, axis, is_alone);
            test_with(search, array->parameter, copy, WRONG_NATURE_FIRST_ONLY);
            free(copy);
        }
}

/* ---- search ------------------------------------------------------------------------------------------------------ */

/* The first input is what a filter is applied to; the others are the filter, a bias and the like. */
static size_t main_input(const Problem *problem)
{
    size_t i = 0;
    while (i < problem->parameter_count && (problem->parameters[i].role & ROLE_IN) == 0)
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
    for (size_t i = 0; i < sizeof filter_mistakes / sizeof *filter_mistakes; i++)
        try_filter_mistake(search, image, &filter_mistakes[i]);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != output.parameter && find_array(search, i, &array)) {
            split_pixels(problem, &array);
            try_cut_off(search, &array);
            try_first(search, &array);
        }
}

/* Other orders of the image and of the output. */
static void try_layouts(Search *search, size_t image)
{
    const Problem *problem = search->subject->problem;
    const size_t output = problem_output(problem);
    AlteredArray array, before;
    if (find_array(search, image, &before) && find_array(search, output, &array)) {
        split_pixels(problem, &before);
        split_pixels(problem, &array);
        try_channels_elsewhere(search, &before, &array);
    }
    try_swapped_sizes(search, search->subject->sizes, 0, 1);
    const size_t large[] = {output, image};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (large[i] < problem->parameter_count && find_array(search, large[i], &array))
            try_orders(search, problem, &array);
}

static Status conclude(const Search *search, WrongNature *nature, size_t *parameter)
{
    *parameter = search->parameter;
    *nature = search->nature == WRONG_NATURE_UNKNOWN ? *nature : search->nature;
    return search->status;
}

/* The cheapest experiments first. */
Status resemblance_find(const ResemblanceSubject *subject, WrongNature *nature, size_t *parameter, Message *why)
{
    const Problem *problem = subject->problem;
    const size_t image = main_input(problem), output = problem_output(problem);
    Search search = {
        .subject = subject, .why = why, .nature = WRONG_NATURE_UNKNOWN, .parameter = problem->parameter_count};
    AlteredArray array;
    for (int which = 0; which < EARLIER_CASES && *nature != WRONG_NATURE_ZERO; which++)
        try_stale(&search, subject->earlier[which]);
    try_formulas(&search);
    if (*nature == WRONG_NATURE_ZERO) /* right for any input that has no effect */
        return conclude(&search, nature, parameter);
    try_biases(&search, image);
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (i != image && i != output && find_array(&search, i, &array)) {
            try_filter(&search, &array);
            try_swapped_inputs(&search, &array);
        }
    try_between(&search);
    try_borders(&search, image);
    try_layouts(&search, image);
    try_missing_parts(&search, image);
    return conclude(&search, nature, parameter);
}

/* ==== border reach ================================================================================================ */

/* The difference of the numbers of products, with ones around the image and with zeros. */
static OracleTerm products_outside(const OracleTerm *terms)
{
    return with_value(terms[0], terms[1].value - terms[0].value);
}

Status border_reach_begin(const ResemblanceSubject *subject, BorderReach *reach, Message *why)
{
    const Problem *problem = subject->problem;
    const size_t image = main_input(problem);
    Search search = {.subject = subject, .why = why, .nature = WRONG_NATURE_UNKNOWN};
    Border border;
    *reach = (BorderReach){.is_known = find_border(&search, image, &border)};
    if (!reach->is_known)
        return search.status;
    ResemblanceVariant *const variant = &reach->variant;
    const ElementType type = problem->parameters[image].type;
    add_margin(&search, &border, border.margin, variant);
    set_ones(&search, &variant->sizes, variant->inputs, &reach->arena);
    memcpy(variant->more[0], variant->inputs, sizeof variant->inputs);
    variant->inputs[image] = image_with_margin(&border, constant_array(type, border.image.count, 1, &reach->arena),
                                               NULL, 0, &reach->arena);
    variant->terms = 2;
    variant->formula = products_outside;
    return search.status;
}

void border_reach_free(BorderReach *reach)
{
    arena_free(&reach->arena);
    *reach = (BorderReach){0};
}
