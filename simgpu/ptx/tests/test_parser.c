#include "base/tests/unit.h"

#include "simgpu/ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" body "\n}\n"

static PtxModule parse(const char *text)
{
    PtxModule module;
    Message why = {0};
    if (ptx_parse("test.ptx", text, strlen(text), &module, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return module;
}

static void an_instruction_keeps_its_operands(void **state)
{
    PtxModule module = parse(KERNEL(".reg .b32 %r<5>; .reg .b64 %d<2>; .reg .pred %p;\n"
                                    "@!%p ld.global.v2.u32 {%r1, %r2}, [%d1+-8];"));
    const PtxFunction *k = ptx_function(&module, "k");
    assert_non_null(k);
    assert_int_equal(k->instruction_count, 1);
    const PtxInstruction *load = &k->instructions[0];
    assert_string_equal(load->opcode, "ld.global.v2.u32");
    assert_int_equal(load->ptx_line, 7);
    assert_true(load->guard_negated);
    assert_int_equal(k->register_types[load->guard], PTX_PRED);
    assert_int_equal(load->operands[0].kind, PTX_VECTOR);
    assert_int_equal(load->operands[0].element_count, 2);
    assert_int_equal(load->operands[0].elements[1].register_index, 2);
    assert_int_equal(load->operands[1].kind, PTX_ADDRESS);
    assert_int_equal((int64_t)load->operands[1].number, -8);
    ptx_free(&module);
}

static const struct {
    const char *text;
    uint64_t bits;
} immediates[] = {
    {"12", 12},
    {"-12", (uint64_t)-12},
    {"0x1F", 31},
    {"0b101", 5},
    {"017", 15},
    {"7U", 7},
    {"0f3F800000", 0x3F800000},
    {"-0f3F800000", 0xBF800000},
    {"0d3FF0000000000000", 0x3FF0000000000000},
    {"1.5", 0x3FF8000000000000},
    {"(2 + 3) * 4 - 1", 19},
    {"~(1 - 1)", ~0ull},
    {"WARP_SZ", 32},
};

static void an_address_keeps_its_coordinates(void **state)
{
    PtxModule module = parse(
        KERNEL(".reg .f32 %f<5>; .reg .b64 %d<2>;\n"
               "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f0, %f2}];\nld.u64 %d0, [%d1+8];"));
    const PtxInstruction *i = ptx_function(&module, "k")->instructions;
    const PtxOperand *texture = &i[0].operands[1], *plain = &i[1].operands[1];
    assert_int_equal(texture->kind, PTX_ADDRESS);
    assert_int_equal(texture->element_count, 2);
    assert_int_equal(texture->elements[1].register_index, 2);
    assert_int_equal(plain->kind, PTX_ADDRESS);
    assert_int_equal(plain->element_count, 0);
    ptx_free(&module);
}

static void immediates_are_read_to_the_bit(void **state)
{
    for (size_t i = 0; i < COUNT_OF(immediates); i++) {
        char text[300];
        snprintf(text, sizeof text, KERNEL(".reg .b64 %%d; mov.b64 %%d, %s;"), immediates[i].text);
        PtxModule module = parse(text);
        const PtxOperand *operand = &ptx_function(&module, "k")->instructions[0].operands[1];
        if (operand->kind != PTX_IMMEDIATE || operand->number != immediates[i].bits)
            fail_test("%s: got 0x%llx", immediates[i].text, (unsigned long long)operand->number);
        ptx_free(&module);
    }
}

static void nested_scopes_have_registers_and_labels_of_their_own(void **state)
{
    PtxModule module = parse(
        KERNEL(".reg .b32 x; mov.b32 x, 0;\n"
               "{.reg.b32 x; L: mov.b32 x, 1; bra L; }\n{ .reg .b32 x; L: mov.b32 x, 2; bra L; }"));
    const PtxInstruction *i = ptx_function(&module, "k")->instructions;
    assert_int_equal(i[0].operands[0].register_index, 0);
    assert_int_equal(i[1].operands[0].register_index, 1);
    assert_int_equal(i[3].operands[0].register_index, 2);
    assert_int_equal(i[2].operands[0].label->instruction, 1);
    assert_int_equal(i[4].operands[0].label->instruction, 3);
    ptx_free(&module);
}

static void variables_have_size_alignment_and_contents(void **state)
{
    PtxModule module = parse(
        HEAD ".const .align 4 .b8 c[6] = {1, 2, 255};\n.global .u64 p = generic(c)+4;\n"
             ".extern .shared .align 16 .b8 s[];\n.global .f32 f[2][3] = {{1.0, 0f40000000, 3.0}, {4.0}};\n");
    const PtxVariable *f = module.variables, *s = f->next, *p = s->next, *c = p->next;
    assert_string_equal(f->name, "f");
    assert_int_equal(f->bytes, 24);
    assert_memory_equal(f->initial, ((float[]){1, 2, 3, 4}), 16);
    assert_true(s->is_unsized);
    assert_int_equal(s->align, 16);
    assert_ptr_equal(p->relocations->target, c);
    assert_int_equal(p->relocations->addend, 4);
    assert_int_equal(c->initial_bytes, 3);
    assert_int_equal(c->initial[2], 255);
    ptx_free(&module);
}

static void inlined_lines_are_charged_to_the_caller(void **state)
{
    PtxModule module = parse(HEAD
                             ".entry k()\n{\n.loc 1 7 0\nret;\n.loc 2 99 3, function_name $L, inlined_at 1 8 5\nret;\n"
                             ".loc 1 20 3, function_name $L+12, inlined_at 1 9 5\nret;\n"
                             ".loc 1 10 5\n.loc 2 99 3, function_name $L, inlined_at 1 10 5\n"
                             ".loc 2 50 3, function_name $M, inlined_at 2 99 3\nret;\n}\n"
                             ".file 1 \"/tmp/own.cu\"\n.file 2 \"/usr/include/header.hpp\"\n");
    const PtxInstruction *i = ptx_function(&module, "k")->instructions;
    assert_int_equal(i[0].line, 7);
    assert_int_equal(i[1].file, 1);
    assert_int_equal(i[1].line, 8);
    assert_int_equal(i[2].line, 20); /* a device function of the same file keeps its line */
    assert_int_equal(i[3].file, 1);  /* a function of a header, called by another one there */
    assert_int_equal(i[3].line, 10);
    assert_string_equal(module.files[1], "/tmp/own.cu");
    ptx_free(&module);
}

static void parameters_are_laid_out_like_a_struct(void **state)
{
    PtxModule module = parse(
        HEAD ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .f32 d)\n{ ret; }");
    const PtxFunction *k = ptx_function(&module, "k");
    static const uint64_t offsets[] = {0, 8, 16, 36};
    const PtxVariable *parameter = k->parameters;
    for (size_t i = 0; i < COUNT_OF(offsets); i++, parameter = parameter->next)
        assert_int_equal(parameter->address, offsets[i]);
    assert_int_equal(k->parameter_count, 4);
    assert_int_equal(k->parameter_bytes, 40);
    ptx_free(&module);
}

#define TEN_OPEN "{{{{{{{{{{"
#define FIFTY_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN

static const struct {
    const char *text, *message;
} refusals[] = {
    {KERNEL(".pragma \"nounroll\"\n# 20 \"x\"\n; ret;"), "test.ptx:7: found '#', expected PTX"},
    {KERNEL("ld.global.u32 x, # 20 \"x\"\n; ret;"), "test.ptx:6: found '#', expected PTX"},
    {HEAD ".section .s {\n# 20 \"x\"\n}", "test.ptx:5: found '#', expected PTX"},
    {KERNEL("\\ ret;"), "test.ptx:6: found '\\', expected PTX"},
    {"", "test.ptx:1: found the end of the text, expected .version"},
    {"hello", "test.ptx:1: found 'hello', expected .version"},
    {KERNEL("bra NOWHERE;"), "test.ptx:6: found 'NOWHERE', which is not declared"},
    {KERNEL("@%q bra L;"), "test.ptx:6: found '%q', expected a predicate register"},
    {KERNEL(".reg .b32 %r<99999999>;"), "test.ptx:6: more than 1048576 registers"},
    {KERNEL(".reg .b31 %r;"), "test.ptx:6: found '.b31', expected the type of a register"},
    {KERNEL(".reg .b32 1;"), "test.ptx:6: found '1', expected the name of a register"},
    {KERNEL(".reg .b32 %r<many>;"), "test.ptx:6: found 'many', expected an integer"},
    {HEAD ".entry 1() {}", "test.ptx:4: found '1', expected the name of a function"},
    {HEAD ".file 1 name", "test.ptx:4: found 'name', expected a file name"},
    {HEAD ".section {}", "test.ptx:4: found '{', expected the name of a section"},
    {HEAD ".entry k() { ret;", "test.ptx:4: found the end of the text, expected '}'"},
    {HEAD ".global .b8 big[4000000000];", "test.ptx:4: 'big' takes more than"},
    {HEAD ".global .b8 x[2] = {1, 2, 3};", "test.ptx:4: more initial values than 'x' has room for"},
    {HEAD ".global .align 3 .b8 x[2];", "test.ptx:4: 'x' is aligned to 3 bytes, expected a power of two up to 4096"},
    {HEAD ".global .b31 x;", "test.ptx:4: found '.b31' in a declaration, expected a type"},
    {HEAD ".global .b32 1;", "test.ptx:4: found '1', expected the name of a variable"},
    {HEAD ".global .b64 x = generic(1);", "test.ptx:4: found '1', expected the name of a variable"},
    {HEAD ".global .b64 x = y;", "test.ptx:4: found 'y', expected the name of a variable declared before"},
    {HEAD ".global x;", "test.ptx:4: 'x' has no type"},
    {HEAD ".global .b8 x[2] = {{{{{{{{{1}}}}}}}}};", "test.ptx:4: initial values with more than 8 levels of nesting"},
    {HEAD ".frobnicate;", "test.ptx:4: found '.frobnicate', expected a directive"},
    {KERNEL(FIFTY_OPEN FIFTY_OPEN FIFTY_OPEN FIFTY_OPEN), "test.ptx:6: more than 200 nested scopes"},
    {HEAD "\"open", "test.ptx:4: found"},
    {HEAD "\x01", "test.ptx:4: found '?'"},
};

static void bad_text_is_refused_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        PtxModule module;
        Message why = {0};
        Status status = ptx_parse("test.ptx", refusals[i].text, strlen(refusals[i].text), &module, &why);
        if (status != STATUS_BAD_INPUT || strstr(why.text, refusals[i].message) == NULL)
            fail_test("%s: status %d: %s", refusals[i].text, status, why.text);
    }
}

