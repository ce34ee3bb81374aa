#include "grader/check/checker.h"

#include "base/arena.h"
#include "base/chacha20.h"
#include "grader/check/diagnosis.h"
#include "grader/check/resemblance.h"
#include "harness/broker/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Theory of operation
 *
 * The bound of an element depends on max S, which is known only after the last element, and expected outputs of full
 * size would take too much memory. So the checker looks at the excess of an element, |error| - unit sum_factor S,
 * which must not be above the slack, unit max_factor max S + absolute. One pass finds the largest of each and decides. Only if
 * the output is wrong, a second pass computes everything again and finds the wrong elements.
 *
 * Each pass divides the output into pieces and each piece into blocks. Blocks are tallied in parallel and added up in
 * order, so that no figure depends on the number of threads.  */

enum { PIECE = 1 << 18, BLOCK = 1 << 12, UNIT = 1 << 6 };

/* The part of the bound on the root mean square that holds for timed cases. Their data are random and their outputs many,
 * so chance changes the root mean square by less than a hundredth. Measured, with 2,047 taps: float32 in the order of the
 * taps takes 0.25 of this tenth, and operands of 16 bits (two bfloat16) 1.2; with 127 taps 0.1 and 1.8. */
static const double TIMED_SHARE = 0.1;

/* TF32 and half precision have 2^13 times the rounding unit of float32, and a bound is about 32 of those units: errors
 * below about this many bounds may come from them. Rounding at several steps, or truncating, costs a few levels. */
static const double IMPRECISE_BOUNDS = 500, IMPRECISE_LEVELS = 3;

/* One comparison, with room for the expected values of one piece. */
typedef struct ElementCheck {
    const Problem *problem;
    const Sizes *sizes;
    const Oracle *oracle;
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    EarlierFind *find_earlier; /* finds those of earlier cases; NULL: they are not known */
    void *earlier_context;
    const ResemblanceVariant *variant; /* what is expected, instead of the case; NULL: the case */
    double max_magnitude;              /* of a probe (is_right_for()), */
    size_t probe;                      /*   which begins here at the latest */
    ElementType type;                  /* of the output */
    const void *output;
    const void *literal; /* expected values of the testcase; NULL: the oracle computes them */
    bool is_filled;      /* the output held an input before the call, and no poison */
    uint32_t poison;     /* an element that still holds its words was never written, */
    bool in_part;        /*   and does not count */
    uint32_t poison_words[DEVICE_POISON_WORDS];
    const Chacha20Key *sample; /* NULL: all elements are compared */
    bool is_timed;
    int rank;
    size_t shape[TENSOR_MAX_RANK], count;
    double *expected, *magnitude; /* PIECE elements each */
} ElementCheck;

/* --- expected values ---------------------------------------------------------------------------------------------- */

static Status expected_of(const ElementCheck *check, size_t first, size_t count, double *expected, double *magnitude,
                          Message *why)
{
    const ElementTraits *traits = &element_traits[check->type];
    const bool by_oracle = check->literal != NULL || !oracle_has_checker(check->oracle);
    TRY(check->variant == NULL && by_oracle
            ? oracle_evaluate(check->oracle, check->sizes, check->inputs, first, count, expected, magnitude, why)
        : check->variant == NULL ? oracle_evaluate_nearest(check->oracle, check->sizes, check->inputs, first, count,
                                                           expected, magnitude, why)
                                 : variant_evaluate(check->oracle, check->problem, check->variant, check->shape, first,
                                                    count, expected, magnitude, why));
    if (check->literal != NULL)
        element_load_all(check->type, check->literal, first, count, expected);
    else if (element_is_whole(check->type))
        for (size_t i = 0; i < count; i++)
            expected[i] = tally_whole(expected[i], traits->lowest, traits->highest);
    for (size_t i = 0; i < count && check->problem->tolerance.of_expected; i++)
        magnitude[i] = fabs(expected[i]);
    return STATUS_OK;
}

static Status compute_expected(const ElementCheck *check, size_t first, size_t count, Message *why)
{
    return expected_of(check, first, count, check->expected, check->magnitude, why);
}

static size_t piece_at(const ElementCheck *check, size_t first)
{
    return check->count - first < PIECE ? check->count - first : PIECE;
}

