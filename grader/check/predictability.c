#include "grader/check/predictability.h"

#include "base/arena.h"
#include "grader/check/tally.h"
#include "grader/problem/testcase_data.h"

#include <math.h>
#include <stdlib.h>

/* The elements that are compared: pieces of neighbours, spread over the whole output. */
enum { PIECES = 64, PIECE = 64 };

static const double LEAST_RMS = 5000;      /* times the rms error that the problem allows */
static const double FAR_FLOAT = 100;       /* an element is far off if it misses its bound by this factor; */
static const double FAR_LEVEL = 4;         /* or by this one, since there are only 256 levels */
static const double LEAST_FAR_SHARE = 0.5; /* of the elements: a rectified one may stay zero whatever happens */

typedef struct PredictabilityCheck {
    const Problem *problem;
    const Testcase *testcase;
    const Oracle *oracle;
    void *inputs[PROBLEM_MAX_PARAMETERS]; /* one draw of the data */
    size_t count;                         /* elements that are compared */
    double *expected, *magnitude;         /* of the draw */
    double *foreseen, *unused;            /* of the draw with the values of one file */
} PredictabilityCheck;

static bool is_timed_with_files(const Problem *problem, const Testcase *testcase)
{
    bool found = false;
    for (size_t i = 0; i < problem->parameter_count; i++)
        found = found || testcase->sources[i].kind == SOURCE_PERTURBED;
    return found && testcase->group == CASE_TIMED;
}

static Status draw_data(PredictabilityCheck *predictability, const GeneratorKey *secret, Message *why)
{
    const Problem *problem = predictability->problem;
    Status status = STATUS_OK;
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++) {
        size_t shape[TENSOR_MAX_RANK], count;
        if ((problem->parameters[i].role & ROLE_IN) == 0)
            continue;
        status = problem_shape(problem, i, &predictability->testcase->sizes, shape, &count, why);
        if (status != STATUS_OK)
            break;
        predictability->inputs[i] = allocated(malloc(count * element_bytes(problem->parameters[i].type)));
        testcase_fill(problem, predictability->testcase, i, secret, predictability->inputs[i], count);
    }
    return status;
}

/* Evaluates the elements that are compared. A small output is compared whole. */
static Status evaluate(PredictabilityCheck *predictability, double *expected, double *magnitude, Message *why)
{
    size_t shape[TENSOR_MAX_RANK], count;
    const Problem *problem = predictability->problem;
    const Sizes *sizes = &predictability->testcase->sizes;
    const void *const *inputs = (const void *const *)predictability->inputs;
    Status status = problem_shape(problem, problem_output(problem), sizes, shape, &count, why);
    if (status != STATUS_OK || count <= PIECES * PIECE) {
        predictability->count = count;
        return status == STATUS_OK
                   ? oracle_evaluate(predictability->oracle, sizes, inputs, 0, count, expected, magnitude, why)
                   : status;
    }
    predictability->count = PIECES * PIECE;
    for (size_t i = 0; i < PIECES && status == STATUS_OK; i++)
        status = oracle_evaluate(predictability->oracle, sizes, inputs, (count - PIECE) / (PIECES - 1) * i, PIECE,
                                 expected + i * PIECE, magnitude + i * PIECE, why);
    return status;
}

/* How much an input's perturbation changes the output. */
typedef struct DataChange {
    double rms;       /* of the change, over that of the output */
    double far_share; /* of the elements: those that change by far more than their bound */
} DataChange;

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

static DataChange change_of(const PredictabilityCheck *predictability)
{
    const Tolerance *tolerance = &predictability->problem->tolerance;
    const ElementTraits
        *traits = &element_traits[predictability->problem->parameters[problem_output(predictability->problem)].type];
    const bool is_whole = !(traits->epsilon > 0);
    const double slack = tolerance->unit * tolerance->max_factor *
                             largest(predictability->magnitude, predictability->count) +
                         tolerance->absolute;
    double changes = 0, outputs = 0;
    size_t far = 0;
    for (size_t i = 0; i < predictability->count; i++) {
        const double expected = is_whole ? tally_whole(predictability->expected[i], traits->lowest, traits->highest)
                                         : predictability->expected[i];
        const double foreseen = is_whole ? tally_whole(predictability->foreseen[i], traits->lowest, traits->highest)
                                         : predictability->foreseen[i];
        const double magnitude = tolerance->of_expected ? fabs(expected) : predictability->magnitude[i];
        const double change = fabs(expected - foreseen);
        const double bound = tolerance->unit * tolerance->sum_factor * magnitude + slack;
        changes += change * change;
        outputs += expected * expected;
        far += change > (is_whole ? FAR_LEVEL : FAR_FLOAT) * bound;
    }
    return (DataChange){.rms = outputs > 0 ? sqrt(changes / outputs) : 0,
                        .far_share = (double)far / (double)predictability->count};
}

static Status judge_change(const PredictabilityCheck *predictability, size_t parameter, const DataChange *change,
                           Message *why)
{
    const Problem *problem = predictability->problem;
    const double least = LEAST_RMS * problem->tolerance.rms;
    const char *name = problem->parameters[parameter].name;
    if (!(change->rms >= least))
        return fail(STATUS_BAD_INPUT, why,
                    "case \"%s\": \"perturb\" of %s changes the output by %.2g of its size, expected at least %.2g: "
                    "otherwise most of the output can be foreseen; enlarge \"perturb\" (0.5 is the most)",
                    predictability->testcase->name, name, change->rms, least);
    if (!(change->far_share >= LEAST_FAR_SHARE))
        return fail(
            STATUS_BAD_INPUT, why,
            "case \"%s\": \"perturb\" of %s changes %.0f %% of the output by far more than the tolerance, "
            "expected at least %.0f %%: otherwise the rest can be foreseen; enlarge \"perturb\" (0.5 is the most)",
            predictability->testcase->name, name, 100 * change->far_share, 100 * LEAST_FAR_SHARE);
    return STATUS_OK;
}

static Status check_input(PredictabilityCheck *predictability, size_t parameter, Message *why)
{
    void *drawn = predictability->inputs[parameter];
    predictability->inputs[parameter] = predictability->testcase->sources[parameter].literal.data;
    Status status = evaluate(predictability, predictability->foreseen, predictability->unused, why);
    predictability->inputs[parameter] = drawn;
    TRY(status);
    const DataChange change = change_of(predictability);
    return judge_change(predictability, parameter, &change, why);
}

Status predictability_check(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                            const GeneratorKey *secret, Message *why)
{
    if (!is_timed_with_files(problem, testcase))
        return STATUS_OK;
    double *room = allocated(calloc(4 * PIECES * PIECE, sizeof *room));
    PredictabilityCheck predictability = {.problem = problem,
                                          .testcase = testcase,
                                          .oracle = oracle,
                                          .expected = room,
                                          .magnitude = room + PIECES * PIECE,
                                          .foreseen = room + 2 * PIECES * PIECE,
                                          .unused = room + 3 * PIECES * PIECE};
    Status status = draw_data(&predictability, secret, why);
    THEN(status, evaluate(&predictability, predictability.expected, predictability.magnitude, why));
    for (size_t i = 0; i < problem->parameter_count && status == STATUS_OK; i++)
        if (testcase->sources[i].kind == SOURCE_PERTURBED)
            status = check_input(&predictability, i, why);
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
        free(predictability.inputs[i]);
    free(room);
    return status;
}