static const struct {
    const char *instruction, *refusal;
} skipped[] = {
    {"mov.u32 %r1, %envreg3;", "found '%envreg3', which is not a declared register"},
    {"add.s32 %r0, %r1, %r3;", "found '%r3', which is not a declared register"},
    {"add.s32 %r0, %r1 %r2;", "found '%r2', expected ';'"},
    {"tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r2}, [t, {%r1}];", "found 't', expected an address"},
    {"tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r2}, [%r1, %r1, {%r1}];", "found '%r1', expected '{'"},
    {"tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r2}, [%r1, {%r1};", "found ';', expected ']'"},
    {"add.s32 %r0, %r1, ];", "found ']', expected an operand"},
    {"mov.b64 %r1, {{{{%r0}}}};", "operands with more than 4 levels of nesting"},
    {"mov.u32 %r1, 1 / 0;", "a division by 0 in a constant expression"},
    {"mov.u32 %r1, ((((((((((((((((((1))))))))))))))))));",
     "a constant expression with more than 16 levels of nesting"},
};

static void unknown_operands_affect_only_their_instruction(void **state)
{
    for (size_t i = 0; i < COUNT_OF(skipped); i++) {
        char text[300];
        snprintf(text, sizeof text, KERNEL(".reg .b32 %%r<3>;\n%s\nret;"), skipped[i].instruction);
        PtxModule module = parse(text);
        const PtxFunction *k = ptx_function(&module, "k");
        assert_int_equal(k->instruction_count, 2);
        assert_non_null(k->instructions[0].refusal);
        assert_string_equal(k->instructions[0].refusal, skipped[i].refusal);
        assert_int_equal(k->instructions[0].operand_count, 0);
        assert_string_equal(k->instructions[1].opcode, "ret");
        assert_null(k->instructions[1].refusal);
        ptx_free(&module);
    }
}

