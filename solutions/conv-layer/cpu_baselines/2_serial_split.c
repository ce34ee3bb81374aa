// problem: conv-layer
//
// serial, loops split: all channels of an output together, so that the innermost loop runs over neighbours in memory,
// in weights and sums alike, and the compiler can use vector instructions. All weights are read for every output.
typedef struct Layer {
    const float *input, *weights, *bias;
    float* output;
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, out_height, out_width;
} Layer;

/* All channels of one output: bias, sums and rectifier in loops of their own, each over neighbours in memory. */
static void compute_output(const Layer* layer, const float* corner, float* restrict sums)
{
    const int channels = layer->out_channels, values = layer->filter_width * layer->in_channels;
    for (int k = 0; k < channels; k++)
        sums[k] = layer->bias[k];
    for (int r = 0; r < layer->filter_height; r++)
        for (int i = 0; i < values; i++) {
            float value = corner[(long)r * layer->width * layer->in_channels + i];
            const float* weights = layer->weights + ((long)r * values + i) * channels;
            for (int k = 0; k < channels; k++)
                sums[k] += value * weights[k];
        }
    for (int k = 0; k < channels; k++)
        sums[k] = sums[k] > 0.0f ? sums[k] : 0.0f;
}

/* One row of the output of one image; rows are counted through all images. */
static void compute_row(const Layer* layer, long row)
{
    const long image = row / layer->out_height, y = row % layer->out_height * layer->stride;
    const float* line = layer->input + (image * layer->height + y) * layer->width * layer->in_channels;
    for (int x = 0; x < layer->out_width; x++)
        compute_output(layer, line + (long)x * layer->stride * layer->in_channels,
                       layer->output + (row * layer->out_width + x) * layer->out_channels);
}

void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height, int width,
           int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    const int out_height = (height - filter_height) / stride + 1, out_width = (width - filter_width) / stride + 1;
    const Layer layer = {input, weights, bias, output, n, height, width, in_channels, filter_height, filter_width,
                         out_channels, stride, out_height, out_width};
    for (long row = 0; row < (long)n * out_height; row++)
        compute_row(&layer, row);
}
