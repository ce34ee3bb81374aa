#include "harness/compile/tests/compile_fixture.h"

#include "base/elf.h"
#include "base/process.h"
#include "harness/compile/compile.h"
#include "simgpu/ptx/fatbin.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEN(level, text)                                                                                               \
    "#define a" #level " " text " " text " " text " " text " " text " " text " " text " " text " " text " " text "\n"

static void check_compiles(const char *source)
{
    Compiled compiled = compile_source(source);
    if (compiled.outcome != COMPILE_OK)
        fail_test("%s\n%s", source, compiled.diagnostics.data);
    compiled_free(&compiled);
}

/* ---- what compiles ----------------------------------------------------------------------------------------------- */

static void a_submission_becomes_an_object_with_its_modules(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source(RIGHT);
    Fatbin fatbin;
    struct stat info;
    if (compiled.outcome != COMPILE_OK)
        fail_test("%s", compiled.diagnostics.data);
    assert_string_equal(compiled.diagnostics.data, "");
    assert_int_equal(stat(compiled.object_path, &info), 0);
    assert_int_equal(compiled.module_count, 1);
    assert_int_equal(fatbin_read(compiled.modules[0].image, compiled.modules[0].bytes, 90, &fatbin, NULL), STATUS_OK);
    assert_non_null(memmem(fatbin.ptx, fatbin.ptx_bytes, ".visible .entry _Z8convolve", 27));
    assert_non_null(memmem(fatbin.ptx, fatbin.ptx_bytes, "/" COMPILE_SOURCE_NAME "\"", 15));
    assert_non_null(fatbin.cubin);
    compiled_free(&compiled);
}

static void kernels_are_reported_with_their_resources(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source(
        "namespace deep { template <int N, bool B> __global__ void tiled(float *p) { __shared__ float tile[N];\n"
        "tile[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = tile[N - 1 - threadIdx.x]; } }\n"
        "static __global__ void greedy(float *p, int n) { float a[300]; for (int i = 0; i < 300; i++) a[i] = p[i * n];\n"
        "for (int i = 0; i < 300; i++) p[i] = a[(i * n) % 300]; }\n"
        "extern \"C\" __global__ void plain() {}\n"
        "extern \"C\" " PROTOTYPE " { deep::tiled<64, true><<<1, 64>>>(output); greedy<<<1, 1>>>(output, input_size);"
        "plain<<<1, 1>>>(); }\n");
    unsigned found = 0;
    assert_int_equal(compiled.outcome, COMPILE_OK);
    assert_int_equal(compiled.kernel_count, 3);
    for (size_t i = 0; i < compiled.kernel_count; i++) {
        const CompileKernel *kernel = &compiled.kernels[i];
        if (strcmp(kernel->name, "deep::tiled<64, 1>") == 0 && kernel->shared_bytes == 256 && kernel->registers > 0)
            found |= 1;
        else if (strcmp(kernel->name, "greedy") == 0 && kernel->stack_bytes >= 1200 && kernel->shared_bytes == 0)
            found |= 2;
        else if (strcmp(kernel->name, "plain") == 0 && kernel->stack_bytes == 0)
            found |= 4;
        else
            fail_test("%s: %u registers, %u shared, %u stack", kernel->name, kernel->registers, kernel->shared_bytes,
                      kernel->stack_bytes);
    }
    assert_int_equal(found, 7);
    compiled_free(&compiled);
}

static void every_way_to_declare_solve_compiles(void **state)
{
    static const char *const sources[] = {
        KERNEL PROTOTYPE "\n" BODY,
        "#include \"solve.h\"\n" KERNEL PROTOTYPE "\n" BODY,
        "#include <solve.h>\n" KERNEL "extern \"C\" " PROTOTYPE "\n" BODY,
        "extern \"C\" { " PROTOTYPE "; }\n" KERNEL PROTOTYPE "\n" BODY,
        KERNEL "extern \"C\" {\n" PROTOTYPE "\n" BODY "}\n",
        KERNEL "void solve(const float *a, const float *b, float *__restrict__ output, const int n, const int m) {}\n",
    };
    for (size_t i = 0; i < COUNT_OF(sources); i++)
        check_compiles(sources[i]);
}