static inline size_t count_equal(const uint8_t *held, const uint8_t *before, size_t elements, size_t bytes)
{
    size_t equal = 0;
    for (size_t i = 0; i < elements; i++)
        equal += memcmp(held + i * bytes, before + i * bytes, bytes) == 0;
    return equal;
}

/* How many of the elements hold what stood there before the call. They do not cross a multiple of UNIT. */
static size_t count_poison(const ElementCheck *check, size_t first, size_t count)
{
    const size_t bytes = element_bytes(check->type), at = first * bytes;
    const uint8_t *held = (const uint8_t *)check->output + at,
                  *before = (const uint8_t *)check->poison_words + at % sizeof check->poison_words;
    if (check->is_filled)
        return 0;
    switch (bytes) { /* constants, which memcmp() needs to be fast */
    case 1: return count_equal(held, before, count, 1);
    case 2: return count_equal(held, before, count, 2);
    case 4: return count_equal(held, before, count, 4);
    default: return count_equal(held, before, count, bytes);
    }
}

static bool holds_poison(const ElementCheck *check, size_t index)
{
    return count_poison(check, index, 1) == 1;
}

/* An element of at least four bytes does not hold the poison by chance. */
static bool is_told_by_poison(const ElementCheck *check)
{
    return element_bytes(check->type) >= sizeof(uint32_t);
}

static bool never_written(const ElementCheck *check, size_t index)
{
    return (is_told_by_poison(check) || check->in_part) && holds_poison(check, index);
}

/* --- the first pass ----------------------------------------------------------------------------------------------- */

typedef struct ErrorSum { /* of a part of the output */
    Tally tally;
    size_t compared; /* elements */
} ErrorSum;

static ErrorSum sum_empty(void)
{
    return (ErrorSum){.tally = tally_empty()};
}

/* Tallies the elements [first, first + count) of the output, at most BLOCK; `expected` begins with that of the first. */
static ErrorSum tally_block(const ElementCheck *check, size_t first, size_t count, const double *expected,
                            const double *magnitude)
{
    const Tolerance *tolerance = &check->problem->tolerance;
    double got[BLOCK];
    ErrorSum sum = sum_empty();
    element_load_all(check->type, check->output, first, count, got);
    for (size_t i = 0; i < count; i++) {
        if (check->in_part && never_written(check, first + i))
            continue;
        tally_element(&sum.tally, got[i], expected[i], magnitude[i], tolerance->unit * tolerance->sum_factor);
        sum.compared++;
    }
    return sum;
}

static void tally_piece(const ElementCheck *check, size_t first, size_t count, ErrorSum *sum)
{
    ErrorSum blocks[PIECE / BLOCK];
    size_t block_count = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(static) if (block_count > 1)
    for (size_t i = 0; i < block_count; i++) {
        size_t start = i * BLOCK, length = count - start < BLOCK ? count - start : BLOCK;
        blocks[i] = tally_block(check, first + start, length, check->expected + start, check->magnitude + start);
    }
    for (size_t i = 0; i < block_count; i++) {
        tally_add(&sum->tally, &blocks[i].tally);
        sum->compared += blocks[i].compared;
    }
}

static Status tally_all(const ElementCheck *check, ErrorSum *sum, Message *why)
{
    *sum = sum_empty();
    for (size_t first = 0; first < check->count; first += PIECE) {
        TRY(compute_expected(check, first, piece_at(check, first), why));
        tally_piece(check, first, piece_at(check, first), sum);
    }
    return STATUS_OK;
}

/* --- which elements a sample holds -------------------------------------------------------------------------------- */

/* A sample consists of units of UNIT neighbours. Most are drawn. But a mistake in an index may show in a few elements only,
 * where the index passes a limit of its type or of the grid. So the units on both sides of such places are always compared:
 *
 *   the ends      the first and the last END elements
 *   powers of 2   elements whose number is one from LEAST_POWER on, so that their bytes are one from 1,024 on: the number
 *                 in the output, in an input of the same rank, and multiplied by one of the sizes
 *   extents       elements whose index along one extent is such a power, or a whole number of grids of 65,535 blocks
 *                 with 1 to 32 elements each; their other indices are drawn */
