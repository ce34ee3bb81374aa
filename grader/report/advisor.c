#include "grader/report/advisor.h"

#include "base/terminal.h"
#include "base/text.h"
#include "grader/report/advice_rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== advice arithmetic =========================================================================================== */

enum { ARITHMETIC_LINE_ROOM = 160 };

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
            "The call executes %s times as many operations as necessary, because the filter is the product of a row and "
            "a column. Filter the rows first, then the columns of the result: 2 (2 radius + 1) taps instead of (2 "
            "radius + 1)^2",
            quantity_ratio(times).text);
        sketch_two_passes(review, &names, advice);
    } else {
        advice_say(
            advice, line->line,
            "The call executes %s times as many operations as the problem's formula. Compute each output once, and "
            "no taps or outputs that are only padding",
            quantity_ratio(times).text);
        advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // only as many as exist, without padding", names.loop,
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
    char text[ARITHMETIC_LINE_ROOM], single[ARITHMETIC_LINE_ROOM], divisor[NAME_ROOM];
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
        "This line computes in double precision. Write literals with an f (0.0f), and use float and its functions (fmaf, "
        "not fma) everywhere");
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
    char text[ARITHMETIC_LINE_ROOM], divisor[NAME_ROOM];
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
        "Each thread divides by `%s` %.0f times, and a division of floats takes about %d instructions. Compute the "
        "reciprocal once before the loop and multiply by it, or scale the sum once after the loop",
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
    char text[ARITHMETIC_LINE_ROOM];
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
               "Each thread calls functions such as exponentials, roots or sines %.0f times, and a multiprocessor "
               "computes only 16 of these per cycle. Compute values that do not depend on the thread once, into a "
               "table in shared or constant memory",
               review_executions_per_warp(review, line));
    advice_sketch(advice,
                  "__shared__ float s_table[MOST_TAPS]; // filled by the first threads of the block, before the loop");
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
    char text[ARITHMETIC_LINE_ROOM];
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
        "Each thread divides integers %.0f times in a loop, and each division takes about %d instructions. Update the "
        "indices by additions, or nest loops over rows and columns",
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
        "%s integer instructions are executed for every floating-point instruction. Move everything that does not change "
        "out of the loop over `%s`, increment pointers instead of computing indices, and unroll the loop",
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
    advice_say(
        advice, line->line,
        "The float32 units limit the kernel, and the output is rounded to whole levels, for which half precision is "
        "exact enough. Multiply tiles of `%s` by a banded matrix of taps with the tensor cores",
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
        "This layer is a matrix product: each output is the dot product of %.0f elements of `%.40s` with one of the %.0f "
        "columns of `%.40s`. Split each float into two half-precision numbers, value = high + low, and let the tensor "
        "cores add three of the four products (low * low is below float32's rounding error); half precision or TF32 "
        "alone is not accurate enough",
        product.depth, product.input, product.columns, product.weights);
    advice_sketch(advice,
                  "half high = __float2half(x), low = __float2half(x - __half2float(high)); // for every element");
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_low, %.40s_high, part); // 16 rows, 16 columns, a depth of 16",
                  product.input, product.weights);
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_high, %.40s_low, part);", product.input, product.weights);
    advice_sketch(advice, "wmma::mma_sync(part, %.40s_high, %.40s_high, part);", product.input, product.weights);
    advice_sketch(advice,
                  "%s += part.x[i]; // after each tap, because tensor cores truncate where ordinary additions round",
                  names.sum);
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

/* ==== advice call ================================================================================================= */

/* ---- launches ---------------------------------------------------------------------------------------------------- */

enum { CALL_LINE_ROOM = 200 };

static uint32_t most_launched(const ExecutionProfile *profile)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < profile->kernel_count; i++)
        if (profile->kernels[i].launches > profile->kernels[most].launches)
            most = i;
    return most;
}

static uint64_t launches_of_all(const ExecutionProfile *profile)
{
    uint64_t launches = profile->kernels_left_out;
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        launches += profile->kernels[i].launches;
    return launches;
}

/* The line that launches a kernel; the first one that launches any, if it is not found by its name. */
static int launch_line(const KernelUnderReview *review)
{
    char launch[sizeof review->kernel->name + 4];
    snprintf(launch, sizeof launch, "%s<<<", review->kernel->name);
    const int line = first_line_with(review->source, launch);
    return line > 0 ? line : first_line_with(review->source, "<<<");
}

static double stores(const SimLine *line)
{
    return (double)line->counters.global_store_requests;
}

/* Whether a line loads from an array: `array[i] += x` or `y = array[i]`. */
static bool loads_from(const char *text, const char *array)
{
    const char *equals = strchr(text, '=');
    return equals != NULL && text_find_word(equals > text && equals[-1] == '+' ? text : equals, array) != NULL;
}

/* The array that the kernel stores into, if one of its lines loads from it, too; "": none does. */
static void find_array_of_sums(const KernelUnderReview *review, char *array, size_t size)
{
    const ExecutionProfile *profile = review->explanation->profile;
    const SimLine *stored = review_worst_line(review, stores);
    char text[CALL_LINE_ROOM], name[NAME_ROOM];
    bool found = false;
    array[0] = '\0';
    if (stored == NULL)
        return;
    review_line_text(review, stored->line, text, sizeof text);
    const char *end = text + strcspn(text, "["), *start = end;
    while (start > text && text_in_word(start[-1]))
        start--;
    snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != review->index || line->counts.counters.global_load_requests == 0 ||
            !explain_is_own_line(review->explanation, line))
            continue;
        review_line_text(review, line->counts.line, text, sizeof text);
        found = found || loads_from(text, name);
    }
    if (found && name[0] != '\0')
        snprintf(array, size, "%s", name);
}

