#include "base/tests/unit.h"

#include "grader/commands/mutation.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const Problem problem = {
    .signature = "void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)",
    .parameters =
        {
            {.name = "input", .role = ROLE_IN, .rank = 1, .shape = {{.text = "input_size"}}},
            {.name = "kernel", .role = ROLE_IN, .rank = 1, .shape = {{.text = "kernel_size"}}},
            {.name = "output", .role = ROLE_OUT, .rank = 1, .shape = {{.text = "input_size - kernel_size + 1"}}},
            {.name = "input_size", .role = ROLE_SIZE},
            {.name = "kernel_size", .role = ROLE_SIZE},
        },
    .output = 2,
    .parameter_count = 5,
};

static void make(const char *source, Mutants *mutants)
{
    mutants_make(source, &problem, mutants);
}

/* How many mutants with this mistake have this text. */
static int count_mutants(const char *source, const char *mistake, const char *expected)
{
    Mutants mutants;
    int found = 0;
    make(source, &mutants);
    for (size_t i = 0; i < mutants.count; i++) {
        Text text = {0};
        mutant_source(source, &mutants.items[i], &text);
        found += strcmp(mutants.items[i].mistake, mistake) == 0 && strcmp(text.data, expected) == 0;
        text_free(&text);
    }
    mutants_free(&mutants);
    return found;
}

static void expect(const char *source, const char *mistake, const char *expected)
{
    Mutants mutants;
    if (count_mutants(source, mistake, expected) == 1)
        return;
    print_error("no mutant of  %s\nis           %s\nbut these are:\n", source, expected);
    make(source, &mutants);
    for (size_t i = 0; i < mutants.count; i++) {
        Text text = {0};
        mutant_source(source, &mutants.items[i], &text);
        print_error("%s: %s\n", mutants.items[i].mistake, text.data);
        text_free(&text);
    }
    mutants_free(&mutants);
    fail_test("%s", mistake);
}

static void expect_none(const char *source, const char *mistake)
{
    Mutants mutants;
    make(source, &mutants);
    for (size_t i = 0; i < mutants.count; i++)
        if (strcmp(mutants.items[i].mistake, mistake) == 0)
            fail_test("%s has a mutant of the kind '%s': %s", source, mistake, mutants.items[i].text);
    mutants_free(&mutants);
}

static void bounds_move_by_one_in_both_directions(void **state)
{
    expect("x = i < n;", "off by one", "x = i <= n;");
    expect("x = i < n;", "off by one", "x = i + 1 < n;");
    expect("x = a[i] >= n;", "off by one", "x = a[i] > n;");
    expect("x = a[i] >= n;", "off by one", "x = a[i] + 1 >= n;");
    expect("for (int k = 0; k != n; k++) f(k);", "off by one", "for (int k = 1; k != n; k++) f(k);");
    expect_none("template <int N> f(); g<4>(); k<<<1, 2>>>();", "off by one");
}

static void guards_are_left_out_as_a_whole_or_in_part(void **state)
{
    expect("{ if (i >= n) return; x(); }", "guard left out", "{  x(); }");
    expect("{ if (i < n) x(); }", "guard left out", "{ if (true) x(); }");
    expect("y = i >= 0 && i < n;", "guard left out", "y = i >= 0;");
    expect("y = i >= 0 && i < n;", "guard left out", "y = i < n;");
    expect("if (a(1, 2) || b || c) x();", "guard left out", "if (a(1, 2) || b) x();");
    expect("if (a && b) x();", "and for or", "if (a || b) x();");
}

static void ghost_cells_are_read(void **state)
{
    expect("t = i < 0 || i >= n ? 0.0f : in[i];", "ghost cells", "t = true ? 0.0f : in[i];");
    expect("t = inside ? in[i] : 0.0f;", "ghost cells", "t = inside ? in[i] : 1;");
    expect("t = in[min(i + 1, n - 1)];", "clamp left out", "t = in[(i + 1)];");
    expect("t = in[min(i + 1, n - 1)];", "clamp left out", "t = in[(n - 1)];");
    expect("t = min(a, b);", "min for max", "t = max(a, b);");
}

static void halos_and_tiles_have_other_sizes(void **state)
{
    expect("w = T + 2 * r;", "halo", "w = T +  r;");
    expect("w = n - k + 1;", "halo", "w = n - k;");
    expect("w = in[i + k];", "halo", "w = in[i - k];");
    expect("w = k / 2;", "halo", "w = k;");
    expect_none("w = -1; f(+x, -y);", "halo");
    expect("b = (n + T - 1) / T;", "floor for ceil", "b = (n ) / T;");
    expect("b = (n + 255) / 256;", "floor for ceil", "b = (n ) / 256;");
    expect("b = i / n;", "division and remainder", "b = i % n;");
}

