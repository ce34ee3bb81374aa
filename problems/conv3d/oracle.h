/* output[plane][row][col] = sum over d, r and s of input[plane + d][row + r][col + s] * kernel[d][r][s]: the whole
 * filter lies in the input and is not flipped. */
ORACLE Sum oracle(const Case *c, long plane, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int d = 0; d < c->kernel_depth; d++)
        for (int r = 0; r < c->kernel_rows; r++) {
            long first = ((plane + d) * c->input_rows + row + r) * c->input_cols + col;
            const float *taps = c->kernel + (d * c->kernel_rows + r) * c->kernel_cols;
            for (int s = 0; s < c->kernel_cols; s++)
                sum = sum_add(sum, at(c->input, first + s), taps[s]);
        }
    return sum;
}