/* How often the launches store each output. */
static double times_stored(const KernelUnderReview *review)
{
    return ratio((double)review->counters->global_store_bytes, review_output_bytes(review));
}

/* One launch, whose threads add up in a register what those of all launches add to an array: it loads and stores the sums
 * once, computes its indices once, and finds what neighbours have loaded in the L1. */
static void add_up_in_one_launch(const KernelUnderReview *review, double times, KernelModel *one)
{
    const double LOOP_INSTRUCTIONS = 4; /* for each multiply-add, beside its loads: an address, the loop. An estimate */
    const SimCounters *each = &review->model.counters;
    const double launches = (double)review->model.launches, kept = 1 / times;
    const double sums = (1 - kept) * (double)one->counters.global_store_requests;
    const double sectors = (1 - kept) * (double)one->counters.global_store_sectors;
    one->input.longest_warp_instructions = change_scaled(one->input.longest_warp_instructions, launches);
    one->input.longest_warp_loads = change_scaled(one->input.longest_warp_loads, launches);
    change_global_loads(one, 1 - ratio(sums, (double)one->counters.global_load_requests),
                        1 - ratio(sectors, (double)one->counters.global_load_sectors));
    change_global_stores(one, kept, kept);
    const InstructionMix mix = change_mix(one);
    change_others(one, fmin(1, 1 / launches + LOOP_INSTRUCTIONS * ratio(mix.multiply_adds, mix.others)));
    change_waiting(one, ratio(change_mix(one).all, review->mix.all * launches));
    one->counters.missing_load_sectors = each->missing_load_sectors;
    one->counters.unique_load_sectors = each->unique_load_sectors;
    one->counters.unique_store_sectors = each->unique_store_sectors;
}

static void say_add_up(const KernelUnderReview *review, const char *array, int line, Advice *advice)
{
    char loop[CALL_LINE_ROOM]; /* that around the launch */
    review_line_text(review, line - 1, loop, sizeof loop);
    advice_say(
        advice, line,
        "%llu launches of %.80s, one after the other, each add a part of the sum to `%s`, so that each element is loaded "
        "and stored %s times. Let one launch add all parts, in a local variable of each thread",
        (unsigned long long)review->model.launches, review->kernel->name, array,
        quantity_ratio(times_stored(review)).text);
    advice_sketch(advice, "%s<<<blocks, threads>>>(...); // once, without the loop around it", review->kernel->name);
    advice_sketch(advice, "float sum = ...; // in the kernel: the value that the first launch stores");
    advice_sketch(advice, "%s",
                  strncmp(loop, "for (", 5) == 0 ? loop : "for (...) // the loop that was around the launch");
    advice_sketch(advice, "    sum += ...;");
    advice_sketch(advice, "%s[...] = sum; // once, after the loop", array);
}

