#include "grader/check/checker.h"

#include "base/allocated.h"
#include "grader/check/diagnosis.h"
#include "grader/check/resemblance.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Theory of operation
 *
 * The bound of an element depends on max S, which is known only after the last element, and expected outputs of full
 * size would take too much memory. So the checker looks at the excess of an element, |error| - eps32 sum_factor S,
 * which must not be above the slack, eps32 max_factor max S. One pass finds the largest of each and decides. Only if
 * the output is wrong, a second pass computes everything again and finds the wrong elements.
 *
 * Each pass divides the output into pieces and each piece into blocks. Blocks are tallied in parallel and added up in
 * order, so that no figure depends on the number of threads.  */

enum { PIECE = 1 << 18, BLOCK = 1 << 12 };

static const double EPS32 = FLT_EPSILON; /* 2^-23 */

/* TF32 and half precision have 2^13 times the rounding unit of float32, and a bound is about 32 of those units: errors
 * below about this many bounds may come from them. Rounding at several steps, or truncating, costs a few levels. */
static const double IMPRECISE_BOUNDS = 500, IMPRECISE_LEVELS = 3;

/* One comparison, with room for the expected values of one piece. */
typedef struct Check {
    const Problem *problem;
    const Sizes *sizes;
    const Oracle *oracle;
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    const void *const *previous; /* those of the case before, or NULL */
    double max_magnitude;        /* of a probe (is_right_for()) */
    ElementType type;            /* of the output */
    const void *output;
    const void *literal; /* expected values of the testcase; NULL: the oracle computes them */
    int rank;
    size_t shape[TENSOR_MAX_RANK], count;
    double *expected, *magnitude; /* PIECE elements each */
} Check;

/* --- expected values ---------------------------------------------------------------------------------------------- */

static Status compute_expected(const Check *check, size_t first, size_t count, Message *why)
{
    Status status = oracle_evaluate(check->oracle, check->sizes, check->inputs, first, count, check->expected,
                                    check->magnitude, why);
    if (status != STATUS_OK)
        return status;
    if (check->literal != NULL)
        element_load_all(check->type, check->literal, first, count, check->expected);
    else if (check->type == ELEMENT_UINT8)
        for (size_t i = 0; i < count; i++)
            check->expected[i] = tally_level(check->expected[i]);
    return STATUS_OK;
}

static size_t piece_at(const Check *check, size_t first)
{
    return check->count - first < PIECE ? check->count - first : PIECE;
}

/* --- the first pass ----------------------------------------------------------------------------------------------- */

/* Tallies the elements [first, first + count) of the output, at most BLOCK; `expected` begins with that of the first. */
static Tally tally_block(const Check *check, size_t first, size_t count, const double *expected,
                         const double *magnitude)
{
    const double sum_factor = check->problem->tolerance.sum_factor;
    double got[BLOCK];
    Tally tally = tally_empty();
    element_load_all(check->type, check->output, first, count, got);
    for (size_t i = 0; i < count; i++)
        tally_element(&tally, got[i], expected[i], magnitude[i], sum_factor);
    return tally;
}

static void tally_piece(const Check *check, size_t first, size_t count, Tally *sum)
{
    Tally blocks[PIECE / BLOCK];
    size_t block_count = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(static) if (block_count > 1)
    for (size_t i = 0; i < block_count; i++) {
        size_t start = i * BLOCK, length = count - start < BLOCK ? count - start : BLOCK;
        blocks[i] = tally_block(check, first + start, length, check->expected + start, check->magnitude + start);
    }
    for (size_t i = 0; i < block_count; i++)
        tally_add(sum, &blocks[i]);
}

static Status tally_all(const Check *check, Tally *tally, Message *why)
{
    *tally = tally_empty();
    for (size_t first = 0; first < check->count; first += PIECE) {
        Status status = compute_expected(check, first, piece_at(check, first), why);
        if (status != STATUS_OK)
            return status;
        tally_piece(check, first, piece_at(check, first), tally);
    }
    return STATUS_OK;
}

/* --- conclusions from a tally
 * -------------------------------------------------------------------------------------------- */

