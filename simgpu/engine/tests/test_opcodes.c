#include "simgpu/tests/one_gpu.h"

#include "simgpu/tests/opcode_cases.h"
#include "simgpu/tests/opcode_rows.h"
#include "simgpu/tests/warp_rows.h"

/* A result that no kernel wrote. */
static const uint64_t untouched = WARP_ROW_UNTOUCHED;

/* Runs one wrapped kernel as one block; false with the reason where it did not end well. */
static bool run(const char *functions, const char *instructions, const Slot *operands, unsigned threads, Slot *results,
                Message *why)
{
    Text ptx = {0};
    SimModule *module = NULL;
    SimReport report = {0};
    opcode_kernel(&ptx, functions, instructions);
    SimFunction *function = machine_load(gpu, ptx.data, ptx.length, "test", &module, why);
    text_free(&ptx);
    if (function == NULL)
        return false;

    for (unsigned i = 0; i < threads; i++)
        results[i] = (Slot){.a = untouched};
    uint64_t in = machine_array(gpu, operands, threads * sizeof *operands);
    uint64_t out = machine_array(gpu, results, threads * sizeof *results);
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {threads, 1, 1},
                        .parameters = (uint64_t[]){in, out},
                        .warp_instructions = 1000000};
    simgpu_launch(gpu, &launch, &report);
    memcpy(results, at(out), threads * sizeof *results);
    simgpu_release(gpu, in);
    simgpu_release(gpu, out);
    simgpu_module_unload(gpu, module);
    if (report.outcome != SIM_OK)
        (void)fail(STATUS_UNSUPPORTED, why, "outcome %d: %s", report.outcome, report.fault.text);
    return report.outcome == SIM_OK;
}

/* Returns how many cases failed, having said which. */
static int check_opcode_row(const OpcodeRow *row)
{
    enum { MOST = 16 };
    Case cases[MOST];
    Slot operands[MOST] = {0}, results[MOST];
    Message why = {0};
    int count = cases_of(row->cases, cases), failures = 0;
    assert_in_range(count, 1, MOST);
    for (int i = 0; i < count; i++)
        operands[i] = cases[i].operands;
    if (!run(NULL, row->text, operands, (unsigned)count, results, &why)) {
        print_error("%s: %s\n", row->text, why.text);
        return count;
    }
    for (int i = 0; i < count; i++)
        if (!agrees(&cases[i].expected, results[i].a, result_bits(row->text))) {
            print_error("%s: %s: got 0x%llx\n", row->text, cases[i].text, (unsigned long long)results[i].a);
            failures++;
        }
    return failures;
}

static void instructions_do_what_the_table_says(void **state)
{
    int failures = 0;
    for (size_t i = 0; i < COUNT_OF(opcode_rows); i++)
        failures += check_opcode_row(&opcode_rows[i]);
    assert_int_equal(failures, 0);
}

/* ---- instructions that concern a whole warp or block ------------------------------------------------------------- */

static int check_warp_row(const WarpRow *row)
{
    Slot operands[MOST_THREADS] = {0}, results[MOST_THREADS];
    Message why = {0};
    int failures = 0;
    for (unsigned i = 0; i < row->threads; i++)
        operands[i] = (Slot){.a = i, .b = WARP_ROW_B(i)};
    if (!run(row->functions, row->text, operands, row->threads, results, &why)) {
        print_error("%s: %s\n", row->text, why.text);
        return 1;
    }
    for (unsigned i = 0; i < row->threads && failures == 0; i++)
        if (results[i].a != row->expected(i)) {
            print_error("%s: thread %u got 0x%llx, expected 0x%llx\n", row->text, i, (unsigned long long)results[i].a,
                        (unsigned long long)row->expected(i));
            failures++;
        }
    return failures;
}

static void warps_do_what_the_table_says(void **state)
{
    int failures = 0;
    for (size_t i = 0; i < COUNT_OF(warp_rows); i++)
        failures += check_warp_row(&warp_rows[i]);
    assert_int_equal(failures, 0);
}

/* ---- completeness ------------------------------------------------------------------------------------------------ */

