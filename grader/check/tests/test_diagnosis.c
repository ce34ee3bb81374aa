#include "grader/check/tests/checker_bench.h"

/* --- kinds of mistake --------------------------------------------------------------------------------------------- */

typedef enum Place {
    EVERYWHERE,
    NEARLY_ALL,
    LAST_COLUMNS,
    FIRST_ROW,
    LAST_ROWS,
    CORNER,
    BORDER,
    EVERY_4TH,
    EVERY_7TH_COLUMN,
    ALL_BUT_3RD,
    TAIL,
    ONE,
    FIRST,
    ONE_COLUMN,
    TILE_EDGES,
    EVERY_29TH_COLUMN,
    FROM_COLUMN_48,
    FROM_COLUMN_46,
    SCATTERED
} Place;

static bool is_hit(Place place, size_t row, size_t col)
{
    size_t i = row * 60 + col;
    switch (place) {
    case EVERYWHERE: return true;
    case LAST_COLUMNS: return col >= 57;
    case FIRST_ROW: return row == 0;
    case LAST_ROWS: return row >= 32;
    case CORNER: return row >= 38 && col < 2;
    case BORDER: return row < 1 || row >= 39 || col < 1 || col >= 59;
    case EVERY_4TH: return i % 4 == 1;
    case EVERY_7TH_COLUMN: return col % 7 == 3;
    case ALL_BUT_3RD: return i % 3 != 2;
    case TAIL: return i >= 1000;
    case ONE: return i == 1234;
    case FIRST: return i == 0;
    case ONE_COLUMN: return col == 30;
    case EVERY_29TH_COLUMN: return col % 29 == 0;
    case FROM_COLUMN_48: return col >= 48;
    case FROM_COLUMN_46: return col >= 46;
    case TILE_EDGES: return col % 16 >= 14;
    case SCATTERED: return (i * 2654435761u >> 7) % 13 == 0;
    case NEARLY_ALL: return (i * 2654435761u >> 7) % 113 != 0;
    }
    return false;
}

typedef enum Mistake {
    OFF,
    POISONED,
    NOT_A_NUMBER,
    INFINITE,
    ZERO,
    DOUBLED,
    DRIFTED,
    TRUNCATED,
    GARBAGE,
    AFTER,
    BEFORE,
    IMPRECISE,
    FLIPPED
} Mistake;

static float mistaken(const Bench *right, const Bench *flipped, Mistake mistake, size_t i)
{
    const uint32_t poison = POISON;
    float value = right->y[i];
    switch (mistake) {
    case OFF: return value + 0.5f + (float)(i * 2654435761u % 1000) * 0.001f;
    case POISONED: memcpy(&value, &poison, sizeof value); return value;
    case NOT_A_NUMBER: return NAN;
    case INFINITE: return INFINITY;
    case ZERO: return 0;
    case DOUBLED: return 2 * value;
    case DRIFTED: return value * (1.006f + (float)(i % 5) * 0.001f);
    case TRUNCATED: return truncf(value) + 2;
    case GARBAGE: return -431602080.0f - 64.0f * (float)(i % 7); /* so large that every float is whole */
    case AFTER: return right->y[i + 1 < right->count ? i + 1 : i];
    case BEFORE: return right->y[i > 0 ? i - 1 : i];
    case IMPRECISE: return value + (i % 2 ? 3e-3f : -3e-3f);
    case FLIPPED: return flipped->y[i];
    }
    return value;
}

