/* output[i] = sum over k of input[i + k - 1] * filter[k], with ghost cells of zero: the filter is not flipped.
 *
 * One output element, as in the statement. at_inside(array, index, position, extent) is 0 if the position is not
 * within the extent; docs/reference/formats.md lists the other functions. */
ORACLE Sum oracle(const Case *c, long i)
{
    Sum sum = SUM_ZERO;
    for (int k = 0; k < 3; k++)
        sum = sum_add(sum, at_inside(c->input, i + k - 1, i + k - 1, c->length), c->filter[k]);
    return sum;
}
