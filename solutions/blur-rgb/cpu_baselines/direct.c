/* The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c -lm */
#include <math.h>

void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height, int radius)
{
#pragma omp parallel for
    for (int row = 0; row < height; row++)
        for (int i = 0; i < 4 * width; i++) {
            float sum = 0.0f;
            for (int r = -radius; r <= radius; r++)
                for (int s = -radius; s <= radius; s++)
                    if (row + r >= 0 && row + r < height && i + 4 * s >= 0 && i + 4 * s < 4 * width)
                        sum += image[(row + r) * 4 * width + i + 4 * s] * filter[radius + r] * filter[radius + s];
            output[row * 4 * width + i] = (unsigned char)rintf(fminf(fmaxf(sum, 0.0f), 255.0f));
        }
}
