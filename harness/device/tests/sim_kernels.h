/* sim_kernels.h - the kernels that the tests of the simulated GPU launch, on a device of their own.  */
#ifndef HARNESS_DEVICE_TESTS_SIM_KERNELS_H
#define HARNESS_DEVICE_TESTS_SIM_KERNELS_H

#include "harness/tests/sim_fixture.h"

/* store(p, v): thread i of the grid writes v + i to p[i]. spin(): never ends. take(to, from): writes numbers[0] to
 * to[0] and from[0] to to[1]. clash(p): each block writes its own number to p[0]. */
static const char PTX[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .const .align 4 .b8 numbers[16];\n"
                          ".visible .entry store(.param .u64 store_param_0, .param .u32 store_param_1)\n"
                          "{\n"
                          "  .reg .b32 %r<8>; .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [store_param_0];\n"
                          "  ld.param.u32 %r1, [store_param_1];\n"
                          "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  add.s32 %r6, %r1, %r5;\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  mul.wide.s32 %rd3, %r5, 4;\n"
                          "  add.s64 %rd4, %rd2, %rd3;\n"
                          "  st.global.u32 [%rd4], %r6;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry take(.param .u64 take_param_0, .param .u64 take_param_1)\n"
                          "{\n"
                          "  .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [take_param_0];\n"
                          "  ld.param.u64 %rd2, [take_param_1];\n"
                          "  ld.const.u32 %r1, [numbers];\n"
                          "  ld.global.u32 %r2, [%rd2];\n"
                          "  st.global.u32 [%rd1], %r1;\n"
                          "  st.global.u32 [%rd1+4], %r2;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry clash(.param .u64 clash_param_0)\n"
                          "{\n"
                          "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [clash_param_0];\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  st.global.u32 [%rd1], %r1;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry spin()\n"
                          "{\n"
                          "$loop:\n"
                          "  bra.uni $loop;\n"
                          "}\n";

static inline int set_up(void **state)
{
    return open_sim(state, PTX);
}

static inline CudaError store_launched(Fixture *f, uint64_t to, uint32_t value, uint32_t blocks, DeviceStream *stream,
                                       bool is_programmatic)
{
    struct {
        uint64_t to;
        uint32_t value;
    } parameters = {to, value};
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "store"),
                           .shape.grid = {blocks, 1, 1},
                           .shape.block = {64, 1, 1},
                           .parameters = &parameters,
                           .parameter_bytes = 12,
                           .stream = stream,
                           .is_programmatic = is_programmatic};
    assert_non_null(launch.function);
    return f->device->kernels->launch(f->device, &launch);
}

static inline CudaError store(Fixture *f, uint64_t to, uint32_t value, uint32_t blocks, DeviceStream *stream)
{
    return store_launched(f, to, value, blocks, stream, false);
}

static inline double bracket(Fixture *f)
{
    DeviceBracket taken;
    assert_int_equal(f->device->timing->end(f->device, &taken), 0);
    assert_true(taken.host_s == 0);
    return taken.event_s;
}

#define ON_A_DEVICE(test) cmocka_unit_test_setup_teardown(test, set_up, close_sim)

#endif
