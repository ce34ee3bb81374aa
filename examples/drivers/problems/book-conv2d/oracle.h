/* P[row][col] = sum over i and j of N[row + i - r][col + j - r] * F[i][j], where i and j go from 0 to 2 r: the filter is
 * centred on the element and not flipped, and zeros lie beyond the picture. */
ORACLE Sum oracle(const Case *c, long row, long col)
{
    const int side = 2 * c->r + 1;
    Sum sum = SUM_ZERO;
    for (int i = 0; i < side; i++) {
        long y = row + i - c->r;
        if (y < 0 || y >= c->height)
            continue;
        for (int j = 0; j < side; j++) {
            long x = col + j - c->r;
            sum = sum_add(sum, at_inside(c->N, y * c->width + x, x, c->width), c->F[i * side + j]);
        }
    }
    return sum;
}
