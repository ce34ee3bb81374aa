/* output[row][byte] = sum over r and s from -radius to radius of
 *     image[row + r][byte + 4 s] * filter[radius + r] * filter[radius + s]
 * before it is rounded. A pixel has four bytes, so the same channel of the next pixel is four bytes away. Outside of
 * the picture the image is 0. */
ORACLE Sum oracle(const Case *c, long row, long byte)
{
    Sum sum = SUM_ZERO;
    const long bytes = 4L * c->width;
    for (int r = -c->radius; r <= c->radius; r++) {
        if (row + r < 0 || row + r >= c->height)
            continue;
        for (int s = -c->radius; s <= c->radius; s++) {
            const double weight = (double)c->filter[c->radius + r] * (double)c->filter[c->radius + s];
            sum = sum_add(sum, at_inside(c->image, (row + r) * bytes + byte + 4 * s, byte + 4 * s, bytes), weight);
        }
    }
    return sum;
}
