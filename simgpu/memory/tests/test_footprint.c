#include "base/tests/unit.h"

#include "simgpu/memory/footprint.h"

enum { NOTHING = 0, LOAD = FOOTPRINT_LOAD, STORE = FOOTPRINT_STORE, ADD = FOOTPRINT_ATOMIC };
enum { STRONG_LOAD = FOOTPRINT_LOAD | FOOTPRINT_STRONG, STRONG_ADD = FOOTPRINT_ATOMIC | FOOTPRINT_STRONG };
enum { AT = 3 * FOOTPRINT_PAGE_BYTES + 100 };

static void two_uses_of_a_byte_are_compared(void **state)
{
    static const struct {
        uint32_t a, b;
        FootprintOverlap overlap;
    } rows[] = {{LOAD, LOAD, OVERLAP_NONE},         {LOAD, STORE, OVERLAP_LOAD},      {STORE, STORE, OVERLAP_STORE},
                {ADD, ADD, OVERLAP_ATOMIC},         {ADD, LOAD, OVERLAP_LOAD},        {ADD, STORE, OVERLAP_STORE},
                {LOAD | STORE, ADD, OVERLAP_STORE}, {STORE, NOTHING, OVERLAP_NONE},   {STRONG_LOAD, LOAD, OVERLAP_NONE},
                {STRONG_ADD, STORE, OVERLAP_STORE}, {STRONG_ADD, ADD, OVERLAP_ATOMIC}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int exchanged = 0; exchanged < 2; exchanged++) {
            Footprint *a = footprint_new(), *b = footprint_new();
            uint64_t address = 0;
            footprint_add(a, exchanged ? rows[i].b : rows[i].a, AT, 4);
            footprint_add(b, exchanged ? rows[i].a : rows[i].b, AT + 3, 4);
            assert_int_equal(footprint_compare(a, b, &address), rows[i].overlap);
            if (rows[i].overlap != OVERLAP_NONE)
                assert_int_equal(address, AT + 3);
            footprint_free(a);
            footprint_free(b);
        }
}

/* The first page has a load that the other stores into, the third one the store of both. */
static void the_worst_overlap_counts(void **state)
{
    Footprint *a = footprint_new(), *b = footprint_new();
    uint64_t address = 0;
    footprint_add(a, LOAD, 0, 2 * FOOTPRINT_PAGE_BYTES + 200);
    footprint_add(a, STORE, 2 * FOOTPRINT_PAGE_BYTES + 8, 100);
    footprint_add(b, STORE, 4, 4);
    footprint_add(b, STORE, 2 * FOOTPRINT_PAGE_BYTES + 50, 100);
    assert_int_equal(footprint_compare(a, b, &address), OVERLAP_STORE);
    assert_int_equal(address, 2 * FOOTPRINT_PAGE_BYTES + 50);
    footprint_free(a);
    footprint_free(b);
}

static void neighbours_do_not_overlap(void **state)
{
    Footprint *a = footprint_new(), *b = footprint_new();
    uint64_t address = 0;
    for (uint64_t i = 0; i < 3 * FOOTPRINT_PAGE_BYTES; i += 8) {
        footprint_add(a, STORE, i, 4);
        footprint_add(b, STORE, i + 4, 4);
    }
    assert_int_equal(footprint_compare(a, b, &address), OVERLAP_NONE);
    footprint_free(a);
    footprint_free(b);
}

/* A lock: what it protects may be used by plain loads and stores. */
static void who_may_have_waited_does_not_race(void **state)
{
    static const struct {
        uint32_t a, b;
        FootprintOverlap overlap;
    } rows[] = {{STRONG_ADD, STRONG_ADD, OVERLAP_ATOMIC},  {STRONG_LOAD, STRONG_ADD, OVERLAP_ATOMIC},
                {STRONG_LOAD, ADD, OVERLAP_ATOMIC},        {ADD, ADD, OVERLAP_STORE},
                {STRONG_LOAD, STRONG_LOAD, OVERLAP_STORE}, {STRONG_ADD, STORE, OVERLAP_STORE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Footprint *a = footprint_new(), *b = footprint_new();
        uint64_t address = 0;
        footprint_add(a, rows[i].a, AT, 4);
        footprint_add(b, rows[i].b, AT, 4);
        footprint_add(a, STORE, AT + 64, 4);
        footprint_add(b, STORE, AT + 64, 4);
        assert_int_equal(footprint_compare(a, b, &address), rows[i].overlap);
        footprint_free(a);
        footprint_free(b);
    }
}

/* Only early uses of the next kernel matter, and only late loads of the kernel before. */
static void a_kernel_may_begin_before_the_end_of_the_one_before(void **state)
{
    enum { EARLY_LOAD = LOAD | FOOTPRINT_EARLY_LOAD, EARLY_STORE = STORE | FOOTPRINT_EARLY_STORE };
    enum { EARLY_ADD = ADD | FOOTPRINT_EARLY_STORE, LATE_LOAD = LOAD | FOOTPRINT_LATE_LOAD };
    static const struct {
        uint32_t kernel, next;
        FootprintOverlap overlap;
    } rows[] = {{STORE, LOAD, OVERLAP_NONE},       {STORE, EARLY_LOAD, OVERLAP_LOAD},
                {ADD, EARLY_LOAD, OVERLAP_LOAD},   {FOOTPRINT_SAME_STORE, EARLY_LOAD, OVERLAP_LOAD},
                {LOAD, EARLY_LOAD, OVERLAP_NONE},  {STORE, EARLY_STORE, OVERLAP_STORE},
                {LOAD, EARLY_STORE, OVERLAP_NONE}, {LATE_LOAD, EARLY_STORE, OVERLAP_LOAD},
                {LATE_LOAD, STORE, OVERLAP_NONE},  {ADD, EARLY_ADD, OVERLAP_NONE},
                {STORE, STORE, OVERLAP_NONE},      {EARLY_STORE, LOAD, OVERLAP_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Footprint *kernel = footprint_new(), *next = footprint_new();
        uint64_t address = 0;
        footprint_add(kernel, rows[i].kernel, AT, 4);
        footprint_add(next, rows[i].next, AT, 4);
        assert_int_equal(footprint_compare_next(kernel, next, &address), rows[i].overlap);
        footprint_free(kernel);
        footprint_free(next);
    }
}

static void what_does_not_fit_is_lost(void **state)
{
    Footprint *footprint = footprint_new();
    footprint_add(footprint, STORE, 0, (uint64_t)FOOTPRINT_MAX_PAGES * FOOTPRINT_PAGE_BYTES);
    assert_false(footprint_is_partial(footprint));
    footprint_add(footprint, STORE, (uint64_t)FOOTPRINT_MAX_PAGES * FOOTPRINT_PAGE_BYTES, 1);
    assert_true(footprint_is_partial(footprint));
    footprint_free(footprint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_uses_of_a_byte_are_compared),
        cmocka_unit_test(the_worst_overlap_counts),
        cmocka_unit_test(neighbours_do_not_overlap),
        cmocka_unit_test(who_may_have_waited_does_not_race),
        cmocka_unit_test(a_kernel_may_begin_before_the_end_of_the_one_before),
        cmocka_unit_test(what_does_not_fit_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
