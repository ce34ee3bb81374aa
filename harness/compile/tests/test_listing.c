#include "harness/compile/listing.h"

#include "base/arena.h"
#include "base/tests/unit.h"
#include "simgpu/ptx/fatbin.h"

#include <string.h>

enum { LINES = 20 };

static Listing listing;

static int begin(void **state)
{
    listing = (Listing){
        .line_count = LINES, .ptx = zeroed(LINES, sizeof *listing.ptx), .sass = zeroed(LINES, sizeof *listing.sass)};
    return 0;
}

static int end(void **state)
{
    listing_free(&listing);
    return 0;
}

/* The code of a line, and how many instructions it has; "": none. */
static void expect(const ListedCode *codes, size_t line, size_t count, const char *text)
{
    const ListedCode *code = &codes[line - 1];
    const char *found = code->text.data == NULL ? "" : code->text.data;
    if (code->count != count || strcmp(found, text) != 0)
        fail_test("line %zu: %zu instructions\n%s", line, code->count, found);
}

/* ---- PTX --------------------------------------------------------------------------------------------------------- */

static void add_ptx(const char *text)
{
    listing_add_ptx(text, strlen(text), &listing);
}

static void an_instruction_belongs_to_the_line_before_it(void **state)
{
    add_ptx(
        ".visible .entry _Z4blurPf(\n\t.param .u64 p\n)\n{\n\t.reg .f32 %f<3>;\n\t.loc\t1 3 5\n\tmov.u32 \t%r1, %tid.x;\n"
        "$L__BB0_1:\n\t.loc 1 4 9\n\t@%p1 bra \t$L__BB0_1;\n\t// begin inline asm\n\tbar.sync 0;\n\tret;\n\n}\n"
        "\t.file\t1 \"/submission/submission.cu\"\n");
    expect(listing.ptx, 3, 1, "blur:\nmov.u32 \t%r1, %tid.x;\n");
    expect(listing.ptx, 4, 3, "blur:\n@%p1 bra \t$L__BB0_1;\nbar.sync 0;\nret;\n");
    expect(listing.ptx, 5, 0, "");
}

static void what_is_inlined_belongs_to_the_line_that_calls_it(void **state)
{
    add_ptx(".file 1 \"/submission/submission.cu\"\n.file 2 \"/toolkit/include/mma.h\"\n.visible .entry k(\n)\n{\n"
            ".loc 2 7 1, function_name $L__info_string0, inlined_at 1 6 3\nadd.f32 %f1, %f1, %f1;\n"
            ".loc 2 9 1\nmul.f32 %f1, %f1, %f1;\n.loc 1 9999 1\nret;\n}\n");
    expect(listing.ptx, 6, 1, "k:\nadd.f32 %f1, %f1, %f1;\n");
    expect(listing.ptx, 7, 0, "");
    expect(listing.ptx, 9, 0, "");
}

static void a_line_of_two_kernels_names_both(void **state)
{
    add_ptx(
        ".file 1 \"submission.cu\"\n.func (.param .b32 r) helper(\n.param .b32 a)\n{\n.loc 1 2 1\nneg.s32 %r1, %r1;\n}\n"
        ".entry one(\n)\n{\n.loc 1 2 1\nret;\n}\n.entry two()\n{\n.loc 1 2 1\nexit;\n}\n");
    expect(listing.ptx, 2, 3, "helper:\nneg.s32 %r1, %r1;\none:\nret;\ntwo:\nexit;\n");
}

static void a_text_that_is_no_ptx_has_no_instructions(void **state)
{
    add_ptx(
        "\n;\n.loc\n.loc x y\n.file\n.file 99999999999 \"submission.cu\"\n.file 1 \"submission.cu\n.entry \nret;\n");
    for (size_t line = 1; line <= LINES; line++)
        expect(listing.ptx, line, 0, "");
}

/* ---- machine code ------------------------------------------------------------------------------------------------ */

/* As nvdisasm 13.0 prints it. */
static void machine_code_belongs_to_the_line_before_it(void **state)
{
    listing_add_sass("\t.target\tsm_90\n"
                     "//--------------------- .text._Z4blurPf --------------------------\n"
                     "\t.section\t.text._Z4blurPf,\"ax\",@progbits\n"
                     "_Z4blurPf:\n.text._Z4blurPf:\n"
                     "\t//## File \"/submission/submission.cu\", line 3\n"
                     "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                     ".L_x_1:\n"
                     "        /*0010*/               @P0 BRA `(.L_x_1) ;\n"
                     "\t//## File \"/toolkit/include/mma.h\", line 4 inlined at \"/submission/submission.cu\", line 8\n"
                     "        /*0020*/                   FFMA R0, R2, R4, R0 ;\n"
                     "\t//## File \"/toolkit/include/mma.h\", line 4\n"
                     "        /*0030*/                   EXIT ;\n",
                     &listing);
    expect(listing.sass, 3, 2, "blur:\nLDC R1, c[0x0][0x28]\n@P0 BRA `(.L_x_1)\n");
    expect(listing.sass, 8, 1, "blur:\nFFMA R0, R2, R4, R0\n");
    expect(listing.sass, 4, 0, "");
}

/* A fatbin of PTX alone, as clang makes it. */
static void without_machine_code_it_says_why(void **state)
{
    static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"submission.cu\"\n"
                              ".entry k()\n{\n.loc 1 2 1\nret;\n}\n";
    Text image = {0};
    Listing made;
    fatbin_write(ptx, strlen(ptx), 90, &image);
    CompileModule module = {.image = image.data, .bytes = image.length};
    listing_make(&(Compiled){.modules = &module, .module_count = 1}, 90, 3, &made);
    assert_string_equal(made.no_sass, "clang made PTX, and no machine code");
    assert_string_equal(made.ptx[1].text.data, "k:\nret;\n");
    listing_free(&made);
    text_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_instruction_belongs_to_the_line_before_it, begin, end),
        cmocka_unit_test_setup_teardown(what_is_inlined_belongs_to_the_line_that_calls_it, begin, end),
        cmocka_unit_test_setup_teardown(a_line_of_two_kernels_names_both, begin, end),
        cmocka_unit_test_setup_teardown(a_text_that_is_no_ptx_has_no_instructions, begin, end),
        cmocka_unit_test(without_machine_code_it_says_why),
        cmocka_unit_test_setup_teardown(machine_code_belongs_to_the_line_before_it, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
