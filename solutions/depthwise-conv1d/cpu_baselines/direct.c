// problem: depthwise-conv1d
//
// The formula of the statement in plain C: gcc -O3 -march=native -fopenmp -shared -fPIC direct.c
void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
#pragma omp parallel for
    for (int row = 0; row < B * L; row++) { /* one position of one sequence */
        const int l = row % L;
        for (int d = 0; d < D; d++) {
            float sum = bias[d];
            for (int k = 0; k < K && k <= l; k++)
                sum += weight[d * K + k] * x[(long)(row - k) * D + d];
            output[(long)row * D + d] = sum;
        }
    }
}