/* CUDA's own headers include <cmath>, which declares all of this. */
static void names_of_the_library_are_there_without_their_headers(void **state)
{
    check_compiles(RIGHT "static_assert(std::is_same<int, int>::value, \"\");\n"
                         "double all(int a, int b) { std::swap(a, b);\n"
                         "return std::min(a, b) + std::max(a, b) + std::numeric_limits<float>::max() +\n"
                         "std::hypot(1., 2., 3.) + std::beta(1.0, 2.0) + std::riemann_zeta(2.0); }\n");
}

static void headers_compile_where_std_is_not_named(void **state)
{
    needs_nvcc(&toolkit);
    check_compiles("#include <algorithm>\n#include <cmath>\n#include <complex>\n#include <cstdio>\n#include <limits>\n"
                   "#include <numeric>\n#include <random>\n#include <type_traits>\n#include <cooperative_groups.h>\n"
                   "#include <cuda_fp16.h>\n#include <cuda_pipeline.h>\n#include <mma.h>\n" RIGHT);
}

static void the_special_functions_are_left_out_where_std_is_not_named(void **state)
{
    static const char refuses[] = "#ifdef __cpp_lib_math_special_functions\n#error all of <cmath> is there\n#endif\n";
    char source[1000];
    snprintf(source, sizeof source, "#include <cstdlib>\n%s%s", refuses, RIGHT);
    check_compiles(source);
    snprintf(source, sizeof source, "using namespace std;\n%s%s", refuses, RIGHT);
    Compiled compiled = compile_source(source);
    assert_int_equal(compiled.outcome, COMPILE_ERROR);
    assert_non_null(strstr(compiled.diagnostics.data, "all of <cmath> is there"));
    compiled_free(&compiled);
}

static void clang_treats_the_library_in_the_same_way(void **state)
{
    Toolkit usual = toolkit;
    setenv("CONVJUDGE_COMPILER", "clang", 1);
    bool has_clang = toolkit_find(&toolkit, NULL) == STATUS_OK;
    unsetenv("CONVJUDGE_COMPILER");
    if (has_clang) {
        names_of_the_library_are_there_without_their_headers(state);
        the_special_functions_are_left_out_where_std_is_not_named(state);
    }
    toolkit = usual;
    if (!has_clang)
        skip();
}

static void warnings_name_the_students_file(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source(KERNEL "int unused() { }\nextern \"C\" " PROTOTYPE "\n" BODY);
    assert_int_equal(compiled.outcome, COMPILE_OK);
    assert_non_null(strstr(compiled.diagnostics.data, "my file.cu(9): warning"));
    assert_null(strstr(compiled.diagnostics.data, "ptxas"));
    compiled_free(&compiled);
}

/* ---- what does not ----------------------------------------------------------------------------------------------- */

/* A thousand million tokens; which limit comes first depends on the machine. */
static void a_macro_that_grows_without_bounds_meets_a_limit(void **state)
{
    Compiled compiled = compile_within("my file.cu",
                                       RIGHT TEN(1, "x") TEN(2, "a1") TEN(3, "a2") TEN(4, "a3") TEN(5, "a4")
                                           TEN(6, "a5") TEN(7, "a6") TEN(8, "a7") TEN(9, "a8") "int many = a9;\n",
                                       1);
    static const char first[] = "my file.cu: compiling takes too ";
    const char *diagnostics = compiled.diagnostics.data;
    bool is_limit = compiled.outcome == COMPILE_TOO_LARGE || compiled.outcome == COMPILE_TIME_LIMIT;
    if (!is_limit || strncmp(diagnostics, first, strlen(first)) != 0)
        fail_test("outcome %d, diagnostics %.500s", compiled.outcome, diagnostics);
    assert_true(compiled.seconds <= 60 && compiled.diagnostics.length <= 64 << 10);
    compiled_free(&compiled);
}

