// problem: conv-rgb-planar
//
// The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c
void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    const int side = 2 * radius + 1;
#pragma omp parallel for
    for (int line = 0; line < 3 * height; line++) { /* a row of any of the three planes */
        const int row = line % height;
        for (int col = 0; col < width; col++) {
            float sum = 0.0f;
            for (int r = -radius; r <= radius; r++)
                for (int s = -radius; s <= radius; s++)
                    if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                        sum += input[(long)(line + r) * width + col + s] * filter[(radius + r) * side + radius + s];
            output[(long)line * width + col] = sum;
        }
    }
}