static const struct {
    Place place;
    Mistake mistake;
    const char *kind;
} kinds[] = {
    {EVERYWHERE, OFF, "every element"},
    {EVERYWHERE, ZERO, "every element: zero"},
    {EVERYWHERE, NOT_A_NUMBER, "every element: NaN"},
    {EVERYWHERE, INFINITE, "every element: infinite"},
    {EVERYWHERE, DOUBLED, "every element: off by a constant factor"},
    {EVERYWHERE, DRIFTED, "nearly every element"}, /* by 0.6 to 1 %: no two elements need be off by the same factor */
    {EVERYWHERE, GARBAGE, "every element"},
    {EVERYWHERE, TRUNCATED, "every element: whole numbers, where fractions are right: is something an int?"},
    {EVERYWHERE, FLIPPED, "every element: the filter is flipped"},
    {EVERYWHERE, IMPRECISE, "every element: small errors: too little precision, or small terms left out"},
    {LAST_COLUMNS, POISONED, "the last 3 columns: never written"},
    {LAST_COLUMNS, OFF, "the last 3 columns"},
    {FROM_COLUMN_48, POISONED, /* there are 40 rows: three blocks of 16 */
     "the last 12 columns, from column 48 on: never written: is a last block missing, or are x and y of the grid swapped?"},
    {FROM_COLUMN_48, OFF, "the last 12 columns, from column 48 on"},
    {FROM_COLUMN_46, POISONED, "the last 14 columns, from column 46 on: never written"},
    {FIRST_ROW, ZERO, "the first row: zero"},
    {LAST_ROWS, POISONED, "the last 8 rows: never written"},
    {CORNER, OFF, "the last 2 rows of the first 2 columns"},
    {BORDER, ZERO, "only the border, 1 deep: zero"},
    {EVERY_4TH, OFF, "every 4th column"}, /* 60 columns: it is also every fourth element */
    {EVERY_7TH_COLUMN, NOT_A_NUMBER, "every 7th column: NaN"},
    {EVERY_29TH_COLUMN, OFF, "every 29th column"}, /* three: the fewest that show a step */
    {ALL_BUT_3RD, OFF, "all but every 3rd element"},
    {TAIL, POISONED, "all elements after a certain one, in row order: never written"},
    {ONE, OFF, "one element"},
    {FIRST, NOT_A_NUMBER, "the first element: NaN"},
    {ONE_COLUMN, OFF, "one column"},
    {TILE_EDGES, OFF, "some columns of each block of 16"},
    {SCATTERED, OFF, "scattered elements"},
    {NEARLY_ALL, ZERO, "nearly every element: zero"},
};

static void the_kind_of_mistake_is_named(void **state)
{
    Bench bench, right, flipped;
    bench_open(&bench, 40, 60);
    bench_open(&right, 40, 60);
    bench_open(&flipped, 40, 60);
    for (size_t i = 0; i < 9; i++)
        flipped.w[i] = right.w[8 - i];
    fill_right(&flipped);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        for (size_t j = 0; j < bench.count; j++)
            bench.y[j] = is_hit(kinds[i].place, j / 60, j % 60) ? mistaken(&right, &flipped, kinds[i].mistake, j)
                                                                : right.y[j];
        Comparison comparison = compare(&bench);
        if (strcmp(comparison.text, kinds[i].kind) != 0)
            fail_test("row %zu: \"%s\" is not \"%s\"", i, comparison.text, kinds[i].kind);
    }
    bench_close(&bench);
    bench_close(&right);
    bench_close(&flipped);
}

static void a_shift_by_one_is_named(void **state)
{
    static const Mistake shifts[] = {AFTER, BEFORE};
    for (size_t i = 0; i < COUNT_OF(shifts); i++) {
        Bench bench, right;
        bench_open(&bench, 1, 3000);
        bench_open(&right, 1, 3000);
        for (size_t j = 0; j < bench.count; j++)
            bench.y[j] = mistaken(&right, NULL, shifts[i], j);
        Comparison comparison = compare(&bench);
        if (strstr(comparison.text, ": shifted by one") == NULL)
            fail_test("%s", comparison.text);
        bench_close(&bench);
        bench_close(&right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_of_mistake_is_named),
        cmocka_unit_test(a_shift_by_one_is_named),
    };
    return cmocka_run_group_tests_name("checker", tests, make_problem, home_remove);
}
