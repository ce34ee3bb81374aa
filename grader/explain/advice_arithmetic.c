#include "grader/explain/advice_rules.h"

#include "base/text.h"
#include "grader/terminal/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_ROOM = 160 };

/* ---- more than the problem asks for ------------------------------------------------------------------------------ */

/* Two operations for each multiply-add. Products and sums by themselves are no part of a convolution. */
static double operations_of(const SimCounters *counters)
{
    return 2 * (double)(counters->fma32 + counters->fma64);
}

static double operations_of_all(const Explanation *explanation)
{
    double sum = 0;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        sum += operations_of(&explanation->profile->kernels[i].counters);
    return sum;
}

static void sketch_two_passes(const KernelUnderReview *review, const KernelNames *names, Advice *advice)
{
    const char *first = names->filter.name, *second = first, *image = names->input.name;
    const Problem *problem = review->subject->problem;
    const char *inputs[3] = {image, first, second};
    size_t count = 0;
    for (size_t i = 0; i < problem->parameter_count && count < 3; i++)
        if (problem->parameters[i].role == ROLE_IN)
            inputs[count++] = problem->parameters[i].name;
    if (count == 2)
        inputs[2] = inputs[1];
    advice_sketch(advice, "__device__ float d_rows[MOST_ELEMENTS]; // the image after the first pass");
    advice_sketch(advice, "// kernel 1: d_rows[y][x] = sum over s of %s[y][x + s] * %s[radius + s]", inputs[0],
                  inputs[1]);
    advice_sketch(advice, "// kernel 2: %s[y][x] = sum over r of d_rows[y + r][x] * %s[radius + r]", names->output,
                  inputs[2]);
    advice_sketch(advice, "rows<<<grid, block>>>(%s, ...); columns<<<grid, block>>>(%s, ...);", inputs[0],
                  names->output);
}

/* After the change the kernel does only what the problem's own formula counts. A filter that is split needs two passes:
 * another launch, and an image between them that is written once and read once. */
bool rule_needless_work(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double MOST_TIMES = 1.4;
    enum { FUNCTION_MULTIPLY_ADDS = 20 }; /* of an exponential with a logarithm: functions consist of them, too */
    double wanted = review->subject->operations, done = operations_of_all(review->explanation);
    double times = ratio(done, wanted);
    const SimLine *line = review_hot_line(review);
    if (FUNCTION_MULTIPLY_ADDS * review->counters->special > review->counters->fma32)
        return false;
    if (line == NULL || times < MOST_TIMES || operations_of(review->counters) < 0.5 * done)
        return false;
    const HardwareProfile *hardware = review->explanation->hardware;
    bool separable = review->subject->problem != NULL && review->subject->problem->separable;
    double kept = 1 / times, image_bytes = 32 * (double)review->model.counters.unique_store_sectors;
    KernelNames names;
    review_names(review, line->line, &names);
    change_global_loads(&change->after, kept, kept);
    change_shared_loads(&change->after, kept);
    change_constant_loads(&change->after, kept);
    change_others(&change->after, kept);
    change_arithmetic(&change->after, kept);
    change_waiting(&change->after, kept);
    if (separable)
        change->saved_s = -hardware->launch_s - 2 * image_bytes / hardware->dram_copy_bytes_per_s;
    advice_name(advice, names.filter.name);
    if (separable) {
        advice_say(
            advice, line->line,
            "the call executes %s times the operations that the problem needs: the filter is the product of a row "
            "and a column, so filter the rows first and the columns of the result then, 2 (2 radius + 1) taps "
            "instead of (2 radius + 1)^2",
            quantity_ratio(times).text);
        sketch_two_passes(review, &names, advice);
    } else {
        advice_say(advice, line->line,
                   "the call executes %s times the operations that the problem's formula counts: compute each output "
                   "once, and no taps or outputs that only fill up a tile",
                   quantity_ratio(times).text);
        advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // as many as there are, no filling up", names.loop,
                      names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    }
    return true;
}

/* ---- double ------------------------------------------------------------------------------------------------------ */