/* A module that is truncated anywhere must give a message or a module, and nothing else. */
static void text_that_ends_anywhere_does_no_harm(void **state)
{
    static const char text[] = HEAD
        ".const .b8 c[4] = {1, 2};\n.entry k(.param .u64 p) { .reg .b32 %r<3>; .reg .pred q;\n"
        "L: @!q add.s32 %r1|q, (%r2), {%r0, 0f3F800000}, [c+4]; bra L; }\n";
    for (size_t length = 0; length < sizeof text; length++) {
        char *exact = malloc(length + (length == 0)); /* so that AddressSanitizer sees a read beyond the end */
        memcpy(exact, text, length);
        PtxModule module;
        Message why = {0};
        if (ptx_parse("test.ptx", exact, length, &module, &why) == STATUS_OK)
            ptx_free(&module);
        else
            assert_true(strncmp(why.text, "test.ptx:", 9) == 0);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_keeps_its_operands),
        cmocka_unit_test(an_address_keeps_its_coordinates),
        cmocka_unit_test(immediates_are_read_to_the_bit),
        cmocka_unit_test(nested_scopes_have_registers_and_labels_of_their_own),
        cmocka_unit_test(variables_have_size_alignment_and_contents),
        cmocka_unit_test(inlined_lines_are_charged_to_the_caller),
        cmocka_unit_test(parameters_are_laid_out_like_a_struct),
        cmocka_unit_test(bad_text_is_refused_with_its_line),
        cmocka_unit_test(unknown_operands_affect_only_their_instruction),
        cmocka_unit_test(text_that_ends_anywhere_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
