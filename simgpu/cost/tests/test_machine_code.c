#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/cost/machine_code.h"
#include "simgpu/cost/machine_lines.h"
#include "simgpu/cost/machine_program.h"
#include "simgpu/lower/lower.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* unrolled.cu: nvcc unrolls its loop four times. ptxas makes of that one loop with four copies (16 taps: 32 loads, 16
 * FMA and 8 others), and stretches of two copies and of one copy for the remaining iterations. */
typedef struct Kernel {
    Text image;
    Fatbin fatbin;
    PtxModule ptx;
    Code code;
    HardwareProfile profile;
    MachineProgram program;
    int loop; /* basic block of the four taps */
} Kernel;

static Kernel kernel, guarded, divided;

static int find_loop(const Code *code)
{
    for (int i = 0; i < code->block_count; i++)
        if (code->blocks[i].classes[FMA32] == 4 && code->blocks[i].target == i)
            return i;
    return -1;
}

static bool read_kernel(Kernel *of, const char *path)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &of->profile, &why) != STATUS_OK ||
        text_read_file(path, 1 << 20, &of->image, &why) != STATUS_OK ||
        fatbin_read(of->image.data, of->image.length, 90, &of->fatbin, &why) != STATUS_OK ||
        ptx_parse(path, of->fatbin.ptx, of->fatbin.ptx_bytes, &of->ptx, &why) != STATUS_OK ||
        lower_kernel(&of->ptx, ptx_function(&of->ptx, "convolve"), &of->code, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return false;
    }
    return machine_code_read(of->fatbin.cubin, of->fatbin.cubin_bytes, "convolve", &of->code, &of->profile,
                             &of->program);
}

static void free_kernel(Kernel *of)
{
    machine_code_free(&of->program);
    code_free(&of->code);
    ptx_free(&of->ptx);
    text_free(&of->image);
}

static int set_up(void **state)
{
    bool known = read_kernel(&kernel, "simgpu/tests/data/unrolled.fatbin") &&
                 read_kernel(&guarded, "simgpu/tests/data/guarded.fatbin") &&
                 read_kernel(&divided, "simgpu/tests/data/divided.fatbin");
    kernel.loop = find_loop(&kernel.code);
    return known && kernel.loop > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    free_kernel(&kernel);
    free_kernel(&guarded);
    free_kernel(&divided);
    return 0;
}

/* The work of one warp that executes each block once, or only those without a multiply-add. */
static MachineWork work_through(const Kernel *of, bool adds)
{
    MachineWork work;
    uint64_t *executed = calloc((size_t)of->code.block_count, sizeof *executed);
    assert_non_null(executed);
    for (int i = 0; i < of->code.block_count; i++)
        executed[i] = adds || of->code.blocks[i].classes[FMA32] == 0;
    machine_total(&of->program, &of->code, executed, &work);
    free(executed);
    return work;
}

/* The work of one warp in `iterations` of the loop over four taps. */
static MachineWork loop_of(uint64_t iterations)
{
    MachineWork with, without;
    uint64_t *executed = calloc((size_t)kernel.code.block_count, sizeof *executed);
    assert_non_null(executed);
    executed[kernel.loop - 1] = 1;
    machine_total(&kernel.program, &kernel.code, executed, &without);
    executed[kernel.loop] = iterations;
    machine_total(&kernel.program, &kernel.code, executed, &with);
    free(executed);
    with.issue -= without.issue;
    with.fma -= without.fma;
    with.alu -= without.alu;
    with.cycles -= without.cycles;
    return with;
}

static void instructions_have_lines(void **state)
{
    int32_t lines[200];
    assert_true(machine_lines(kernel.fatbin.cubin, kernel.fatbin.cubin_bytes, "convolve", lines, COUNT_OF(lines)));
    for (int i = 0; i < 100; i++)
        assert_true(lines[i] > 10 && lines[i] < 200);
    assert_false(machine_lines(kernel.fatbin.cubin, kernel.fatbin.cubin_bytes, "other", lines, COUNT_OF(lines)));
}

