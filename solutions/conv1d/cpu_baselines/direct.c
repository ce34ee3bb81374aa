/* The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c */
void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
#pragma omp parallel for
    for (int i = 0; i <= input_size - kernel_size; i++) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}
