/* output[row][col] = sum over r and s of input[row + r - radius][col + s - radius] * filter[r][s], where r and s go from
 * 0 to 2 radius: the filter is centred on the element and not flipped, and zeros lie beyond the image. */
ORACLE Sum oracle(const Case *c, long row, long col)
{
    const int side = 2 * c->radius + 1;
    Sum sum = SUM_ZERO;
    for (int r = 0; r < side; r++) {
        long y = row + r - c->radius;
        if (y < 0 || y >= c->height)
            continue;
        for (int s = 0; s < side; s++) {
            long x = col + s - c->radius;
            sum = sum_add(sum, at_inside(c->input, y * c->width + x, x, c->width), c->filter[r * side + s]);
        }
    }
    return sum;
}
