#include "base/tests/unit.h"

#include "simgpu/lower/lower.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

enum { LOADS = 4 };

/* Loads %i, %f, %k and %g one after the other, each of which is needed no more when the next is loaded. */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a)\n{\n"
                           ".reg .b64 %a; .reg .b32 %i, %k, %f, %g, %h;\n"
                           "ld.param.u64 %a, [a];\n"
                           "ld.global.b32 %i, [%a];\nadd.s32 %i, %i, 1;\nst.global.b32 [%a], %i;\n"
                           "ld.global.b32 %f, [%a];\nadd.f32 %h, %f, %f;\nst.global.b32 [%a], %h;\n"
                           "ld.global.b32 %k, [%a];\nadd.s32 %k, %k, 1;\nst.global.b32 [%a], %k;\n"
                           "ld.global.b32 %g, [%a];\nadd.f32 %h, %g, %g;\nst.global.b32 [%a], %h;\n"
                           "ret;\n}\n";

static void what_is_read_as_a_float_shares_slots_with_such_alone(void **state)
{
    PtxModule module;
    Code code;
    Message why;
    uint32_t slots[LOADS];
    int loads = 0;
    assert_int_equal(ptx_parse("test", text, strlen(text), &module, &why), STATUS_OK);
    assert_int_equal(lower_kernel(&module, ptx_function(&module, "k"), &code, &why), STATUS_OK);
    for (int i = 0; i < code.instruction_count; i++)
        if (code.instructions[i].kind == LOAD && code.instructions[i].space == PTX_GLOBAL && loads < LOADS)
            slots[loads++] = code.instructions[i].results[0].slot;
    assert_int_equal(loads, LOADS);
    assert_int_equal(slots[1], slots[3]);
    assert_int_not_equal(slots[1], slots[0]);
    assert_int_not_equal(slots[1], slots[2]);
    code_free(&code);
    ptx_free(&module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_as_a_float_shares_slots_with_such_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
