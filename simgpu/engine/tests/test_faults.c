#include "simgpu/tests/one_gpu.h"

#include "simgpu/tests/opcode_kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 64, OUT_BYTES = THREADS * SLOT_BYTES + 4, BUDGET = 4000000 };

static int new_translating_gpu(void **state)
{
    gpu = machine_new_translating(0, 1);
    return 0;
}

static int free_translating_gpu(void **state)
{
    simgpu_free(gpu);
    return machine_remove_libraries();
}

static const char *out_name; /* that `out` gets; NULL: none */

typedef struct Run {
    SimReport report;
    uint64_t in, out; /* addresses; released */
} Run;

/* One block of THREADS threads. In the instructions %d12 is the start of the OUT_BYTES bytes of `out`, %d11 that of the
 * thread's slot in `in`. */
static Run run(const char *functions, const char *instructions, uint64_t budget)
{
    Text ptx = {0};
    Message why = {0};
    SimModule *module = NULL;
    Run result = {0};
    Slot operands[THREADS] = {0};
    for (uint64_t i = 0; i < THREADS; i++)
        operands[i].a = i;
    opcode_kernel(&ptx, functions, instructions);
    SimFunction *function = machine_load(gpu, ptx.data, ptx.length, "test", &module, &why);
    if (function == NULL)
        fail_test("%s: %s", instructions, why.text);
    result.in = machine_array(gpu, operands, sizeof operands);
    result.out = machine_array(gpu, NULL, OUT_BYTES);
    if (out_name != NULL)
        simgpu_name(gpu, result.out, out_name, 4);
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {THREADS, 1, 1},
                        .parameters = (uint64_t[]){result.in, result.out},
                        .warp_instructions = budget};
    simgpu_launch(gpu, &launch, &result.report);
    simgpu_release(gpu, result.in);
    simgpu_release(gpu, result.out);
    simgpu_module_unload(gpu, module);
    text_free(&ptx);
    return result;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

enum { A_LOAD = 0, A_STORE = 1, OUT = 1, IN = 2 };