static void say_launch_once(const KernelUnderReview *review, uint64_t launches, int line, Advice *advice)
{
    KernelNames names;
    review_names(review, line, &names);
    advice_say(
        advice, line,
        "The call launches %llu kernels one after the other, and each launch takes %s before its work begins. Let one "
        "kernel do the work of several, with a loop or a larger grid",
        (unsigned long long)launches, quantity_time(1e3 * review->explanation->hardware->launch_s).text);
    advice_sketch(advice, "%s<<<blocks, threads>>>(...); // once, without the loop around it", review->kernel->name);
    advice_sketch(advice, "// in the kernel: for (int %s = 0; %s < %s; %s++) with the sum in a register", names.loop,
                  names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
}

static void say_larger_grid(const KernelUnderReview *review, uint64_t launches, int line, Advice *advice)
{
    const double blocks = review_blocks_per_launch(review);
    advice_say(
        advice, line,
        "The call launches %llu kernels one after the other, most of them with %.0f block%s, which cannot fill %u "
        "multiprocessors. Launch all of these blocks at once, in a grid with one more dimension",
        (unsigned long long)launches, blocks, blocks > 1 ? "s" : "", review->explanation->hardware->multiprocessors);
    const uint32_t *grid = review->kernel->profile->shape.grid;
    if (grid[1] > 1)
        advice_sketch(advice,
                      "dim3 grid(%u, %u, %llu); // blockIdx.z replaces the counter of the loop around the launch",
                      grid[0], grid[1], (unsigned long long)review->model.launches);
    else
        advice_sketch(advice, "dim3 grid(%u, %llu); // blockIdx.y replaces the counter of the loop around the launch",
                      grid[0], (unsigned long long)review->model.launches);
    advice_sketch(advice, "%s<<<grid, threads>>>(...); // once", review->kernel->name);
}

/* After the change, the launches of the kernel that is launched most often are one. If they add to the same array, its
 * threads do the work of all of them; else its grid has the blocks of all. Of the others, one of two launches is left. */
bool rule_serial_launches(const KernelUnderReview *first, Change *change, Advice *advice)
{
    enum { LEAST_LAUNCHES = 4, LEAST_ADDED = 3 };
    const ExecutionProfile *profile = first->explanation->profile;
    const uint64_t launches = launches_of_all(profile);
    KernelUnderReview review;
    char array[NAME_ROOM];
    review_begin(first->explanation, most_launched(profile), first->subject, &review);
    find_array_of_sums(&review, array, sizeof array);
    const int line = launch_line(&review);
    const double times = times_stored(&review);
    const bool adds_up = array[0] != '\0' && review.model.launches >= LEAST_ADDED && times > LEAST_ADDED - 1;
    const bool fills = review_blocks_per_launch(&review) >= review.explanation->hardware->multiprocessors;
    if (launches < LEAST_LAUNCHES && !adds_up)
        return false;
    KernelModel one = review.model;
    one.counters = *review.counters;
    one.launches = 1;
    change->saved_s = (double)(launches - 2) * first->explanation->hardware->launch_s;
    advice_name(advice, adds_up ? array : review.kernel->name);
    if (adds_up) {
        add_up_in_one_launch(&review, times, &one);
        say_add_up(&review, array, line, advice);
    } else if (!fills && review.model.launches >= LEAST_LAUNCHES && array[0] == '\0') {
        one.input.shape.grid[2] = (uint32_t)fmin(UINT32_MAX, (double)review.model.launches * one.input.shape.grid[2]);
        say_larger_grid(&review, launches, line, advice);
    } else {
        say_launch_once(&review, launches, line, advice);
        return true;
    }
    change->saved_s = kernel_model_seconds(&review.model) - kernel_model_seconds(&one);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

bool rule_host_copies(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ProfileCopies *copies = &review->explanation->profile->host_copies;
    if (copies->count == 0)
        return false;
    KernelNames names;
    int line = first_line_with(review->source, "cudaMemcpy");
    review_names(review, 0, &names);
    change->saved_s = copies->seconds + fmin(review->explanation->wait_s,
                                             (double)copies->count * review->explanation->hardware->host_wait_s);
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line,
        "%llu copies move %s bytes between host and device, although the arrays are already in device memory. Work "
        "on them there, and copy a filter to constant memory with cudaMemcpyToSymbol() and "
        "cudaMemcpyDeviceToDevice",
        (unsigned long long)copies->count, quantity_count((double)copies->bytes).text);
    advice_sketch(advice, "__constant__ float c_%s[MOST_TAPS];", names.filter.name);
    advice_sketch(advice, "cudaMemcpyToSymbol(c_%s, %s, BYTES, 0, cudaMemcpyDeviceToDevice); // %s is on the device",
                  names.filter.name, names.filter.name, names.filter.name);
    return true;
}

/* cudaFree() waits for the device, and the device then waits for the host. What an allocation itself takes is not in the
 * model. */
bool rule_allocations(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const Explanation *explanation = review->explanation;
    const ExecutionProfile *profile = explanation->profile;
    int line = first_line_with(review->source, "cudaMalloc");
    if (profile->allocations == 0)
        return false;
    change->saved_s = fmin(explanation->wait_s, (double)profile->releases * explanation->hardware->host_wait_s);
    advice_name(advice, "cudaMalloc");
    advice_say(
        advice, line,
        "Each call allocates device memory %llu times and frees it %llu times, and cudaFree() waits for the device. "
        "Allocate once, and keep the memory for the next call",
        (unsigned long long)profile->allocations, (unsigned long long)profile->releases);
    advice_sketch(advice, "static float* d_scratch; static size_t scratch_bytes; // kept between calls");
    advice_sketch(advice, "if (bytes > scratch_bytes) {");
    advice_sketch(advice, "    cudaFree(d_scratch); cudaMalloc(&d_scratch, bytes); scratch_bytes = bytes;");
    advice_sketch(advice, "}");
    return true;
}

/* ==== advice constant ============================================================================================= */

/* ---- what lies there already ------------------------------------------------------------------------------------- */

static double constant_replays(const SimLine *line)
{
    return (double)line->counters.constant_replays;
}

static void sketch_shared_filter(const KernelNames *names, const char *array, Advice *advice)
{
    advice_sketch(advice, "__shared__ float s_%s[MOST_TAPS];", names->filter.name);
    advice_sketch(advice, "for (int t = threadIdx.x; t < TAPS; t += blockDim.x) s_%s[t] = %s[t];", names->filter.name,
                  array);
    advice_sketch(advice, "__syncthreads(); // then read s_%s", names->filter.name);
}

bool rule_constant_addresses_differ(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_replays);
    if (line == NULL)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    change->after.counters.constant_replays = 0;
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "The threads of a warp read %s different constants at once, and constant memory serves one address at a time. Let "
        "all threads of a warp read the same constant, or keep the array in shared memory",
        quantity_ratio(1 + ratio((double)line->counters.constant_replays, (double)line->counters.constant_requests))
            .text);
    sketch_shared_filter(&names, names.filter.name, advice);
    return true;
}

static double constant_loads(const SimLine *line)
{
    return (double)line->counters.constant_requests;
}

/* After the change the array lies in shared memory: as many loads from there, and none from the constant cache. */
bool rule_constants_too_long(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_loads);
    double bytes = review_constant_bytes(review), requests = (double)review->model.counters.constant_requests;
    if (line == NULL || !review->model.function.uniform_constant_loads || review_share_of(review, "constant") < 0.3)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    change_constant_loads(&change->after, 0);
    change->after.function.uniform_constant_loads = false;
    change->after.input.machine.direct = 0;
    change_add_shared(&change->after, requests / 2, 0, bytes); /* ptxas merges at least two neighbours into one load */
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "The array `%s` in constant memory (a warp reads %.0f bytes of it) does not fit in the constant cache, and blocks "
        "that read different parts of it evict each other's data. Keep an array of this length in shared memory",
        names.filter.name, bytes);
    sketch_shared_filter(&names, names.filter.name, advice);
    return true;
}

/* ---- what could lie there ---------------------------------------------------------------------------------------- */

/* Loads of a line that all lanes make at one address, estimated from its sectors: such a load touches one, any other as
 * many as 32 neighbouring floats that begin anywhere do. */
static double broadcast_loads(const SimLine *line)
{
    const double NEIGHBOURS = 4.5;
    double requests = (double)line->counters.global_load_requests, sectors = (double)line->counters.global_load_sectors;
    return fmin(requests, fmax(0, (NEIGHBOURS * requests - sectors) / (NEIGHBOURS - 1)));
}

