#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/lower/lower.h"
#include "simgpu/ptx/parser.h"

#include <string.h>

/* What neither nvcc nor clang writes is refused by name. `word` and `wide` are parameters of the function f(). */
static const struct {
    const char *instruction, *message;
} rows[] = {
    {"add.s32 %i, %k;", "'add.s32': fewer operands than expected"},
    {"add.s32 %i, %k, %k, %k;", "'add.s32': this number of operands"},
    {"add.s32 1, %k, %k;", "'add.s32': an operand that is not a register"},
    {"add.s32 %i, %k, {%i, %k};", "'add.s32': an operand of this kind"},
    {"L: add.s32 %i, %k, L;", "'add.s32': an operand of this kind"},
    {"add.s32 %i, %k, %p;", "'add.s32': a predicate in place of a number, or a number in place of a predicate"},
    {"add.s32 %p, %k, %k;", "'add.s32': a predicate in place of a number, or a number in place of a predicate"},
    {"and.pred %p, %p, %k;", "'and.pred': a predicate in place of a number, or a number in place of a predicate"},
    {".local .b8 big[600000]; st.local.u32 [big], %i;", "more than 512 KiB of local memory per thread"},
    {".shared .b8 big[1073741824]; st.shared.u32 [tile], %i; st.shared.u32 [big], %i;",
     "more than 1 GiB of shared memory"},
    {"st.local.u32 [outside], %i;", "'st.local.u32': a local variable or parameter outside of every function"},
    {"mov.u64 %c, picture;", "'mov.u64': a variable of this type"},
    {"cvta.to.global.u64 %i, %a;", "'cvta.to.global.u64': a result register of another size"},
    {"atom.global.add.u32 %c, [%a], %i;", "'atom.global.add.u32': a result register of another size"},
    {"atom.add.u32 %i, [constant], 1;", "on parameter, constant or local memory"},
    {"atom.local.add.u32 %i, [%a], 1;", "on parameter, constant or local memory"},
    {"bra %i;", "'bra': an operand that is not a label"},
    {"call (tile), (tile);", "'call': a call of this kind"},
    {"{ .param .b32 word; call f, (word); }", "'call': an argument smaller than the parameter"},
    {"cvt.rn.f32.s32 %f, %p;", "'cvt.rn.f32.s32': a predicate as the source"},
    {"cvt.rn.f32.f64 %f, %f;", "'cvt.rn.f32.f64': a floating-point source in a smaller register"},
    {"mov.b64 %i, {%i, %k};", "'mov.b64': a result register of another size"},
    {"mov.b64 {%c, %i}, %a;", "'mov.b64': a result register of another size"},
    {"elect.sync %c|%p, %i;", "'elect.sync': a result register of another size"},
    {"cp.async.wait_group %i;", "'cp.async.wait_group': a number of groups that is not a constant"},
    {"cp.async.bulk.wait_group %i;", "'cp.async.bulk.wait_group': a number of groups that is not a constant"},
    {"wgmma.wait_group.sync.aligned %i;", "'wgmma.wait_group.sync.aligned': an operand that is not a constant"},
    {"cp.async.ca.shared.global [tile], [%a], 12;", "'cp.async.ca.shared.global': a copy of this size"},
    {"wmma.load.a.sync.aligned.row.m2n2k2.shared.f16 {%i}, [tile];", "this matrix shape"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c, %c, %c, %c}, {%i, %i, %i, %i}, {%i, %i}, {%f, %f, %f, %f};",
     "a result register of another size"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c, %c, %c, %c}, %a, %a, 1, 1, 1, 0, 0;",
     "a result register of another size"},
    {"ld.global.u64 %i, [%a];", "'ld.global.u64': a result register smaller than the type"},
    {"ld.global.v2.u32 {%i, %k, %i}, [%a];", "'ld.global.v2.u32': this number of vector elements"},
    {"ld.global.u32 %i, %k;", "'ld.global.u32': an operand that is not an address"},
    {".reg .b16 %h; ld.global.u32 %i, [%h];", "'ld.global.u32': an address of fewer than 32 bits"},
    {"st.const.u32 [constant], %i;", "'st.const.u32': a store to parameter or constant memory"},
    {"st.global.u64 [%a], %i;", "'st.global.u64': a source register smaller than the type"},
    {"tex.1d.v4.f32.f32 {%c, %c, %c, %c}, [%a, {%f}];", "'tex.1d.v4.f32.f32': a result register of another size"},
    {"tex.1d.v4.f32.f32 {%f, %f}, [%a, {%f}];", "'tex.1d.v4.f32.f32': this number of vector elements"},
    {"suld.b.1d.v2.b32.trap {%i}, [%a, {%i}];", "'suld.b.1d.v2.b32.trap': this number of vector elements"},
    {"suld.b.1d.b64.trap {%i}, [%a, {%i}];", "'suld.b.1d.b64.trap': a result register smaller than the type"},
};

static Status lower(const char *instructions, Message *why)
{
    Text text = {0};
    PtxModule module;
    Code code;
    text_printf(&text,
                ".version 8.0\n.target sm_90\n.address_size 64\n"
                ".global .texref picture;\n.const .u32 constant;\n.local .u32 outside;\n"
                ".func f(.param .b64 wide)\n{\nret;\n}\n"
                ".visible .entry k(.param .u64 a)\n{\n"
                ".reg .b64 %%a, %%c; .reg .b32 %%i, %%k; .reg .f32 %%f; .reg .pred %%p; .shared .b32 tile[4];\n"
                "ld.param.u64 %%a, [a]; mov.u32 %%i, 1; mov.u32 %%k, 2;\n%s\nret;\n}\n",
                instructions);
    Status status = ptx_parse("test.ptx", text.data, text.length, &module, why);
    if (status != STATUS_OK)
        fail_test("%.200s: %s", instructions, why->text);
    status = lower_kernel(&module, ptx_function(&module, "k"), &code, why);
    if (status == STATUS_OK)
        code_free(&code);
    ptx_free(&module);
    text_free(&text);
    return status;
}

static void what_no_compiler_writes_is_refused_by_name(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Message why = {0};
        if (lower(rows[i].instruction, &why) != STATUS_UNSUPPORTED || strstr(why.text, rows[i].message) == NULL)
            fail_test("%s: %s", rows[i].instruction, why.text);
    }
}

static void an_endless_kernel_is_refused(void **state)
{
    Text instructions = {0};
    Message why = {0};
    for (int i = 0; i < 200000; i++)
        text_append(&instructions, "not.b32 %i, %k;\n", 16);
    assert_int_equal(lower(instructions.data, &why), STATUS_UNSUPPORTED);
    assert_non_null(strstr(why.text, "'not.b32': a kernel this large"));
    text_free(&instructions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_compiler_writes_is_refused_by_name),
        cmocka_unit_test(an_endless_kernel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