static void a_fault_is_named_in_the_first_line(void **state)
{
    needs_nvcc(&toolkit);
    static const struct {
        const char *source, *first; /* beginning of the diagnostics */
        CompileOutcome outcome;
    } cases[] = {
        {KERNEL "extern \"C\" " PROTOTYPE "\n{\n    int x = ;\n}\n", "my file.cu(11): error: expected an expression",
         COMPILE_ERROR},
        {KERNEL "void resolve(" PARAMETERS ") {}\n",
         "my file.cu: no function solve() with the signature `" PROTOTYPE "`", COMPILE_ERROR},
        {"// void solve(int)\n/* void solve(int) */ int main() { const char *s = \"void solve(\"; return *s; }\n",
         "my file.cu: there is no solve(): move the work of main() into a function", COMPILE_ERROR},
        {"namespace x {\nvoid solve(" PARAMETERS ") {}\n}\n",
         "my file.cu:2: solve() must have the signature `" PROTOTYPE
         "`, in no namespace, neither static nor a template",
         COMPILE_ERROR},
        {KERNEL "void solve(const float* input, long n)\n{\n}\n",
         "my file.cu:9: solve() must have the signature `" PROTOTYPE "`", COMPILE_ERROR},
        {KERNEL "extern \"C\" void solve(float* input, int n)\n{\n}\n",
         "my file.cu:9: solve() must have the signature `", COMPILE_ERROR},
        {KERNEL "extern \"C\" int solve(" PARAMETERS ")\n{\n    return 0;\n}\n",
         "my file.cu:9: solve() must have the signature", COMPILE_ERROR},
        {KERNEL "__global__ void solve(" PARAMETERS ")\n{\n}\n", "my file.cu:9: solve() must have the signature",
         COMPILE_ERROR},
        {"#include \"/etc/passwd\"\n" RIGHT, "my file.cu:1:10: fatal error: /etc/passwd: No such file or directory",
         COMPILE_ERROR},
        {"#include </dev/zero>\n" RIGHT, "my file.cu:1:10: fatal error: /dev/zero: No such file or directory",
         COMPILE_ERROR},
        {RIGHT "asm(\".incbin \\\"/etc/passwd\\\"\");\n", "my file.cu: /tmp/", COMPILE_ERROR},
        {RIGHT "extern \"C\" int elsewhere();\nint x = elsewhere();\n",
         "my file.cu:15: undefined reference to `elsewhere'", COMPILE_ERROR},
        {RIGHT
         "__global__ void big() { __shared__ float s[20000]; s[threadIdx.x] = 1; __syncthreads(); if (s[5] == 2) __trap(); }\n",
         "my file.cu: ptxas error   : Entry function '_Z3bigv' uses too much shared data", COMPILE_ERROR},
        {RIGHT
         "template <int N> struct Bomb { static const long value = Bomb<2 * N>::value + Bomb<2 * N + 1>::value; };\n"
         "long boom = Bomb<1>::value;\n",
         "my file.cu(14): error: ", COMPILE_ERROR},
        {RIGHT
         "template <int N> struct Deep { static const int value = Deep<N + 1>::value; };\nint deep = Deep<1>::value;\n",
         "my file.cu(14): error: excessive recursion", COMPILE_ERROR},
        {RIGHT "#include __FILE__\n", "my file.cu:14:18: error: #include nested depth 200 exceeds maximum",
         COMPILE_ERROR},
        {RIGHT "char huge[1ull << 31] = {1};\n",
         "my file.cu: compiling takes too much memory or makes too large a file", COMPILE_TOO_LARGE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Compiled compiled = compile_source(cases[i].source);
        const char *diagnostics = compiled.diagnostics.data;
        if (compiled.outcome != cases[i].outcome || strncmp(diagnostics, cases[i].first, strlen(cases[i].first)) != 0)
            fail_test("case %zu: outcome %d, diagnostics %.500s", i, compiled.outcome, diagnostics);
        if (strstr(diagnostics, "root:") != NULL || compiled.diagnostics.length > (64 << 10) || compiled.seconds > 60)
            fail_test("case %zu: %f s, %s", i, compiled.seconds, diagnostics);
        compiled_free(&compiled);
    }
}

/* Host and device side are compiled side by side, and each has a preprocessor. */
static void an_error_of_the_preprocessor_is_told_once(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source("#error it is not written yet\n" RIGHT);
    assert_int_equal(compiled.outcome, COMPILE_ERROR);
    const char *first = strstr(compiled.diagnostics.data, "error: #error it is not written yet");
    assert_non_null(first);
    assert_null(strstr(first + 1, "error: #error it is not written yet"));
    compiled_free(&compiled);
}

static void a_compiler_that_does_not_end_is_stopped(void **state)
{
    Compiled compiled = compile_within(
        "my file.cu",
        RIGHT "constexpr long count(long n) { long s = 0; for (long i = 0; i < n; i++) s += i % 3; return s; }\n"
              "template <long N> struct Sum { static constexpr long value = count(60000 + N) + Sum<N - 1>::value; };\n"
              "template <> struct Sum<0> { static constexpr long value = 0; };\n"
              "long sum = Sum<150>::value + Sum<300>::value + Sum<450>::value + Sum<600>::value + Sum<750>::value + "
              "Sum<900>::value + Sum<1050>::value + Sum<1200>::value + Sum<1350>::value + Sum<1500>::value;\n",
        1);
    static const char first[] = "my file.cu: compiling takes too long: the limit is 1 s of processor time";
    assert_int_equal(compiled.outcome, COMPILE_TIME_LIMIT);
    assert_memory_equal(compiled.diagnostics.data, first, strlen(first));
    compiled_free(&compiled);
}

/* A compiler of which a part is missing. Each of its programs is in order as far as a look at their versions shows. */
static void a_compiler_that_cannot_compile_is_the_judges_fault(void **state)
{
    static const char script[] = "#!/bin/sh\necho \"gcc: fatal error: cannot execute 'cc1plus'\" >&2\nexit 1\n";
    static const char *const words[] = {"the compiler cannot be started: ",
                                        "cannot compile an empty solve() either: gcc: fatal error: cannot execute"};
    const Toolkit whole = toolkit;
    toolkit.kind = TOOLKIT_NVCC;
    toolkit.architectures[0] = 90;
    toolkit.architecture_count = 1;
    snprintf(toolkit.root, sizeof toolkit.root, "%s/kit", scratch);
    snprintf(toolkit.compiler, sizeof toolkit.compiler, "%s/kit/nvcc", scratch);
    assert_int_equal(mkdir(toolkit.root, 0755), 0);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const CompileJob job = {
            .file_name = "x.cu", .source = RIGHT, .source_bytes = strlen(RIGHT), .prototype = PROTOTYPE, .compute = 90};
        Compiled compiled;
        Message why = {0};
        if (i == 1)
            assert_int_equal(compile_put_file(toolkit.root, "nvcc", script, strlen(script), &why), STATUS_OK);
        (void)chmod(toolkit.compiler, 0755);
        assert_int_equal(compile_submission(&job, &toolkit, scratch, &compiled, &why), STATUS_SYSTEM);
        if (strstr(why.text, words[i]) == NULL)
            fail_test("%s", why.text);
    }
    toolkit = whole;
}