/* Bytes of an input of the problem; of an array of another name, those of one tap for each multiply-add of a thread. */
static double filter_bytes(const KernelUnderReview *review, const char *name)
{
    const Problem *problem = review->subject->problem;
    Message ignored = {0};
    for (size_t i = 0; problem != NULL && review->subject->sizes != NULL && i < problem->parameter_count; i++) {
        size_t shape[TENSOR_MAX_RANK], count;
        if (problem->parameters[i].role == ROLE_IN && strcmp(problem->parameters[i].name, name) == 0 &&
            problem_shape(problem, i, review->subject->sizes, shape, &count, &ignored) == STATUS_OK)
            return (double)count * (double)element_bytes(problem->parameters[i].type);
    }
    return 4 * review_taps_per_thread(review);
}

/* All threads of a warp load the same tap from global memory, which takes the load units as long as 32 different ones. A
 * filter in constant memory takes another way, and is an operand of the multiply-add where the loop is unrolled. */
bool rule_constant_filter(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, broadcast_loads);
    const HardwareProfile *hardware = review->explanation->hardware;
    KernelNames names;
    if (line == NULL || review_executions_per_warp(review, line) < 4)
        return false;
    double moved = review_per_launch(review, broadcast_loads(line)), loads = review->mix.global_loads;
    review_names(review, line->line, &names);
    double bytes = filter_bytes(review, names.filter.name);
    double sectors = (double)review->model.counters.global_load_sectors;
    if (ratio(moved, review->mix.multiply_adds) < 0.1 || names.filter.index[0] == '\0' ||
        bytes > hardware->constant_bytes)
        return false;
    change_global_loads(&change->after, fmax(0, 1 - moved / loads), fmax(0, 1 - ratio(moved, sectors)));
    change->after.counters.global_load_wavefronts = review->model.counters.global_load_wavefronts -
                                                    (uint64_t)fmin(
                                                        moved, (double)review->model.counters.global_load_wavefronts);
    change_add_constant_loads(&change->after, moved, bytes);
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "All threads of a warp load the same element of `%s` for every multiply-add. Put the filter (%.0f bytes) in "
        "constant memory, which broadcasts one value to a whole warp",
        names.filter.name, bytes);
    advice_sketch(advice, "__constant__ float c_%s[MOST_TAPS]; // as many as the statement allows", names.filter.name);
    advice_sketch(advice, "cudaMemcpyToSymbol(c_%s, %s, TAPS * sizeof(float), 0, cudaMemcpyDeviceToDevice);",
                  names.filter.name, names.filter.name);
    advice_sketch(advice, "... * c_%s%s", names.filter.name, names.filter.index);
    return true;
}

/* ==== advice launch =============================================================================================== */

/* ---- the block --------------------------------------------------------------------------------------------------- */

enum { LEAST_THREADS = 64, GOOD_THREADS = 256 };

/* Lanes of a last, incomplete warp do nothing; and of blocks of one warp, so few are resident that half of a
 * multiprocessor's warps are missing. */
bool rule_block_shape(const KernelUnderReview *review, Change *change, Advice *advice)
{
    double threads = review_threads_per_block(review), blocks = review_blocks_per_launch(review);
    double filled = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE);
    const uint32_t *block = review->kernel->profile->shape.block;
    bool flat = block[1] * block[2] == 1, odd = filled < 1;
    LaunchShape *shape = &change->after.input.shape;
    if ((!odd && threads >= LEAST_THREADS) || threads * blocks < GOOD_THREADS)
        return false;
    SimCounters *after = &change->after.counters;
    after->warp_instructions = change_scaled(after->warp_instructions, filled);
    after->shared_load_wavefronts = change_scaled(after->shared_load_wavefronts, filled);
    after->global_load_requests = change_scaled(after->global_load_requests, filled);
    after->global_load_wavefronts = change_scaled(after->global_load_wavefronts, filled);
    change_lanes(&change->after, filled);
    shape->block[0] = GOOD_THREADS;
    shape->block[1] = shape->block[2] = shape->grid[1] = shape->grid[2] = 1;
    shape->grid[0] = (uint32_t)ceil(threads * blocks / GOOD_THREADS);
    change->after.function.static_shared_bytes = (uint32_t)(review->model.function.static_shared_bytes * GOOD_THREADS /
                                                            threads);
    advice_name(advice, "blockDim");
    advice_say(advice, first_line_with(review->source, "<<<"),
               "Blocks of %u x %u x %u = %.0f threads %s. Use a multiple of 32, at least 64, for example 256", block[0],
               block[1], block[2], threads,
               odd ? "leave lanes of their last warp without work"
                   : "are too small, because a multiprocessor holds only 32 blocks");
    if (flat)
        advice_sketch(advice, "%s<<<(OUTPUTS + %d - 1) / %d, %d>>>(...);", review->kernel->name, GOOD_THREADS,
                      GOOD_THREADS, GOOD_THREADS);
    else
        advice_sketch(advice, "dim3 threads(32, 8); // a warp is a row of 32");
    if (!flat)
        advice_sketch(advice, "dim3 blocks((COLUMNS + 31) / 32, (ROWS + 7) / 8);");
    return true;
}

/* ---- what is resident -------------------------------------------------------------------------------------------- */

/* Registers of a thread with which more blocks fit: half of them, but no fewer than hold what it needs at the same time, since
 * the rest would be spilled. A thread that keeps several sums needs most of what it has. */
static uint32_t fewer_registers(const ProfileKernel *profile)
{
    uint32_t half = (profile->registers + 1) / 2;
    return half > profile->live_registers ? half : profile->live_registers;
}

/* The fraction of its shared memory that a block could do with: half, but no less than what it stores there, since a smaller tile
 * would be other work, with more halo. */