static double slack_of(const Tolerance *tolerance, const Tally *tally)
{
    return EPS32 * tolerance->max_factor * tally->max_magnitude + tolerance->levels;
}

bool checker_accepts(const Tolerance *tolerance, const Tally *tally, size_t count)
{
    return tally->finite == count && tally->max_excess <= slack_of(tolerance, tally);
}

void checker_summarise(const Tolerance *tolerance, const Tally *tally, int rank, const size_t *shape,
                       Comparison *comparison)
{
    *comparison = (Comparison){.count = 1, .rank = (size_t)rank};
    for (int i = 0; i < rank; i++)
        comparison->count *= comparison->shape[i] = shape[i];
    comparison->max_error = tally->nan > 0 ? NAN : tally->finite < comparison->count ? INFINITY : tally->max_error;
    comparison->mean_error = tally->finite > 0 ? tally->sum_error / (double)tally->finite : NAN;
    comparison->bound = EPS32 * tolerance->sum_factor * tally->max_error_magnitude + slack_of(tolerance, tally);
    if (tally->sum_expected_squared > 0)
        comparison->rms = sqrt(tally->sum_error_squared / tally->sum_expected_squared);
    comparison->rms_exceeded = tolerance->rms > 0 && !(comparison->rms <= tolerance->rms);
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

static bool is_poison(const Check *check, size_t index, uint32_t poison)
{
    uint32_t bits;
    if (check->type != ELEMENT_FLOAT32)
        return false;
    memcpy(&bits, (const float *)check->output + index, sizeof bits);
    return bits == poison;
}

static DiagnosisElement judge_element(const Check *check, size_t first, size_t count, size_t i, double slack,
                                      uint32_t poison)
{
    const Tolerance *tolerance = &check->problem->tolerance;
    double got = element_load(check->type, check->output, first + i), error = fabs(got - check->expected[i]);
    double bound = EPS32 * tolerance->sum_factor * check->magnitude[i] + slack;
    return (DiagnosisElement){
        .index = first + i,
        .wrong = !(tally_excess(error, check->magnitude[i], tolerance->sum_factor) <= slack),
        .never_written = is_poison(check, first + i, poison),
        .got = got,
        .expected = check->expected[i],
        .bound = bound,
        .imprecise = check->type == ELEMENT_UINT8 ? IMPRECISE_LEVELS : IMPRECISE_BOUNDS * bound,
        .before = i > 0 ? &check->expected[i - 1] : NULL,
        .after = i + 1 < count ? &check->expected[i + 1] : NULL,
    };
}

static Status find_wrong(const Check *check, const Tally *tally, uint32_t poison, Diagnosis *diagnosis,
                         Comparison *comparison, Message *why)
{
    double worst_ratio = 0, slack = slack_of(&check->problem->tolerance, tally);
    for (size_t first = 0; first < check->count; first += PIECE) {
        size_t count = piece_at(check, first);
        Status status = compute_expected(check, first, count, why);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            DiagnosisElement element = judge_element(check, first, count, i, slack, poison);
            diagnosis_add(diagnosis, &element);
            if (element.wrong)
                note_wrong(&element, comparison, &worst_ratio);
        }
    }
    comparison->bound = comparison->worst.bound;
    return STATUS_OK;
}

/* --- what the output resembles ------------------------------------------------------------------------------------ */

enum { PROBED = 256 }; /* elements, which are enough to rule nearly all resemblances out */

/* A ResemblanceTest. `context` is the Check; its literal values belong to its own inputs. */
static Status is_right_for(void *context, const ResemblanceVariant *variant, bool in_all, bool *is_right, Message *why)
{
    Check other = *(const Check *)context;
    size_t probed = in_all || other.count < PROBED ? other.count : PROBED, first = (other.count - probed) / 2;
    memcpy(other.inputs, variant->inputs, sizeof other.inputs);
    other.output = variant->output;
    other.sizes = &variant->sizes;
    Tally tally = tally_empty();
    Status status = STATUS_OK;
    other.literal = NULL;
    if (in_all) {
        status = tally_all(&other, &tally, why);
    } else {
        status = compute_expected(&other, first, probed, why);
        if (status == STATUS_OK)
            tally = tally_block(&other, first, probed, other.expected, other.magnitude);
        if (tally.max_magnitude < other.max_magnitude)
            tally.max_magnitude = other.max_magnitude;
    }
    *is_right = status == STATUS_OK && checker_accepts(&other.problem->tolerance, &tally, probed);
    return status;
}

