// problem: conv2d-same
//
// serial, loops split: a row is computed tap by tap, and for each tap the columns whose neighbour lies inside come in
// one loop without a branch, over neighbours in memory: the compiler can use vector instructions. A row of sums is read
// and written once for each tap.
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
    for (int row = 0; row < height; row++)
        convolve_row(input, filter, output, width, height, radius, row);
}