enum { END = 256, LEAST_POWER = 1 << 8, GRID = 65535, MOST_OF_A_BLOCK = 32, DRAWN_ACROSS = 4 };

typedef struct UnitChoice {
    const ElementCheck *check;
    bool *units;
    uint32_t draws; /* made so far for indices across an extent */
} UnitChoice;

static void choose_element(UnitChoice *choice, uint64_t index)
{
    if (index < choice->check->count)
        choice->units[index / UNIT] = true;
}

/* The elements before and from `index` on. */
static void choose_sides(UnitChoice *choice, uint64_t index)
{
    choose_element(choice, index - 1); /* beyond all elements, where `index` is 0 */
    choose_element(choice, index);
}

static void choose_ends(UnitChoice *choice)
{
    for (uint64_t i = 0; i < END; i++) {
        choose_element(choice, i);
        choose_element(choice, choice->check->count - 1 - i);
    }
}

/* Where the number of an element, times `factor`, passes a power of 2. */
static void choose_powers(UnitChoice *choice, uint64_t factor)
{
    const uint64_t end = choice->check->count * factor;
    for (uint64_t power = LEAST_POWER; power < end; power *= 2)
        choose_sides(choice, (power + factor - 1) / factor);
}

/* The first element that does not come before element `number` of an array of this shape, at the same indices. */
static uint64_t element_at(const ElementCheck *check, const size_t *shape, uint64_t number)
{
    uint64_t index = 0, below = check->count;
    for (int i = 0, rank = check->rank; i < rank; i++) {
        uint64_t inner = 1;
        for (int k = i + 1; k < rank; k++)
            inner *= shape[k];
        const uint64_t position = number / inner;
        number %= inner;
        below /= check->shape[i];
        if (position >= check->shape[i]) /* a place at the end of a row that the output does not have */
            return index + check->shape[i] * below;
        index += position * below;
    }
    return index;
}

/* The same powers, as numbers of elements of an input. */
static void choose_powers_of_input(UnitChoice *choice, size_t parameter)
{
    const ElementCheck *check = choice->check;
    size_t shape[TENSOR_MAX_RANK], count;
    Message why;
    if (problem_shape(check->problem, parameter, check->sizes, shape, &count, &why) != STATUS_OK)
        return;
    for (uint64_t power = LEAST_POWER; power < count; power *= 2)
        choose_sides(choice, element_at(check, shape, power));
}

/* A number below `bound`, other than those that draw units. */
static uint64_t draw_across(UnitChoice *choice, uint64_t bound)
{
    const Chacha20Block block = chacha20_block(choice->check->sample, choice->draws++, 1, 0, 0);
    return ((uint64_t)block.words[0] << 32 | block.words[1]) % bound;
}

/* Elements before and from `index` on along one extent. */
static void choose_across(UnitChoice *choice, int extent, uint64_t index)
{
    const ElementCheck *check = choice->check;
    uint64_t inner = 1;
    for (int i = extent + 1; i < check->rank; i++)
        inner *= check->shape[i];
    const uint64_t slice = inner * check->shape[extent];
    for (int i = 0; i < DRAWN_ACROSS && index < check->shape[extent]; i++) {
        const uint64_t first = draw_across(choice, check->count / slice) * slice + index * inner;
        choose_element(choice, first - inner + draw_across(choice, inner));
        choose_element(choice, first + draw_across(choice, inner));
    }
}

static void choose_in_extents(UnitChoice *choice)
{
    for (int extent = 0; extent < choice->check->rank; extent++) {
        for (uint64_t power = LEAST_POWER; power < choice->check->shape[extent]; power *= 2)
            choose_across(choice, extent, power);
        for (uint64_t block = 1; block <= MOST_OF_A_BLOCK; block++)
            choose_across(choice, extent, GRID * block);
    }
}

static size_t unit_at(const ElementCheck *check, size_t first)
{
    return check->count - first < UNIT ? check->count - first : UNIT;
}

/* Was nothing of the unit written, which begins with this element? */
static bool is_empty(const ElementCheck *check, size_t first)
{
    return count_poison(check, first, unit_at(check, first)) == unit_at(check, first);
}

/* Whether the unit holds elements that were never written. A single byte may hold the poison by chance; whole units come
 * again with the words of the poison. */
