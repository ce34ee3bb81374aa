/* output[plane][row][col] = sum over r and s of input[plane][row + r - radius][col + s - radius] * filter[r][s], where r
 * and s go from 0 to 2 radius: one filter, not flipped, for each of three planes, and zeros beyond each of them. */
ORACLE Sum oracle(const Case *c, long plane, long row, long col)
{
    const int side = 2 * c->radius + 1;
    Sum sum = SUM_ZERO;
    for (int r = 0; r < side; r++) {
        long y = row + r - c->radius;
        if (y < 0 || y >= c->height)
            continue;
        for (int s = 0; s < side; s++) {
            long x = col + s - c->radius;
            long j = (plane * c->height + y) * c->width + x;
            sum = sum_add(sum, at_inside(c->input, j, x, c->width), c->filter[r * side + s]);
        }
    }
    return sum;
}
