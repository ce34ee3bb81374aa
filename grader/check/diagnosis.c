#include "grader/check/diagnosis.h"

#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== wrong output ================================================================================================ */

#define WRONG_PLACE(constant, words) words,
static const char *const places[WRONG_PLACES] = {
#include "grader/check/wrong_output.def"
};
#undef WRONG_PLACE

#define WRONG_NATURE(constant, words) words,
static const char *const natures[WRONG_NATURES] = {
#include "grader/check/wrong_output.def"
};
#undef WRONG_NATURE

const char *wrong_place_words(WrongPlace place)
{
    return places[place];
}

const char *wrong_nature_words(WrongNature nature)
{
    return natures[nature];
}

/* ==== diagnosis =================================================================================================== */

/* More rows than this are called "rows beyond a certain one", which says more than their number. */
enum { MAX_NAMED = 1024 };
enum { LEAST_WITHOUT_FRACTION = 1 << 23 }; /* from there on every float is whole, also one that is mere chance */

/* --- gathering ---------------------------------------------------------------------------------------------------- */

void diagnosis_begin(Diagnosis *diagnosis, int rank, const size_t *shape)
{
    *diagnosis = (Diagnosis){.rank = rank, .count = 1};
    for (int i = 0; i < rank; i++) {
        diagnosis->axes[i].extent = shape[i];
        diagnosis->axes[i].marked = allocated(calloc(shape[i], 1));
        diagnosis->count *= shape[i];
    }
}