static bool has_gaps(const ElementCheck *check, size_t first)
{
    return is_told_by_poison(check) ? count_poison(check, first, unit_at(check, first)) > 0 : is_empty(check, first);
}

/* Each unit is drawn by itself: if only a part of the blocks ran, of those in which something was written. If all did, those
 * with gaps are compared as well, and are wrong. */
static void draw_units(UnitChoice *choice, size_t count)
{
    const ElementCheck *check = choice->check;
    Chacha20Block block = {{0}};
    size_t written = 0;
    for (size_t first = 0; first < check->count && check->in_part; first += UNIT)
        written += !is_empty(check, first);
    const double drawn = 0x1p32 * SAMPLED_UNITS / (double)(check->in_part ? written : count);
    for (size_t unit = 0; unit < count; unit++) {
        if (unit % CHACHA20_WORDS == 0)
            block = chacha20_block(check->sample, (uint32_t)(unit / CHACHA20_WORDS), 0, 0, 0);
        choice->units[unit] |= block.words[unit % CHACHA20_WORDS] < drawn;
        if (!check->in_part)
            choice->units[unit] |= has_gaps(check, unit * UNIT);
    }
}

/* The units to compare, for the caller to free. */
static bool *choose_units(const ElementCheck *check)
{
    const size_t count = (check->count + UNIT - 1) / UNIT;
    UnitChoice choice = {.check = check, .units = zeroed(count, sizeof *choice.units)};
    draw_units(&choice, count);
    choose_ends(&choice);
    choose_powers(&choice, 1);
    for (size_t i = 0; i < check->problem->parameter_count; i++) {
        const Parameter *parameter = &check->problem->parameters[i];
        if (parameter->role == ROLE_SIZE && check->sizes->values[i] > 1)
            choose_powers(&choice, (uint64_t)check->sizes->values[i]);
        if ((parameter->role & ROLE_IN) != 0 && parameter->rank == check->rank)
            choose_powers_of_input(&choice, i);
    }
    choose_in_extents(&choice);
    return choice.units;
}

/* --- the first pass over a sample --------------------------------------------------------------------------------- */

/* Lists the next units to compare, as many as there is room for; `*first` becomes the element behind them. `chosen` NULL:
 * all are. */
static size_t list_units(const ElementCheck *check, const bool *chosen, size_t *first, size_t units[PIECE / UNIT])
{
    size_t count = 0;
    for (; *first < check->count && count < PIECE / UNIT; *first += UNIT)
        if ((chosen == NULL || chosen[*first / UNIT]) && !(check->in_part && is_empty(check, *first)))
            units[count++] = *first;
    return count;
}

static Status tally_units(const ElementCheck *check, const size_t *units, size_t count, ErrorSum *sum, Message *why)
{
    ErrorSum sums[PIECE / UNIT];
    Status worst = STATUS_OK;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        Message message;
        double *expected = check->expected + i * UNIT, *magnitude = check->magnitude + i * UNIT;
        const size_t length = unit_at(check, units[i]);
        const Status status = expected_of(check, units[i], length, expected, magnitude, &message);
        sums[i] = status == STATUS_OK ? tally_block(check, units[i], length, expected, magnitude) : sum_empty();
#pragma omp critical
        if (status != STATUS_OK) {
            worst = status;
            *why = message;
        }
    }
    for (size_t i = 0; i < count && worst == STATUS_OK; i++) {
        tally_add(&sum->tally, &sums[i].tally);
        sum->compared += sums[i].compared;
    }
    return worst;
}

static Status tally_sample(const ElementCheck *check, ErrorSum *sum, Message *why)
{
    size_t units[PIECE / UNIT], first = 0;
    bool *chosen = check->sample == NULL ? NULL : choose_units(check);
    Status status = STATUS_OK;
    *sum = sum_empty();
    while (first < check->count && status == STATUS_OK) {
        const size_t count = list_units(check, chosen, &first, units);
        status = tally_units(check, units, count, sum, why);
    }
    free(chosen);
    return status;
}

/* --- conclusions from a tally ------------------------------------------------------------------------------------- */

static double slack_of(const Tolerance *tolerance, const Tally *tally)
{
    return tolerance->unit * tolerance->max_factor * tally->max_magnitude + tolerance->absolute;
}

