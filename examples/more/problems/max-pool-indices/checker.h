/* Each index is right that lies in the window and belongs to an element as large as the largest. `indices` is what the
 * submission has written, which may be anything. */
ORACLE Sum checker_indices(const Case *c, long row, long col)
{
    const long columns = (c->cols - c->window) / c->stride + 1, got = c->indices[row * columns + col];
    const long r = got / c->cols - row * c->stride, s = got % c->cols - col * c->stride;
    const long first = first_largest(c, row, col);
    const bool is_inside = got >= 0 && r >= 0 && r < c->window && s >= 0 && s < c->window;
    return bounded(is_inside && number_at(c->input, got) == number_at(c->input, first) ? got : first, 0);
}
