// problem: conv-layer
// sweep: THREADS=1,2,4,8
//
// POSIX threads: each thread computes a share of the rows of all images, with loops split as in 2_serial_split.c.
// Starting a thread costs about 10 us per call.
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
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