bool checker_accepts(const Tolerance *tolerance, const Tally *tally, size_t count)
{
    return tally->finite == count && tally->max_excess <= slack_of(tolerance, tally);
}

static double rms(double sum_of_squares, size_t count)
{
    return count > 0 ? sqrt(sum_of_squares / (double)count) : 0;
}

void checker_summarise(const Tolerance *tolerance, bool is_timed, const Tally *tally, size_t count, int rank,
                       const size_t *shape, Comparison *comparison)
{
    const double share = is_timed ? TIMED_SHARE : 1;
    *comparison = (Comparison){.count = count, .rank = (size_t)rank};
    for (int i = 0; i < rank; i++)
        comparison->shape[i] = shape[i];
    comparison->max_error = tally->nan > 0 ? NAN : tally->finite < comparison->count ? INFINITY : tally->max_error;
    comparison->mean_error = tally->finite > 0 ? tally->sum_error / (double)tally->finite : NAN;
    comparison->bound = tolerance->unit * tolerance->sum_factor * tally->max_error_magnitude +
                        slack_of(tolerance, tally);
    comparison->rms = rms(tally->sum_error_squared, count);
    if (tolerance->rms > 0)
        comparison->rms_bound = share * fmax(tolerance->rms * rms(tally->sum_expected_squared, count),
                                             tolerance->unit * tolerance->sum_factor / 4 *
                                                 rms(tally->sum_magnitude_squared, count));
    comparison->rms_exceeded = tolerance->rms > 0 && !(comparison->rms <= comparison->rms_bound);
}

/* --- the second pass -------------------------------------------------------------------- */

static void note_wrong(const DiagnosisElement *element, Comparison *comparison, double *worst_ratio)
{
    WrongElement wrong = {.index = element->index,
                          .got = element->got,
                          .expected = element->expected,
                          .error = fabs(element->got - element->expected),
                          .bound = element->bound};
    for (size_t i = comparison->rank, rest = element->index; i-- > 0; rest /= comparison->shape[i])
        wrong.position[i] = rest % comparison->shape[i];
    double ratio = isfinite(wrong.error) ? wrong.error / wrong.bound : INFINITY;
    if (comparison->wrong++ == 0)
        comparison->first = wrong;
    if (comparison->wrong == 1 || ratio > *worst_ratio) {
        comparison->worst = wrong;
        *worst_ratio = ratio;
    }
}

static DiagnosisElement judge_element(const ElementCheck *check, size_t first, size_t count, size_t i, double slack)
{
    const Tolerance *tolerance = &check->problem->tolerance;
    double got = element_load(check->type, check->output, first + i), error = fabs(got - check->expected[i]);
    double bound = tolerance->unit * tolerance->sum_factor * check->magnitude[i] + slack;
    return (DiagnosisElement){
        .index = first + i,
        .wrong = !(tally_excess(error, check->magnitude[i], tolerance->unit * tolerance->sum_factor) <= slack),
        .never_written = never_written(check, first + i),
        .got = got,
        .expected = check->expected[i],
        .bound = bound,
        .imprecise = check->type == ELEMENT_UINT8 || (element_is_whole(check->type) && bound > 0)
                         ? IMPRECISE_LEVELS
                         : IMPRECISE_BOUNDS * bound,
        .before = i > 0 ? &check->expected[i - 1] : NULL,
        .after = i + 1 < count ? &check->expected[i + 1] : NULL,
    };
}

/* For each element of the piece: not 0 if its filter reaches past the border. */
static Status find_reaching(const ElementCheck *check, const BorderReach *reach, size_t first, size_t count,
                            double *reaching, Message *why)
{
    if (!reach->is_known) {
        memset(reaching, 0, count * sizeof *reaching);
        return STATUS_OK;
    }
    return variant_evaluate(check->oracle, check->problem, &reach->variant, check->shape, first, count, reaching,
                            reaching + count, why);
}

/* A byte that was written holds the poison by chance, one in 256; several that are all that is wrong do not. Of elements of
 * two bytes it is one in 65,536. */
enum { LEAST_BYTES = 4 };