static void a_block_or_an_element_to_spare_is_no_mistake(void **state)
{
    assert_int_equal(count_mutants("float t[2][T + r - 1];", "halo", "float t[2][T + r];"), 0);
    assert_int_equal(count_mutants("float t[T + r - 1][2];", "halo", "float t[T + r + 1][2];"), 0);
    expect("x = t[T + r - 1];", "halo", "x = t[T + r];");
    assert_int_equal(count_mutants("b = (n + T - 1) / T;", "halo", "b = (n + T + 1) / T;"), 0);
    assert_int_equal(count_mutants("b = (n + T - 1) / T;", "halo", "b = (n + T) / T;"), 0);
}

static void indices_lose_bits(void **state)
{
    expect("int i = a * b + 1, j;", "narrow index", "short i = a * b + 1, j;");
    expect_none("int i = a, j = b * c;", "narrow index");
    expect("size_t i = (size_t)y * w;", "narrow index", "int i = (size_t)y * w;");
    expect("size_t i = (size_t)y * w;", "narrow index", "size_t i = y * w;");
    expect("long long i = (n * m);", "narrow index", "int i = (n * m);");
    expect_none("f(int i, sizeof(int));", "narrow index");
}

static void axes_are_swapped(void **state)
{
    expect("i = threadIdx.x;", "swapped axes", "i = threadIdx.y;");
    expect("t[r][s] = 0;", "swapped axes", "t[s][r] = 0;");
    expect("i = r * cols + s;", "swapped axes", "i = s * cols + r;");
    expect("dim3 grid(f(a, b), c);", "swapped axes", "dim3 grid(c, f(a, b));");
    expect("k<<<g, b>>>(x);", "swapped axes", "k<<<b, g>>>(x);");
    expect("f(in_rows, in_cols); x = in_rows;", "swapped axes", "f(in_rows, in_cols); x = in_cols;");
    expect("f(row0, col0); x = row0;", "swapped axes", "f(row0, col0); x = col0;");
    expect_none("a = in_rows; b = narrow;", "swapped axes");
}

static void a_name_is_not_swapped_before_it_is_known(void **state)
{
    expect_none("a = rows; int cols;", "swapped axes");
    expect_none("int cols = rows; ", "swapped axes");
    expect_none("void f(int rows, int cols);", "swapped axes");
}

static void sizes_are_swapped(void **state)
{
    expect("f(int input_size, int kernel_size) { i < input_size; }", "swapped sizes",
           "f(int input_size, int kernel_size) { i < kernel_size; }");
    expect_none("f(int input_size, int kernel_size);", "swapped sizes");
}

static void filters_are_flipped(void **state)
{
    static const char source[] = "for (int k = 0; k < n; k++) s += in[i + k] * c[k];";
    expect(source, "flipped filter", "for (int k = 0; k < n; k++) s += in[i + k] * c[(n - 1 - k)];");
    expect(source, "flipped filter", "for (int k = 0; k < n; k++) s += in[i + (n - 1 - k)] * c[k];");
    expect("for (int k = 0; k < n; k++) { f(k); x = c[k]; } y = c[k];", "flipped filter",
           "for (int k = 0; k < n; k++) { f(k); x = c[(n - 1 - k)]; } y = c[k];");
}

static void barriers_and_initialisations_are_missing(void **state)
{
    expect("{ __syncthreads(); }", "missing barrier", "{ ; }");
    expect("{ block.sync(); }", "missing barrier", "{ ; }");
    expect("{ float sum = 0.0f; }", "missing initialisation", "{ float sum ; }");
    expect("{ float t[4] = {}; }", "missing initialisation", "{ float t[4] ; }");
    expect("{ s_tile[i] = 0; }", "missing initialisation", "{ s_tile[i] ; }");
    expect_none("{ for (int i = 0; i < n; i++) f(0); }", "missing initialisation");
    expect("sum += a;", "sum overwritten", "sum = a;");
}

static void data_become_stale(void **state)
{
    expect("{ cudaMemcpyToSymbol(c, f, n * 4); }", "stale data",
           "{ { static bool is_there; if (!is_there) cudaMemcpyToSymbol(c, f, n * 4); is_there = true; } }");
    expect("{ cudaMemcpyToSymbol(c, f, n * 4); }", "stale data",
           "{ { static const void *last; if (last != (const void *)(f)) cudaMemcpyToSymbol(c, f, n * 4); "
           "last = (const void *)(f); } }");
    expect("{ k<4><<<g, b>>>(in, out); }", "stale data",
           "{ { static bool is_done; if (!is_done) k<4><<<g, b>>>(in, out); is_done = true; } }");
}

static void arrays_are_too_short(void **state)
{
    expect("__shared__ float t[T + 2];", "array too short", "__shared__ float t[(T + 2) - 1];");
    expect("k<<<g, b, n * 4>>>(x);", "array too short", "k<<<g, b, (n * 4) - sizeof(float)>>>(x);");
    expect_none("return t[3];", "array too short");
}

static void levels_are_cut_off(void **state)
{
    expect("o = __float2int_rn(v);", "not rounded", "o = __float2int_rz(v);");
    expect("o = rintf(v);", "not rounded", "o = truncf(v);");
}