/* Copies the operand behind the first "/" of a line that divides: a name with its index, a number, a pair of brackets. */
static bool divisor_of(const char *text, char *divisor, size_t size)
{
    const char *comment = strstr(text, "//"), *slash = strchr(text, '/');
    if (slash == NULL || slash == comment || slash[1] == '*' || slash[1] == '=')
        return false;
    const char *start = slash + 1 + strspn(slash + 1, " ");
    size_t length = *start == '(' ? strcspn(start, ")") : 0;
    if (length > 0 && start[length] == ')')
        length++;
    while (text_in_word(start[length]) || start[length] == '.')
        length++;
    snprintf(divisor, size, "%.*s", (int)length, start);
    return divisor[0] != '\0';
}

static double double_instructions(const SimLine *line)
{
    return (double)line->counters.fp64;
}

/* Copies a line of source with an f behind each literal that has a point and none, and float for double. */
static void in_single_precision(const char *text, char *out, size_t size)
{
    Text line = {0};
    for (const char *at = text; *at != '\0';) {
        bool starts = at == text || !(text_in_word(at[-1]) || at[-1] == '.');
        size_t length = strspn(at, "0123456789.");
        bool number = starts && length > 0 && (isdigit((unsigned char)*at) || isdigit((unsigned char)at[1]));
        length = number ? length : 1;
        text_append(&line, at, length);
        bool point = number && memchr(at, '.', length) != NULL;
        at += length;
        if (point && *at != 'f' && *at != 'F' && *at != 'e' && *at != 'E')
            text_add(&line, "f");
    }
    replace_word(line.data == NULL ? "" : line.data, "double", "float", out, size);
    text_free(&line);
}

/* How often warps execute a line, also where the compiler has unrolled the loop around it. */
static double turns_of(const SimLine *line)
{
    return fmax((double)line->executions, (double)line->counters.fma64 / SIM_WARP_SIZE);
}

/* Most float64 instructions that are no multiply-adds convert from float and back, and go with the doubles. A division is one
 * instruction of PTX; those of the line become divisions of floats. */
bool rule_double_precision(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, double_instructions);
    if (line == NULL)
        return false;
    char text[LINE_ROOM], single[LINE_ROOM], divisor[NAME_ROOM];
    KernelNames names;
    SimCounters *after = &change->after.counters;
    const double CONVERSIONS = 0.75, EACH_DIVISION = DOUBLE_DIVISION_INSTRUCTIONS - FLOAT_DIVISION_INSTRUCTIONS;
    review_line_text(review, line->line, text, sizeof text);
    double divisions = divisor_of(text, divisor, sizeof divisor) ? review_per_launch(review, turns_of(line)) : 0;
    double others = review->mix.others, converting = CONVERSIONS * (double)(after->fp64 - after->fma64);
    double removed = fmin(converting / SIM_WARP_SIZE + EACH_DIVISION * divisions, 0.9 * others);
    change_others(&change->after, 1 - ratio(removed, others));
    change_waiting(&change->after, 1 - ratio(removed, review->mix.all));
    after->fp32 += after->fp64 - (uint64_t)converting;
    after->fma32 += after->fma64;
    after->fp64 = after->fma64 = 0;
    after->special = 0; /* conversions between float and double count as such */
    review_names(review, line->line, &names);
    in_single_precision(text, single, sizeof single);
    advice_name(advice, names.sum);
    advice_say(
        advice, line->line,
        "this line computes in double precision: write literals with an f (0.0f), and use float and its functions "
        "(fmaf, not fma) everywhere");
    advice_sketch(advice, "// instead of: %s", text);
    advice_sketch(advice, "%s", strcmp(text, single) != 0 ? single : "float ...; // and no double among its operands");
    return true;
}

/* ---- division and functions -------------------------------------------------------------------------------------- */

static double float_divisions(const SimLine *line)
{
    return (double)line->float_divisions;
}