static Status find_wrong(const ElementCheck *check, const Tally *tally, const BorderReach *reach, Diagnosis *diagnosis,
                         Comparison *comparison, Message *why)
{
    double worst_ratio = 0, slack = slack_of(&check->problem->tolerance, tally);
    double *const reaching = allocated(malloc(2 * piece_at(check, 0) * sizeof *reaching));
    Status status = STATUS_OK;
    for (size_t first = 0; first < check->count && status == STATUS_OK; first += PIECE) {
        size_t count = piece_at(check, first);
        status = compute_expected(check, first, count, why);
        THEN(status, find_reaching(check, reach, first, count, reaching, why));
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            if (check->in_part && never_written(check, first + i))
                continue;
            DiagnosisElement element = judge_element(check, first, count, i, slack);
            element.reaches_outside = reaching[i] != 0;
            element.never_written |= element.wrong && holds_poison(check, first + i);
            diagnosis_add(diagnosis, &element);
            if (element.wrong)
                note_wrong(&element, comparison, &worst_ratio);
        }
    }
    free(reaching);
    if (!is_told_by_poison(check) && (diagnosis->wrong < LEAST_BYTES || diagnosis->never_written < diagnosis->wrong))
        diagnosis->never_written = 0;
    comparison->bound = comparison->worst.bound;
    return status;
}

/* --- what the output resembles ------------------------------------------------------------------------------------ */

enum { PROBED = 256 }; /* elements, which are enough to rule nearly all resemblances out: from a wrong one on */

/* A ResemblanceTest. `context` is the Check; its literal values belong to its own inputs. */
static Status is_right_for(void *context, const ResemblanceVariant *variant, bool in_all, bool *is_right, Message *why)
{
    ElementCheck other = *(const ElementCheck *)context;
    size_t probed = in_all || other.count < PROBED ? other.count : PROBED, spare = other.count - probed;
    size_t first = variant->in_part ? spare / 2 : spare < other.probe ? spare : other.probe;
    other.variant = variant;
    other.output = variant->output;
    other.in_part |= variant->in_part;
    ErrorSum sum = sum_empty();
    Status status = STATUS_OK;
    other.literal = NULL;
    if (in_all) {
        status = tally_all(&other, &sum, why);
    } else {
        status = compute_expected(&other, first, probed, why);
        if (status == STATUS_OK)
            sum = tally_block(&other, first, probed, other.expected, other.magnitude);
        if (sum.tally.max_magnitude < other.max_magnitude)
            sum.tally.max_magnitude = other.max_magnitude;
    }
    *is_right = status == STATUS_OK && sum.compared > 0 &&
                checker_accepts(&other.problem->tolerance, &sum.tally, sum.compared);
    return status;
}

static ResemblanceSubject subject_of(const ElementCheck *check, const Tally *tally, size_t wrong)
{
    return (ResemblanceSubject){.problem = check->problem,
                                .oracle = check->oracle,
                                .sizes = check->sizes,
                                .inputs = check->inputs,
                                .output = check->output,
                                .poison = check->poison,
                                .wrong = wrong,
                                .largest = tally->max_magnitude};
}

static Status find_resemblance(const ElementCheck *check, const Tally *tally, const Comparison *comparison,
                               WrongNature *nature, size_t *parameter, Message *why)
{
    ElementCheck context = *check;
    ResemblanceSubject subject = subject_of(check, tally, comparison->wrong);
    context.max_magnitude = 2 * tally->max_magnitude; /* other inputs may have other magnitudes */
    context.probe = comparison->first.index;
    subject.test = is_right_for;
    subject.context = &context;
    for (int which = 0; which < EARLIER_CASES && check->find_earlier != NULL; which++)
        subject.earlier[which] = check->find_earlier(check->earlier_context, which);
    return resemblance_find(&subject, nature, parameter, why);
}

/* --- the comparison ----------------------------------------------------------------------------------------------- */

/* Natures that more than one mistake may have. A filter of one tap that is kept from the case before looks like a factor. */
static bool is_vague(WrongNature nature)
{
    return nature == WRONG_NATURE_UNKNOWN || nature == WRONG_NATURE_FACTOR || nature == WRONG_NATURE_IMPRECISE ||
           nature == WRONG_NATURE_ZERO;
}

