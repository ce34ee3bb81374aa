// problem: conv-layer
// sweep: TILE=2,4,8 CHANNELS=16,32
//
// serial, tiled: TILE outputs of a row and CHANNELS channels together: their sums stay in vector registers until they
// are complete, and each weight that is read serves TILE outputs.
#ifndef TILE
#define TILE 4
#endif
#ifndef CHANNELS
#define CHANNELS 32
#endif

typedef struct Layer {
    const float *input, *weights, *bias;
    float* output;
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, out_height, out_width;
} Layer;

/* `outputs` outputs of a row and `channels` channels of them, from `first` on: where both counts are known to the
 * compiler, the sums are registers. */
static inline __attribute__((always_inline)) void compute_block(const Layer* layer, const float* corner, float* output,
                                                                int first, int outputs, int channels)
{
    const long step = (long)layer->stride * layer->in_channels, values = (long)layer->filter_width * layer->in_channels;
    float sums[TILE][CHANNELS];
    for (int x = 0; x < outputs; x++)
        for (int k = 0; k < channels; k++)
            sums[x][k] = layer->bias[first + k];
    for (long r = 0; r < layer->filter_height; r++)
        for (long i = 0; i < values; i++) {
            const float* weights = layer->weights + (r * values + i) * layer->out_channels + first;
            const float* inputs = corner + r * layer->width * layer->in_channels + i;
            for (int x = 0; x < outputs; x++)
                for (int k = 0; k < channels; k++)
                    sums[x][k] += inputs[x * step] * weights[k];
        }
    for (int x = 0; x < outputs; x++)
        for (int k = 0; k < channels; k++)
            output[x * layer->out_channels + first + k] = sums[x][k] > 0.0f ? sums[x][k] : 0.0f;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* One row of the output of one image; rows are counted through all images. */
static void compute_row(const Layer* layer, long row)
{
    const long image = row / layer->out_height, y = row % layer->out_height * layer->stride;
    const float* line = layer->input + (image * layer->height + y) * layer->width * layer->in_channels;
    for (int x = 0; x < layer->out_width; x += TILE)
        for (int first = 0; first < layer->out_channels; first += CHANNELS) {
            const float* corner = line + (long)x * layer->stride * layer->in_channels;
            float* output = layer->output + (row * layer->out_width + x) * layer->out_channels;
            int outputs = smaller(TILE, layer->out_width - x);
            int channels = smaller(CHANNELS, layer->out_channels - first);
            if (outputs == TILE && channels == CHANNELS)
                compute_block(layer, corner, output, first, TILE, CHANNELS);
            else
                compute_block(layer, corner, output, first, outputs, channels);
        }
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
