#include "base/tests/unit.h"

#include "grader/report/explain.h"

#include <math.h>
#include <string.h>

/* A kernel of 1000 warp-instructions, whose kinds can be told apart by their numbers. */
static KernelModel kernel(bool has_machine_code)
{
    KernelModel model = {.counters = {.warp_instructions = 1000,
                                      .lane_instructions = 16000, /* of 16 lanes each */
                                      .fp32 = 5000,
                                      .fma32 = 3200,
                                      .fp64 = 1800,
                                      .fma64 = 1600,
                                      .integer = 800,
                                      .control = 160,
                                      .global_load_requests = 40,
                                      .global_load_sectors = 400,
                                      .global_load_wavefronts = 80,
                                      .global_load_bytes = 6400,
                                      .global_store_requests = 10,
                                      .global_store_sectors = 100,
                                      .global_store_bytes = 3200,
                                      .shared_load_requests = 50,
                                      .shared_load_wavefronts = 60,
                                      .shared_store_requests = 20,
                                      .shared_store_wavefronts = 24,
                                      .constant_requests = 30,
                                      .constant_replays = 12,
                                      .texture_requests = 8,
                                      .texture_sectors = 16,
                                      .local_requests = 2},
                         .input = {.shape.grid = {6, 5, 1},
                                   .shape.block = {64, 1, 1},
                                   .longest_warp_instructions = 100,
                                   .longest_warp_loads = 40,
                                   .longest_warp_shared = 20,
                                   .longest_warp_constant = 10}};
    if (has_machine_code)
        model.input.machine = (SimMachineRatios){.issue = 1.5,
                                                 .shared = 0.5,
                                                 .constant = 0.2,
                                                 .uniform = 0.6,
                                                 .local = 0.004,
                                                 .local_sectors = 0.008,
                                                 .direct = 0.01,
                                                 .fma = 1,
                                                 .alu = 2,
                                                 .multiply = 3,
                                                 .special = 4,
                                                 .waiting = 5};
    return model;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_test("%.12g, expected %.12g", found, expected);
}

/* Multiply-adds: (3200 + 1600) / 16 lanes. */
static void a_mix_is_what_the_counters_say(void **state)
{
    const KernelModel model = kernel(false);
    const InstructionMix mix = change_mix(&model);
    near(mix.multiply_adds, 300);
    near(mix.global_loads, 40);
    near(mix.shared_loads, 50);
    near(mix.constant_loads, 30);
    near(mix.texture_loads, 8);
    near(mix.stores, 30);
    near(mix.local, 2);
    near(mix.all, 1000);
    near(mix.others, 1000 - 300 - 128 - 30 - 2);
    near(change_loads(&mix), 128);
}

static void a_mix_of_machine_code_follows_its_ratios(void **state)
{
    const KernelModel model = kernel(true);
    const InstructionMix mix = change_mix(&model);
    near(mix.shared_loads, 25);
    near(mix.constant_loads, 24);
    near(mix.local, 4); /* more than those of PTX */
    near(mix.all, 1500);
    near(mix.others, 1500 - 300 - 97 - 30 - 4);
}

static void a_mix_is_never_less_than_its_parts(void **state)
{
    KernelModel model = kernel(false);
    model.counters.warp_instructions = 100; /* of 160 lanes, so that there are fewer multiply-adds */
    InstructionMix mix = change_mix(&model);
    near(mix.multiply_adds, 30);
    near(mix.others, 0);
    near(mix.all, 30 + 128 + 30 + 2);
    model.counters.lane_instructions = 10; /* a warp has a lane at work at least */
    mix = change_mix(&model);
    near(mix.multiply_adds, 4800);
    model.counters.warp_instructions = 0; /* or, of an unknown number, all of them */
    mix = change_mix(&model);
    near(mix.multiply_adds, 150);
}

/* Each change takes its instructions off the whole, and its counters with them. */
static void what_a_change_keeps_is_left_of_the_counters(void **state)
{
    KernelModel model = kernel(false);
    change_others(&model, 0.5);
    near((double)model.counters.warp_instructions, 730);
    near((double)model.counters.lane_instructions, 11680);
    near((double)model.counters.integer, 400);
    near((double)model.counters.control, 80);

    model = kernel(false);
    change_global_loads(&model, 0.5);
    near((double)model.counters.warp_instructions, 980);
    near((double)model.counters.global_load_requests, 20);
    near((double)model.counters.global_load_wavefronts, 40);
    near((double)model.counters.global_load_sectors, 200);
    near((double)model.counters.global_load_bytes, 3200);

    model = kernel(false);
    change_global_stores(&model, 0.5);
    near((double)model.counters.warp_instructions, 995);
    near((double)model.counters.global_store_requests, 5);
    near((double)model.counters.global_store_sectors, 50);
    near((double)model.counters.global_store_bytes, 1600);
}

/* Of 1500 instructions, as many fewer as before: the ratios to PTX stay what they are for what is left. */
static void ratios_keep_what_they_are_ratios_of(void **state)
{
    KernelModel model = kernel(true);
    change_global_stores(&model, 0.4);
    const double kept = 1 - 6.0 / 1500;
    near((double)model.counters.warp_instructions, floor(1000 * kept));
    near(model.input.machine.local, 0.004 / kept);
    near(model.input.machine.local_sectors, 0.008 / kept);
    near(model.input.machine.direct, 0.01 / kept);
}

static void something_is_always_left(void **state)
{
    KernelModel model = kernel(false);
    model.counters.global_load_requests = 100000;
    change_global_loads(&model, 0);
    assert_true(model.counters.warp_instructions > 0);
    model = (KernelModel){0};
    change_others(&model, 0.5);
    near((double)model.counters.warp_instructions, 0);
    uint64_t count = 10;
    change_scale(&count, 2.5);
    near((double)count, 25);
    change_scale(&count, -1);
    near((double)count, 0);
}

static void a_warp_waits_less_by_machine_code_or_by_its_longest_warp(void **state)
{
    KernelModel model = kernel(true);
    change_waiting(&model, 0.5);
    near(model.input.machine.waiting, 2.5);
    near((double)model.input.longest_warp_instructions, 100);
    model = kernel(false);
    change_waiting(&model, 0.5);
    near((double)model.input.longest_warp_instructions, 50);
    near((double)model.input.longest_warp_loads, 20);
    near((double)model.input.longest_warp_shared, 10);
    near((double)model.input.longest_warp_constant, 5);
}

static void lanes_in_fewer_warps_need_fewer_instructions_of_each_unit(void **state)
{
    KernelModel model = kernel(true);
    change_lanes(&model, 0.5);
    near(model.input.machine.fma, 0.5);
    near(model.input.machine.alu, 1);
    near(model.input.machine.multiply, 1.5);
    near(model.input.machine.special, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_is_what_the_counters_say),
        cmocka_unit_test(a_mix_of_machine_code_follows_its_ratios),
        cmocka_unit_test(a_mix_is_never_less_than_its_parts),
        cmocka_unit_test(what_a_change_keeps_is_left_of_the_counters),
        cmocka_unit_test(ratios_keep_what_they_are_ratios_of),
        cmocka_unit_test(something_is_always_left),
        cmocka_unit_test(a_warp_waits_less_by_machine_code_or_by_its_longest_warp),
        cmocka_unit_test(lanes_in_fewer_warps_need_fewer_instructions_of_each_unit),
    };
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