/* Which input it is about, where there are several besides the image. */
static const char *input_of(const Problem *problem, size_t parameter)
{
    size_t inputs = 0;
    for (size_t i = 0; i < problem->parameter_count; i++)
        inputs += (problem->parameters[i].role & ROLE_IN) != 0;
    return inputs < 3 || parameter >= problem->parameter_count || (problem->parameters[parameter].role & ROLE_IN) == 0
               ? NULL
               : problem->parameters[parameter].name;
}

/* " of 'indices'", where a problem has several outputs; else "". */
static void name_output(const Problem *problem, char *of, size_t size)
{
    Problem second;
    of[0] = '\0';
    if (problem_of_output(problem, 1, &second))
        snprintf(of, size, " of '%s'", problem->parameters[problem_output(problem)].name);
}

static void describe_kind(const ElementCheck *check, const Diagnosis *diagnosis, WrongNature nature, size_t parameter,
                          Comparison *comparison)
{
    char where[120], of[64];
    const char *what = wrong_nature_words(nature), *input = input_of(check->problem, parameter);
    comparison->kind = (WrongOutput){diagnosis_where(diagnosis, where, sizeof where), nature};
    name_output(check->problem, of, sizeof of);
    snprintf(comparison->text, sizeof comparison->text, "%s%s%s%s%s%s%s", where, of, what[0] == '\0' ? "" : ": ", what,
             input == NULL ? "" : " ('", input == NULL ? "" : input, input == NULL ? "" : "')");
}

/* Other data are made for the oracle to see what the output would be right for. Whole numbers may be indices, which no
 * others can replace, and a formula that is no sum may have no value for other data. */
static bool may_look_for_resemblances(const Problem *problem)
{
    bool may = problem->tolerance.unit != 1;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *is = &problem->parameters[i];
        const bool is_index = is->role == ROLE_IN && element_is_whole(is->type) && is->type != ELEMENT_UINT8;
        may = may && !is_index && is->role != ROLE_INOUT && (is->role != ROLE_OUT || i == problem_output(problem));
    }
    return may;
}

static Status explain_mistake(const ElementCheck *check, const Tally *tally, Comparison *comparison, Message *why)
{
    Diagnosis diagnosis;
    BorderReach reach;
    WrongNature nature = WRONG_NATURE_UNKNOWN;
    size_t parameter = check->problem->parameter_count;
    const ResemblanceSubject subject = subject_of(check, tally, 0);
    diagnosis_begin(&diagnosis, check->rank, check->shape);
    const bool may_look = may_look_for_resemblances(check->problem);
    reach = (BorderReach){0};
    Status status = may_look ? border_reach_begin(&subject, &reach, why) : STATUS_OK;
    THEN(status, find_wrong(check, tally, &reach, &diagnosis, comparison, why));
    if (status == STATUS_OK)
        nature = diagnosis_what(&diagnosis);
    if (status == STATUS_OK && is_vague(nature) && may_look)
        status = find_resemblance(check, tally, comparison, &nature, &parameter, why);
    if (status == STATUS_OK)
        describe_kind(check, &diagnosis, nature, parameter, comparison);
    border_reach_free(&reach);
    diagnosis_free(&diagnosis);
    return status;
}

/* A sample that holds a mistake has all elements compared: the mistake is explained by all of them, and what a sample
 * lacks, such as the largest magnitude, makes nothing wrong. */
static Status tally_output(ElementCheck *check, ErrorSum *sum, Message *why)
{
    const bool is_sample = check->sample != NULL || check->in_part;
    Status status = is_sample ? tally_sample(check, sum, why) : tally_all(check, sum, why);
    if (status != STATUS_OK || check->sample == NULL ||
        checker_accepts(&check->problem->tolerance, &sum->tally, sum->compared))
        return status;
    check->sample = NULL;
    return tally_output(check, sum, why);
}

static Status compare_output(ElementCheck *check, Comparison *comparison, Message *why)
{
    char of[64];
    ErrorSum sum;
    TRY(tally_output(check, &sum, why));
    checker_summarise(&check->problem->tolerance, check->is_timed, &sum.tally, sum.compared, check->rank, check->shape,
                      comparison);
    comparison->output = problem_output(check->problem);
    if (!checker_accepts(&check->problem->tolerance, &sum.tally, sum.compared))
        return explain_mistake(check, &sum.tally, comparison, why);
    if (comparison->rms_exceeded) {
        comparison->kind = (WrongOutput){WRONG_PLACE_EVERYWHERE, WRONG_NATURE_IMPRECISE};
        name_output(check->problem, of, sizeof of);
        snprintf(comparison->text, sizeof comparison->text, "small errors everywhere%s: too little precision", of);
    }
    return STATUS_OK;
}

