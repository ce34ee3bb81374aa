// problem: gaussian-blur
//
// The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c
void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows,
           int kernel_cols)
{
#pragma omp parallel for
    for (int row = 0; row < input_rows; row++)
        for (int col = 0; col < input_cols; col++) {
            float sum = 0.0f;
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++) {
                    const int y = row + r - kernel_rows / 2, x = col + s - kernel_cols / 2;
                    if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                        sum += input[(long)y * input_cols + x] * kernel[r * kernel_cols + s];
                }
            output[(long)row * input_cols + col] = sum;
        }
}
