// expect: Accepted
// problem: depthwise-conv1d
// advice: vector_loads
// A thread computes four neighbouring channels: it reads and writes 16 bytes at a time, so that each warp has four
// times as many bytes on the way. Model: solutions/depthwise-conv1d/accepted/wide_loads.cu
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define THREADS 64
#define OUTPUTS 32 // positions of a thread

__device__ void load(float* value, const float* from)
{
    *value = *from;
}

__device__ void load(float4* value, const float* from)
{
    *value = *(const float4*)from;
}

// The same tap of as many neighbouring channels as a thread has: they lie K apart.
__device__ void load_taps(float* value, const float* from, int K)
{
    *value = from[0];
}

__device__ void load_taps(float4* value, const float* from, int K)
{
    *value = make_float4(from[0], from[K], from[2 * K], from[3 * K]);
}

__device__ void multiply_add(float* sum, float a, float b)
{
    *sum += a * b;
}

__device__ void multiply_add(float4* sum, float4 a, float4 b)
{
    *sum = make_float4(sum->x + a.x * b.x, sum->y + a.y * b.y, sum->z + a.z * b.z, sum->w + a.w * b.w);
}

template <typename Channels> // float4, or float where D is no multiple of 4
__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = (blockIdx.x * THREADS + threadIdx.x) * (sizeof(Channels) / sizeof(float));
    if (d >= D)
        return;

    int begin = blockIdx.y * OUTPUTS;
    int end = min(begin + OUTPUTS, L);
    const float* column = x + blockIdx.z * L * D + d;
    Channels start, taps[MAX_TAPS], window[MAX_TAPS]; // window: elements l, l - 1, ... l - 7 of these channels
    load(&start, bias + d);
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++) {
        taps[k] = window[k] = Channels();
        if (k < K)
            load_taps(&taps[k], weight + d * K + k, K);
        if (k < K - 1 && begin - 1 - k >= 0)
            load(&window[k], column + (begin - 1 - k) * D);
    }

#pragma unroll 8
    for (int l = begin; l < end; l++) {
#pragma unroll
        for (int k = MAX_TAPS - 1; k > 0; k--)
            window[k] = window[k - 1];
        load(&window[0], column + l * D);
        Channels sum = start;
#pragma unroll
        for (int k = 0; k < MAX_TAPS; k++)
            multiply_add(&sum, window[k], taps[k]);
        *(Channels*)(output + (blockIdx.z * L + l) * D + d) = sum;
    }
}

template <typename Channels>
void launch(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int threads = D * sizeof(float) / sizeof(Channels);
    dim3 blocks((threads + THREADS - 1) / THREADS, (L + OUTPUTS - 1) / OUTPUTS, B);
    convolve<Channels><<<blocks, THREADS>>>(x, weight, bias, output, L, D, K);
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if (D % 4 == 0)
        launch<float4>(x, weight, bias, output, B, L, D, K);
    else
        launch<float>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