static void many_iterations_take_the_unrolled_loop(void **state)
{
    MachineWork work = loop_of(400);
    assert_true(fabs(work.issue / 100 - 56) < 1);
    assert_true(fabs(work.fma / 1600 - 1) < 0.15); /* ptxas also adds with the float32 pipe */
}

static void a_single_iteration_takes_the_remainder_loop(void **state)
{
    MachineWork one = loop_of(1), many = loop_of(400);
    assert_true(one.fma >= 4 && one.fma < 8);
    assert_true(one.issue > many.issue / 400); /* the loop counter is not shared by four copies */
}

/* The choice between the loops counts as well: on an H200 a warp of this kernel executes 84 instructions for 5 taps. */
static void five_taps_take_as_many_instructions_as_on_hardware(void **state)
{
    assert_float_equal(work_through(&kernel, true).issue, 84, 0.01);
}

/* guarded.cu: the machine code has none of its four branches. */
static void instructions_under_a_condition_are_executed_by_all(void **state)
{
    MachineWork all = work_through(&guarded, true), none = work_through(&guarded, false);
    assert_true(guarded.code.block_count > 8 && all.fma >= 4);
    assert_float_equal(none.issue, all.issue, 0.01);
    assert_float_equal(none.fma, all.fma, 0.01);
}

/* The block of the statement that starts with `words`. */
static int32_t block_with(const Kernel *of, const char *words)
{
    const char *found = strstr(of->fatbin.ptx, words);
    size_t line = 1;
    assert_non_null(found);
    for (const char *at = of->fatbin.ptx; at < found; at++)
        line += *at == '\n';
    return of->program.lines[line].block;
}

/* divided.cu: ptxas divides 64 bits in a function of about 80 instructions, and calls it where PTX says div.s64. The
 * function of the float32 division is for rare operands alone. */
static void a_function_behind_the_kernel_runs_where_it_is_called(void **state)
{
    MachineWork all, fast;
    int32_t call = block_with(&divided, "div.s64"), store = block_with(&divided, "st.global");
    uint64_t *executed = calloc((size_t)divided.code.block_count, sizeof *executed);
    assert_non_null(executed);
    for (int i = 0; i < divided.code.block_count; i++)
        executed[i] = 1;
    machine_total(&divided.program, &divided.code, executed, &all);
    executed[call] = 0;
    machine_total(&divided.program, &divided.code, executed, &fast);
    free(executed);
    assert_true(call > 0 && call != store);
    assert_true(all.issue - fast.issue > 60 && all.issue - fast.issue < 120);
}

static void waiting_grows_with_the_latency_of_loads(void **state)
{
    LoadShare *loads = calloc((size_t)kernel.code.memory_count, sizeof *loads);
    assert_non_null(loads);
    MachineWork hitting = loop_of(400);
    for (int i = 0; i < kernel.code.memory_count; i++)
        loads[i].l2 = 1;
    machine_code_wait(&kernel.program, &kernel.code, &kernel.profile, loads, (LoadShare){0});
    MachineWork missing = loop_of(400);
    for (int i = 0; i < kernel.code.memory_count; i++)
        loads[i].l2 = 0.5;
    machine_code_wait(&kernel.program, &kernel.code, &kernel.profile, loads, (LoadShare){0});
    MachineWork half = loop_of(400);
    machine_code_wait(&kernel.program, &kernel.code, &kernel.profile, NULL, (LoadShare){0});
    free(loads);
    assert_true(hitting.cycles > hitting.issue);
    assert_true(missing.cycles > 2 * hitting.cycles);
    /* sixteen taps wait about twice for a load, not 32 times */
    double latency = kernel.profile.l2_latency_s * kernel.profile.clock_hz;
    assert_true(missing.cycles / 100 < 4 * latency);
    /* of many loads that a warp waits for together, nearly always one is slow */
    assert_true(half.cycles > 0.8 * missing.cycles && half.cycles <= missing.cycles);
}

