/* y[image][map][row][col] = sum over c, p and q of x[image][c][row + p][col + q] * k[map][c][p][q] */
ORACLE Sum oracle(const Case *c, long image, long map, long row, long col)
{
    Sum sum = SUM_ZERO;
    for (int i = 0; i < c->channels; i++)
        for (int p = 0; p < c->side; p++)
            for (int q = 0; q < c->side; q++) {
                const long line = ((image * c->channels + i) * c->height + row + p) * c->width;
                const long tap = ((map * c->channels + i) * c->side + p) * c->side + q;
                sum = sum_add(sum, at(c->x, line + col + q), c->k[tap]);
            }
    return sum;
}
