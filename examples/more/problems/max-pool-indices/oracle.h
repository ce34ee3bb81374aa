/* Of each window of the input its largest element, and the index of that in the whole input; of equal ones, the first. */
#define ORACLE_SINGLE

ORACLE long first_largest(const Case *c, long row, long col)
{
    long largest = row * c->stride * c->cols + col * c->stride;
    for (long r = row * c->stride; r < row * c->stride + c->window; r++)
        for (long s = col * c->stride; s < col * c->stride + c->window; s++)
            if (number_at(c->input, r * c->cols + s) > number_at(c->input, largest))
                largest = r * c->cols + s;
    return largest;
}

ORACLE Sum oracle_values(const Case *c, long row, long col)
{
    return bounded(at(c->input, first_largest(c, row, col)), 0);
}

ORACLE Sum oracle_indices(const Case *c, long row, long col)
{
    return bounded(first_largest(c, row, col), 0);
}