/* A cubin that is truncated or damaged anywhere is refused or read, but never read beyond its end. */
static void a_damaged_cubin_does_no_harm(void **state)
{
    size_t bytes = kernel.fatbin.cubin_bytes;
    for (size_t at = 0; at < bytes; at += 97) {
        unsigned char *copy = malloc(at + 1);
        MachineProgram program;
        memcpy(copy, kernel.fatbin.cubin, at);
        if (machine_code_read(copy, at, "convolve", &kernel.code, &kernel.profile, &program))
            machine_code_free(&program);
        free(copy);
    }
    for (size_t at = 0; at < bytes; at += 31) {
        unsigned char *copy = malloc(bytes);
        MachineProgram program;
        memcpy(copy, kernel.fatbin.cubin, bytes);
        copy[at] ^= 0xFF;
        if (machine_code_read(copy, bytes, "convolve", &kernel.code, &kernel.profile, &program))
            machine_code_free(&program);
        free(copy);
    }
}

/* A load by the operation and an addition that waits for it. */
static double cycles_of_load(MachineOperation operation, LoadShare share)
{
    MachineInstruction code[] = {{.operation = operation,
                                  .bytes = 4,
                                  .stall = 1,
                                  .result_barrier = 0,
                                  .operand_barrier = 7,
                                  .target = -1,
                                  .access = operation == MACHINE_LDL ? -1 : 0},
                                 {.operation = MACHINE_FADD,
                                  .stall = 4,
                                  .result_barrier = 7,
                                  .operand_barrier = 7,
                                  .waits = 1,
                                  .target = -1,
                                  .access = -1}};
    machine_wait(code, COUNT_OF(code), &kernel.profile, &share, share);
    return code[0].cycles + code[1].cycles;
}

/* Two loads, half of which come from memory, and an addition that waits for both. */
static double cycles_of_two_loads(int32_t first, int32_t second)
{
    const LoadShare shares[] = {{.memory = 0.5}, {.memory = 0.5}};
    MachineInstruction code[3];
    for (int i = 0; i < 3; i++)
        code[i] = (MachineInstruction){.operation = i < 2 ? MACHINE_LDG : MACHINE_FADD,
                                       .bytes = 4,
                                       .stall = 1,
                                       .result_barrier = i < 2 ? 0 : 7,
                                       .operand_barrier = 7,
                                       .waits = i == 2,
                                       .target = -1,
                                       .access = i == 0   ? first
                                                 : i == 1 ? second
                                                          : -1};
    machine_wait(code, COUNT_OF(code), &kernel.profile, shares, (LoadShare){0});
    return code[0].cycles + code[1].cycles + code[2].cycles;
}

static void new_data_is_waited_for_at_once_in_a_turn_and_in_each_turn_that_has_some(void **state)
{
    const HardwareProfile *profile = &kernel.profile;
    const double slower = (profile->global_latency_s - profile->l1_latency_s) * profile->clock_hz;
    const double of_one_turn = cycles_of_two_loads(0, 1), of_two_turns = cycles_of_two_loads(0, 0);
    assert_true(fabs(of_two_turns - of_one_turn - slower / 2) < 2);
}

static void a_warp_waits_for_the_memory_that_holds_spilled_registers(void **state)
{
    const HardwareProfile *profile = &kernel.profile;
    double near = cycles_of_load(MACHINE_LDL, (LoadShare){0}),
           middle = cycles_of_load(MACHINE_LDL, (LoadShare){.l2 = 1}),
           far = cycles_of_load(MACHINE_LDL, (LoadShare){.memory = 1});
    assert_true(fabs(middle - near - (profile->l2_latency_s - profile->l1_latency_s) * profile->clock_hz) < 1e-6);
    assert_true(fabs(far - near - (profile->global_latency_s - profile->l1_latency_s) * profile->clock_hz) < 1e-6);
}

