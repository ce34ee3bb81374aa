/* output[y][x] = sum over r and s of input[i][j] * kernel[r][s], where i * stride + r = y and j * stride + s = x: each
 * element of the input adds a scaled copy of the kernel to the output. Which taps reach an output depends on the remainder
 * of its index, so neighbours have different formulas. */
#define ORACLE_SINGLE

ORACLE Sum oracle(const Case *c, long y, long x)
{
    Sum sum = SUM_ZERO;
    for (long r = y % c->stride; r < c->kernel_rows; r += c->stride)
        for (long s = x % c->stride; s < c->kernel_cols; s += c->stride) {
            const long i = (y - r) / c->stride, j = (x - s) / c->stride;
            if (r <= y && s <= x && i < c->rows && j < c->cols)
                sum = sum_add(sum, at(c->input, i * c->cols + j), number_at(c->kernel, r * c->kernel_cols + s));
        }
    return sum;
}