static double less_shared(const KernelUnderReview *review)
{
    enum { WAVEFRONT_BYTES = 128, DRAM_SECTOR_BYTES = 32 };
    const ProfileKernel *profile = review->kernel->profile;
    const SimCounters *counters = &review->model.counters;
    double stored = (double)counters->shared_store_wavefronts * WAVEFRONT_BYTES +
                    (double)counters->bulk_load_sectors * DRAM_SECTOR_BYTES;
    double bytes = (double)profile->static_shared_bytes + profile->shape.dynamic_shared_bytes;
    return fmin(1, fmax(0.5, ratio(stored / review_blocks_per_launch(review), bytes)));
}

/* Too few warps are resident to hide latency. After the change each thread or block takes half of what limits them, if it
 * can do with that. */
bool rule_low_occupancy(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    const ProfileKernel *profile = kernel->profile;
    SimFunctionInfo *function = &change->after.function;
    bool registers = strcmp(kernel->occupancy_limit, "registers") == 0;
    bool shared = strstr(kernel->occupancy_limit, "shared") != NULL;
    if (kernel->cost.occupancy >= 0.5 || kernel->waves <= 1 || !(registers || shared))
        return false;
    KernelNames names;
    review_names(review, 0, &names);
    if (!shared || strstr(kernel->occupancy_limit, "registers") != NULL)
        function->registers = fewer_registers(profile);
    if (shared) {
        double kept = less_shared(review);
        function->static_shared_bytes = (uint32_t)(kept * function->static_shared_bytes);
        change->after.input.shape.dynamic_shared_bytes = (uint32_t)(kept * profile->shape.dynamic_shared_bytes);
    }
    uint32_t resident = kernel_model_resident_blocks(&change->after);
    if (resident <= kernel->resident_blocks)
        return false;
    advice_name(advice, names.sum);
    advice_say(
        advice, review_kernel_line(review),
        "Only %s of the warps that a multiprocessor can hold are resident for kernel %.80s, limited by %s (%u registers per "
        "thread, %u bytes of shared memory per block). That is too few to hide what they wait for: %s",
        quantity_percent(kernel->cost.occupancy, 0).text, kernel->name, kernel->occupancy_limit, profile->registers,
        profile->static_shared_bytes + profile->shape.dynamic_shared_bytes,
        shared ? "use half as much shared memory"
               : "reduce the number of values that a thread keeps in registers at the same time");
    if (shared)
        advice_sketch(advice, "__shared__ float tile[ROWS / 2][COLUMNS]; // and twice as many blocks");
    else
        advice_sketch(advice, "__global__ void __launch_bounds__(%.0f, %u) // resident blocks; it must not spill",
                      review_threads_per_block(review), resident);
    return true;
}

/* Some multiprocessors have no block. The changed model divides the same work among one block for each of them. */
bool rule_too_few_blocks(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    uint32_t multiprocessors = review->explanation->hardware->multiprocessors;
    double blocks = review_blocks_per_launch(review);
    CostInput *input = &change->after.input;
    if (blocks >= multiprocessors)
        return false;
    double part = blocks / multiprocessors;
    input->block_shares = (BlockShares){0};
    input->shape.grid[0] = multiprocessors;
    input->shape.grid[1] = input->shape.grid[2] = 1;
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, part);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, part);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, part);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, part);
    advice_name(advice, "gridDim");
    advice_say(
        advice, first_line_with(review->source, "<<<"),
        "Kernel %.80s has only %.0f block%s for %u multiprocessors, so the others are idle. Let each thread do less, "
        "or use smaller blocks",
        kernel->name, blocks, blocks > 1 ? "s" : "", multiprocessors);
    advice_sketch(
        advice, "int blocks = (OUTPUTS + %.0f - 1) / %.0f; // one output per thread; or another number of at least %u",
        review_threads_per_block(review), review_threads_per_block(review), 2 * multiprocessors);
    advice_sketch(advice, "%s<<<blocks, %.0f>>>(...);", kernel->name, review_threads_per_block(review));
    return true;
}

/* Each warp waits for its own previous instruction most of the time, and too few warps are there to fill the gaps. After
 * the change a thread has two chains of instructions that do not wait for each other. */
bool rule_latency(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double SHORTER = 0.6;
    const SimLine *line = review_hot_line(review);
    if (line == NULL || strcmp(review->kernel->cost.limiter, "latency") != 0 ||
        review_executions_per_warp(review, line) < 8)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    if (names.has_several_sums)
        return false; /* these are independent chains already */
    change_waiting(&change->after, SHORTER);
    change->after.function.registers += 8;
    advice_name(advice, names.sum);
    advice_say(
        advice, line->line,
        "Warps wait for their own loads and additions, and with only %s of the possible warps there is too little "
        "other work to hide it. Use two independent accumulators, or launch more, smaller blocks",
        quantity_percent(review->kernel->cost.occupancy, 0).text);
    advice_sketch(advice, "float %s = 0.0f, %s_odd = 0.0f;", names.sum, names.sum);
    advice_sketch(advice, "for (int %s = 0; %s + 1 < %s; %s += 2) {", names.loop, names.loop,
                  names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    advice_sketch(advice, "    %s += ...; // tap %s", names.sum, names.loop);
    advice_sketch(advice, "    %s_odd += ...; // tap %s + 1, loaded before the first accumulator needs its value",
                  names.sum, names.loop);
    advice_sketch(advice, "}");
    return true;
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* The grid fills the multiprocessors a few times and then a little: the last wave takes as long as a full one. After the
 * change the same work is divided among as many blocks as fit in whole waves. */
bool rule_tail(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    double waves = kernel->waves, whole = floor(waves);
    double blocks = whole * kernel->resident_blocks * review->explanation->hardware->multiprocessors;
    CostInput *input = &change->after.input;
    if (whole < 1 || waves > 6 || ceil(waves) / waves < 1.1)
        return false;
    double more = review_blocks_per_launch(review) / blocks;
    input->block_shares = (BlockShares){0};
    input->shape.grid[0] = (uint32_t)blocks;
    input->shape.grid[1] = input->shape.grid[2] = 1;
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, more);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, more);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, more);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, more);
    advice_name(advice, "gridDim");
    advice_say(
        advice, first_line_with(review->source, "<<<"),
        "The grid fills all multiprocessors %s times, and the last, incomplete wave takes as long as a full one. Launch "
        "%.0f blocks (a whole number of waves), and let each block process several tiles",
        quantity_ratio(waves).text, blocks);
    advice_sketch(advice, "for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x) // around the kernel's body");
    advice_sketch(advice, "%s<<<%.0f, %.0f>>>(...);", kernel->name, blocks, review_threads_per_block(review));
    return true;
}

