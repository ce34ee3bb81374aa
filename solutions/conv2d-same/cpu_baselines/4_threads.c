// problem: conv2d-same
// sweep: THREADS=1,2,4,8
//
// POSIX threads: each thread computes a share of the rows, as many as the others have, with loops split as in
// 2_serial_split.c. Starting a thread costs about 10 us per call.
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
#endif
#define MAX_THREADS 256

static void convolve_row(const float* restrict input, const float* restrict filter, float* restrict output, int width,
                         int height, int radius, int row)
{
    const int side = 2 * radius + 1;
    float* sums = output + (long)row * width;
    for (int col = 0; col < width; col++)
        sums[col] = 0.0f;
    for (int r = 0; r < side; r++) {
        int y = row + r - radius;
        if (y < 0 || y >= height)
            continue;
        const float* line = input + (long)y * width;
        for (int s = 0; s < side; s++) {
            int shift = s - radius;
            int first = shift < 0 ? -shift : 0, end = shift > 0 ? width - shift : width;
            float weight = filter[r * side + s];
            for (int col = first; col < end; col++)
                sums[col] += line[col + shift] * weight;
        }
    }
}

typedef struct Share { // of one thread
    const float *input, *filter;
    float* output;
    int width, height, radius, first_row, end_row;
} Share;

static void* convolve_share(void* argument)
{
    const Share* share = argument;
    for (int row = share->first_row; row < share->end_row; row++)
        convolve_row(share->input, share->filter, share->output, share->width, share->height, share->radius, row);
    return NULL;
}

static int thread_count(int most)
{
    long count = THREADS > 0 ? THREADS : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < MAX_THREADS ? count : MAX_THREADS;
    return (int)(count < most ? count : most);
}

void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    pthread_t threads[MAX_THREADS];
    Share shares[MAX_THREADS];
    int count = thread_count(height), started = 1;
    for (int i = 0; i < count; i++)
        shares[i] = (Share){input, filter, output, width, height, radius, (int)((long)height * i / count),
                            (int)((long)height * (i + 1) / count)};
    while (started < count && pthread_create(&threads[started], NULL, convolve_share, &shares[started]) == 0)
        started++;
    convolve_share(&shares[0]);
    for (int i = started; i < count; i++) // what no thread could be started for
        convolve_share(&shares[i]);
    for (int i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}