static void a_load_that_joins_a_fetch_waits_for_half_of_it(void **state)
{
    const HardwareProfile *profile = &kernel.profile;
    double all = cycles_of_load(MACHINE_LDG, (LoadShare){.memory = 1}),
           joined = cycles_of_load(MACHINE_LDG, (LoadShare){.joined_memory = 1}),
           all_l2 = cycles_of_load(MACHINE_LDG, (LoadShare){.l2 = 1}),
           joined_l2 = cycles_of_load(MACHINE_LDG, (LoadShare){.joined_l2 = 1});
    assert_true(fabs(all - joined - profile->global_latency_s / 2 * profile->clock_hz) < 1e-6);
    assert_true(fabs(all_l2 - joined_l2 - profile->l2_latency_s / 2 * profile->clock_hz) < 1e-6);
}

/* One block of two lines runs, an access and a float operation, and one block does not. */
static bool is_believed(bool ran, bool swaps_lines, double issue, MachineWork least)
{
    MachineInstruction code[] = {{.operation = MACHINE_LDG, .line = 1}, {.operation = MACHINE_FFMA, .line = 2}};
    MachineLine lines[] = {
        {.block = -1}, {.block = 0, .accesses = 1, .space = PTX_GLOBAL}, {.block = 0, .may_be_float = true}};
    MachineProgram program = {
        .instructions = code, .instruction_count = 2, .lines = lines, .line_count = COUNT_OF(lines)};
    const uint64_t executed[] = {ran ? 100 : 0};
    const MachineWork work = {.issue = issue, .fma = 50, .special = 10};
    if (swaps_lines) {
        code[0].line = 2;
        code[1].line = 1;
    }
    return machine_is_plausible(&program, executed, &work, &least, 200);
}

static void lines_that_cannot_be_right_are_not_believed(void **state)
{
    assert_true(is_believed(true, false, 200, (MachineWork){0}));
    assert_false(is_believed(true, true, 200, (MachineWork){0}));
    assert_false(is_believed(false, false, 200, (MachineWork){0}));
    assert_false(is_believed(true, false, 10, (MachineWork){0}));
}

static void lines_that_leave_out_what_every_compiler_keeps_are_not_believed(void **state)
{
    assert_true(is_believed(true, false, 100, (MachineWork){.issue = 110, .fma = 100, .special = 20}));
    assert_false(is_believed(true, false, 100, (MachineWork){.issue = 112}));
    assert_false(is_believed(true, false, 100, (MachineWork){.fma = 101}));
    assert_false(is_believed(true, false, 100, (MachineWork){.special = 21}));
}

/* In the loop of unrolled.cu these are loads and multiply-adds: 48 of 56 instructions for 16 taps. */
static void machine_code_does_what_every_compiler_keeps(void **state)
{
    uint64_t *executed = calloc((size_t)kernel.code.block_count, sizeof *executed);
    assert_non_null(executed);
    executed[kernel.loop] = 400;
    const MachineWork least = machine_least(&kernel.code, executed), work = loop_of(400);
    free(executed);
    assert_float_equal(least.issue, 4800, 0.01);
    assert_float_equal(least.fma, 1600, 0.01);
    assert_true(work.issue > least.issue && work.fma >= least.fma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_data_is_waited_for_at_once_in_a_turn_and_in_each_turn_that_has_some),
        cmocka_unit_test(a_warp_waits_for_the_memory_that_holds_spilled_registers),
        cmocka_unit_test(a_load_that_joins_a_fetch_waits_for_half_of_it),
        cmocka_unit_test(instructions_have_lines),
        cmocka_unit_test(many_iterations_take_the_unrolled_loop),
        cmocka_unit_test(a_single_iteration_takes_the_remainder_loop),
        cmocka_unit_test(five_taps_take_as_many_instructions_as_on_hardware),
        cmocka_unit_test(instructions_under_a_condition_are_executed_by_all),
        cmocka_unit_test(a_function_behind_the_kernel_runs_where_it_is_called),
        cmocka_unit_test(waiting_grows_with_the_latency_of_loads),
        cmocka_unit_test(a_damaged_cubin_does_no_harm),
        cmocka_unit_test(lines_that_cannot_be_right_are_not_believed),
        cmocka_unit_test(lines_that_leave_out_what_every_compiler_keeps_are_not_believed),
        cmocka_unit_test(machine_code_does_what_every_compiler_keeps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