/* ==== advice shared =============================================================================================== */

/* ---- banks ------------------------------------------------------------------------------------------------------- */

static double excess_wavefronts(const SimLine *line)
{
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    return wavefronts - (double)line->ideal_shared_wavefronts;
}

/* Whether a line uses an array; the name is copied into `names`, as that of the array of the thread. */
static bool declares_shared(const KernelUnderReview *review, const ArrayUse *use, char *columns, size_t size, int *line)
{
    return use->name[0] != '\0' && array_row(review->source, use->name, columns, size, line);
}

/* The padding that ends the conflicts, from the array's declared rows and the block; says so in the sketch. */
static bool sketch_padding(const KernelUnderReview *review, const ArrayUse *use, double wavefronts, Advice *advice)
{
    char columns[INDEX_ROOM], text[INDEX_ROOM];
    int line = 0;
    int64_t row = 0;
    if (!declares_shared(review, use, columns, sizeof columns, &line) ||
        !constant_value(review->source, review->subject->problem, review->subject->sizes, columns, &row))
        return false;
    int padding = padding_of(review->kernel->profile->shape.block[0], row, wavefronts);
    if (padding < 0)
        return false;
    review_line_text(review, line, text, sizeof text);
    advice_sketch(advice, "// line %d: %s", line, text);
    advice_sketch(advice, "... %s...[%s + %d]; // rows of %lld elements: the threads of a warp meet each bank once",
                  use->name, columns, padding, (long long)(row + padding));
    return true;
}

bool rule_bank_conflicts(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, excess_wavefronts);
    if (line == NULL)
        return false;
    double requests = (double)(line->counters.shared_load_requests + line->counters.shared_store_requests);
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    SimCounters *after = &change->after.counters;
    double all = (double)(after->shared_load_wavefronts + after->shared_store_wavefronts);
    double kept = fmax(0, 1 - ratio(review_per_launch(review, review_sum(review, excess_wavefronts)), all));
    KernelNames names;
    review_names(review, line->line, &names);
    after->shared_load_wavefronts = change_scaled(after->shared_load_wavefronts, kept);
    after->shared_store_wavefronts = change_scaled(after->shared_store_wavefronts, kept);
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "Threads of a warp access different words of the same banks of `%s`, so each access takes %s wavefronts where "
        "%s would be enough. Pad each row of the array by the number of elements shown below, or let "
        "neighbouring threads access neighbouring elements",
        names.input.name, quantity_ratio(ratio(wavefronts, requests)).text,
        quantity_ratio(ratio((double)line->ideal_shared_wavefronts, requests)).text);
    if (!sketch_padding(review, &names.input, ratio(wavefronts, requests), advice)) {
        advice_sketch(advice, "// a factor of threadIdx.x should be odd: 32 threads then meet 32 banks");
        advice_sketch(advice, "... %s[row * (COLUMNS | 1) + column] ...", names.input.name);
    }
    return true;
}

/* ---- wide loads -------------------------------------------------------------------------------------------------- */

static double shared_loads(const SimLine *line)
{
    return (double)line->counters.shared_load_requests;
}

/* Loads of 4 bytes, of which the inner loop makes nearly as many as multiply-adds. After the change one instruction loads
 * 16 bytes; different elements take as many wavefronts as before, a tap that all lanes share takes half of them. */
bool rule_vector_loads(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double FEWER = 0.3, WAVEFRONTS = 0.75;
    const SimLine *line = review_worst_line(review, shared_loads);
    const InstructionMix *mix = &review->mix;
    if (line == NULL || review_executions_per_warp(review, line) < 4 ||
        ratio(mix->shared_loads, mix->multiply_adds) < 0.3 ||
        ratio(mix->shared_loads, (double)review->model.counters.shared_load_requests) < 0.6)
        return false;
    double width = ratio((double)line->ideal_shared_wavefronts, shared_loads(line));
    if (width > 1.5)
        return false;
    KernelNames names;
    uint64_t wavefronts = change->after.counters.shared_load_wavefronts;
    review_names(review, line->line, &names);
    change_shared_loads(&change->after, FEWER);
    change->after.counters.shared_load_wavefronts = change_scaled(wavefronts, WAVEFRONTS);
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "Each multiply-add needs %s loads of 4 bytes from shared memory. Load 4 neighbouring elements of `%s` with one "
        "instruction, and use them from registers",
        quantity_ratio(ratio(mix->shared_loads, mix->multiply_adds)).text, names.input.name);
    advice_sketch(advice, "__shared__ __align__(16) float %s[...]; // rows a multiple of 4 elements long",
                  names.input.name);
    advice_sketch(advice, "float4 four = *reinterpret_cast<const float4*>(&%s[4 * threadIdx.x + ...]);",
                  names.input.name);
    advice_sketch(advice, "%s[0] += four.x * tap; // and likewise for the other outputs and taps, 4 at a time",
                  names.sum);
    return true;
}

