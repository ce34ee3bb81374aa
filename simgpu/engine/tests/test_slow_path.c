#include "simgpu/tests/machine.h"

#include <stdio.h>

enum { EXPONENTS = 256, DIVISION = 35, RECIPROCAL = 23, ROOT = 12 };

static SimGpu *interpreting, *translating;

static int new_gpus(void **state)
{
    interpreting = machine_new(0, 2);
    translating = machine_new_translating(1, 2);
    return 0;
}

static int free_gpus(void **state)
{
    simgpu_free(interpreting);
    simgpu_free(translating);
    return machine_remove_libraries();
}

/* Block i computes with %b = `begin` + i * `step` in one lane, 1.5 in the others, and with %a = `numerator`. */
typedef struct Operands {
    uint32_t numerator, begin, step;
} Operands;

static uint64_t instructions_of(SimGpu *gpu, const char *operation, const Operands *operands, uint32_t blocks)
{
    char text[1000];
    SimModule *module;
    SimReport report;
    Message why = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u32 numerator, .param .u32 begin, .param .u32 step)\n{\n"
             ".reg .f32 %%a, %%b; .reg .b32 %%i, %%n, %%s; .reg .pred %%p;\n"
             "ld.param.f32 %%a, [numerator]; ld.param.u32 %%n, [begin]; ld.param.u32 %%s, [step];\n"
             "mov.u32 %%i, %%ctaid.x; mad.lo.u32 %%i, %%i, %%s, %%n; mov.u32 %%n, %%tid.x; setp.eq.u32 %%p, %%n, 7;\n"
             "selp.b32 %%i, %%i, 0x3FC00000, %%p; mov.b32 %%b, %%i;\n%s\nret;\n}\n",
             operation);
    SimLaunch launch = {.function = machine_load(gpu, text, strlen(text), "k", &module, &why),
                        .shape.grid = {blocks, 1, 1},
                        .shape.block = {32, 1, 1},
                        .parameters = operands};
    if (launch.function == NULL)
        fail_test("%s: %s", operation, why.text);
    simgpu_launch(gpu, &launch, &report);
    if (report.outcome != SIM_OK)
        fail_test("%s: %s", operation, report.fault.text);
    simgpu_module_unload(gpu, module);
    return report.counters.slow_path_instructions;
}

/* All pairs of exponents, as recorded on hardware. Where no denominator is fast, that of the other lanes is not
 * either. */
static void divisions_call_where_hardware_does(void **state)
{
    FILE *file = fopen("simgpu/tests/data/slow_divisions.txt", "r");
    int rows = 0, first, last;
    assert_non_null(file);
    for (int numerator; fscanf(file, "%d %d %d", &numerator, &first, &last) == 3; rows++) {
        Operands operands = {(uint32_t)numerator << 23 | 0x400000, 0x200000, 1 << 23};
        int fast = first < 0 ? 0 : last - first + 1;
        bool others_are_fast = first <= 127 && 127 <= last;
        uint64_t slow = others_are_fast ? (uint64_t)(EXPONENTS - fast) : EXPONENTS;
        uint64_t counted = instructions_of(interpreting, "div.rn.f32 %a, %a, %b;", &operands, EXPONENTS);
        if (counted != slow * DIVISION)
            fail_test("exponent %d: %d calls, expected %d", numerator, (int)(counted / DIVISION), (int)slow);
    }
    fclose(file);
    assert_int_equal(rows, EXPONENTS);
}

/* The first and the last of each range of bit patterns, as ptxas tests them. */
static void reciprocals_and_roots_call_out_of_range(void **state)
{
    static const struct {
        const char *operation;
        uint32_t begin;
        uint64_t instructions;
    } rows[] = {
        {"rcp.rn.f32 %a, %b;", 0x00000000, RECIPROCAL},
        {"rcp.rn.f32 %a, %b;", 0x007FFFFF, RECIPROCAL},
        {"rcp.rn.f32 %a, %b;", 0x00800000, 0},
        {"rcp.rn.f32 %a, %b;", 0xFE7FFFFF, 0},
        {"rcp.rn.f32 %a, %b;", 0x7E800000, RECIPROCAL},
        {"rcp.rn.ftz.f32 %a, %b;", 0x7F800000, RECIPROCAL},
        {"sqrt.rn.f32 %a, %b;", 0x00000000, ROOT},
        {"sqrt.rn.f32 %a, %b;", 0x0CFFFFFF, ROOT},
        {"sqrt.rn.f32 %a, %b;", 0x0D000000, 0},
        {"sqrt.rn.f32 %a, %b;", 0x7F7FFFFF, 0},
        {"sqrt.rn.f32 %a, %b;", 0x7F800000, ROOT},
        {"sqrt.rn.f32 %a, %b;", 0xBF800000, ROOT},
        {"div.approx.f32 %a, %b, %b;", 0, 0},
        {"div.full.f32 %a, %b, %b;", 0, 0},
        {"rcp.approx.f32 %a, %b;", 0, 0},
        {"sqrt.approx.ftz.f32 %a, %b;", 0, 0},
        {"@!%p sqrt.rn.f32 %a, %b;", 0, 0},
        {"@%p sqrt.rn.f32 %a, %b;", 0, ROOT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Operands operands = {.begin = rows[i].begin};
        uint64_t counted = instructions_of(interpreting, rows[i].operation, &operands, 1);
        if (counted != rows[i].instructions)
            fail_test("%s of 0x%08x: %d, expected %d", rows[i].operation, rows[i].begin, (int)counted,
                      (int)rows[i].instructions);
    }
}

/* A register that is read and written at once is counted as it was. */
static void translations_count_the_same(void **state)
{
    static const char *const operations[] = {"div.rn.f32 %b, %a, %b;", "rcp.rn.f32 %b, %b;", "sqrt.rn.f32 %b, %b;"};
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        Operands operands = {.numerator = 0x40000000, .begin = 0x200000, .step = 1 << 23};
        uint64_t counted = instructions_of(interpreting, operations[i], &operands, EXPONENTS);
        assert_true(counted > 0);
        assert_int_equal(instructions_of(translating, operations[i], &operands, EXPONENTS), counted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisions_call_where_hardware_does),
        cmocka_unit_test(reciprocals_and_roots_call_out_of_range),
        cmocka_unit_test(translations_count_the_same),
    };
    return cmocka_run_group_tests(tests, new_gpus, free_gpus);
}
