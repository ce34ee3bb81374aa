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
    {"add.s32 %i, %k, %k, %k;", "'add.s32': more operands than expected"},
    {"add.s32 1, %k, %k;", "'add.s32': operand 1 is a constant, expected a register of 32 bits (test.ptx:15)"},
    {"add.s32 %i, %k, {%i, %k};", "'add.s32': operand 3 is a vector, expected a register of 32 bits"},
    {"L: add.s32 %i, %k, L;", "'add.s32': operand 3 is a label, expected a register of 32 bits"},
    {"add.s32 %i, %k, %p;", "'add.s32': operand 3 is a predicate, expected a register of 32 bits"},
    {"add.s32 %p, %k, %k;", "'add.s32': operand 1 is a predicate, expected a register of 32 bits"},
    {"and.pred %p, %p, %k;", "'and.pred': operand 3 is a register of 32 bits, expected a predicate"},
    {".local .b8 big[600000]; st.local.u32 [big], %i;", "more than 512 KiB of local memory per thread"},
    {".shared .b8 big[1073741824]; st.shared.u32 [tile], %i; st.shared.u32 [big], %i;",
     "more than 1 GiB of shared memory"},
    {"st.local.u32 [outside], %i;", "'st.local.u32': a local variable or parameter outside of every function"},
    {"mov.u64 %c, picture;", "'mov.u64': a variable of this type"},
    {"cvta.to.global.u64 %i, %a;",
     "'cvta.to.global.u64': operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {"atom.global.add.u32 %c, [%a], %i;",
     "'atom.global.add.u32': operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"atom.add.u32 %i, [constant], 1;", "on parameter, constant or local memory"},
    {"atom.local.add.u32 %i, [%a], 1;", "on parameter, constant or local memory"},
    {"bra %i;", "'bra': an operand that is not a label"},
    {"call (tile), (tile);", "'call': a call of this kind"},
    {"{ .param .b32 word; call f, (word); }", "'call': an argument smaller than the parameter"},
    {"cvt.rn.f32.s32 %f, %p;", "'cvt.rn.f32.s32': operand 2 is a predicate, expected a register of 32 bits or more"},
    {"cvt.rn.f32.f64 %f, %f;", "'cvt.rn.f32.f64': operand 2 is a register of 32 bits, expected a register of 64 bits"},
    {"mov.b64 %i, {%i, %k};", "'mov.b64': operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {"mov.b64 {%c, %i}, %a;",
     "'mov.b64': element 1 of operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"elect.sync %c|%p, %i;",
     "'elect.sync': element 1 of operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"cp.async.wait_group %i;", "operand 1 is a register of 32 bits, expected a constant"},
    {"cp.async.bulk.wait_group %i;", "operand 1 is a register of 32 bits, expected a constant"},
    {"wgmma.wait_group.sync.aligned %i;", "operand 1 is a register of 32 bits, expected a constant"},
    {"cp.async.ca.shared.global [tile], [%a], 12;", "'cp.async.ca.shared.global': a copy of this size"},
    {"wmma.load.a.sync.aligned.row.m2n2k2.shared.f16 {%i}, [tile];", "this matrix shape"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c, %c, %c, %c}, {%i, %i, %i, %i}, {%i, %i}, {%f, %f, %f, %f};",
     "element 1 of operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c, %c, %c, %c}, %a, %a, 1, 1, 1, 0, 0;",
     "element 1 of operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"ld.global.u64 %i, [%a];", "'ld.global.u64': operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {"ld.global.v2.u32 {%i, %k, %i}, [%a];", "'ld.global.v2.u32': operand 1 is a vector, expected a vector of 2"},
    {"ld.global.u32 %i, %k;", "'ld.global.u32': operand 2 is a register of 32 bits, expected an address"},
    {"ld.global.u32 %i, [%h];", "'ld.global.u32': an address of fewer than 32 bits"},
    {"st.const.u32 [constant], %i;", "'st.const.u32': a store to parameter or constant memory"},
    {"st.global.u64 [%a], %i;", "'st.global.u64': operand 2 is a register of 32 bits, expected a register of 64 bits"},
    {"tex.1d.v4.f32.f32 {%c, %c, %c, %c}, [%a, {%f}];",
     "element 1 of operand 1 is a register of 64 bits, expected a register of 32 bits"},
    {"tex.1d.v4.f32.f32 {%f, %f}, [%a, {%f}];", "'tex.1d.v4.f32.f32': operand 1 is a vector, expected a vector of 4"},
    {"suld.b.1d.v2.b32.trap {%i}, [%a, {%i}];",
     "'suld.b.1d.v2.b32.trap': operand 1 is a vector, expected a vector as long as the opcode says"},
    {"suld.b.1d.b64.trap {%i}, [%a, {%i}];",
     "element 1 of operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {"setp.gt.s32 %p, !%i, %k;",
     "'setp.gt.s32': operand 2 is '!' in front of a register of 32 bits, expected a register of 32 bits"},
    {"setp.gt.s32 !%p, %i, %k;", "'setp.gt.s32': operand 1 is '!' in front of a predicate, expected a predicate"},
    {"st.global.u32 [%a], !%i;",
     "operand 2 is '!' in front of a register of 32 bits, expected a register of 32 bits or more"},
    {"shfl.sync.bfly.b32 %i|%k, %i, 1, 31, -1;",
     "element 2 of operand 1 is a register of 32 bits, expected a predicate"},
    {"mov.b8 %p, %p;", "'mov.b8'"},
    {"mov.b8 %p, {%p, %p};", "'mov.b8'"},
    {"getctarank.b8 %i, %p;", "'getctarank.b8'"},
    {"add.s32 %i, %i, %w;", "'add.s32': a register of this type"},
    {"and.pred %p, %p, %w;", "'and.pred': a register of this type"},
    {"mov.pred %p, tile;", "operand 2 is a variable, expected a predicate"},
    {"mov.pred %p, %tid.x;", "operand 2 is a special register, expected a predicate"},
    {"ld.global.u32 %i, [%k];",
     "operand 2 is an address in a register of 32 bits, expected an address in a register of 64 bits"},
    {"ld.u32 %i, [%k];",
     "operand 2 is an address in a register of 32 bits, expected an address in a register of 64 bits"},
    {"ld.shared.u32 %i, [%p];", "operand 2 is an address in a predicate, expected an address"},
    {"ld.global.u32 %i, [%a], %c;", "more operands than expected"},
    {"ld.global.L2::cache_hint.u32 %i, [%a], %k;",
     "operand 3 is a register of 32 bits, expected a register of 64 bits"},
    {"ld.global.L2::cache_hint.u32 %i, [%a];",
     "operand 2 is an address in a register of 64 bits, expected a register of 64 bits"},
    {"ld.global.v2.u32 {%i, %p}, [%a];",
     "element 2 of operand 1 is a predicate, expected a register of 32 bits or more"},
    {"tex.1d.v4.f32.f32 {%f, %f, %f, %f}, [%i, {%f}];", "operand 2 is an address in a register of 32 bits"},
    {"tex.1d.v4.f32.f32 {%f, %f, %f, %f}, [%a, {%c}];", "element 1 of operand 2 is a register of 64 bits"},
    {"tex.grad.2d.v4.f32.f32 {%f, %f, %f, %f}, [%a, {%f, %f}], {%f}, {%f, %f};",
     "operand 3 is a vector, expected a vector with an element for each dimension"},
    {"tex.level.2d.v4.f32.f32 {%f, %f, %f, %f}, [%a, {%f, %f}], %c;", "operand 3 is a register of 64 bits"},
    {"sust.b.1d.b64.trap [%a, {%i}], {%k};",
     "element 1 of operand 2 is a register of 32 bits, expected a register of 64 bits"},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%i, %c}, [tile];", "element 2 of operand 1 is a register of 64 bits"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%i, %i, %i, %i, %i, %i, %i, %i}, [tile], %c;",
     "operand 3 is a register of 64 bits"},
    {"cp.async.ca.shared.global [tile], [%a], 16, %c;",
     "operand 4 is a register of 64 bits, expected a register of 32 bits"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%a], %i, [tile], %k;",
     "operand 5 is a register of 32 bits, expected a register of 16 bits"},
    {"discard.global.L2 [%a], %i;", "operand 2 is a register of 32 bits, expected a constant"},
    {"fence.proxy.tensormap::generic.acquire.gpu %a, 128;", "operand 1 is a register of 64 bits, expected an address"},
    {"{ .param .b64 word; call f, (word, word); }", "'call': more arguments than parameters"},
    {"call f, (tile);", "element 1 of operand 2 is a variable, expected a .param variable of the caller"},
    {"call f, (a);", "element 1 of operand 2 is a variable, expected a .param variable of the caller"},
    {"call f, ([a]);", "element 1 of operand 2 is an address, expected a .param variable of the caller"},
    {"{ .param .b64 word; call f, (word+4); }", "element 1 of operand 2 is a variable"},
    {"{ .param .b64 word; call f, (word), %i; }", "'call': more operands than expected"},
    {"{ .param .b64 word; .reg .b32 %t; call %t, (word); }",
     "operand 1 is a register of 32 bits, expected a register of 64 bits"},
    {"bar.red.popc.u32 %i, %p;", "'bar.red.popc.u32'"},
    {"ret %i;", "'ret': more operands than expected"},
};