bool rule_float_division(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double LEAST_EACH = 4;
    const SimLine *line = review_worst_line(review, float_divisions);
    char text[LINE_ROOM], divisor[NAME_ROOM];
    if (line == NULL)
        return false;
    double each = float_divisions(line) / review_warps(review) / SIM_WARP_SIZE;
    if (each < LEAST_EACH)
        return false;
    review_line_text(review, line->line, text, sizeof text);
    if (!divisor_of(text, divisor, sizeof divisor))
        snprintf(divisor, sizeof divisor, "divisor");
    double divisions = review_per_launch(review, review_sum(review, float_divisions)) / SIM_WARP_SIZE;
    double others = review->mix.others, all = review->mix.all;
    double removed = fmin(divisions * FLOAT_DIVISION_INSTRUCTIONS, 0.9 * others);
    change_others(&change->after, 1 - ratio(removed, others));
    change_waiting(&change->after, 1 - ratio(removed, all));
    change->after.counters.slow_path_instructions = 0;
    SimMachineRatios *machine = &change->after.input.machine;
    double operations = (double)review->model.counters.fp32, left = divisions * SIM_WARP_SIZE;
    machine->fma = fmin(machine->fma, fmax(1, machine->fma - FLOAT_DIVISION_MULTIPLY_ADDS * ratio(left, operations)));
    advice_name(advice, divisor);
    advice_say(
        advice, line->line,
        "each thread divides by `%s` %.0f times, and each division of floats takes about %d instructions: compute "
        "the reciprocal once before the loop, and multiply by it; or scale the sum once behind the loop",
        divisor, each, FLOAT_DIVISION_INSTRUCTIONS);
    advice_sketch(advice, "const float inverse = 1.0f / %s; // before the loop", divisor);
    advice_sketch(advice, "... * inverse // instead of / %s", divisor);
    return true;
}

static double special_functions(const SimLine *line)
{
    return line->counters.fp64 == 0 ? (double)line->counters.special : 0;
}

bool rule_special_functions(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, special_functions);
    char text[LINE_ROOM];
    KernelNames names;
    if (line == NULL || review_executions_per_warp(review, line) < 4)
        return false;
    double share = ratio((double)line->counters.warp_instructions, (double)review->counters->warp_instructions);
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    change->after.counters.special = 0;
    change_others(&change->after, fmax(0.2, 1 - share));
    change_waiting(&change->after, fmax(0.2, 1 - share));
    advice_name(advice, names.filter.name);
    advice_say(advice, line->line,
               "each thread calls functions such as exponentials, roots or sines %.0f times, which only 16 lanes of a "
               "multiprocessor compute in a cycle: compute what does not depend on the thread once, into a table in "
               "shared or constant memory",
               review_executions_per_warp(review, line));
    advice_sketch(advice, "__shared__ float s_table[MOST_TAPS]; // by the first threads of the block, before the loop");
    advice_sketch(advice, "s_table[threadIdx.x] = ...; // %s", text);
    advice_sketch(advice, "__syncthreads(); // then read s_table[%s]", names.loop);
    return true;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static double divisions(const SimLine *line)
{
    return (double)line->divisions;
}

/* Takes off the instructions that divisions consist of, which are in the machine code where that is known. */
static void remove_divisions(const KernelUnderReview *review, KernelModel *after)
{
    double lanes = review_per_launch(review, review_sum(review, divisions)) * INTEGER_DIVISION_INSTRUCTIONS;
    double removed = fmin(lanes / SIM_WARP_SIZE, 0.95 * review->mix.others);
    change_others(after, 1 - ratio(removed, review->mix.others));
    change_waiting(after, 1 - ratio(removed, review->mix.all));
}

static void sketch_division(const KernelNames *names, const char *text, Advice *advice)
{
    char divisor[NAME_ROOM];
    if (!divisor_of(text, divisor, sizeof divisor))
        snprintf(divisor, sizeof divisor, "COLUMNS");
    advice_sketch(advice, "for (int r = 0; r < ROWS; r++) // instead of dividing %s", names->loop);
    advice_sketch(advice, "    for (int s = 0; s < %s; s++) // r is the quotient, s the remainder", divisor);
}

/* A division is one instruction of PTX, and so of the counters, but many instructions of the hardware. Where the machine
 * code is not known, the model does not count these. */
bool rule_integer_division(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, divisions);
    char text[LINE_ROOM];
    KernelNames names;
    if (line == NULL || review_executions_per_warp(review, line) < 4)
        return false;
    if (review->model.input.machine.issue > 0) {
        remove_divisions(review, &change->after);
    } else {
        KernelModel composed = review->model;
        double lanes = review_per_launch(review, review_sum(review, divisions)) * INTEGER_DIVISION_INSTRUCTIONS;
        double more = 1 + ratio(lanes, (double)composed.counters.lane_instructions);
        composed.counters.integer += (uint64_t)lanes;
        composed.counters.warp_instructions = change_scaled(composed.counters.warp_instructions, more);
        change_waiting(&composed, more);
        change->unmodelled_s = kernel_model_seconds(&composed) - kernel_model_seconds(&review->model);
    }
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    advice_name(advice, names.loop);
    advice_say(
        advice, line->line,
        "each thread divides integers %.0f times in a loop, and each division takes about %d instructions: update "
        "the indices by additions, or nest loops over rows and columns",
        review_executions_per_warp(review, line), INTEGER_DIVISION_INSTRUCTIONS);
    sketch_division(&names, text, advice);
    return true;
}

