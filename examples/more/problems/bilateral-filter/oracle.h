/* output = sum of w x / sum of w over the pixels x of the window that lie inside the image, with
 *     w = exp(-e),  e = distance^2 / (2 sigma_space^2) + (x - centre)^2 / (2 sigma_range^2)
 * The weights depend on the image, so this is no sum of products, and the bound of the error comes with the value. A
 * float holds no weight below 2^-126. */
#define ORACLE_SINGLE

ORACLE Sum oracle(const Case *c, long row, long col)
{
    const Real centre = at(c->image, row * c->cols + col), space = c->sigma_space, range = c->sigma_range;
    Real weights = 0, sum = 0, bound = 0;
    for (long r = row - c->radius; r <= row + c->radius; r++)
        for (long s = col - c->radius; s <= col + c->radius; s++) {
            if (r < 0 || r >= c->rows || s < 0 || s >= c->cols)
                continue;
            const Real x = at(c->image, r * c->cols + s), distance = (r - row) * (r - row) + (s - col) * (s - col);
            const Real e = distance / (2 * space * space) + (x - centre) * (x - centre) / (2 * range * range);
            const Real w = real_exp(-e);
            weights += w;
            sum += w * x;
            bound += w * magnitude_of(x) * (2 + e);
        }
    return bounded(sum / weights, 0x1p-23 * bound / weights + 0x1p-120);
}
