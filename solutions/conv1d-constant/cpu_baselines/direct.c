// problem: conv1d-constant
//
// The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c
void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    const int radius = filter_width / 2;
#pragma omp parallel for
    for (int i = 0; i < width; i++) {
        float sum = 0.0f;
        for (int k = 0; k < filter_width; k++)
            if (i + k - radius >= 0 && i + k - radius < width)
                sum += input[i + k - radius] * filter[k];
        output[i] = sum;
    }
}