/* What ptxas allows and no other test names. */
static const char *const allowed[] = {
    "cvt.u16.u32 %h, %a;",
    "cvt.rn.f16x2.f32 %i, %a, %f;",
    "cvt.f32.f16 %f, %c;",
    "cvt.sat.u8.s32 %i, %a;",
    "ld.global.u8 %a, [%c];",
    "ld.global.v4.u32 {%i, _, %k, _}, [%a];",
    "st.global.v2.u8 [%a], {%c, 5};",
    "ld.shared.u32 %i, [%k];",
    "ld.global.L2::cache_hint.u32 %i, [%a], 5;",
    "suld.b.1d.b8.trap {%a}, [%c, {%i}];",
    "sust.b.1d.b32.trap [%c, {%i}], {%a};",
    "cp.async.ca.shared.global [tile], [%a], 16, !%p;",
    "cp.async.ca.shared.global.L2::cache_hint [tile], [%a], 16, %c;",
    "cp.async.ca.shared.global.L2::cache_hint [tile], [%a], 16, %i, %c;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [tile], [%a], %i, [tile], %h, %c;",
    "ldmatrix.sync.aligned.m8n8.x1.b16 {%i}, [%k];",
    "isspacep.shared %p, %i;",
    "setp.eq.s32 _|%p, %i, %k;",
    "shfl.sync.bfly.b32 %i|_, %k, 1, 31, -1;",
    "elect.sync _|%p, -1;",
    "atom.global.add.u32 _, [%a], 1;",
    "mbarrier.arrive.shared.b64 _, [tile];",
    "mbarrier.try_wait.parity.shared.b64 %p, [tile], 1, 100;",
    "mov.u16 %h, %tid.x;",
    "mov.u32 %i, %gridid;",
    "mov.u32 %i, tile;",
    "mov.pred %p, %is_explicit_cluster;",
    "mov.b64 {%i, _}, %a;",
    "mov.b16 %h, {%b, %b};",
    "tex.grad.2d.v4.f32.f32 {%f, _, %f, %f}, [%a, {%f, %f}], {%f, %f}, {%f, 0f3F800000};",
    "createpolicy.range.global.L2::evict_last.b64 %a, [%c], %i, 16;",
    "fence.proxy.tensormap::generic.acquire.gpu [%a], 128;",
    "applypriority.global.L2::evict_normal [%a], 128;",
    "setmaxnreg.inc.sync.aligned.u32 64;",
    "{ .param .b64 word; call.uni f, (word); }",
    "{ .param .b64 word; call %a, (word), prototype; prototype: .callprototype _ (.param .b64 _); }",
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
                ".reg .b64 %%a, %%c; .reg .b32 %%i, %%k; .reg .f32 %%f; .reg .pred %%p; "
                ".reg .b16 %%h; .reg .b8 %%b; .reg .b128 %%w; .shared .b32 tile[4];\n"
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
        if (lower(rows[i].instruction, &why) == STATUS_OK || strstr(why.text, rows[i].message) == NULL)
            fail_test("%s: %s", rows[i].instruction, why.text);
    }
}

static void what_ptx_does_not_allow_is_told_from_what_is_not_implemented(void **state)
{
    Message why = {0};
    assert_int_equal(lower("add.s32 %i, %k, %a;", &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "this is not PTX: 'add.s32': operand 3 is a register of 64 bits, expected a register "
                                  "of 32 bits (test.ptx:15)");
    assert_int_equal(lower("add.s128 %i, %k, %k;", &why), STATUS_UNSUPPORTED);
    assert_string_equal(why.text, "the simulated GPU does not implement 'add.s128' (test.ptx:15)");
}

static void what_ptxas_allows_is_lowered(void **state)
{
    for (size_t i = 0; i < COUNT_OF(allowed); i++) {
        Message why = {0};
        if (lower(allowed[i], &why) != STATUS_OK)
            fail_test("%s: %s", allowed[i], why.text);
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
        cmocka_unit_test(what_ptx_does_not_allow_is_told_from_what_is_not_implemented),
        cmocka_unit_test(what_ptxas_allows_is_lowered),
        cmocka_unit_test(an_endless_kernel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
