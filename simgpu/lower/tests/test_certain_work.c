#include "base/tests/unit.h"

#include "simgpu/lower/lower.h"
#include "simgpu/ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* Accesses, special functions, float operations and others that no compiler can leave out. %a and %b point to arrays. */
static const struct {
    const char *body;
    uint32_t certain[CERTAIN_KINDS];
} rows[] = {
    {"ld.global.f32 %f, [%a]; st.global.f32 [%b], %f;", {2, 0, 0, 0}},
    {"ld.global.f32 %f, [%a]; add.f32 %g, %f, %f; st.global.f32 [%b], %g;", {2, 0, 1, 0}},
    {"ld.global.f32 %f, [%a]; fma.rn.f32 %g, %f, %f, %f; st.global.f32 [%b], %g;", {2, 0, 0, 0}},
    {"ld.global.f32 %f, [%a]; ex2.approx.f32 %g, %f; mul.f32 %g, %g, %f; st.global.f32 [%b], %g;", {2, 1, 1, 0}},
    {"ld.global.u32 %i, [%a]; xor.b32 %k, %i, %i; min.s32 %k, %k, %i; st.global.u32 [%b], %k;", {2, 0, 0, 2}},
    {"ld.global.f32 %f, [%a]; max.f32 %g, %f, %f; cvt.rzi.s32.f32 %i, %g; st.global.u32 [%b], %i;", {2, 0, 0, 2}},
    {"ld.shared.f32 %f, [tile]; st.shared.f32 [tile+4], %f;", {1, 0, 0, 1}},
    {"ld.global.f32 %f, [%a]; red.global.add.f32 [%b], %f;", {2, 0, 0, 0}},
    /* a value in a loop, added up */
    {"mov.f32 %g, 0f00000000; AGAIN: ld.global.f32 %f, [%a]; add.f32 %g, %g, %f; @%p bra AGAIN; st.global.f32 [%b], %g;",
     {2, 0, 1, 0}},
    /* what a warp hands over */
    {"ld.global.f32 %f, [%a]; add.f32 %g, %f, %f; mov.b32 %i, %g; shfl.sync.idx.b32 %k, %i, 0, 31, -1;", {1, 0, 1, 0}},
    /* what nothing needs: a load, a sum */
    {"ld.global.f32 %f, [%a];", {0, 0, 0, 0}},
    {"ld.global.f32 %f, [%a]; add.f32 %g, %f, %f; st.global.f32 [%b], %f;", {2, 0, 0, 0}},
    /* what can be computed in advance */
    {"mov.f32 %f, 0f40000000; mul.f32 %g, %f, %f; st.global.f32 [%b], %g;", {1, 0, 0, 0}},
    {"cvt.rn.f32.u32 %f, %n; mul.f32 %g, %f, %f; st.global.f32 [%b], %g;", {1, 0, 0, 0}},
    /* addresses and conditions */
    {"ld.global.u32 %i, [%a]; add.u32 %i, %i, %n; mad.wide.u32 %c, %i, 4, %b; st.global.u32 [%c], %n;", {2, 0, 0, 0}},
    {"ld.global.u32 %i, [%a]; add.u32 %k, %i, %n; setp.lt.u32 %p, %k, %i; @%p bra END; st.global.u32 [%b], %n; END:",
     {2, 0, 0, 0}},
    /* what may become a part of another instruction */
    {"ld.global.f32 %f, [%a]; neg.f32 %g, %f; add.f32 %g, %g, 0f00000000; st.global.f32 [%b], %g;", {2, 0, 0, 0}},
    {"ld.global.f32 %f, [%a]; @%p add.f32 %f, %f, %f; st.global.f32 [%b], %f;", {2, 0, 0, 0}},
    /* arrays that compilers keep in registers */
    {"ld.global.f32 %f, [%a]; st.local.f32 [own], %f; ld.local.f32 %g, [own]; add.f32 %g, %g, %g; st.global.f32 [%b], %g;",
     {2, 0, 0, 0}},
};

static void count(const char *body, uint32_t certain[CERTAIN_KINDS])
{
    char text[1000];
    PtxModule module;
    Code code;
    Message why = {0};
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
        ".reg .b64 %%a, %%b, %%c; .reg .b32 %%n, %%i, %%k; .reg .f32 %%f, %%g; .reg .pred %%p;\n"
        ".shared .f32 tile[2]; .local .f32 own;\n"
        "ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b]; ld.param.u32 %%n, [n]; setp.ne.u32 %%p, %%n, 0;\n%s\nret;\n}\n",
        body);
    if (ptx_parse("test", text, strlen(text), &module, &why) != STATUS_OK ||
        lower_kernel(&module, ptx_function(&module, "k"), &code, &why) != STATUS_OK)
        fail_test("%s: %s", body, why.text);
    for (int i = 0; i < code.block_count; i++)
        for (int kind = 0; kind < CERTAIN_KINDS; kind++)
            certain[kind] += code.blocks[i].certain[kind];
    code_free(&code);
    ptx_free(&module);
}

static void what_makes_a_stored_value_of_loaded_data_is_certain(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t certain[CERTAIN_KINDS] = {0};
        count(rows[i].body, certain);
        if (memcmp(certain, rows[i].certain, sizeof certain) != 0)
            fail_test("%s: %u %u %u %u, expected %u %u %u %u", rows[i].body, certain[0], certain[1], certain[2],
                      certain[3], rows[i].certain[0], rows[i].certain[1], rows[i].certain[2], rows[i].certain[3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_makes_a_stored_value_of_loaded_data_is_certain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