static void a_problem_or_a_variable_may_allow_the_compiler_more_time(void **state)
{
    assert_int_equal(compile_seconds(0), COMPILE_CPU_SECONDS);
    assert_int_equal(compile_seconds(45), 45);
    setenv("CONVJUDGE_COMPILE_SECONDS", "40", 1);
    assert_int_equal(compile_seconds(0), 40);
    assert_int_equal(compile_seconds(45), 45);
    setenv("CONVJUDGE_COMPILE_SECONDS", "5", 1);
    assert_int_equal(compile_seconds(0), COMPILE_CPU_SECONDS);
    setenv("CONVJUDGE_COMPILE_SECONDS", "601", 1);
    assert_int_equal(compile_seconds(0), COMPILE_CPU_SECONDS);
    unsetenv("CONVJUDGE_COMPILE_SECONDS");
}

static void existing_and_missing_files_look_alike(void **state)
{
    Compiled exists = compile_source(
        "#if __has_include(\"/etc/passwd\") || __has_include(\"/proc/self/maps\")\n#error it is there\n#endif\n" RIGHT);
    assert_int_equal(exists.outcome, COMPILE_OK);
    compiled_free(&exists);
}

static void flags_in_the_judges_environment_are_not_honoured(void **state)
{
    setenv("NVCC_APPEND_FLAGS", "-DEVIL=1", 1);
    setenv("NVCC_PREPEND_FLAGS", "-DEVIL=1", 1);
    setenv("CPLUS_INCLUDE_PATH", "/etc", 1);
    Compiled compiled = compile_source(
        "#ifdef EVIL\n#error evil\n#endif\n#if __has_include(<passwd>)\n#error found\n#endif\n" RIGHT);
    unsetenv("NVCC_APPEND_FLAGS");
    unsetenv("NVCC_PREPEND_FLAGS");
    unsetenv("CPLUS_INCLUDE_PATH");
    assert_int_equal(compiled.outcome, COMPILE_OK);
    compiled_free(&compiled);
}

