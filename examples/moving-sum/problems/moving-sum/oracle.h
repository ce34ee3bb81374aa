/* output[i] = sum of input[j] for j = i - radius .. i + radius, with ghost cells of zero. */
ORACLE Sum oracle(const Case *c, long i)
{
    Sum sum = SUM_ZERO;
    for (long j = i - c->radius; j <= i + c->radius; j++)
        sum = sum_add(sum, at_inside(c->input, j, j, c->length), 1);
    return sum;
}
