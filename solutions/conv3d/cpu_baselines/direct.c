/* The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c */
void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows, int input_cols,
           int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
#pragma omp parallel for
    for (int plane = 0; plane < output_depth; plane++)
        for (int row = 0; row < output_rows; row++)
            for (int col = 0; col < output_cols; col++) {
                float sum = 0.0f;
                for (int d = 0; d < kernel_depth; d++)
                    for (int r = 0; r < kernel_rows; r++)
                        for (int s = 0; s < kernel_cols; s++)
                            sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                                   kernel[(d * kernel_rows + r) * kernel_cols + s];
                output[(plane * output_rows + row) * output_cols + col] = sum;
            }
}