static void control_characters_in_diagnostics_are_not_passed_on(void **state)
{
    Compiled compiled = compile_as("x\033[2J.cu", "#error \033[31mVerdict: Accepted\n");
    assert_int_equal(compiled.outcome, COMPILE_ERROR);
    assert_null(strchr(compiled.diagnostics.data, '\033'));
    assert_non_null(strstr(compiled.diagnostics.data, "Verdict: Accepted"));
    compiled_free(&compiled);
}

/* ---- the machine code's digest ----------------------------------------------------------------------------------- */

/* Sources whose digests must all differ: each does something else, even if the kernel and solve() are the same. */
static const char *const different[] = {
    RIGHT,
    KERNEL "extern \"C\" " PROTOTYPE
           "{ convolve<<<1, 128>>>(input, kernel, output, input_size, kernel_size); cudaDeviceSynchronize(); }\n",
    "__global__ void convolve(" PARAMETERS ")\n{ int i = blockIdx.x * blockDim.x + threadIdx.x; float sum = 1;\n"
    "    for (int k = 0; k < kernel_size; k++) sum += input[i + k] * kernel[k]; output[i] = sum;\n}\nextern \"C\" " PROTOTYPE
        BODY,
/* a function in a section of its own, and one that does something else */
#define IN_SECTION(statement)                                                                                          \
    KERNEL "__attribute__((section(\"mine\"), noinline)) static void launch(" PARAMETERS ") { " statement " }\n"       \
           "extern \"C\" " PROTOTYPE "{ launch(input, kernel, output, input_size, kernel_size); }\n"
    IN_SECTION("convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size); cudaDeviceSynchronize();"),
    IN_SECTION("for (int i = 0; i < 100; i++) convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size);"),
/* a table in memory */
#define BY_TABLE(numbers)                                                                                              \
    KERNEL "static volatile int table[] = {" numbers "};\nextern \"C\" " PROTOTYPE                                     \
           "{ for (int i = 0; i < table[input_size % 3]; i++)"                                                         \
           " convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size); }\n"
    BY_TABLE("1, 1, 1"),
    BY_TABLE("1, 100, 1"),
/* a text */
#define BY_TEXT(text)                                                                                                  \
    KERNEL "static const char *volatile times = \"" text "\";\nextern \"C\" " PROTOTYPE                                \
           "{ for (int i = '0'; i < times[0]; i++)"                                                                    \
           " convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size); }\n"
    BY_TEXT("1"),
    BY_TEXT("9"),
/* the same code, but the other function is called */
#define BY_CALL(name)                                                                                                  \
    KERNEL "__attribute__((noinline)) static int one(int n) { __asm__ volatile(\"\"); return n; }\n"                   \
           "__attribute__((noinline)) static int two(int n) { __asm__ volatile(\"nop\"); return n * 100; }\n"          \
           "static int (*const volatile functions[])(int) = {one, two};\n"                                             \
           "extern \"C\" " PROTOTYPE "{ for (int i = 0; i < " name "(1); i++)"                                         \
           " convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size); }\n"
    BY_CALL("one"),
    BY_CALL("two"),
    /* something before solve() */
    KERNEL "__attribute__((constructor)) static void begin() { cudaFree(0); }\nextern \"C\" " PROTOTYPE BODY,
/* the same two kernels, with their names exchanged */
#define TWO(first, second)                                                                                             \
    "__global__ void " first "(float *a) { a[0] = 1; }\n__global__ void " second "(float *a) { a[1] = 2; }\n"          \
    "extern \"C\" " PROTOTYPE "{ for (int i = 0; i < 100; i++) one<<<1, 1>>>(output); two<<<1, 1>>>(output); }\n"
    TWO("one", "two"),
    TWO("two", "one"),
};