void diagnosis_free(Diagnosis *diagnosis)
{
    for (int i = 0; i < diagnosis->rank; i++)
        free(diagnosis->axes[i].marked);
    *diagnosis = (Diagnosis){0};
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void axis_add(DiagnosisAxis *axis, size_t position)
{
    if (axis->marked[position])
        return;
    axis->marked[position] = 1;
    axis->residue[position % DIAGNOSIS_BLOCK] = true;
    if (axis->distinct == 0)
        axis->least = axis->largest = axis->previous = position;
    axis->step = common_divisor(axis->step,
                                position > axis->previous ? position - axis->previous : axis->previous - position);
    axis->least = position < axis->least ? position : axis->least;
    axis->largest = position > axis->largest ? position : axis->largest;
    axis->previous = position;
    axis->distinct++;
}

static void add_place(Diagnosis *diagnosis, size_t index)
{
    size_t distance = SIZE_MAX, rest = index;
    for (int i = diagnosis->rank - 1; i >= 0; i--) {
        DiagnosisAxis *axis = &diagnosis->axes[i];
        size_t position = rest % axis->extent, to_end = axis->extent - 1 - position;
        rest /= axis->extent;
        axis_add(axis, position);
        distance = position < distance ? position : distance;
        distance = to_end < distance ? to_end : distance;
    }
    diagnosis->border = distance > diagnosis->border ? distance : diagnosis->border;
    if (diagnosis->wrong == 0)
        diagnosis->first = diagnosis->last = index;
    diagnosis->step = common_divisor(diagnosis->step, index - diagnosis->last);
    diagnosis->last = index;
}

static bool is_near(double value, const double *other, double bound)
{
    return other != NULL && fabs(value - *other) <= bound;
}

static void add_ratio(Diagnosis *diagnosis, const DiagnosisElement *element)
{
    double ratio = element->got / element->expected;
    if (!(fabs(element->expected) > 1000 * element->bound) || !isfinite(ratio))
        return;
    if (diagnosis->with_ratio++ == 0)
        diagnosis->least_ratio = diagnosis->largest_ratio = ratio;
    diagnosis->least_ratio = fmin(diagnosis->least_ratio, ratio);
    diagnosis->largest_ratio = fmax(diagnosis->largest_ratio, ratio);
}

static void add_value(Diagnosis *diagnosis, const DiagnosisElement *element)
{
    diagnosis->never_written += element->never_written;
    diagnosis->nan += isnan(element->got) && !element->never_written;
    diagnosis->infinite += isinf(element->got) != 0;
    diagnosis->zero += element->got == 0;
    diagnosis->whole += element->got == nearbyint(element->got) && fabs(element->got) < LEAST_WITHOUT_FRACTION;
    diagnosis->fractions += fabs(element->expected - nearbyint(element->expected)) > element->bound;
    diagnosis->imprecise += fabs(element->got - element->expected) <= element->imprecise;
    diagnosis->without_neighbour += element->before == NULL || element->after == NULL;
    diagnosis->like_before += is_near(element->got, element->before, element->bound);
    diagnosis->like_after += is_near(element->got, element->after, element->bound);
    add_ratio(diagnosis, element);
}

void diagnosis_add(Diagnosis *diagnosis, const DiagnosisElement *element)
{
    *(element->wrong ? &diagnosis->reaching_wrong : &diagnosis->reaching_right) += element->reaches_outside;
    if (element->wrong) {
        add_place(diagnosis, element->index);
        add_value(diagnosis, element);
        diagnosis->wrong++;
    } else {
        if (element->index == diagnosis->wrong) /* the first right element: all before it are wrong */
            diagnosis->right_first = diagnosis->right_last = element->index;
        if (diagnosis->right_step != 1) /* 1 never changes */
            diagnosis->right_step = common_divisor(diagnosis->right_step, element->index - diagnosis->right_last);
        diagnosis->right_last = element->index;
    }
}

/* --- where -------------------------------------------------------------------------------------------------------- */

static const char *axis_name(const Diagnosis *diagnosis, int axis)
{
    static const char *const names[] = {"column", "row", "plane", "image"};
    return diagnosis->rank == 1 ? "element" : names[diagnosis->rank - 1 - axis];
}

static const char *ordinal_suffix(size_t n)
{
    if (n % 100 >= 11 && n % 100 <= 13)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* The first or last elements along an index. */
static WrongPlace end_of_axis(const Diagnosis *diagnosis, int axis, bool at_end)
{
    static const WrongPlace firsts[] = {WRONG_PLACE_FIRST_COLUMNS, WRONG_PLACE_FIRST_ROWS, WRONG_PLACE_FIRST_PLANES,
                                        WRONG_PLACE_FIRST_IMAGES};
    static const WrongPlace lasts[] = {WRONG_PLACE_LAST_COLUMNS, WRONG_PLACE_LAST_ROWS, WRONG_PLACE_LAST_PLANES,
                                       WRONG_PLACE_LAST_IMAGES};
    if (diagnosis->rank == 1)
        return at_end ? WRONG_PLACE_LAST_ELEMENTS : WRONG_PLACE_FIRST_ELEMENTS;
    return (at_end ? lasts : firsts)[diagnosis->rank - 1 - axis];
}

/* "the last 3 columns", if all wrong elements lie there. */
static WrongPlace say_end(const Diagnosis *diagnosis, int i, char *text, size_t size)
{
    const DiagnosisAxis *axis = &diagnosis->axes[i];
    const char *name = axis_name(diagnosis, i);
    bool at_start = axis->least == 0 && axis->largest < axis->extent / 2;
    bool at_end = axis->largest == axis->extent - 1 && axis->least > 0 && axis->least >= axis->extent / 2;
    size_t depth = axis->largest - axis->least + 1;
    if (!at_start && !at_end)
        return WRONG_PLACE_NOWHERE;
    if (depth > MAX_NAMED)
        snprintf(text, size, "only %ss %s a certain one", name, at_start ? "before" : "beyond");
    else if (depth == 1)
        snprintf(text, size, "the %s %s", at_start ? "first" : "last", name);
    else
        snprintf(text, size, "the %s %zu %ss", at_start ? "first" : "last", depth, name);
    return end_of_axis(diagnosis, i, at_end);
}

/* Many wrong elements often begin at the end of a block, so it says where. */
static WrongPlace say_ends(const Diagnosis *diagnosis, char *text, size_t size)
{
    enum { MANY = 9 };
    char part[100];
    size_t length = 0;
    int last = 0;
    WrongPlace place = WRONG_PLACE_NOWHERE;
    for (int i = 0; i < diagnosis->rank; i++) {
        const WrongPlace end = say_end(diagnosis, i, part, sizeof part);
        if (end == WRONG_PLACE_NOWHERE)
            continue;
        place = length > 0 ? WRONG_PLACE_CORNER : end;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? " of " : "", part);
        last = i;
    }
    const DiagnosisAxis *axis = &diagnosis->axes[last];
    if (place != WRONG_PLACE_NOWHERE && place != WRONG_PLACE_CORNER && axis->least > 0 &&
        axis->extent - axis->least >= MANY)
        snprintf(text + length, size - length, ", from %s %zu on", axis_name(diagnosis, last), axis->least);
    return place;
}

/* Exactly the elements whose filter reaches past the border: so exact that no other place says more. */
static WrongPlace say_all_reaching(const Diagnosis *diagnosis, char *text, size_t size)
{
    if (diagnosis->reaching_wrong < diagnosis->wrong || diagnosis->reaching_right > 0 || diagnosis->never_written > 0)
        return WRONG_PLACE_NOWHERE;
    snprintf(text, size, "only elements whose filter reaches past the border, and all of them");
    return WRONG_PLACE_REACHING;
}

/* Some of them. Where all elements are such elements, this says nothing. */
static WrongPlace say_reaching(const Diagnosis *diagnosis, char *text, size_t size)
{
    if (diagnosis->reaching_wrong < diagnosis->wrong || diagnosis->never_written > 0 ||
        diagnosis->reaching_wrong + diagnosis->reaching_right == diagnosis->count)
        return WRONG_PLACE_NOWHERE;
    snprintf(text, size, "%s", wrong_place_words(WRONG_PLACE_REACHING));
    return WRONG_PLACE_REACHING;
}

/* A one-dimensional launch with too few threads leaves out the last elements in row-major order. */
static WrongPlace say_tail(const Diagnosis *diagnosis, char *text, size_t size)
{
    if (diagnosis->last != diagnosis->count - 1 || diagnosis->wrong != diagnosis->count - diagnosis->first)
        return WRONG_PLACE_NOWHERE;
    snprintf(text, size, "all elements after a certain one, in row order");
    return WRONG_PLACE_TAIL;
}

static WrongPlace say_border(const Diagnosis *diagnosis, char *text, size_t size)
{
    size_t depth = diagnosis->border + 1;
    for (int i = 0; i < diagnosis->rank; i++)
        if (depth > diagnosis->axes[i].extent / 4)
            return WRONG_PLACE_NOWHERE;
    snprintf(text, size, "only the border, %zu deep", depth);
    return WRONG_PLACE_BORDER;
}

static WrongPlace say_one_position(const Diagnosis *diagnosis, char *text, size_t size)
{
    for (int i = 0; i < diagnosis->rank; i++)
        if (diagnosis->axes[i].distinct == 1 && diagnosis->axes[i].extent > 1) {
            snprintf(text, size, "one %s", axis_name(diagnosis, i));
            return WRONG_PLACE_ONE_POSITION;
        }
    return WRONG_PLACE_NOWHERE;
}

/* "every 32nd column", if the `found` positions are all multiples of `step` within `range`. */
static bool say_step(const char *prefix, size_t step, size_t found, size_t range, const char *name, char *text,
                     size_t size)
{
    if (step < 2 || found < 3 || found != range / step + 1)
        return false;
    snprintf(text, size, "%s %zu%s %s", prefix, step, ordinal_suffix(step), name);
    return true;
}

static WrongPlace say_steps(const Diagnosis *diagnosis, char *text, size_t size)
{
    for (int i = 0; i < diagnosis->rank; i++) {
        const DiagnosisAxis *axis = &diagnosis->axes[i];
        if (say_step("every", axis->step, axis->distinct, axis->largest - axis->least, axis_name(diagnosis, i), text,
                     size))
            return WRONG_PLACE_STEPS;
    }
    if (say_step("every", diagnosis->step, diagnosis->wrong, diagnosis->last - diagnosis->first, "element", text,
                 size) ||
        say_step("all but every", diagnosis->right_step, diagnosis->count - diagnosis->wrong,
                 diagnosis->right_last - diagnosis->right_first, "element", text, size))
        return WRONG_PLACE_STEPS;
    return WRONG_PLACE_NOWHERE;
}

/* Number of positions within a block of `block` elements that are wrong in any block. */
static size_t residues(const DiagnosisAxis *axis, size_t block)
{
    size_t found = 0;
    for (size_t i = 0; i < block; i++) {
        bool wrong = false;
        for (size_t j = i; j < DIAGNOSIS_BLOCK; j += block)
            wrong = wrong || axis->residue[j];
        found += wrong;
    }
    return found;
}

/* Finds the smallest block with the lowest share of wrong positions: the tile whose edges are wrong. Several blocks
 * must have them, since any few elements fit one block. */
static WrongPlace say_block(const Diagnosis *diagnosis, char *text, size_t size)
{
    for (int i = 0; i < diagnosis->rank; i++) {
        const DiagnosisAxis *axis = &diagnosis->axes[i];
        size_t best = 0, least = 0;
        for (size_t block = 4; block <= DIAGNOSIS_BLOCK && 2 * block <= axis->extent; block *= 2) {
            size_t found = residues(axis, block);
            if (best == 0 || found * best < least * block) {
                best = block;
                least = found;
            }
        }
        if (best > 0 && 4 * least <= best && axis->distinct >= 3 * least) {
            snprintf(text, size, "some %ss of each block of %zu", axis_name(diagnosis, i), best);
            return WRONG_PLACE_BLOCKS;
        }
    }
    return WRONG_PLACE_NOWHERE;
}

WrongPlace diagnosis_where(const Diagnosis *diagnosis, char *text, size_t size)
{
    static WrongPlace (*const sentences[])(const Diagnosis *, char *, size_t) = {
        say_all_reaching, say_ends, say_tail, say_reaching, say_border, say_one_position, say_steps, say_block};
    WrongPlace place = WRONG_PLACE_NOWHERE;
    if (diagnosis->wrong == diagnosis->count)
        place = WRONG_PLACE_EVERYWHERE;
    else if (diagnosis->wrong == 1)
        place = diagnosis->first == 0                      ? WRONG_PLACE_FIRST
                : diagnosis->first == diagnosis->count - 1 ? WRONG_PLACE_LAST
                                                           : WRONG_PLACE_ONE;
    for (size_t i = 0; place == WRONG_PLACE_NOWHERE && i < sizeof sentences / sizeof *sentences; i++) {
        place = sentences[i](diagnosis, text, size);
        if (place != WRONG_PLACE_NOWHERE)
            return place;
    }
    if (place == WRONG_PLACE_NOWHERE)
        place = diagnosis->wrong >= diagnosis->count - diagnosis->count / 10 ? WRONG_PLACE_NEARLY_EVERYWHERE
                                                                             : WRONG_PLACE_SCATTERED;
    snprintf(text, size, "%s", wrong_place_words(place));
    return place;
}

/* --- what --------------------------------------------------------------------------------------------------------- */

/* True for nearly all wrong elements with a neighbour, and for four at least, since fewer may be chance. */
static bool is_shift(const Diagnosis *diagnosis, size_t alike)
{
    size_t comparable = diagnosis->wrong - diagnosis->without_neighbour;
    return diagnosis->wrong > diagnosis->without_neighbour && alike >= 4 && 10 * alike >= 9 * comparable;
}

/* Small errors have ratios close to 1, and so to each other: a factor is as constant as it is far from 1. */
static bool is_factor(const Diagnosis *diagnosis)
{
    double spread = diagnosis->largest_ratio - diagnosis->least_ratio;
    double from_one = fmin(fabs(diagnosis->largest_ratio - 1), fabs(diagnosis->least_ratio - 1));
    return diagnosis->with_ratio >= 4 && 2 * diagnosis->with_ratio >= diagnosis->wrong &&
           spread <= 0.01 * fabs(diagnosis->largest_ratio) && spread <= 0.1 * from_one;
}

/* Whole numbers are right for some filters and inputs; then an int is no mistake. */
static bool is_whole(const Diagnosis *diagnosis)
{
    return diagnosis->whole == diagnosis->wrong && diagnosis->fractions > 0 &&
           2 * diagnosis->fractions >= diagnosis->wrong;
}

/* Are all elements from a position on missing along this index, where the blocks of a grid would end that has as many as
 * the other index needs? */
static bool ends_like(const Diagnosis *diagnosis, int axis, int other)
{
    enum { WIDEST_BLOCK = 32, GRAIN = 8 };
    const DiagnosisAxis *along = &diagnosis->axes[axis];
    const size_t from = along->least, across = diagnosis->axes[other].extent;
    const bool is_rest = from > 0 && along->largest == along->extent - 1 &&
                         diagnosis->wrong == diagnosis->count / along->extent * (along->extent - from);
    return is_rest && from % GRAIN == 0 && from >= across && from <= across + 2 * WIDEST_BLOCK;
}

static bool is_swapped_grid(const Diagnosis *diagnosis)
{
    const int last = diagnosis->rank - 1;
    return (diagnosis->rank == 2 || diagnosis->rank == 3) &&
           (ends_like(diagnosis, last, last - 1) || ends_like(diagnosis, last - 1, last));
}

WrongNature diagnosis_what(const Diagnosis *diagnosis)
{
    size_t wrong = diagnosis->wrong;
    if (diagnosis->never_written == wrong)
        return is_swapped_grid(diagnosis) ? WRONG_NATURE_GRID_SWAPPED : WRONG_NATURE_NEVER_WRITTEN;
    if (diagnosis->never_written > 0)
        return WRONG_NATURE_SOME_NEVER_WRITTEN;
    if (diagnosis->nan == wrong)
        return WRONG_NATURE_NAN;
    if (diagnosis->infinite == wrong)
        return WRONG_NATURE_INFINITE;
    if (diagnosis->nan + diagnosis->infinite > 0)
        return WRONG_NATURE_SOME_NAN;
    if (diagnosis->zero == wrong)
        return WRONG_NATURE_ZERO;
    if (is_whole(diagnosis))
        return WRONG_NATURE_WHOLE;
    if (diagnosis->imprecise == wrong)
        return WRONG_NATURE_IMPRECISE;
    if (is_factor(diagnosis))
        return WRONG_NATURE_FACTOR;
    if (is_shift(diagnosis, diagnosis->like_before) || is_shift(diagnosis, diagnosis->like_after))
        return WRONG_NATURE_SHIFTED;
    return WRONG_NATURE_UNKNOWN;
}