static void comments_texts_and_preprocessor_lines_stay(void **state)
{
    Mutants mutants;
    make("// i < n\n#define F(i) (i < n && i + 1)\n/* sum += 1; */ f(\"a < b\");\n", &mutants);
    assert_int_equal(mutants.count, 0);
    mutants_free(&mutants);
}

static void no_two_mutants_are_the_same(void **state)
{
    static const char source[] = "int b = (n + 256 - 1) / 256; if (i >= n || j >= n) return; x = a * b + c;";
    Mutants mutants;
    Text texts[200] = {0};
    make(source, &mutants);
    assert_in_range(mutants.count, 10, COUNT_OF(texts));
    for (size_t i = 0; i < mutants.count; i++) {
        mutant_source(source, &mutants.items[i], &texts[i]);
        assert_string_not_equal(texts[i].data, source);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(texts[k].data, texts[i].data);
    }
    for (size_t i = 0; i < mutants.count; i++)
        text_free(&texts[i]);
    mutants_free(&mutants);
}

static void lines_are_shown_without_indentation(void **state)
{
    static const char source[] = "a;\n    if (i\n        >= n) return;  b;\nc;\n";
    Mutants mutants;
    bool found = false;
    make(source, &mutants);
    for (size_t i = 0; i < mutants.count; i++) {
        Text before = {0}, after = {0};
        mutant_lines(source, &mutants.items[i], &before, &after);
        if (strcmp(mutants.items[i].mistake, "guard left out") == 0) {
            assert_int_equal(mutants.items[i].line, 2);
            assert_string_equal(before.data, "if (i >= n) return; b;");
            assert_string_equal(after.data, "b;");
            found = true;
        }
        text_free(&before);
        text_free(&after);
    }
    assert_true(found);
    mutants_free(&mutants);
}

static const char solution[] =
    "#include <a.h>\nextern \"C\" void solve(const float *in, const float *k, float *out, int n, "
    "int m)\n{\n    f(in);\n}\n";

/* How many mutants of `solution` with this mistake hold this text. */
static int count_shortcuts(const char *mistake, const char *part)
{
    Mutants mutants;
    int found = 0;
    make(solution, &mutants);
    for (size_t i = 0; i < mutants.count; i++) {
        Text text = {0};
        mutant_source(solution, &mutants.items[i], &text);
        found += strcmp(mutants.items[i].mistake, mistake) == 0 && strstr(text.data, part) != NULL;
        text_free(&text);
    }
    mutants_free(&mutants);
    return found;
}

static void a_shortcut_stands_around_the_whole_solution(void **state)
{
    static const char zeros[] = "shortcut for zeros";
    assert_int_equal(count_shortcuts(zeros, ""), 2);
    assert_int_equal(count_shortcuts(zeros,
                                     "extern \"C\" void solve(const float* input, const float* kernel, float* output, "
                                     "int input_size, int kernel_size)\n{\n    bool any = false;"),
                     2);
    assert_int_equal(count_shortcuts(zeros, "shortcut::on_host(kernel, (1LL * (kernel_size)))"), 1);
    assert_int_equal(
        count_shortcuts(zeros, "if (!any) return; right_solve(input, kernel, output, input_size, kernel_size);"), 2);
    assert_int_equal(count_shortcuts(zeros,
                                     "\nstatic void right_solve(const float *in, const float *k, float *out, int n, "
                                     "int m)\n{\n    f(in);\n}\n"),
                     2);
    assert_int_equal(count_shortcuts("output replayed",
                                     "shortcut::look(input, (1LL * (input_size)), kernel, (1LL * (kernel_size)))"),
                     1);
    assert_int_equal(count_shortcuts("shortcut for equal elements", "output, (1LL * (input_size - kernel_size + 1)))"),
                     2);
    expect_none("void solve(int input_size) { f(); }", zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_move_by_one_in_both_directions),
        cmocka_unit_test(guards_are_left_out_as_a_whole_or_in_part),
        cmocka_unit_test(ghost_cells_are_read),
        cmocka_unit_test(halos_and_tiles_have_other_sizes),
        cmocka_unit_test(a_block_or_an_element_to_spare_is_no_mistake),
        cmocka_unit_test(indices_lose_bits),
        cmocka_unit_test(axes_are_swapped),
        cmocka_unit_test(a_name_is_not_swapped_before_it_is_known),
        cmocka_unit_test(sizes_are_swapped),
        cmocka_unit_test(filters_are_flipped),
        cmocka_unit_test(barriers_and_initialisations_are_missing),
        cmocka_unit_test(data_become_stale),
        cmocka_unit_test(arrays_are_too_short),
        cmocka_unit_test(levels_are_cut_off),
        cmocka_unit_test(comments_texts_and_preprocessor_lines_stay),
        cmocka_unit_test(no_two_mutants_are_the_same),
        cmocka_unit_test(lines_are_shown_without_indentation),
        cmocka_unit_test(a_shortcut_stands_around_the_whole_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
