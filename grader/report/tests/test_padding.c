#include "base/tests/unit.h"

#include "grader/report/advice.h"

static const struct {
    uint32_t block_x;
    int64_t row;
    double wavefronts;
    int padding;
} rows[] = {
    {32, 32, 32, 1},                  /* a column of a square tile: all in one bank */
    {32, 64, 32, 1}, {32, 33, 1, -1}, /* padded already */
    {16, 30, 1, -1}, {16, 32, 2, 16}, /* two rows of 16 in the same half of the banks */
    {8, 32, 4, 8},                    /* four rows of 8 */
    {8, 16, 2, 8},   {32, 40, 8, 1},  /* a stride of 40 meets every eighth bank */
    {32, 32, 7, -1},                  /* no walk explains seven */
    {0, 32, 1, -1},  {32, 0, 32, -1}, /* no block, no row */
};

static void the_least_padding_without_conflicts_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int padding = padding_of(rows[i].block_x, rows[i].row, rows[i].wavefronts);
        if (padding != rows[i].padding)
            fail_test("row %zu: %d, expected %d", i, padding, rows[i].padding);
    }
}

static void wavefronts_are_the_most_words_of_a_bank(void **state)
{
    assert_int_equal(padding_wavefronts(WALK_ROWS, 32, 100), 1);
    assert_int_equal(padding_wavefronts(WALK_COLUMNS, 32, 32), 32);
    assert_int_equal(padding_wavefronts(WALK_COLUMNS, 32, 34), 2);
    assert_int_equal(padding_wavefronts(WALK_ROWS, 16, 16), 1);
    assert_int_equal(padding_wavefronts(WALK_ROWS, 16, 32), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_padding_without_conflicts_is_found),
        cmocka_unit_test(wavefronts_are_the_most_words_of_a_bank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
