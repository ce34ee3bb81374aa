/* output[row][col] = sum over r and s of input[row + r][col + s] * kernel[r][s]: the whole filter lies on the input
 * and is not flipped. */
ORACLE Sum oracle(const Case *c, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int r = 0; r < c->kernel_rows; r++)
        for (int s = 0; s < c->kernel_cols; s++)
            sum = sum_add(sum, at(c->input, (row + r) * c->input_cols + col + s), c->kernel[r * c->kernel_cols + s]);
    return sum;
}
