/* output[b][l][d] = bias[d] + sum over k of weight[d][k] * x[b][l - k][d]: each channel has a filter of its own, whose
 * tap 0 belongs to the present and whose later taps belong to the past. Zeros precede each sequence. */
ORACLE Sum oracle(const Case *c, long b, long l, long d)
{
    Sum sum = sum_add_term(SUM_ZERO, at(c->bias, d));
    for (int k = 0; k < c->K && k <= l; k++)
        sum = sum_add_product(sum, at(c->x, (b * c->L + l - k) * c->D + d), at_apart(c->weight, d * c->K + k, c->K));
    return sum;
}
