// problem: conv-layer
// sweep: THREADS=1,2,4,8 TILE=2,4,8
//
// POSIX threads and tiles: each thread computes a share of the rows of all images, TILE outputs at a time; see
// 3_serial_tiled.c.
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
#endif
#ifndef TILE
#define TILE 4
#endif
#ifndef CHANNELS
#define CHANNELS 32
#endif
#define MAX_THREADS 256

typedef struct Layer {
    const float *input, *weights, *bias;
    float* output;
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, out_height, out_width;
} Layer;

typedef struct Share { // of one thread
    const Layer* layer;
    long first_row, end_row;
} Share;

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

static void* compute_share(void* argument)
{
    const Share* share = argument;
    for (long row = share->first_row; row < share->end_row; row++)
        compute_row(share->layer, row);
    return NULL;
}

static int thread_count(long most)
{
    long count = THREADS > 0 ? THREADS : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < MAX_THREADS ? count : MAX_THREADS;
    return (int)(count < most ? count : most);
}

void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height, int width,
           int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    const int out_height = (height - filter_height) / stride + 1, out_width = (width - filter_width) / stride + 1;
    const Layer layer = {input, weights, bias, output, n, height, width, in_channels, filter_height, filter_width,
                         out_channels, stride, out_height, out_width};
    pthread_t threads[MAX_THREADS];
    Share shares[MAX_THREADS];
    const long rows = (long)n * out_height;
    int count = thread_count(rows), started = 1;
    for (int i = 0; i < count; i++)
        shares[i] = (Share){&layer, rows * i / count, rows * (i + 1) / count};
    while (started < count && pthread_create(&threads[started], NULL, compute_share, &shares[started]) == 0)
        started++;
    compute_share(&shares[0]);
    for (int i = started; i < count; i++) // what no thread could be started for
        compute_share(&shares[i]);
    for (int i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}
