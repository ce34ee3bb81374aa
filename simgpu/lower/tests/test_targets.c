#include "base/tests/unit.h"

#include "simgpu/lower/lower.h"
#include "simgpu/ptx/parser.h"

#include <stdio.h>
#include <string.h>

enum { FIRST = 1 << 0, SECOND = 1 << 1, FIFTH = 1 << 4 }; /* parameters at offsets 0, 8 and 32 */

/* %a and %b hold the first two parameters, %n the third, of 32 bits; `more` begins at offset 24. */
static const struct {
    const char *body;
    uint64_t targets;
} rows[] = {
    {"ld.global.f32 %f, [%a];", 0},
    {"st.global.f32 [%a], %f;", FIRST},
    {"st.global.f32 [%a], %f; st.global.f32 [%b+4], %f;", FIRST | SECOND},
    {"cvta.to.global.u64 %c, %b; mad.wide.s32 %c, %n, 4, %c; st.global.f32 [%c], %f;", SECOND},
    {"selp.b64 %c, %a, %b, %p; st.global.f32 [%c], %f;", FIRST | SECOND},
    {"mov.u64 %c, %a; AGAIN: st.global.f32 [%c], %f; mov.u64 %c, %b; @%p bra AGAIN;", FIRST | SECOND},
    {".reg .b64 %d; mov.u64 %c, %a; mov.u64 %d, %a; AGAIN: st.global.f32 [%c], %f; mov.u64 %c, %d; mov.u64 %d, %b; "
     "@%p bra AGAIN;",
     FIRST | SECOND},
    {"mov.b64 {%i, %k}, %a; mov.b64 %c, {%i, %k}; st.global.f32 [%c], %f;", FIRST},
    {"ld.global.u32 %i, [%b]; mad.wide.u32 %c, %i, 4, %a; st.global.f32 [%c], %f;", FIRST},
    {"ld.global.u64 %c, [%a]; st.global.f32 [%c], %f;", UNKNOWN_TARGET},
    {"ld.param.u64 %c, [more+8]; st.global.f32 [%c], %f;", FIFTH},
    {"ld.param.u64 %c, [more+504]; st.global.f32 [%c], %f;", UNKNOWN_TARGET},
    {"mov.u64 %c, 0x300000001000; st.global.f32 [%c], %f;", UNKNOWN_TARGET},
    {"mov.u64 %c, 0x300000001000; selp.b64 %c, %c, %a, %p; st.global.f32 [%c], %f;", UNKNOWN_TARGET | FIRST},
    {"st.global.f32 [variable], %f;", UNKNOWN_TARGET},
    {"st.f32 [%a], %f;", FIRST},
    {"st.shared.f32 [tile], %f;", 0},
    {"red.global.add.f32 [%b], %f;", SECOND},
    {"atom.global.exch.b64 %c, [%b], %a; st.global.f32 [%c], %f;", SECOND | UNKNOWN_TARGET},
};

static uint64_t targets_of(const char *body)
{
    char text[1000];
    PtxModule module;
    Code code;
    Message why = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.global .f32 variable;\n"
             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .align 8 .b8 more[512])\n{\n"
             ".reg .b64 %%a, %%b, %%c; .reg .b32 %%n, %%i, %%k; .reg .f32 %%f; .reg .pred %%p; .shared .f32 tile;\n"
             "ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b]; ld.param.u32 %%n, [n]; mov.f32 %%f, 0f3F800000;\n"
             "setp.ne.u32 %%p, %%n, 0;\n%s\nret;\n}\n",
             body);
    if (ptx_parse("test", text, strlen(text), &module, &why) != STATUS_OK ||
        lower_kernel(&module, ptx_function(&module, "k"), &code, &why) != STATUS_OK)
        fail_test("%s: %s", body, why.text);
    uint64_t targets = code.targets;
    code_free(&code);
    ptx_free(&module);
    return targets;
}

static void stores_are_followed_back_to_parameters(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t targets = targets_of(rows[i].body);
        if (targets != rows[i].targets)
            fail_test("%s: 0x%llx, expected 0x%llx", rows[i].body, (unsigned long long)targets,
                      (unsigned long long)rows[i].targets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores_are_followed_back_to_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