static double integer_instructions(const SimLine *line)
{
    return (double)line->counters.integer;
}

/* After the change as many instructions compute indices as compute the sum. */
bool rule_too_much_integer(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, integer_instructions);
    double each = ratio((double)counters->integer, (double)counters->fp32);
    if (line == NULL || each < 3 || review_executions_per_warp(review, line) < 4)
        return false;
    KernelNames names;
    double kept = 1 / each;
    double lanes = review_per_launch(review, review_sum(review, divisions)) * INTEGER_DIVISION_INSTRUCTIONS /
                   SIM_WARP_SIZE;
    double divided = fmin(1, ratio(lanes, review->mix.others)); /* divisions have a rule of their own */
    kept = divided + (1 - divided) * kept;
    review_names(review, line->line, &names);
    change_others(&change->after, kept);
    change_waiting(&change->after, 1 - (1 - kept) * 0.5 * ratio(review->mix.others, review->mix.all));
    advice_name(advice, names.loop);
    advice_say(
        advice, line->line,
        "%s integer instructions are executed for every floating-point instruction: move what does not change out "
        "of the loop over `%s`, increment pointers instead of computing indices, and unroll the loop",
        quantity_ratio(each).text, names.loop);
    advice_sketch(advice, "const float* from = &%s[...]; // once, before the loop over %s", names.input.name,
                  names.loop);
    advice_sketch(advice, "#pragma unroll 4");
    advice_sketch(advice, "for (int %s = 0; %s < %s; %s++)", names.loop, names.loop,
                  names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    advice_sketch(advice, "    %s += from[%s] * %s[...];", names.sum, names.loop, names.filter.name);
    return true;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Bytes between 0 and 255 are exact in half precision, and a rounded result leaves room for taps in half precision. A
 * convolution as a product with a banded matrix multiplies by zeros, too: twice the multiply-adds for a filter as wide as
 * the matrix of 16 x 16. */
static bool multiply_levels(const KernelUnderReview *review, const SimLine *line, Change *change, Advice *advice)
{
    const double ZEROS = 2, OTHERS = 0.5;
    SimCounters *after = &change->after.counters;
    if (review_share_of(review, "fma") < 0.5)
        return false;
    KernelNames names;
    double multiply_adds = (double)after->fma32 * ZEROS;
    review_names(review, line->line, &names);
    change_arithmetic(&change->after, 0.02);
    change_others(&change->after, OTHERS);
    after->tensor += (uint64_t)multiply_adds;
    after->tensor_bytes += (uint64_t)(2 * multiply_adds); /* halves */
    advice_name(advice, names.sum);
    advice_say(advice, line->line,
               "the float32 pipe limits the kernel, and the problem compares whole levels: halves are exact enough, so "
               "multiply tiles of `%s` by a banded matrix of taps with the tensor cores",
               names.input.name);
    advice_sketch(advice, "#include <mma.h> // fragments of 16 x 16 halves, sums in float");
    advice_sketch(advice, "wmma::load_matrix_sync(a, s_%s + ..., LEADING); // halves of the tile", names.input.name);
    advice_sketch(advice, "wmma::load_matrix_sync(b, s_band, 16); // taps on the diagonals, zeros elsewhere");
    advice_sketch(advice, "wmma::mma_sync(sums, a, b, sums);");
    return true;
}

/* A block multiplies 256 rows by 32 columns, 32 rows a warp, and two blocks share a multiprocessor. It keeps the inputs
 * under its rows in shared memory, with the pixels around them about twice as many as the rows, and all weights of its
 * columns pass through. For 32 x 32 outputs and a step of 16 in depth a warp issues 24 multiplications of 16 x 8 x 16,
 * three for each product, and loads 8 times 16 bytes a lane. Indices, loops, copies and the multiplications themselves
 * are four instructions for each of these, and one ordinary addition follows 16 products: so it is in
 * conv-layer/tensor_cores.cu. */
static void multiply_split(const KernelUnderReview *review, const MatrixProduct *product, KernelModel *after)
{
    enum { ROWS = 256, COLUMNS = 32, WARPS = 8, REGISTERS = 128, SHARED_BYTES = 72 << 10, PRODUCTS = 3 };
    const double EACH = 16 * 8 * 16, OTHERS = 4, LOADS = 8.0 / 24, HALO = 2, FLOATS_OF_SECTOR = 8, SECTORS_OF_LOAD = 16;
    const InstructionMix *mix = &review->mix;
    const double chain_s = change_chain_seconds(after), launches = (double)after->launches;
    const double columns = ceil(product->columns / COLUMNS), rows = ceil(product->rows / launches / ROWS);
    const double multiply_adds = PRODUCTS * (double)after->counters.fma32, matrices = multiply_adds / EACH;
    const double sectors = HALO * (double)after->counters.unique_load_sectors * columns +
                           rows * product->depth * product->columns / FLOATS_OF_SECTOR;
    change_constant_loads(after, 0);
    change_texture_loads(after, 0);
    change_shared_loads(after, 0);
    change_global_loads(after, ratio(sectors / SECTORS_OF_LOAD, mix->global_loads),
                        ratio(sectors, (double)after->counters.global_load_sectors));
    after->counters.missing_load_sectors = (uint64_t)sectors;
    change_arithmetic(after, 1.0 / 16);
    change_others(after, ratio(OTHERS * matrices, mix->others));
    after->input.machine.shared = 1;
    change_add_shared(after, LOADS * matrices, 0, 0);
    after->counters.shared_load_wavefronts += (uint64_t)(3 * LOADS * matrices); /* of 16 bytes: four each */
    after->counters.tensor += (uint64_t)multiply_adds;
    after->counters.tensor_bytes += (uint64_t)(2 * multiply_adds); /* halves */
    after->function.static_shared_bytes = SHARED_BYTES;
    after->input.shape = (LaunchShape){.grid = {(uint32_t)rows, (uint32_t)columns, 1},
                                       .block = {WARPS * SIM_WARP_SIZE, 1, 1}};
    after->function.registers = REGISTERS;
    double each = ratio(change_mix(after).all, rows * columns * WARPS); /* instructions of a warp */
    change_waiting(after, ratio(each * review->explanation->hardware->arithmetic_latency_s, chain_s));
}

/* Three products of halves leave out up to 2^-22 of each product, two roundings of float32. */
static bool multiply_matrices(const KernelUnderReview *review, const SimLine *line, Change *change, Advice *advice)
{
    enum { LEAST_SIDE = 16, LEAST_ROUNDINGS = 4 };
    MatrixProduct product;
    KernelNames names;
    if (!review_matrix_product(review, &product) || product.columns < LEAST_SIDE || product.channels < LEAST_SIDE ||
        review->subject->problem->tolerance.sum_factor < LEAST_ROUNDINGS)
        return false;
    if ((double)review->counters->fma32 < 0.5 * product.rows * product.columns * product.depth)
        return false; /* it is no direct product */
    multiply_split(review, &product, &change->after);
    change->saved_s = -review->explanation->hardware->launch_s; /* of the kernel that splits the weights */
    review_names(review, line->line, &names);
    advice_name(advice, product.weights);
    advice_say(
        advice, line->line,
        "the problem is a product of matrices, in which %.0f numbers of `%.40s` for each output meet %.0f columns of "
        "`%.40s`: split each number into two halves, value = high + low, and let the tensor cores add up three of the "
        "four products of tiles, all but low * low, which is as small as float32's rounding; halves or TF32 alone are too rough",
        product.depth, product.input, product.columns, product.weights);
    advice_sketch(advice, "half high = __float2half(x), low = __float2half(x - __half2float(high)); // of all numbers");
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_low, %.40s_high, part); // 16 rows, 16 columns, a depth of 16",
                  product.input, product.weights);
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_high, %.40s_low, part);", product.input, product.weights);
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_high, %.40s_high, part);", product.input, product.weights);
    advice_sketch(advice, "%s += part.x[i]; // after each tap: tensor cores cut sums off, additions round", names.sum);
    return true;
}

bool rule_tensor_cores(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const Problem *problem = review->subject->problem;
    const SimLine *line = review_hot_line(review);
    if (line == NULL || problem == NULL || review->counters->tensor > 0)
        return false;
    return problem->tolerance.levels > 0 ? multiply_levels(review, line, change, advice)
                                         : multiply_matrices(review, line, change, advice);
}
