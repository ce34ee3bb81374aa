// expect: Accepted
// problem: conv1d
// Short filters are unrolled by template recursion, with the taps in registers; the rest goes through a functor.
#include <cuda_runtime.h>

template <int N>
struct Dot {
    __device__ static float of(const float* x, const float* w) { return x[0] * w[0] + Dot<N - 1>::of(x + 1, w + 1); }
};
template <>
struct Dot<0> {
    __device__ static float of(const float*, const float*) { return 0.0f; }
};

struct AnyDot {
    int n;
    __device__ float operator()(const float* x, const float* w) const
    {
        float sum = 0.0f;
#pragma unroll 4
        for (int k = 0; k < n; k++)
            sum += x[k] * w[k];
        return sum;
    }
};

template <int N>
struct FixedDot {
    __device__ float operator()(const float* x, const float* w) const { return Dot<N>::of(x, w); }
};

template <typename F>
__global__ void apply(F f, const float* __restrict__ input, const float* __restrict__ kernel, float* output, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        output[i] = f(input + i, kernel);
}

template <typename F>
static void launch(F f, const float* input, const float* kernel, float* output, int n)
{
    apply<<<(n + 255) / 256, 256>>>(f, input, kernel, output, n);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int n = input_size - kernel_size + 1;
    switch (kernel_size) {
    case 1: launch(FixedDot<1>{}, input, kernel, output, n); break;
    case 3: launch(FixedDot<3>{}, input, kernel, output, n); break;
    case 5: launch(FixedDot<5>{}, input, kernel, output, n); break;
    case 7: launch(FixedDot<7>{}, input, kernel, output, n); break;
    case 9: launch(FixedDot<9>{}, input, kernel, output, n); break;
    default: launch(AnyDot{kernel_size}, input, kernel, output, n);
    }
}