/* Allocates memory for the expected values, which the caller frees. */
static Status begin_check(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                          const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *output, uint32_t poison,
                          ElementCheck *check, Message *why)
{
    size_t parameter = problem_output(problem);
    *check = (ElementCheck){.problem = problem,
                            .sizes = &testcase->sizes,
                            .oracle = oracle,
                            .type = problem->parameters[parameter].type,
                            .output = output,
                            .literal = testcase->expected[parameter].data,
                            .is_filled = (problem->parameters[parameter].role & ROLE_IN) != 0,
                            .poison = poison,
                            .is_timed = testcase->group == CASE_TIMED,
                            .rank = problem->parameters[parameter].rank};
    memcpy(check->inputs, inputs, sizeof check->inputs);
    call_poison_words(poison, check->type == ELEMENT_FLOAT32, check->poison_words);
    TRY(problem_shape(problem, parameter, &testcase->sizes, check->shape, &check->count, why));
    size_t room = piece_at(check, 0);
    check->expected = malloc(2 * room * sizeof *check->expected);
    if (check->expected == NULL)
        return fail_errno(why, "no memory for expected outputs");
    check->magnitude = check->expected + room;
    return STATUS_OK;
}

Status checker_compare_sample(const Chacha20Key *sample, bool in_part, const Problem *problem, const Testcase *testcase,
                              const Oracle *oracle, const void *const inputs[PROBLEM_MAX_PARAMETERS],
                              EarlierFind *find_earlier, void *context, const void *output, uint32_t poison,
                              Comparison *comparison, Message *why)
{
    ElementCheck check;
    TRY(begin_check(problem, testcase, oracle, inputs, output, poison, &check, why));
    check.find_earlier = find_earlier;
    check.earlier_context = context;
    check.in_part = in_part;
    check.sample = sample;
    Status status = compare_output(&check, comparison, why);
    free(check.expected);
    return status;
}

static const void *const *known(void *previous, EarlierCase which)
{
    return which == EARLIER_BEFORE ? previous : NULL;
}

Status checker_compare(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                       const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *const *previous,
                       const void *output, uint32_t poison, Comparison *comparison, Message *why)
{
    return checker_compare_sample(NULL, false, problem, testcase, oracle, inputs, known, (void *)previous, output,
                                  poison, comparison, why);
}

static Status read_elements(const ElementCheck *check, Arena *arena, OutputElements *elements, Message *why)
{
    ErrorSum sum;
    Status status = tally_all(check, &sum, why); /* one piece, so the expected values stay */
    TRY(status);
    *elements = (OutputElements){.count = check->count,
                                 .type = check->type,
                                 .expected = arena_array(arena, check->count, sizeof(double)),
                                 .got = arena_array(arena, check->count, sizeof(double)),
                                 .bounds = arena_array(arena, check->count, sizeof(double))};
    for (size_t i = 0; i < check->count; i++) {
        const double slack = slack_of(&check->problem->tolerance, &sum.tally);
        const DiagnosisElement element = judge_element(check, 0, check->count, i, slack);
        elements->expected[i] = element.expected;
        elements->got[i] = element.never_written ? NAN : element.got;
        elements->bounds[i] = element.bound;
    }
    return STATUS_OK;
}

Status checker_elements(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                        const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *output, uint32_t poison,
                        Arena *arena, OutputElements *elements, Message *why)
{
    ElementCheck check;
    *elements = (OutputElements){0};
    Status status = begin_check(problem, testcase, oracle, inputs, output, poison, &check, why);
    TRY(status);
    if (check.count <= CHECKER_MAX_ELEMENTS)
        status = read_elements(&check, arena, elements, why);
    free(check.expected);
    return status;
}

double checker_coarse(double error)
{
    return error > 0 && isfinite(error) ? pow(10, ceil(log10(error))) : error;
}
