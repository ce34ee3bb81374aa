/* output[row][col] = sum over r and s of input[row + r - kernel_rows / 2][col + s - kernel_cols / 2] * kernel[r][s]: the
 * filter is centred on the element and not flipped, and zeros lie beyond the image. */
ORACLE Sum oracle(const Case *c, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int r = 0; r < c->kernel_rows; r++) {
        long y = row + r - c->kernel_rows / 2;
        if (y < 0 || y >= c->input_rows)
            continue;
        for (int s = 0; s < c->kernel_cols; s++) {
            long x = col + s - c->kernel_cols / 2;
            sum = sum_add(sum, at_inside(c->input, y * c->input_cols + x, x, c->input_cols),
                          c->kernel[r * c->kernel_cols + s]);
        }
    }
    return sum;
}
