/* output[row][col] = sum over r and s from -radius to radius of input[row + r][col + s] * column_filter[radius + r]
 * * row_filter[radius + s]. The input is 0 outside of the image, and the filters are not flipped. The sum over s is the
 * same for all r, so it is a pass of its own. */
ORACLE Sum filtered_in_its_row(const Case *c, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int s = -c->radius; s <= c->radius; s++)
        sum = sum_add(sum, at_inside(c->input, row * c->width + col + s, col + s, c->width),
                      c->row_filter[c->radius + s]);
    return sum;
}
#define ORACLE_PASS filtered_in_its_row

ORACLE Sum oracle(const Case *c, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int r = -c->radius; r <= c->radius; r++)
        if (row + r >= 0 && row + r < c->height)
            sum = sum_add_sum(sum, pass_at(c, (row + r) * c->width + col, row + r, col),
                              c->column_filter[c->radius + r]);
    return sum;
}
