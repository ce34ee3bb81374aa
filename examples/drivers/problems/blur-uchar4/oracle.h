/* output[row][byte] = sum over r and s from -radius to radius of
 *     image[row + r][byte + 4 s] * filter[radius + r] * filter[radius + s]
 * before it is rounded. A pixel has four bytes, so the same channel of the next pixel is four bytes away. Outside of
 * the picture the image is 0. The sum over s is the same for all r, so it is a pass of its own. */
ORACLE Sum filtered_in_its_row(const Case *c, long row, long byte)
{
    Sum sum = SUM_ZERO;
    const long bytes = 4L * c->width;
    for (int s = -c->radius; s <= c->radius; s++)
        sum = sum_add(sum, at_inside(c->image, row * bytes + byte + 4 * s, byte + 4 * s, bytes),
                      c->filter[c->radius + s]);
    return sum;
}
#define ORACLE_PASS filtered_in_its_row

ORACLE Sum oracle(const Case *c, long row, long byte)
{
    Sum sum = SUM_ZERO;
    for (int r = -c->radius; r <= c->radius; r++)
        if (row + r >= 0 && row + r < c->height)
            sum = sum_add_sum(sum, pass_at(c, (row + r) * 4L * c->width + byte, row + r, byte),
                              c->filter[c->radius + r]);
    return sum;
}
