// problem: conv2d-same
// sweep: THREADS=1,2,4,8
//
// OpenMP: the rows are shared out by the compiler, loops split as in 2_serial_split.c. Its threads stay alive from call
// to call.
#include <omp.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
#endif

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

void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int threads = THREADS > 0 ? THREADS : omp_get_max_threads();
#pragma omp parallel for num_threads(threads)
    for (int row = 0; row < height; row++)
        convolve_row(input, filter, output, width, height, radius, row);
}