static void other_device_or_host_code_is_another_machine_code(void **state)
{
    enum { COUNT = sizeof different / sizeof *different };
    Digest digests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        Compiled compiled = compile_source(different[i]);
        if (compiled.outcome != COMPILE_OK)
            fail_test("%zu: %s", i, compiled.diagnostics.data);
        digests[i] = compiled.machine_code;
        compiled_free(&compiled);
        for (size_t k = 0; k < i; k++)
            if (strcmp(digests[i].hex, digests[k].hex) == 0)
                fail_test("%zu and %zu have the same machine code:\n%s", k, i, different[i]);
    }
}

static void without_ptxas_optimisation_it_is_another_machine_code_and_cache_entry(void **state)
{
    needs_nvcc(&toolkit);
    Compiled compiled = compile_source(RIGHT), unoptimised = compile_unoptimised(RIGHT);
    assert_int_equal(unoptimised.outcome, COMPILE_OK);
    assert_string_not_equal(compiled.machine_code.hex, unoptimised.machine_code.hex);
    compiled_free(&unoptimised);
    unoptimised = compile_unoptimised(RIGHT);
    assert_true(unoptimised.cached);
    assert_string_not_equal(compiled.machine_code.hex, unoptimised.machine_code.hex);
    compiled_free(&unoptimised);
    compiled_free(&compiled);
}

