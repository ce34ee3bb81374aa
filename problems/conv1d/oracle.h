/* output[i] = sum over k of input[i + k] * kernel[k]: the whole filter lies on the input and is not flipped. */
ORACLE Sum oracle(const Case *c, long i)
{
    Sum sum = SUM_ZERO;
    for (int k = 0; k < c->kernel_size; k++)
        sum = sum_add(sum, at(c->input, i + k), c->kernel[k]);
    return sum;
}
