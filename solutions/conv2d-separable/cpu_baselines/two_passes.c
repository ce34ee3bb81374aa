/* Rows, then columns, in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC two_passes.c */
#include <stdlib.h>

void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
           int height, int radius)
{
    float* rows = malloc(sizeof(float) * width * height);
#pragma omp parallel for
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) {
            float sum = 0.0f;
            for (int s = -radius; s <= radius; s++)
                if (col + s >= 0 && col + s < width)
                    sum += input[row * width + col + s] * row_filter[radius + s];
            rows[row * width + col] = sum;
        }
#pragma omp parallel for
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) {
            float sum = 0.0f;
            for (int r = -radius; r <= radius; r++)
                if (row + r >= 0 && row + r < height)
                    sum += rows[(row + r) * width + col] * column_filter[radius + r];
            output[row * width + col] = sum;
        }
    free(rows);
}