/* A namespace without a name gets one from nvcc, which depends on the file. */
static void names_of_files_comments_and_lines_do_not_change_the_machine_code(void **state)
{
    static const char *const sources[] = {
        RIGHT,
        "namespace { __device__ float table[3]; __device__ __noinline__ float weight(int i) { return table[i]; } }\n"
        "static __device__ float more[3];\n"
        "__global__ void fill(float *a) { a[1] = weight(threadIdx.x) + more[threadIdx.x]; }\n"
        "extern \"C\" " PROTOTYPE "{ fill<<<1, 2>>>(output); }\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        Text moved = {0};
        text_printf(&moved, "// a comment that moves every line\n\n\n%s/* the end */\n", sources[i]);
        Compiled a = compile_source(sources[i]), b = compile_as("another name.cu", moved.data);
        assert_int_equal(b.outcome, COMPILE_OK);
        if (strcmp(a.machine_code.hex, b.machine_code.hex) != 0)
            fail_test("%zu: two machine codes", i);
        compiled_free(&a);
        compiled_free(&b);
        text_free(&moved);
    }
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static int entries_in_cache(void)
{
    DIR *folder = opendir(cache);
    int count = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void a_second_compilation_comes_from_the_cache(void **state)
{
    needs_nvcc(&toolkit);
    const char *source = "// cached\nint unused() { }\n" RIGHT;
    Compiled first = compile_as("one.cu", source), second = compile_as("two.cu", source);
    assert_false(first.cached);
    assert_true(second.cached);
    assert_true(first.seconds == second.seconds ||
                (first.seconds - second.seconds) * (first.seconds - second.seconds) < 1e-10);
    assert_string_equal(first.machine_code.hex, second.machine_code.hex);
    assert_int_equal(first.kernel_count, second.kernel_count);
    assert_non_null(strstr(first.diagnostics.data, "one.cu(2): warning"));
    assert_non_null(strstr(second.diagnostics.data, "two.cu(2): warning"));
    assert_string_not_equal(first.object_path, second.object_path);
    compiled_free(&first);
    compiled_free(&second);
}

static void an_error_in_the_source_comes_from_the_cache(void **state)
{
    const char *source = "#error no\n";
    Compiled first = compile_as("one.cu", source), second = compile_as("two.cu", source);
    assert_false(first.cached);
    assert_true(second.cached);
    assert_int_equal(second.outcome, COMPILE_ERROR);
    assert_null(second.object_path);
    assert_non_null(strstr(second.diagnostics.data, "two.cu"));
    compiled_free(&first);
    compiled_free(&second);
}

/* Another time it may fit, or the header may be there. */
static void what_another_time_may_compile_is_not_cached(void **state)
{
    static const char *const sources[] = {RIGHT "char huge[1ull << 31] = {1};\n", "#include <not/installed.h>\n" RIGHT};
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        int before = entries_in_cache();
        Compiled compiled = compile_source(sources[i]);
        assert_int_not_equal(compiled.outcome, COMPILE_OK);
        assert_int_equal(entries_in_cache(), before);
        compiled_free(&compiled);
    }
}

static void a_damaged_entry_is_compiled_again(void **state)
{
    const char *source = RIGHT; /* an entry that other tests have made */
    char command[1000];
    Compiled first = compile_source(source);
    snprintf(command, sizeof command, "for f in %s/*; do echo x >> $f; done", cache);
    assert_int_equal(system(command), 0);
    Compiled second = compile_source(source), third = compile_source(source);
    assert_false(second.cached);
    assert_int_equal(second.outcome, COMPILE_OK);
    assert_true(third.cached);
    compiled_free(&first);
    compiled_free(&second);
    compiled_free(&third);
}

static void without_a_cache_folder_it_compiles_all_the_same(void **state)
{
    setenv("CONVJUDGE_CACHE", "/proc/nowhere", 1);
    Compiled compiled = compile_source(RIGHT);
    setenv("CONVJUDGE_CACHE", cache, 1);
    assert_int_equal(compiled.outcome, COMPILE_OK);
    assert_false(compiled.cached);
    compiled_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_submission_becomes_an_object_with_its_modules),
        cmocka_unit_test(kernels_are_reported_with_their_resources),
#ifndef __SANITIZE_ADDRESS__ /* how the judge was compiled does not matter for what the compilers understand */
        cmocka_unit_test(every_way_to_declare_solve_compiles),
        cmocka_unit_test(names_of_the_library_are_there_without_their_headers),
        cmocka_unit_test(headers_compile_where_std_is_not_named),
        cmocka_unit_test(the_special_functions_are_left_out_where_std_is_not_named),
        cmocka_unit_test(clang_treats_the_library_in_the_same_way),
#endif
        cmocka_unit_test(warnings_name_the_students_file),
        cmocka_unit_test(a_macro_that_grows_without_bounds_meets_a_limit),
        cmocka_unit_test(a_fault_is_named_in_the_first_line),
        cmocka_unit_test(an_error_of_the_preprocessor_is_told_once),
        cmocka_unit_test(a_compiler_that_cannot_compile_is_the_judges_fault),
        cmocka_unit_test(a_problem_or_a_variable_may_allow_the_compiler_more_time),
        cmocka_unit_test(a_compiler_that_does_not_end_is_stopped),
        cmocka_unit_test(existing_and_missing_files_look_alike),
        cmocka_unit_test(flags_in_the_judges_environment_are_not_honoured),
        cmocka_unit_test(control_characters_in_diagnostics_are_not_passed_on),
        cmocka_unit_test(other_device_or_host_code_is_another_machine_code),
        cmocka_unit_test(without_ptxas_optimisation_it_is_another_machine_code_and_cache_entry),
        cmocka_unit_test(names_of_files_comments_and_lines_do_not_change_the_machine_code),
        cmocka_unit_test(a_second_compilation_comes_from_the_cache),
        cmocka_unit_test(an_error_in_the_source_comes_from_the_cache),
        cmocka_unit_test(what_another_time_may_compile_is_not_cached),
        cmocka_unit_test(a_damaged_entry_is_compiled_again),
        cmocka_unit_test(without_a_cache_folder_it_compiles_all_the_same),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
