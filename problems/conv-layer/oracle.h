/* output[image][row][col][channel] = max(0, bias[channel] + sum over r, s and i of
 *     input[image][row * stride + r][col * stride + s][i] * weights[r][s][i][channel])
 * Neighbouring channels share their inputs, and their weights are adjacent. */
ORACLE Sum oracle(const Case *c, long image, long row, long col, long channel)
{
    Sum sum = sum_add_term(SUM_ZERO, at(c->bias, channel));
    for (int r = 0; r < c->filter_height; r++)
        for (int s = 0; s < c->filter_width; s++) {
            const long pixel = (image * c->height + row * c->stride + r) * c->width + col * c->stride + s;
            const long tap = r * c->filter_width + s;
            for (int i = 0; i < c->in_channels; i++)
                sum = sum_add(sum, at(c->weights, (tap * c->in_channels + i) * c->out_channels + channel),
                              c->input[pixel * c->in_channels + i]);
        }
    return sum_positive(sum);
}
