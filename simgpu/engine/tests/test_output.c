#include "simgpu/tests/one_gpu.h"

/* What a kernel's printf writes, by formats and arguments as a kernel may have them. */

static const char PTX[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                          ".visible .entry print(.param .u64 format, .param .u64 arguments)\n"
                          "{\n"
                          "    .reg .b64 %d<2>;\n"
                          "    ld.param.u64 %d0, [format];\n"
                          "    ld.param.u64 %d1, [arguments];\n"
                          "    {\n"
                          "    .param .b64 p;\n"
                          "    st.param.b64 [p], %d0;\n"
                          "    .param .b64 q;\n"
                          "    st.param.b64 [q], %d1;\n"
                          "    .param .b32 s;\n"
                          "    call.uni (s), vprintf, (p, q);\n"
                          "    }\n"
                          "    ret;\n"
                          "}\n";

enum { PRINTED_BYTES = 4097 };

/* One thread prints; the arguments are `count` words, which stand at 8 bytes each. */
static void print(const char *format, const uint64_t *words, size_t count, char printed[PRINTED_BYTES])
{
    SimModule *module;
    Message why = {0};
    SimReport report;
    SimFunction *function = machine_load(gpu, PTX, sizeof PTX - 1, "print", &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    const uint64_t parameters[] = {machine_array(gpu, format, strlen(format) + 1),
                                   machine_array(gpu, words, count * sizeof *words)};
    const SimLaunch launch = {
        .function = function, .shape.grid = {1, 1, 1}, .shape.block = {1, 1, 1}, .parameters = parameters};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    printed[simgpu_take_output(gpu, printed, PRINTED_BYTES - 1, NULL)] = '\0';
    assert_true(simgpu_release(gpu, parameters[0]) && simgpu_release(gpu, parameters[1]));
    simgpu_module_unload(gpu, module);
}

static void conversions_print_as_on_the_host(void **state)
{
    static const struct {
        const char *format;
        uint64_t words[3];
        const char *printed;
    } rows[] = {
        {"%5d|%-5d|%05d", {42 | 42ull << 32, 42}, "   42|42   |00042"},
        {"%+d % d %x %#X", {7 | 7ull << 32, 255 | 255ull << 32}, "+7  7 ff 0XFF"},
        {"%lld %llu", {UINT64_MAX, UINT64_MAX}, "-1 18446744073709551615"},
        {"%.2f|%8.3f|%g", {0x3FF8000000000000, 0x3FF8000000000000, 0x3FF8000000000000}, "1.50|   1.500|1.5"},
        {"%*d|%.*f", {6 | 42ull << 32, 1, 0x3FF8000000000000}, "    42|1.5"},
        {"%*d", {(uint32_t)-6 | 42ull << 32}, "42    "},
        {"%c%% %.d", {'x'}, "x% "},
    };
    char printed[PRINTED_BYTES];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print(rows[i].format, rows[i].words, COUNT_OF(rows[i].words), printed);
        if (strcmp(printed, rows[i].printed) != 0)
            fail_test("row %zu: \"%s\" printed \"%s\"", i, rows[i].format, printed);
    }
}

/* Each of these would write past an array of the simulator, or gigabytes, if it were believed. */
static void formats_that_ask_for_too_much_are_cut(void **state)
{
    static const char *const formats[] = {
        "%**************************************d",
        "%999999999d",
        "%.999999999f",
        "%*.*d",
        "%++++++++++++++d",
        "%12345678901234567890.12345678901234567890s",
        "%*99999999999.*99999999999d",
    };
    const uint64_t words[40] = {499 | 499ull << 32, 0x7fffffff7fffffff, 0x8000000080000000};
    char printed[PRINTED_BYTES];
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        print(formats[i], words, COUNT_OF(words), printed);
        assert_true(strlen(printed) < 600);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_print_as_on_the_host),
        cmocka_unit_test(formats_that_ask_for_too_much_are_cut),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
