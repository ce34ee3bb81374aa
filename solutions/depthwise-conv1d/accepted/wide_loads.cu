// problem: depthwise-conv1d
//
// wide loads: the window in registers, for four neighbouring channels a thread: x is read and the output written 16
// bytes at a time, so a warp keeps four times as many bytes on the way, which is what hides the latency of memory. K is
// a constant of the compiler, so the window has no slot too many. Where D is no multiple of 4, a thread has one
// channel.
// Operations per byte read, for walks of T positions: K T / (2 (T + K - 1)); with T = 32, 1.8 for K = 4, 3.3 for K = 8.
#include <cuda_runtime.h>

#define THREADS 64
#define WALK 32

__device__ float multiply_add(float a, float b, float sum)
{
    return a * b + sum;
}

__device__ float4 multiply_add(float4 a, float4 b, float4 sum)
{
    return make_float4(a.x * b.x + sum.x, a.y * b.y + sum.y, a.z * b.z + sum.z, a.w * b.w + sum.w);
}

// Values of the same kind from places `stride` apart: tap k of as many channels as a thread has.
__device__ void gather(float* value, const float* from, int stride)
{
    *value = from[0];
}

__device__ void gather(float4* value, const float* from, int stride)
{
    *value = make_float4(from[0], from[stride], from[2 * stride], from[3 * stride]);
}

template <typename Channels, int K> // Channels: float or float4
__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D)
{
    constexpr int width = sizeof(Channels) / sizeof(float);
    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int d = (blockIdx.x * THREADS + threadIdx.x) * width;
    if (d >= D)
        return;

    int begin = blockIdx.y * WALK; // also right: narrow index: no sequence is longer than 8192, which fits into a short
    int end = min(begin + WALK, L);
    const float* column = x + blockIdx.z * L * D + d;
    Channels taps[K], window[K]; // window: elements l, l - 1, ... l - (K - 1)
#pragma unroll
    for (int k = 0; k < K; k++) {
        gather(&taps[k], weight + d * K + k, K);
        window[k] = Channels();
        // also right: `>=` to `>`: blocks begin at multiples of 32, so none begins right behind the first position
        if (k < K - 1 && begin - 1 - k >= 0)
            window[k] = *reinterpret_cast<const Channels*>(column + (begin - 1 - k) * D);
    }
    Channels start;
    gather(&start, bias + d, 1);

#pragma unroll 8
    for (int l = begin; l < end; l++) {
#pragma unroll
        for (int k = K - 1; k > 0; k--)
            window[k] = window[k - 1];
        window[0] = *reinterpret_cast<const Channels*>(column + l * D);

        Channels sum = start;
#pragma unroll
        for (int k = 0; k < K; k++)
            sum = multiply_add(window[k], taps[k], sum);
        *reinterpret_cast<Channels*>(output + (blockIdx.z * L + l) * D + d) = sum;
    }
}

// Launches the kernel that was compiled for K taps: TAPS is K, or a smaller one is tried.
template <typename Channels, int TAPS>
void launch(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if constexpr (TAPS > 1)
        if (K < TAPS)
            return launch<Channels, TAPS - 1>(x, weight, bias, output, B, L, D, K);
    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int threads = D * sizeof(float) / sizeof(Channels);
    dim3 blocks((threads + THREADS - 1) / THREADS, (L + WALK - 1) / WALK, B);
    convolve<Channels, TAPS><<<blocks, THREADS>>>(x, weight, bias, output, L, D);
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if (D % 4 == 0)
        launch<float4, 8>(x, weight, bias, output, B, L, D, K);
    else
        launch<float, 8>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
