#include "base/tests/unit.h"

#include "grader/ranking/similarity.h"

#include <stdio.h>
#include <string.h>

static Fingerprints of(const char *ptx, Arena *arena)
{
    return fingerprints_of_ptx(ptx, strlen(ptx), arena);
}

/* A kernel of `count` instructions, which follow from `start`; names, registers and numbers have `prefix` in them. */
static char *kernel(Arena *arena, const char *name, const char *prefix, unsigned start, int count)
{
    static const char *const opcodes[] = {"add.f32", "mul.f32", "sub.s32",     "fma.rn.f32",  "ld.global.f32",
                                          "and.b32", "shl.b32", "setp.lt.s32", "cvt.u64.u32", "st.global.f32"};
    Text text = {0};
    text_printf(&text,
                ".version 8.0\n.target sm_90\n.visible .entry %s(.param .u64 %s_param_0)\n{\n.reg .f32 %%f<9>;\n", name,
                name);
    for (int i = 0; i < count; i++) {
        start = start * 1103515245 + 12345;
        if (i % 7 == 3)
            text_printf(&text, ".loc 1 %d 5\n$L_%s_%d:\n@%%p1 bra $L_%s_0;\n", i, prefix, i, prefix);
        text_printf(&text, "%s %%f%d, %%f%d, %d;\n", opcodes[start / 65536 % 10], i % 9, (int)strlen(prefix) + i,
                    (int)strlen(prefix) * i);
    }
    text_add(&text, "ret;\n}\n");
    char *copy = arena_string(arena, text.data);
    text_free(&text);
    return copy;
}

static void renaming_changes_nothing(void **state)
{
    Arena arena = {0};
    Fingerprints a = of(kernel(&arena, "blur", "a", 1, 200), &arena);
    Fingerprints b = of(kernel(&arena, "something_else", "longer", 1, 200), &arena);
    assert_true(a.count > 30);
    assert_int_equal(a.count, b.count);
    assert_true(fingerprints_share(&a, &b) == 1 && fingerprints_share(&b, &a) == 1);
    arena_free(&arena);
}

static void other_code_has_little_in_common(void **state)
{
    Arena arena = {0};
    Fingerprints a = of(kernel(&arena, "k", "a", 1, 200), &arena), b = of(kernel(&arena, "k", "a", 2, 200), &arena);
    assert_true(fingerprints_share(&a, &b) < 0.05);
    arena_free(&arena);
}

/* Whatever two programs share over 15 instructions is found: here 100, with other code around them. */
static void a_copied_part_is_found(void **state)
{
    Arena arena = {0};
    Fingerprints part = of(kernel(&arena, "k", "a", 1, 100), &arena);
    char *whole = arena_printf(&arena, "%s%s%s", kernel(&arena, "x", "b", 3, 150), kernel(&arena, "k", "c", 1, 100),
                               kernel(&arena, "y", "d", 4, 150));
    Fingerprints all = of(whole, &arena);
    assert_true(fingerprints_share(&part, &all) > 0.8);
    assert_true(fingerprints_share(&all, &part) < 0.5);
    arena_free(&arena);
}

static void what_was_handed_out_is_left_out(void **state)
{
    Arena arena = {0};
    const char *handout = kernel(&arena, "k", "a", 1, 100);
    Fingerprints known = of(handout, &arena);
    Fingerprints a = of(arena_printf(&arena, "%s%s", handout, kernel(&arena, "x", "b", 2, 100)), &arena);
    Fingerprints b = of(arena_printf(&arena, "%s%s", handout, kernel(&arena, "y", "c", 3, 100)), &arena);
    assert_true(fingerprints_share(&a, &b) > 0.3);
    fingerprints_remove(&a, &known);
    fingerprints_remove(&b, &known);
    assert_true(a.count > 10 && fingerprints_share(&a, &b) < 0.05);
    arena_free(&arena);
}

static void anything_can_be_read(void **state)
{
    static const char *const texts[] = {"",   ";",   "@",       "@!", ".loc", ".entry k(", "add.f32",
                                        "a:", "$L:", "{ } } {", "\"", "%",    "@%p1"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Arena arena = {0};
        Fingerprints set = of(texts[i], &arena);
        assert_int_equal(set.count, 0);
        assert_true(fingerprints_share(&set, &set) == 0);
        arena_free(&arena);
    }
}

/* A small program within a large one passes the threshold, but two equal ones come first. */
static void a_pair_is_rated_by_both_measures(void **state)
{
    uint64_t few[] = {1, 2}, many[] = {1, 2, 3, 4, 5, 6, 7, 8};
    Program small = {.submission.hash = {"a"}, .code = {few, 2}}, large = {.submission.hash = {"b"}, .code = {many, 8}};
    SimilarPair pair = {.a = &small, .b = &large};
    similarity_rate(&pair, 0.1, 0.3);
    assert_true(pair.code_a == 1 && pair.code_b == 0.25 && pair.most == 1 && pair.mean == 0.625);
    assert_false(pair.same_code || pair.same_source);
    pair.b = &small;
    similarity_rate(&pair, 0, 0);
    assert_true(pair.same_code && pair.same_source && pair.source_a == 1 && pair.mean == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renaming_changes_nothing), cmocka_unit_test(other_code_has_little_in_common),
        cmocka_unit_test(a_copied_part_is_found),   cmocka_unit_test(what_was_handed_out_is_left_out),
        cmocka_unit_test(anything_can_be_read),     cmocka_unit_test(a_pair_is_rated_by_both_measures),
    };
    return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