/* Every form that nvcc 13.0 makes of the convolution kernels of students, and what other code of theirs adds. */
static const char *const forms_in_use[] = {"abs.f32",
                                           "abs.f64",
                                           "add.f32",
                                           "add.f64",
                                           "add.rz.f32",
                                           "add.s32",
                                           "add.s64",
                                           "add.u64",
                                           "and.b32",
                                           "and.b64",
                                           "and.pred",
                                           "atom.global.add.u32",
                                           "atom.global.cas.b64",
                                           "bar.sync",
                                           "bra",
                                           "bra.uni",
                                           "copysign.f32",
                                           "cos.approx.f32",
                                           "cp.async.cg.shared.global",
                                           "cp.async.commit_group",
                                           "cp.async.wait_group",
                                           "cvt.f64.f32",
                                           "cvt.rn.f32.f64",
                                           "cvt.rn.f32.s32",
                                           "cvt.rn.f32.u16",
                                           "cvt.rn.f32.u32",
                                           "cvt.rn.f64.s32",
                                           "cvt.rzi.f32.f32",
                                           "cvt.rzi.u32.f32",
                                           "cvt.s64.s32",
                                           "cvt.sat.f32.f32",
                                           "cvt.u32.u64",
                                           "cvt.u64.u32",
                                           "cvta.to.global.u64",
                                           "div.rn.f32",
                                           "div.rn.f64",
                                           "div.s32",
                                           "div.s64",
                                           "div.u32",
                                           "div.u64",
                                           "ex2.approx.ftz.f32",
                                           "fma.rm.f32",
                                           "fma.rn.f32",
                                           "ld.const.f32",
                                           "ld.const.v4.f32",
                                           "ld.global.f32",
                                           "ld.global.f64",
                                           "ld.global.nc.f32",
                                           "ld.global.u32",
                                           "ld.global.u64",
                                           "ld.global.u8",
                                           "ld.local.f32",
                                           "ld.local.u32",
                                           "ld.param.f32",
                                           "ld.param.s32",
                                           "ld.param.u32",
                                           "ld.param.u64",
                                           "ld.shared.f32",
                                           "ld.shared.f64",
                                           "ld.shared.u8",
                                           "ld.shared.v2.f32",
                                           "ld.shared.v4.f32",
                                           "mad.lo.s32",
                                           "max.f32",
                                           "max.f64",
                                           "max.s32",
                                           "max.u32",
                                           "max.u64",
                                           "min.f32",
                                           "min.s32",
                                           "min.u32",
                                           "min.u64",
                                           "mov.b32",
                                           "mov.b64",
                                           "mov.f32",
                                           "mov.f64",
                                           "mov.u32",
                                           "mov.u64",
                                           "mul.f32",
                                           "mul.f64",
                                           "mul.hi.s32",
                                           "mul.hi.u64",
                                           "mul.lo.s32",
                                           "mul.lo.s64",
                                           "mul.wide.s32",
                                           "mul.wide.u32",
                                           "neg.f32",
                                           "neg.s32",
                                           "neg.s64",
                                           "not.b32",
                                           "not.b64",
                                           "not.pred",
                                           "or.b32",
                                           "or.b64",
                                           "or.pred",
                                           "rem.s32",
                                           "rem.s64",
                                           "rem.u32",
                                           "ret",
                                           "selp.b32",
                                           "selp.f32",
                                           "selp.u32",
                                           "setp.eq.f32",
                                           "setp.eq.s32",
                                           "setp.eq.s64",
                                           "setp.ge.s32",
                                           "setp.ge.s64",
                                           "setp.ge.u32",
                                           "setp.ge.u64",
                                           "setp.gt.f32",
                                           "setp.gt.s32",
                                           "setp.gt.u32",
                                           "setp.gt.u64",
                                           "setp.le.s32",
                                           "setp.leu.f64",
                                           "setp.lt.f32",
                                           "setp.lt.s32",
                                           "setp.lt.s64",
                                           "setp.lt.u32",
                                           "setp.lt.u64",
                                           "setp.ne.s32",
                                           "setp.ne.s64",
                                           "shfl.sync.bfly.b32",
                                           "shfl.sync.down.b32",
                                           "shl.b32",
                                           "shl.b64",
                                           "shr.s32",
                                           "shr.s64",
                                           "shr.u32",
                                           "shr.u64",
                                           "sin.approx.f32",
                                           "sqrt.rn.f32",
                                           "st.global.f32",
                                           "st.global.f64",
                                           "st.global.u32",
                                           "st.global.u8",
                                           "st.global.v4.u32",
                                           "st.local.f32",
                                           "st.local.u32",
                                           "st.local.u64",
                                           "st.local.v2.u32",
                                           "st.local.v4.f32",
                                           "st.shared.f32",
                                           "st.shared.f64",
                                           "st.shared.u32",
                                           "st.shared.u8",
                                           "st.shared.v4.f32",
                                           "sub.f32",
                                           "sub.f64",
                                           "sub.s32",
                                           "sub.s64",
                                           "xor.b32",
                                           "xor.b64",
                                           "xor.pred",
                                           "vote.sync.ballot.b32",
                                           "lg2.approx.ftz.f32",
                                           "rcp.rn.f32",
                                           "rcp.approx.ftz.f32",
                                           "popc.b32",
                                           "clz.b32",
                                           "bfi.b32",
                                           "bmsk.clamp.b32",
                                           "membar.gl",
                                           "copysign.f64"};

/* `form` as a whole word: not the "add.f32" of "red.global.add.f32". */
static bool uses(const char *text, const char *form)
{
    size_t length = strlen(form);
    for (const char *found = strstr(text, form); found != NULL; found = strstr(found + 1, form))
        if ((found == text || strchr(" ;{\n", found[-1]) != NULL) && strchr(" ;\n", found[length]) != NULL)
            return true;
    return false;
}

static bool is_tested(const char *form)
{
    if (uses(opcode_prologue, form))
        return true; /* no row would pass without it */
    for (size_t i = 0; i < COUNT_OF(opcode_rows); i++)
        if (uses(opcode_rows[i].text, form))
            return true;
    for (size_t i = 0; i < COUNT_OF(warp_rows); i++)
        if (uses(warp_rows[i].text, form) || (warp_rows[i].functions != NULL && uses(warp_rows[i].functions, form)))
            return true;
    return false;
}

static void every_form_in_use_is_tested(void **state)
{
    int missing = 0;
    for (size_t i = 0; i < COUNT_OF(forms_in_use); i++)
        if (!is_tested(forms_in_use[i])) {
            print_error("no row holds %s\n", forms_in_use[i]);
            missing++;
        }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_in_use_is_tested),
        cmocka_unit_test(instructions_do_what_the_table_says),
        cmocka_unit_test(warps_do_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