/* ==== advice transform ============================================================================================ */

/* Fast convolution by overlap-save: Oppenheim and Schafer, Discrete-Time Signal Processing, "Implementing Linear
 * Time-Invariant Systems Using the DFT". A block transforms a tile of N inputs and the filter, multiplies them, and
 * transforms the product back; N - F + 1 of the results are outputs. Two tiles are the real and the imaginary part of one. */
typedef struct Transform {
    double points, steps; /* steps: radix 4, each of which goes through shared memory */
    double tile;          /* outputs of a block */
    double operations;    /* for each output, of floats */
} Transform;

enum { TRANSFORMS = 3, OPERATIONS = 5 /* times N log2(N), of one transform */, LEAST_TAPS = 256 };

static Transform transform_for(double taps)
{
    double points = exp2(ceil(log2(3 * taps))), tile = 2 * (points - taps + 1);
    return (Transform){.points = points,
                       .steps = ceil(log2(points) / 2),
                       .tile = tile,
                       .operations = TRANSFORMS * OPERATIONS * points * log2(points) / tile};
}

/* A simple program takes three further instructions for each operation, for indices and twiddle factors: so does
 * conv1d/fft_overlap_save.cu. */
static void transform(const KernelUnderReview *review, const Transform *by, double outputs, KernelModel *after)
{
    enum { THREADS = 512, REGISTERS = 40, OTHERS = 3 };
    const InstructionMix *mix = &review->mix;
    double blocks = ceil(outputs / by->tile), chain_s = change_chain_seconds(after);
    double operations = by->operations * outputs / SIM_WARP_SIZE;
    double exchanged = 2 * TRANSFORMS * by->steps * by->points / by->tile * outputs / SIM_WARP_SIZE;
    double loaded = 3 * by->points / by->tile * outputs / SIM_WARP_SIZE; /* two tiles and the filter */
    change_constant_loads(after, 0);
    change_texture_loads(after, 0);
    change_shared_loads(after, 0);
    change_global_loads(after, ratio(loaded, mix->global_loads), ratio(loaded, mix->global_loads));
    change_arithmetic(after, ratio(operations, mix->multiply_adds));
    change_others(after, ratio(OTHERS * operations, mix->others));
    change_add_shared(after, exchanged, exchanged, 0);
    after->function.static_shared_bytes = (uint32_t)(2 * sizeof(float) * by->points);
    after->function.registers = REGISTERS;
    after->input.shape = (LaunchShape){.grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1}};
    double each = ratio(change_mix(after).all, blocks * THREADS / SIM_WARP_SIZE); /* instructions of a warp */
    change_waiting(after, ratio(each * review->explanation->hardware->arithmetic_latency_s, chain_s));
}

/* 8192 points are 4^6 * 2: six steps of radix 4 and one of radix 2. */
static void sketch_steps(const Transform *by, Advice *advice)
{
    const double steps = log2(by->points) / 2;
    const bool is_odd = floor(steps) < steps;
    advice_sketch(advice, "fft(s_points); // log4(%.0f) is %g: %.0f steps of radix 4%s, each followed by a barrier",
                  by->points, steps, floor(steps), is_odd ? " and one of radix 2" : "");
}

/* The convolution theorem: a long filter takes far fewer operations through the Fourier transform. */
bool rule_fast_convolution(const KernelUnderReview *review, Change *change, Advice *advice)
{
    size_t extents[TENSOR_MAX_RANK];
    const SimLine *line = review_hot_line(review);
    if (line == NULL || review_filter_extents(review, extents) != 1 || extents[0] < LEAST_TAPS)
        return false;
    double taps = (double)extents[0], outputs = review->subject->operations / (2 * taps);
    double direct = (double)(review->counters->fma32 + review->counters->fma64);
    if (direct < 0.5 * taps * outputs)
        return false; /* it is no direct convolution */
    Transform by = transform_for(taps);
    KernelNames names;
    review_names(review, line->line, &names);
    transform(review, &by, outputs, &change->after);
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "Direct convolution needs %.0f operations per output; with Fourier transforms it is about %.0f. Transform tiles of "
        "`%s` and the filter, multiply them, and transform back (overlap-save); for filters of fewer than about %d "
        "taps, direct convolution is faster",
        2 * taps, by.operations, names.input.name, LEAST_TAPS);
    advice_sketch(advice, "__shared__ float2 s_points[%.0f]; // two tiles: the real and the imaginary part", by.points);
    advice_sketch(advice, "// tiles of %.0f elements, starting %.0f elements apart", by.points, by.points - taps + 1);
    sketch_steps(&by, advice);
    advice_sketch(advice,
                  "s_points[k] *= spectrum[k]; // complex product with the transform of the zero-padded filter");
    advice_sketch(advice,
                  "inverse_fft(s_points); // discard the first %.0f results (wrap-around); the rest are outputs",
                  taps - 1);
    return true;
}

/* ==== advisor ===================================================================================================== */

/* A rule is silent below its least gain, which is higher where its estimate is rough or its change has a price. Of two
 * changes that gain about the same, the one that is less work comes first: a rewritten loop counts for less than a changed
 * line. */
enum {
    LINE = 100,
    LOOP = 80,
    TILE = 75,
    KERNEL = 70,
    ALGORITHM = 10 /* it comes behind what mends the kernel at hand */
};                 /* percent of its gain that decides its place, by what has to be written */

typedef struct AdvisorRule {
    const char *id;
    double least_gain;
    int place;
    AdviceRule *find;
    bool is_about_the_call; /* asked once, not for each kernel */
} AdvisorRule;

