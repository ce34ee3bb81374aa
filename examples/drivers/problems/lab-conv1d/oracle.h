/* output[i] = sum over k of input[i + k - radius] * filter[k]: the filter's middle lies on element i, ghost cells
 * beyond both ends are zero, and the filter is not flipped. */
ORACLE Sum oracle(const Case *c, long i)
{
    Sum sum = SUM_ZERO;
    int radius = c->filter_width / 2;
    for (int k = 0; k < c->filter_width; k++)
        sum = sum_add(sum, at_inside(c->input, i + k - radius, i + k - radius, c->width), c->filter[k]);
    return sum;
}