static Status find_resemblance(const Check *check, const Tally *tally, size_t wrong, WrongNature *nature, Message *why)
{
    Check context = *check;
    context.max_magnitude = 2 * tally->max_magnitude; /* other inputs may have other magnitudes */
    const ResemblanceSubject subject = {.problem = check->problem,
                                        .sizes = check->sizes,
                                        .inputs = check->inputs,
                                        .previous = check->previous,
                                        .output = check->output,
                                        .wrong = wrong,
                                        .test = is_right_for,
                                        .context = &context};
    return resemblance_find(&subject, nature, why);
}

/* --- the comparison
 * ------------------------------------------------------------------------------------------------------- */

static Status explain_mistake(const Check *check, const Tally *tally, uint32_t poison, Comparison *comparison,
                              Message *why)
{
    Diagnosis diagnosis;
    diagnosis_begin(&diagnosis, check->rank, check->shape);
    Status status = find_wrong(check, tally, poison, &diagnosis, comparison, why);
    WrongNature nature = status == STATUS_OK ? diagnosis_what(&diagnosis) : WRONG_NATURE_UNKNOWN;
    if (status == STATUS_OK && nature == WRONG_NATURE_UNKNOWN)
        status = find_resemblance(check, tally, comparison->wrong, &nature, why);
    if (status == STATUS_OK) {
        char where[120];
        const WrongPlace place = diagnosis_where(&diagnosis, where, sizeof where);
        comparison->kind = (WrongOutput){place, nature};
        const char *what = wrong_nature_words(comparison->kind.nature);
        snprintf(comparison->text, sizeof comparison->text, "%s%s%s", where, what[0] == '\0' ? "" : ": ", what);
    }
    diagnosis_free(&diagnosis);
    return status;
}

static Status compare_output(const Check *check, uint32_t poison, Comparison *comparison, Message *why)
{
    Tally tally;
    Status status = tally_all(check, &tally, why);
    if (status != STATUS_OK)
        return status;
    checker_summarise(&check->problem->tolerance, &tally, check->rank, check->shape, comparison);
    if (!checker_accepts(&check->problem->tolerance, &tally, check->count))
        return explain_mistake(check, &tally, poison, comparison, why);
    if (comparison->rms_exceeded) {
        comparison->kind = (WrongOutput){WRONG_PLACE_EVERYWHERE, WRONG_NATURE_IMPRECISE};
        snprintf(comparison->text, sizeof comparison->text, "small errors everywhere: too little precision");
    }
    return STATUS_OK;
}

Status checker_compare(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                       const void *const inputs[PROBLEM_MAX_PARAMETERS], const void *const *previous,
                       const void *output, uint32_t poison, Comparison *comparison, Message *why)
{
    size_t parameter = problem_output(problem);
    Check check = {.problem = problem,
                   .sizes = &testcase->sizes,
                   .oracle = oracle,
                   .previous = previous,
                   .type = problem->parameters[parameter].type,
                   .output = output,
                   .literal = testcase->expected.data,
                   .rank = problem->parameters[parameter].rank};
    memcpy(check.inputs, inputs, sizeof check.inputs);
    Status status = problem_shape(problem, parameter, &testcase->sizes, check.shape, &check.count, why);
    if (status != STATUS_OK)
        return status;
    size_t room = piece_at(&check, 0);
    check.expected = malloc(2 * room * sizeof *check.expected);
    if (check.expected == NULL)
        return fail_errno(why, "no memory for expected outputs");
    check.magnitude = check.expected + room;
    status = compare_output(&check, poison, comparison, why);
    free(check.expected);
    return status;
}

double checker_coarse(double error)
{
    return error > 0 && isfinite(error) ? pow(10, ceil(log10(error))) : error;
}
