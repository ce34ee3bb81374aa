// problem: conv2d-same
//
// serial, as written: the formula of the statement, an output at a time. Whether a neighbour lies inside is tested for
// every tap, and each sum waits for the previous term, so the compiler cannot use vector instructions.
void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    const int side = 2 * radius + 1;
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) {
            float sum = 0.0f;
            for (int r = 0; r < side; r++)
                for (int s = 0; s < side; s++) {
                    int y = row + r - radius, x = col + s - radius;
                    if (y >= 0 && y < height && x >= 0 && x < width)
                        sum += input[(long)y * width + x] * filter[r * side + s];
                }
            output[(long)row * width + col] = sum;
        }
}