/* Thread 37 alone runs the instruction. `base` says to what `offset` counts: OUT, IN, or 0: the address itself. */
static const struct {
    const char *instruction;
    SimOutcome outcome;
    SimSpace space;
    int is_store, base;
    int64_t offset;
    uint32_t bytes;
} accesses[] = {
    {"ld.global.f32 %f0, [%d12+2052]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2052, 4},
    {"ld.global.f32 %f0, [%d12+-4]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, -4, 4},
    {"st.global.f32 [%d12+2052], %f1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, OUT, 2052, 4},
    {"st.global.f32 [%d12+-4], %f1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, OUT, -4, 4},
    {"ld.global.nc.f32 %f0, [%d12+2052]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2052, 4},
    {"ld.global.u8 %r0, [%d12+2052]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2052, 1},
    {"st.global.u64 [%d12+2048], %d1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, OUT, 2048, 8}, /* half of it inside */
    {"ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d12+2048]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2048, 16},
    {".pragma \"used_bytes_mask 31\"; ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d12+2048]", SIM_OUT_OF_BOUNDS,
     SIM_GLOBAL, A_LOAD, OUT, 2048, 16},
    {"ld.global.v2.f32 {%f4, %f5}, [%d12+2048]; add.f32 %f0, %f5, %f5", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT,
     2048, 8},
    {"cp.async.cg.shared.global [shared], [%d12+2048], 16", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2048, 16},
    {"cp.async.cg.shared.global [shared], [%d12+2048], 16, 5", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 2048, 16},
    {"ld.global.f32 %f0, [%d12+4000000]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, OUT, 4000000, 4},
    {"atom.global.add.u32 %r0, [%d12+2052], 1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, OUT, 2052, 4},
    {"red.global.add.f32 [%d12+2052], %f1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, OUT, 2052, 4},
    {"ld.global.f32 %f0, [0]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, 0, 0, 4},
    {"st.global.f32 [16], %f1", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_STORE, 0, 16, 4},
    {"mov.u64 %d4, 0x7ffd0000; ld.global.u32 %r0, [%d4]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, 0, 0x7ffd0000, 4},
    {"mov.u64 %d4, 0xfffffffffffffffc; ld.global.u32 %r0, [%d4]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, 0, -4, 4},
    {"mov.u64 %d4, 0xfffffffffffffff8; ld.global.u64 %d0, [%d4]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, 0, -8, 8},
    {"ld.global.f32 %f0, [%d12+2]", SIM_MISALIGNED, SIM_GLOBAL, A_LOAD, OUT, 2, 4},
    {"st.global.f64 [%d12+12], %g1", SIM_MISALIGNED, SIM_GLOBAL, A_STORE, OUT, 12, 8},
    {"ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d12+8]", SIM_MISALIGNED, SIM_GLOBAL, A_LOAD, OUT, 8, 16},
    {"ld.global.u16 %h0, [%d12+1]", SIM_MISALIGNED, SIM_GLOBAL, A_LOAD, OUT, 1, 2},
    {"ld.shared.f32 %f0, [shared+2048]", SIM_OUT_OF_BOUNDS, SIM_SHARED, A_LOAD, 0, 2048, 4},
    {"st.shared.f32 [shared+2048], %f1", SIM_OUT_OF_BOUNDS, SIM_SHARED, A_STORE, 0, 2048, 4},
    {"st.shared.f32 [shared+-4], %f1", SIM_OUT_OF_BOUNDS, SIM_SHARED, A_STORE, 0, -4, 4},
    {"ld.shared.f32 %f0, [shared+2]", SIM_MISALIGNED, SIM_SHARED, A_LOAD, 0, 2, 4},
    {"atom.shared.add.u32 %r0, [shared+2048], 1", SIM_OUT_OF_BOUNDS, SIM_SHARED, A_STORE, 0, 2048, 4},
    {"st.local.f32 [stack+64], %f1", SIM_OUT_OF_BOUNDS, SIM_LOCAL, A_STORE, 0, 64, 4},
    {"ld.local.f32 %f0, [stack+2]", SIM_MISALIGNED, SIM_LOCAL, A_LOAD, 0, 2, 4},
    {"ld.u32 %r0, [%d4]", SIM_OUT_OF_BOUNDS, SIM_GLOBAL, A_LOAD, 0, 0, 4}, /* a generic null pointer */
    {"ld.param.u64 %d0, [p_out+8]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 16, 8},
    {"ld.param.u32 %r0, [p_in+1073741824]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 1 << 30, 4},
    {"ld.param.u32 %r0, [p_out+9223372036854775804]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 4, 4},
    {"ld.param.u32 %r0, [p_in+-4]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, -4, 4},
    {"ld.param.v2.u64 {%d5, %d0}, [p_out]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 8, 16},
    {"ld.param.v4.u64 {%d5, %d6, %d7, %d0}, [p_in]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 0, 32},
    {"ld.param.u32 %r0, [p_in+2]", SIM_MISALIGNED, SIM_PARAMETER, A_LOAD, 0, 2, 4},
    {"mov.u64 %d4, 16; ld.param.u32 %r0, [%d4]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 16, 4},
    {"mov.u64 %d4, 0x7fffffffffffffff; ld.param.u8 %r0, [%d4+1]", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_LOAD, 0, 0, 1},
    {"mov.u64 %d4, 0x300000000; st.u32 [%d4], %r1", SIM_OUT_OF_BOUNDS, SIM_PARAMETER, A_STORE, 0, 0, 4},
};

static void check_access(size_t i)
{
    char text[300];
    snprintf(text, sizeof text,
             "mov.u64 %%d4, 0; setp.ne.u32 %%p4, %%r1, 37; @%%p4 bra END; %s; END:", accesses[i].instruction);
    Run done = run(NULL, text, BUDGET);
    const SimFault *fault = &done.report.fault;
    uint64_t base = accesses[i].base == OUT ? done.out : 0;
    if (done.report.outcome != accesses[i].outcome || fault->space != accesses[i].space ||
        fault->is_store != (accesses[i].is_store == A_STORE) || fault->bytes != accesses[i].bytes)
        fail_test("%s: outcome %d, space %d, store %d, %u bytes: %s", accesses[i].instruction, done.report.outcome,
                  fault->space, fault->is_store, fault->bytes, fault->text);
    uint64_t wrong = fault->address - base - (uint64_t)accesses[i].offset;
    if (fault->space == SIM_GLOBAL ? wrong != 0 : (uint32_t)wrong != 0) /* the other windows have 32 bits */
        fail_test("%s: address 0x%llx is %lld from the base: %s", accesses[i].instruction,
                  (unsigned long long)fault->address, (long long)(fault->address - base), fault->text);
    assert_int_equal(fault->thread[0], 37);
    assert_int_equal(fault->block[0], 0);
    assert_int_equal(fault->lanes, 1);
    assert_true(strlen(fault->text) > 20);
    assert_null(strchr(fault->text, '\n'));
    assert_true(done.report.modelled_s == 0);
}

static void a_wrong_access_is_a_fault_with_its_place(void **state)
{
    for (size_t i = 0; i < COUNT_OF(accesses); i++)
        check_access(i);
}

static void the_last_element_is_no_fault(void **state)
{
    static const char *const accesses_inside[] = {
        "ld.global.f32 %f0, [%d12+2048]",
        "ld.global.u8 %r0, [%d12+2051]",
        "ld.global.v4.f32 {%f0, %f4, %f5, %f6}, [%d12+2032]",
        "ld.shared.f32 %f0, [shared+2044]",
        "ld.local.f32 %f0, [stack+60]",
        "ld.param.u64 %d0, [p_out]",
        "ld.param.u8 %r0, [p_in+15]",
        "ld.param.v2.u64 {%d0, %d5}, [p_in]",
        "mov.u64 %d4, 0x300000008; ld.u64 %d0, [%d4]",
    };
    for (size_t i = 0; i < COUNT_OF(accesses_inside); i++) {
        Run done = run(NULL, accesses_inside[i], BUDGET);
        if (done.report.outcome != SIM_OK)
            fail_test("%s: %s", accesses_inside[i], done.report.fault.text);
    }
}

static void bytes_that_are_not_used_may_lie_outside(void **state)
{
    static const char *const loads[] = {
        ".pragma \"used_bytes_mask 15\"; ld.global.v4.f32 {%f0, %f4, %f5, %f6}, [%d12+2048]",
        ".pragma \"used_bytes_mask 7\"; ld.global.v4.u16 {%h0, %h4, %h5, %h6}, [%d12+2048]; add.u16 %h4, %h5, %h6",
        "ld.global.v2.u32 {%r0, %r4}, [%d12+2048]",
        "ld.global.v4.u32 {%r0, _, _, _}, [%d12+2048]",
        "mul.wide.u32 %d4, %r1, 16; sub.u64 %d4, %d12, %d4; ld.global.v4.u32 {%r0, %r4, %r5, %r6}, [%d4+2048]",
    };
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        Run done = run(NULL, loads[i], BUDGET);
        if (done.report.outcome != SIM_OK)
            fail_test("%s: %s", loads[i], done.report.fault.text);
    }
}

static void a_released_array_is_out_of_bounds(void **state)
{
    uint64_t gone = simgpu_alloc(gpu, 1 << 20);
    char text[100];
    snprintf(text, sizeof text, "mov.u64 %%d4, %llu; ld.global.u32 %%r0, [%%d4]", (unsigned long long)gone + (1 << 19));
    assert_int_equal(run(NULL, text, BUDGET).report.outcome, SIM_OK);
    assert_true(simgpu_release(gpu, gone));
    assert_int_equal(run(NULL, text, BUDGET).report.outcome, SIM_OUT_OF_BOUNDS);
}

static void a_copy_may_name_bytes_past_the_end_that_it_does_not_read(void **state)
{
    static const char copy[] = "mov.u64 %d4, 0; setp.ne.u32 %p4, %r1, 37; @%p4 bra END; "
                               "cp.async.cg.shared.global [shared], [%d12+2048], 16, 4; END:";
    assert_int_equal(run(NULL, copy, BUDGET).report.outcome, SIM_OK); /* the array has 2052 bytes */
}

static void the_fault_counts_its_lanes(void **state)
{
    Run done = run(NULL, "mul.wide.u32 %d4, %r1, 128; add.s64 %d4, %d12, %d4; st.global.u32 [%d4], %r1", BUDGET);
    assert_int_equal(done.report.outcome, SIM_OUT_OF_BOUNDS); /* thread 16 still writes within 2052 bytes */
    assert_int_equal(done.report.fault.lanes, THREADS - 17);
}

static const struct {
    const char *instruction, *name, *text;
} places[] = {
    {"st.global.f32 [%d12+2052], %f1", "output", "writes 4 bytes at output[513], past its last element output[512]"},
    {"ld.global.f32 %f0, [%d12+-8]", "output", "reads 4 bytes at output[-2], before its first element"},
    {"ld.global.u64 %d0, [%d12+2048]", "output", "reads 8 bytes at output[512], which reach past its end"},
    /* what the pointer was made from, and not what happens to lie nearest */
    {"ld.global.f32 %f0, [%d12+-4096]", "output", "reads 4 bytes at output[-1024], before its first element"},
    {"st.global.f32 [%d12+67108864], %f1", "output", "at output[16777216], past its last element output[512]"},
    {"ld.global.f32 %f0, [%d12+1099511627776]", "output", "at output[274877906944], past its last element output[512]"},
    {"ld.global.f32 %f0, [%d11+16384]", "output", "of an allocation of 2048 bytes (parameter 1), past its end"},
    {"mov.u64 %d4, variable; ld.global.f32 %f0, [%d4+40000]", "output",
     "at offset 40000 of variable 'variable' of 16 bytes, past its end"},
    {"ld.const.f32 %f0, [constants+32]", NULL, "at offset 32 of variable 'constants' of 32 bytes, past its end"},

    {"st.local.f32 [stack+64], %f1", NULL, "past the end of a local array, at offset 64 of the thread's 64 bytes"},
    {"mov.u64 %d4, stack; st.local.f32 [%d4+-4], %f1", NULL,
     "before the start of a local array, at offset -4 of the thread's 64 bytes of local memory"},
    {"ld.global.f32 %f0, [%d12+2056]", NULL,
     "at offset 2056 of an allocation of 2052 bytes (parameter 2), past its end"},
    {"ld.global.f32 %f0, [variable+16]", NULL, "at offset 16 of variable 'variable' of 16 bytes, past its end"},
    {"ld.shared.f32 %f0, [shared+-4]", NULL,
     "reads 4 bytes before the start of shared array 'shared', at offset -4 of the block's 2048 bytes of shared memory"},
    {"ld.shared.f32 %f0, [shared+2048]", NULL,
     "reads 4 bytes past the end of shared array 'shared', at offset 2048 of the block's 2048 bytes of shared memory"},
};

static void the_place_is_named_by_what_lies_there(void **state)
{
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        out_name = places[i].name;
        Run done = run(NULL, places[i].instruction, BUDGET);
        out_name = NULL;
        if (done.report.outcome != SIM_OUT_OF_BOUNDS || strstr(done.report.fault.text, places[i].text) == NULL)
            fail_test("%s: outcome %d: %s", places[i].instruction, done.report.outcome, done.report.fault.text);
    }
}

static const struct {
    const char *instruction, *name;
    SimSide side;
    const char *array;
    uint32_t parameter;
} arrays_left[] = {
    {"st.global.f32 [%d12+2052], %f1", "output", SIM_PAST, "output", 2},
    {"ld.global.u64 %d0, [%d12+2048]", "output", SIM_PAST, "output", 2},
    {"ld.global.f32 %f0, [%d12+-4]", "output", SIM_BEFORE, "output", 2},
    {"ld.global.f32 %f0, [%d11+16384]", "output", SIM_PAST, "", 1},
    {"ld.global.f32 %f0, [variable+16]", NULL, SIM_PAST, "variable", 0},
    {"ld.const.f32 %f0, [constants+32]", NULL, SIM_PAST, "constants", 0},
    {"ld.shared.f32 %f0, [shared+-4]", NULL, SIM_BEFORE, "shared", 0},
    {"ld.shared.f32 %f0, [shared+2048]", NULL, SIM_PAST, "shared", 0},
    {"mov.u64 %d4, p_in; ld.param.u64 %d0, [%d4+8]", NULL, SIM_PAST, "", 1}, /* the next parameter */
    {".local .b8 __local_depot0[32]; mov.u64 %d4, __local_depot0; add.u64 %d5, %d4, 0; ld.param.u64 %d6, [p_in]; "
     "st.local.u64 [%d5], %d6; ld.local.u32 %r0, [%d5+32]",
     NULL, SIM_PAST, "", 0}, /* a pointer is no struct */
    {"st.local.f32 [stack+64], %f1", NULL, SIM_PAST, "", 0},
    {"mov.u64 %d4, 0; ld.global.f32 %f0, [%d4]", NULL, SIM_SIDE_UNKNOWN, "", 0},
};

static void the_array_that_was_left_is_known(void **state)
{
    for (size_t i = 0; i < COUNT_OF(arrays_left); i++) {
        out_name = arrays_left[i].name;
        Run done = run(NULL, arrays_left[i].instruction, BUDGET);
        const SimLeft *left = &done.report.fault.left;
        out_name = NULL;
        if (left->side != arrays_left[i].side || strcmp(left->array, arrays_left[i].array) != 0 ||
            left->parameter != arrays_left[i].parameter)
            fail_test("%s: side %d of '%s', parameter %u", arrays_left[i].instruction, left->side, left->array,
                      left->parameter);
    }
}

/* As compilers place two local arrays of 16 bytes, here in front of `stack`: the address of each is made by add.u64. */
static const char array_addresses[] =
    ".local .align 16 .b8 __local_depot0[32]; mov.u64 %d4, __local_depot0; cvta.local.u64 %d5, %d4; "
    "add.u64 %d6, %d4, 0; add.u64 %d7, %d4, 16; add.u64 %d8, %d5, 0; mov.u32 %r4, 4; mov.u64 %d9, %d6; ";

static const struct {
    const char *instruction, *text; /* NULL: it is allowed */
} two_arrays[] = {
    {"st.local.f32 [%d6+16], %f1",
     "writes 4 bytes past the end of a local array, at offset 16 of the thread's 96 bytes"},
    {"ld.local.f32 %f0, [%d6+28]", "reads 4 bytes past the end of a local array, at offset 28"},
    {"ld.local.f32 %f0, [%d7+-4]", "reads 4 bytes before the start of a local array, at offset 12"},
    {"st.f32 [%d8+16], %f1", "writes 4 bytes past the end of a local array, at offset 16"},
    {"mul.wide.u32 %d9, %r4, 4; add.s64 %d9, %d8, %d9; ld.f32 %f0, [%d9]", "past the end of a local array"},
    {"add.s64 %d6, %d6, 4; st.local.v4.f32 [%d6+12], {%f1, %f1, %f1, %f1}", "past the end of a local array"},
    {"sub.s64 %d7, %d7, 4; st.local.f32 [%d7], %f1", "before the start of a local array"},
    {"st.local.f32 [%d4+-4], %f1", "before the start of a local array, at offset -4"},
    {"st.local.f32 [stack+-4], %f1", "before the start of a local array, at offset 28"},
    {"st.local.f32 [%d7+16], %f1", "past the end of a local array, at offset 32"},

    {"st.local.v4.f32 [%d6], {%f1, %f1, %f1, %f1}; st.local.f32 [%d6+12], %f1; st.local.f32 [%d7], %f1", NULL},
    {"st.local.f32 [%d4+16], %f1; st.f32 [%d5+28], %f1", NULL},
    {"add.s64 %d7, %d7, -4; ld.local.f32 %f0, [%d7+16]", NULL}, /* p = b - 1; p[4] */
    {"ld.local.v4.f32 {%f0, %f4, _, _}, [%d7]; ld.local.f32 %f4, [%d7+12]", NULL},
    {"selp.b64 %d9, %d6, %d7, %p1; ld.local.f32 %f0, [%d9+16]", NULL},                  /* of either array */
    {"sub.s64 %d9, %d7, %d6; add.s64 %d9, %d6, %d9; ld.local.f32 %f0, [%d9+12]", NULL}, /* a + (b - a) is b */
    {"add.s64 %d9, %d4, 8; ld.local.f32 %f0, [%d9+16]", NULL},                          /* add.s64 begins no array */
};

static void a_local_array_ends_where_the_next_begins(void **state)
{
    for (size_t i = 0; i < COUNT_OF(two_arrays); i++) {
        const char *text = two_arrays[i].text;
        char all[600];
        snprintf(all, sizeof all, "%s%s", array_addresses, two_arrays[i].instruction);
        Run done = run(NULL, all, BUDGET);
        bool is_right = text == NULL
                            ? done.report.outcome == SIM_OK
                            : done.report.outcome == SIM_OUT_OF_BOUNDS && strstr(done.report.fault.text, text) != NULL;
        if (!is_right)
            fail_test("%s: outcome %d: %s", two_arrays[i].instruction, done.report.outcome, done.report.fault.text);
    }
}

/* ---- other ends -------------------------------------------------------------------------------------------------- */

static const char asserting[] =
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".global .align 1 .b8 message[6] = {105, 32, 60, 32, 110, 0};\n"
    ".global .align 1 .b8 source[5] = {120, 46, 99, 117, 0};\n";

static const char assertion[] =
    "setp.ne.u32 %p4, %r1, 5; @%p4 bra END; mov.u64 %d4, message; cvta.global.u64 %d4, %d4; mov.u64 %d5, source; "
    "cvta.global.u64 %d5, %d5; { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; "
    "st.param.b64 [a], %d4; st.param.b64 [b], %d5; st.param.b32 [c], 42; st.param.b64 [d], %d5; st.param.b64 [e], 1; "
    "call.uni __assertfail, (a, b, c, d, e); } END:";

static const char factorial_function[] =
    ".func (.param .b32 result) factorial(.param .b32 n)\n{\n    .reg .pred %q;\n    .reg .b32 %x<6>;\n"
    "    ld.param.u32 %x0, [n];\n    mov.u32 %x1, 1;\n    setp.lt.u32 %q, %x0, 2;\n    @%q bra DONE;\n"
    "    sub.u32 %x2, %x0, 1;\n    {\n    .param .b32 p;\n    .param .b32 q;\n    st.param.b32 [p], %x2;\n"
    "    call.uni (q), factorial, (p);\n    ld.param.b32 %x3, [q];\n    }\n    mul.lo.s32 %x1, %x0, %x3;\n"
    "DONE:\n    st.param.b32 [result], %x1;\n    ret;\n}\n";

static const struct {
    const char *functions, *text;
    SimOutcome outcome;
    const char *message; /* must stand in the fault's sentence */
} ends[] = {
    {NULL, "setp.eq.u32 %p4, %r1, 5; @%p4 trap", SIM_TRAP, "trap"},
    {asserting, assertion, SIM_TRAP, "i < n"},
    {NULL, "LOOP: add.s32 %r4, %r4, 1; bra LOOP", SIM_TIME_LIMIT, ""},
    {NULL, "setp.ne.u32 %p4, %r1, 63; @%p4 bra END; LOOP: bra LOOP; END:", SIM_ENDLESS,
     "thread (63,0,0) repeats a loop for ever, in which nothing changes"},
    {NULL, "setp.ne.u32 %p4, %r1, 63; @%p4 bra END; LOOP: bra LOOP; END: bar.sync 0", SIM_ENDLESS,
     "thread (63,0,0) repeats a loop for ever"},
    {NULL, "mov.u32 %r4, 0; LOOP: add.s32 %r4, %r4, 1; and.b32 %r4, %r4, 7; bra LOOP", SIM_ENDLESS,
     "repeats a loop for ever"},
    {NULL, "SPIN: ld.volatile.global.u32 %r4, [%d12]; setp.eq.s32 %p4, %r4, 0; @%p4 bra SPIN", SIM_ENDLESS,
     "thread (0,0,0) waits for ever for another value at"},
    {NULL, "SPIN: atom.global.cas.b32 %r4, [%d12], 1, 2; setp.eq.s32 %p4, %r4, 0; @%p4 bra SPIN", SIM_ENDLESS,
     "waits for ever for another value at"},
#define WAIT "SPIN: mbarrier.test_wait.shared.b64 %p4, [%r10], %d0; @!%p4 bra SPIN"
    {NULL, "mbarrier.init.shared.b64 [%r10], 65; mbarrier.arrive.shared.b64 %d0, [%r10]; " WAIT, SIM_ENDLESS,
     "waits for ever for the mbarrier at byte 0 of shared variable 'shared': 64 of the 65 arrivals that the phase expects "
     "never come"},
    {NULL, "mbarrier.init.shared.b64 [%r10], 1; mbarrier.arrive.expect_tx.shared.b64 %d0, [%r10], 16; " WAIT,
     SIM_ENDLESS, ": the phase expects 16 bytes more than copies bring"},
    {NULL, "mbarrier.init.shared.b64 [%r10], 3; mbarrier.arrive.expect_tx.shared.b64 %d0, [%r10], 16; " WAIT,
     SIM_ENDLESS, ": the phase still expects 16 bytes and 2 arrivals"},
    {NULL,
     "mbarrier.init.shared.b64 [%r10], 1; mbarrier.complete_tx.relaxed.cta.shared.b64 [%r10], 16; "
     "mbarrier.arrive.shared.b64 %d0, [%r10]; " WAIT,
     SIM_ENDLESS, ": copies bring 16 bytes more than the phase expects"},
#undef WAIT
    {NULL, "and.b32 %r4, %r1, 1; setp.eq.s32 %p4, %r4, 0; @%p4 bra EVEN; bar.sync 0; bra END; EVEN: bar.sync 0; END:",
     SIM_BAD_BARRIER, "bar"},
    {NULL, "setp.lt.u32 %p4, %r1, 32; @%p4 bra ONE; bar.sync 2, 64; bra END; ONE: bar.sync 1, 64; END: bar.sync 0",
     SIM_BAD_BARRIER, "bar"},
    {NULL, "bar.sync 0, 4096", SIM_BAD_BARRIER, "waits at a barrier for more threads than the block has"},
    {NULL, "setmaxnreg.inc.sync.aligned.u32 100;", SIM_UNSUPPORTED, "no multiple of 8 from 24 to 256"},
    {NULL, "mbarrier.arrive.shared.b64 %d0, [%r10]", SIM_UNSET_MBARRIER, "which was not initialised"},
    {NULL, "mbarrier.init.shared.b64 [%r10], 1; mbarrier.arrive.shared.b64 %d0, [%r10]", SIM_OK, ""},
    {NULL, "frobnicate.b32 %r0, %r1, %r2", SIM_UNSUPPORTED, "frobnicate.b32"},
    {NULL, "add.s64 %r0, %d0, %d1", SIM_BAD_CODE, "operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {NULL, "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%d11]", SIM_UNSUPPORTED, "wmma.load"},
    {NULL, "wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r0, %r4, %r5, %r6}, [%d11], 1000", SIM_OUT_OF_BOUNDS,
     "past its end"},
    {NULL,
     "mma.sync.aligned.m16n8k4.row.col.f32.bf16.bf16.f32 {%f0, %f4, %f5, %f6}, {%r1}, {%r2}, "
     "{%f1, %f1, %f1, %f1}",
     SIM_UNSUPPORTED, "this number of registers"},
    {NULL, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f4}, {%r1}, {%r2}, {%f1, %f1}", SIM_UNSUPPORTED,
     "this number of registers"},
    {NULL, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r10+2]", SIM_MISALIGNED, "16 bytes"},
    {NULL, "setp.lt.u32 %p4, %r1, 7; @%p4 bra END; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1; END:",
     SIM_BAD_BARRIER, "a matrix instruction that only a part of its warp reaches"},
    {NULL, "mov.u32 %r4, 16; bar.sync %r4", SIM_BAD_BARRIER, "whose number or count of threads is not allowed"},
    {NULL, "mov.u32 %r4, 33; bar.sync 1, %r4", SIM_BAD_BARRIER, "whose number or count of threads is not allowed"},
    {NULL, "ENDS: .branchtargets EVEN, ODD; brx.idx %r1, ENDS; EVEN: ODD:", SIM_OUT_OF_BOUNDS,
     "jumps to entry 2 of a jump table of 2 entries"},
    {factorial_function, "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), factorial, (p); }",
     SIM_NO_STACK, "has no stack left for a call of factorial()"},
};

static void kernels_that_do_not_end_well_say_why(void **state)
{
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        Run done = run(ends[i].functions, ends[i].text, BUDGET);
        if (done.report.outcome != ends[i].outcome || strstr(done.report.fault.text, ends[i].message) == NULL)
            fail_test("%s: outcome %d: %s", ends[i].text, done.report.outcome, done.report.fault.text);
    }
}

/* A barrier counts warps: one of which 16 lanes have exited is 32 threads. */
static void a_barrier_counts_whole_warps(void **state)
{
    Run done = run(NULL,
                   "setp.ge.u32 %p4, %r1, 48; @%p4 exit; setp.lt.u32 %p5, %r1, 32; @%p5 bra BOTH; bar.sync 1, 32; "
                   "BOTH: bar.sync 2, 64",
                   BUDGET);
    if (done.report.outcome != SIM_OK)
        fail_test("%s", done.report.fault.text);
}

static void the_budget_is_that_of_the_launch(void **state)
{
    const char *loop = "mov.u32 %r4, 0; LOOP: add.s32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 1000; @%p4 bra LOOP";
    assert_int_equal(run(NULL, loop, 1000).report.outcome, SIM_TIME_LIMIT);
    assert_int_equal(run(NULL, loop, 20000).report.outcome, SIM_OK);
    assert_int_equal(run(NULL, loop, 0).report.outcome, SIM_OK);
}

static void *cancel_soon(void *unused)
{
    usleep(50000);
    simgpu_cancel(gpu);
    return NULL;
}

static void an_endless_kernel_can_be_cancelled(void **state)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    Run done = run(NULL, "LOOP: add.s32 %r4, %r4, 1; bra LOOP", 0);
    pthread_join(thread, NULL);
    assert_int_equal(done.report.outcome, SIM_CANCELLED);
    assert_int_equal(run(NULL, "mov.u32 %r0, 1", 0).report.outcome, SIM_OK); /* the next launch is not */
}

static void the_source_line_is_named(void **state)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test()\n{\n    .reg .b32 %r<2>;\n"
        "    .reg .b64 %d<2>;\n    .loc 1 7 5\n    mov.u64 %d0, 0x3000c0000000;\n    .loc 1 12 9\n    ld.global.u32 %r0, [%d0];\n"
        "    .loc 1 13 1\n    ret;\n}\n"
        "    .file 1 \"/home/student/mine.cu\"\n";
    SimModule *module;
    SimReport report;
    Message why = {0};
    SimFunction *function = machine_load(gpu, ptx, sizeof ptx - 1, "test", &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    SimLaunch launch = {.function = function, .shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .parameters = ""};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OUT_OF_BOUNDS);
    assert_int_equal(report.fault.line, 12);
    assert_non_null(strstr(report.fault.text, "reads 4 bytes at address 0x3000c0000000, where nothing is allocated"));
    assert_non_null(strstr(report.fault.file, "mine.cu"));
    simgpu_module_unload(gpu, module);
}

static SimReport launch_of(SimModule *module, const char *name)
{
    SimReport report;
    SimFunction *function = simgpu_function(module, name);
    assert_non_null(function);
    SimLaunch launch = {.function = function, .shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .parameters = ""};
    simgpu_launch(gpu, &launch, &report);
    return report;
}

#define KERNEL(name, body)                                                                                             \
    ".visible .entry " name "()\n{\n    .reg .b32 %r<5>;\n    .reg .f32 %f<4>;\n"                                      \
    "    .reg .b64 %d<2>;\n    .loc 1 7 5\n    " body "\n    ret;\n}\n"

static const struct {
    const char *name, *message; /* NULL: it runs */
    bool is_bad_code;
} neighbours[] = {
    {"good", NULL, false},
    {"texture", "'tex.1d.v4.f32.s32': a texture or surface reference", false},
    {"layers", "'tex.acube.v4.f32.f32'", false},
    {"resident", "'tex.2d.v4.f32.f32'", false},
    {"surface", "'sust.p.1d.b32.trap'", false},
    {"reduction", "'sured.b.add.1d.u32.trap'", false},
    {"query", "'suq.width.b32'", false},
    {"coordinates", "'ld.global.u32'", true},
    {"reference", "'mov.u64'", false},
    {"bulk", "'cp.async.bulk.global.shared::cta.bulk_group.cp_mask'", false},
    {"warpgroup", "'wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3'", false},
    {"launcher", "'call': cudaLaunchDevice", false},
    {"eight", "'cvt.rn.satfinite.e4m3x2.f32'", false},
    {"special", "'%envreg3'", false},
    {"unknown", "'frobnicate.b32'", false},
    {"pointer", NULL, false}, /* to a function */
    {"good", NULL, false},
};

static void what_is_not_understood_refuses_its_kernel_alone(void **state)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .texref t;\n.global .surfref s;\n"
        ".global .samplerref mode = { filter_mode = nearest };\n"
        ".func f() { ret; }\n.global .align 8 .u64 table[1] = {f};\n" KERNEL("pointer", "ld.global.u64 %d0, [table];") KERNEL(
            "bulk", "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d0], [%r1], 256, %r2;")
            KERNEL("warpgroup", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3}, %d0, %d1, 1, 1, 1;") ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 a, .param .b64 b);\n" KERNEL(
                "launcher", "{ .param .b64 x; .param .b64 y; .param .b32 q; call (q), cudaLaunchDevice, (x, y); }")
                KERNEL("eight", "{ .reg .b16 %h; cvt.rn.satfinite.e4m3x2.f32 %h, %f1, %f2; }")
                    KERNEL("texture", "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r1}];")
                        KERNEL("layers", "tex.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %f0, %f1, %f1}];")
                            KERNEL("resident",
                                   "{ .reg .pred %p; tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p, [%d0, {%f0, %f1}]; }")
                                KERNEL("surface", "sust.p.1d.b32.trap [%d0, {%r2}], {%r0};")
                                    KERNEL("reduction", "sured.b.add.1d.u32.trap [%d0, {%r2}], %r0;")
                                        KERNEL("query", "suq.width.b32 %r0, [%d0];")
                                            KERNEL("coordinates", "ld.global.u32 %r0, [%d0, {%r1}];")
                                                KERNEL("reference", "mov.u64 %d0, t;") KERNEL("special",
                                                                                              "mov.u32 %r0, %envreg3;")
                                                    KERNEL("unknown", "frobnicate.b32 %r0, %r1;")
                                                        KERNEL("good", "mov.u32 %r0, %tid.x;") "    .file 1 \"k.cu\"\n";
    SimModule *module;
    Message why = {0};
    if (simgpu_module_load(gpu, ptx, sizeof ptx - 1, &module, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < COUNT_OF(neighbours); i++) {
        SimReport report = launch_of(module, neighbours[i].name);
        const char *message = neighbours[i].message;
        bool as_expected = message == NULL
                               ? report.outcome == SIM_OK
                               : report.outcome == (neighbours[i].is_bad_code ? SIM_BAD_CODE : SIM_UNSUPPORTED) &&
                                     strstr(report.fault.text, message) && strstr(report.fault.text, "(k.cu:7)");
        if (!as_expected)
            fail_test("%s: outcome %d: %s", neighbours[i].name, report.outcome, report.fault.text);
    }
    simgpu_module_unload(gpu, module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_access_is_a_fault_with_its_place),
        cmocka_unit_test(the_last_element_is_no_fault),
        cmocka_unit_test(bytes_that_are_not_used_may_lie_outside),
        cmocka_unit_test(a_released_array_is_out_of_bounds),
        cmocka_unit_test(a_copy_may_name_bytes_past_the_end_that_it_does_not_read),
        cmocka_unit_test(the_fault_counts_its_lanes),
        cmocka_unit_test(the_place_is_named_by_what_lies_there),
        cmocka_unit_test(the_array_that_was_left_is_known),
        cmocka_unit_test(a_local_array_ends_where_the_next_begins),
        cmocka_unit_test(kernels_that_do_not_end_well_say_why),
        cmocka_unit_test(a_barrier_counts_whole_warps),
        cmocka_unit_test(the_budget_is_that_of_the_launch),
        cmocka_unit_test(an_endless_kernel_can_be_cancelled),
        cmocka_unit_test(the_source_line_is_named),
        cmocka_unit_test(what_is_not_understood_refuses_its_kernel_alone),
    };
    int failed = cmocka_run_group_tests_name("interpreted", tests, new_gpu, free_gpu);
    return failed + cmocka_run_group_tests_name("translated", tests, new_translating_gpu, free_translating_gpu);
}
