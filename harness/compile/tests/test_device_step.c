/* What comes of GPU code that the compiler's device step did not make.  */
#include "harness/compile/tests/compile_fixture.h"

#include "harness/compile/compile.h"
#include "simgpu/ptx/fatbin.h"

static const char REFUSED[] = "my file.cu: error: the object file holds GPU code that the device compiler did not make "
                              "(section .nv_fatbin)\n";

static void gpu_code_from_host_assembly_does_not_compile(void **state)
{
    static const char *const assembly[] = {
        "asm(\".pushsection .nv_fatbin, \\\"a\\\"\\n.quad 1, 2, 3, 4\\n.popsection\");\n",
        "asm(\".pushsection .nv_fatbin, \\\"a\\\"\\n.quad 0x00100001ba55ed50, 0, 3\\n.popsection\");\n",
        "asm(\".pushsection .nv_fatbin, \\\"a\\\"\\n.fill 4096, 1, 0x50\\n.popsection\");\n",
    };
    for (size_t i = 0; i < COUNT_OF(assembly); i++)
        for (int before = 0; before < 2; before++) {
            Text source = {0};
            text_printf(&source, "%s%s%s", before ? assembly[i] : "", RIGHT, before ? "" : assembly[i]);
            Compiled compiled = compile_source(source.data);
            assert_int_equal(compiled.outcome, COMPILE_ERROR);
            assert_memory_equal(compiled.diagnostics.data, REFUSED, strlen(REFUSED));
            assert_int_equal(compiled.module_count, 0);
            compiled_free(&compiled);
            text_free(&source);
        }
}

/* ptxas takes all of these, between any two tokens that a parser may skip. */
static void what_is_not_ptx_in_inline_assembly_does_not_compile(void **state)
{
    static const struct {
        const char *assembly, *says;
    } rows[] = {
        {".pragma \\\"nounroll\\\"\\n# 500 \\\"x\\\"\\n;",
         "my file.cu: error: inline assembly holds \"#\", which is not PTX\n"},
        {"{.reg .b32 a; mov.b32 a, \\n#line 500 \\\"x\\\"\\n 1;}",
         "my file.cu: error: inline assembly holds \"#\", which is not PTX\n"},
        {".target sm_90\\n",
         "my file.cu: error: inline assembly holds .target, which stands once, at the head of a module\n"},
    };
    needs_nvcc(&toolkit);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text source = {0};
        text_printf(&source, RIGHT "__global__ void more() { asm volatile(\"%s\"); }\n", rows[i].assembly);
        Compiled compiled = compile_source(source.data);
        if (compiled.outcome != COMPILE_ERROR ||
            strncmp(compiled.diagnostics.data, rows[i].says, strlen(rows[i].says)) != 0)
            fail_test("%s: %s", rows[i].assembly, compiled.diagnostics.data);
        compiled_free(&compiled);
        text_free(&source);
    }
}

/* The linker would run a compiler with the options in such a section, if its plugin were on. */
static void options_for_the_linkers_compiler_are_not_read(void **state)
{
    Compiled compiled = compile_source(RIGHT
                                       "asm(\".pushsection .gnu.lto_.opts, \\\"e\\\"\\n"
                                       ".string \\\"'-fplugin=/nowhere.so'\\\"\\n.popsection\\n"
                                       ".pushsection .gnu.lto_.symtab.0, \\\"e\\\"\\n.quad 1\\n.popsection\");\n");
    if (compiled.outcome != COMPILE_OK)
        fail_test("%s", compiled.diagnostics.data);
    assert_int_equal(compiled.module_count, 1);
    compiled_free(&compiled);
}

static void the_module_is_the_section_of_the_object(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source(RIGHT);
    Text object = {0}, module = {0};
    assert_int_equal(text_read_file(compiled.object_path, 1 << 26, &object, NULL), STATUS_OK);
    text_append(&module, compiled.modules[0].image, compiled.modules[0].bytes);
    assert_int_equal(fatbin_size(module.data, module.length), module.length);
    assert_true(module_is_alone(&module, &object));
    module.data[module.length / 2] ^= 1;
    assert_false(module_is_alone(&module, &object));
    module.data[module.length / 2] ^= 1;
    module.length -= 8;
    assert_false(module_is_alone(&module, &object));
    module.length = 0;
    assert_false(module_is_alone(&module, &object));
    text_free(&module);
    text_free(&object);
    compiled_free(&compiled);
}

static void a_damaged_object_crashes_nothing(void **state)
{
    Compiled compiled = compile_source(RIGHT);
    Text object = {0}, module = {0};
    assert_int_equal(text_read_file(compiled.object_path, 1 << 26, &object, NULL), STATUS_OK);
    text_append(&module, compiled.modules[0].image, compiled.modules[0].bytes);
    srand(7);
    for (int round = 0; round < 3000; round++) {
        Text damaged = {0};
        text_append(&damaged, object.data, round % 3 == 0 ? (size_t)rand() % object.length : object.length);
        for (int i = 0; i < 8 && damaged.length > 0; i++) /* headers more often than the rest */
            damaged.data[(size_t)rand() % (i % 2                 ? damaged.length
                                           : damaged.length < 64 ? damaged.length
                                                                 : 64)] = (char)rand();
        (void)module_is_alone(&module, &damaged);
        (void)machine_code_digest(compiled.modules, 1, 90, &damaged);
        text_free(&damaged);
    }
    text_free(&module);
    text_free(&object);
    compiled_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_code_from_host_assembly_does_not_compile),
        cmocka_unit_test(what_is_not_ptx_in_inline_assembly_does_not_compile),
        cmocka_unit_test(options_for_the_linkers_compiler_are_not_read),
        cmocka_unit_test(the_module_is_the_section_of_the_object),
        cmocka_unit_test(a_damaged_object_crashes_nothing),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