static const AdvisorRule rules[] = {
    {"needless_work", 0.15, LINE, rule_needless_work, false},
    {"several_outputs", 0.15, LOOP, rule_several_outputs, false},
    {"fast_convolution", 0.3, ALGORITHM, rule_fast_convolution, false},
    {"register_patch", 0.15, KERNEL, rule_register_patch, false},
    {"uncoalesced", 0.1, LINE, rule_uncoalesced, false},
    {"bank_conflicts", 0.1, LINE, rule_bank_conflicts, false},
    {"reread", 0.15, TILE, rule_reread, false},
    {"global_accumulation", 0.1, LINE, rule_global_accumulation, false},
    {"async_copies", 0.15, KERNEL, rule_async_copies, false},
    {"vector_loads", 0.12, LOOP, rule_vector_loads, false},
    {"constant_filter", 0.05, LINE, rule_constant_filter, false},
    {"constant_addresses_differ", 0.1, LINE, rule_constant_addresses_differ, false},
    {"constants_too_long", 0.25, LINE, rule_constants_too_long, false},
    {"unrolling", 0.2, LINE, rule_unrolling, false},
    {"spills", 0.1, LINE, rule_spills, false},
    {"local_memory", 0.1, LINE, rule_local_memory, false},
    {"divergence", 0.15, LINE, rule_divergence, false},
    {"imbalance_lanes", 0.15, LINE, rule_imbalance_lanes, false},
    {"imbalance_blocks", 0.15, LINE, rule_imbalance_blocks, false},
    {"double_precision", 0.1, LINE, rule_double_precision, false},
    {"float_division", 0.15, LINE, rule_float_division, false},
    {"special_functions", 0.15, LINE, rule_special_functions, false},
    {"integer_division", 0.25, LINE, rule_integer_division, false},
    {"too_much_integer", 0.25, LOOP, rule_too_much_integer, false},
    {"tensor_cores", 0.3, ALGORITHM, rule_tensor_cores, false},
    {"needless_barriers", 0.05, LINE, rule_needless_barriers, false},
    {"block_shape", 0.1, LINE, rule_block_shape, false},
    {"low_occupancy", 0.15, LINE, rule_low_occupancy, false},
    {"too_few_blocks", 0.35, LINE, rule_too_few_blocks, false},
    {"latency", 0.15, LOOP, rule_latency, false},
    {"tail", 0.1, LOOP, rule_tail, false},
    {"serial_launches", 0.2, LINE, rule_serial_launches, true},
    {"host_copies", 0.1, LINE, rule_host_copies, true},
    {"allocations", 0.1, LINE, rule_allocations, true},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* ---- gain -------------------------------------------------------------------------------------------------------- */

/* The call before the change and after it, as the model says. What it does not count is added to the call as it is. */
static void weigh(const KernelUnderReview *review, const Change *change, Advice *advice)
{
    double before_s = review->explanation->seconds + change->unmodelled_s;
    double kernel_s = kernel_model_seconds(&review->model) - kernel_model_seconds(&change->after);
    advice->after_s = review->explanation->seconds - kernel_s - change->saved_s;
    advice->gain = (before_s - advice->after_s) / before_s;
}

/* Keeps the list sorted. Where it is full, the last piece is dropped. */
static void insert_by_place(Advice list[ADVISOR_MOST], double places[ADVISOR_MOST], size_t *count, const Advice *new,
                            double place)
{
    size_t at = *count;
    while (at > 0 && places[at - 1] < place)
        at--;
    if (at == ADVISOR_MOST)
        return;
    *count += *count < ADVISOR_MOST;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    memmove(&places[at + 1], &places[at], (*count - at - 1) * sizeof *places);
    list[at] = *new;
    places[at] = place;
}

/* The findings of one rule in all kernels. Kernels that get the same advice for one line, such as launches of one
 * function with different grids, share one piece, and their gains add up. */
typedef struct AdviceFindings {
    Advice advice[PROFILE_MAX_KERNELS];
    double largest_gains[PROFILE_MAX_KERNELS]; /* of one kernel: the one whose sentence is kept */
    size_t count;
} AdviceFindings;

static void add_finding(AdviceFindings *findings, const Advice *found, double seconds)
{
    size_t i = 0;
    while (i < findings->count && findings->advice[i].line != found->line)
        i++;
    double sum = found->gain + (i < findings->count ? findings->advice[i].gain : 0);
    if (i == findings->count || found->gain > findings->largest_gains[i]) {
        findings->advice[i] = *found;
        findings->largest_gains[i] = found->gain;
    }
    findings->advice[i].gain = sum;
    findings->advice[i].after_s = seconds * (1 - sum);
    findings->count += i == findings->count;
}

static void apply_rule(const AdvisorRule *rule, const Explanation *explanation, const AdviceSubject *subject,
                       AdviceFindings *findings)
{
    uint32_t kernels = rule->is_about_the_call ? 1 : explanation->profile->kernel_count;
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        Advice found = {.id = rule->id, .kernel = kernel};
        KernelUnderReview review;
        review_begin(explanation, kernel, subject, &review);
        Change change = {.after = review.model};
        if (!rule->find(&review, &change, &found))
            continue;
        weigh(&review, &change, &found);
        add_finding(findings, &found, explanation->seconds);
    }
}

size_t advisor_find(const Explanation *explanation, const AdviceSubject *subject, Advice advice[ADVISOR_MOST])
{
    double places[ADVISOR_MOST];
    size_t count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        AdviceFindings findings = {.count = 0};
        apply_rule(&rules[i], explanation, subject, &findings);
        for (size_t j = 0; j < findings.count; j++)
            if (findings.advice[j].gain >= rules[i].least_gain)
                insert_by_place(advice, places, &count, &findings.advice[j], rules[i].place * findings.advice[j].gain);
    }
    return count;
}
