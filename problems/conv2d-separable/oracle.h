/* output[row][col] = sum over r and s from -radius to radius of input[row + r][col + s] * column_filter[radius + r]
 * * row_filter[radius + s]. The input is 0 outside of the image, and the filters are not flipped. */
ORACLE Sum oracle(const Case *c, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int r = -c->radius; r <= c->radius; r++) {
        if (row + r < 0 || row + r >= c->height)
            continue;
        for (int s = -c->radius; s <= c->radius; s++) {
            double weight = (double)c->column_filter[c->radius + r] * (double)c->row_filter[c->radius + s];
            sum = sum_add(sum, at_inside(c->input, (row + r) * c->width + col + s, col + s, c->width), weight);
        }
    }
    return sum;
}
