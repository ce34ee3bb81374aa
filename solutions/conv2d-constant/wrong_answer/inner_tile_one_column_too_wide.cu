// Mistake: a tile whose halo ends one column outside of the image counts as an inner one.
// problem: conv2d-constant
#include <cuda_runtime.h>

#define TILE 32

__constant__ float c_filter_9[9 * 9];
__constant__ float c_filter_17[17 * 17];

template <int SIDE>
__device__ float tap(int r, int s)
{
    return SIDE == 9 ? c_filter_9[r * 9 + s] : c_filter_17[r * 17 + s];
}

__device__ float element(const float* input, int y, int x, int width, int height, bool inner)
{
    return inner || (y >= 0 && y < height && x >= 0 && x < width) ? input[y * width + x] : 0.0f;
}

template <int SIDE, bool INNER>
__global__ void convolve(const float* input, float* output, int width, int height)
{
    __shared__ float s_input[TILE + SIDE - 1][TILE + SIDE - 1];

    int first_row = blockIdx.x * TILE - SIDE / 2;
    int first_col = blockIdx.y * TILE - SIDE / 2;
    int end_row = first_row + TILE + SIDE - 1;
    int end_col = first_col + TILE + SIDE - 1;
    bool is_inner = first_row >= 0 && end_row <= height && first_col >= 0 && end_col <= width + 1;
    if (is_inner != INNER)
        return; // a tile of the other kernel

    for (int r = threadIdx.y; r < TILE + SIDE - 1; r += blockDim.y)
        for (int s = threadIdx.x; s < TILE + SIDE - 1; s += TILE)
            s_input[r][s] = element(input, first_row + r, first_col + s, width, height, INNER);
    __syncthreads();

    int col = blockIdx.y * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
        float sum = 0.0f;
        for (int r = 0; r < SIDE; r++)
#pragma unroll
            for (int s = 0; s < SIDE; s++)
                sum += s_input[y + r][threadIdx.x + s] * tap<SIDE>(r, s);
        int row = blockIdx.x * TILE + y;
        if (INNER || (row < height && col < width))
            output[row * width + col] = sum;
    }
}

// The filter in the middle of SIDE x SIDE zeros.
template <int SIDE>
void copy_filter(float* taps, const float* filter, int side)
{
    int margin = (SIDE - side) / 2;
    cudaMemset(taps, 0, SIDE * SIDE * sizeof(float));
    cudaMemcpy2D(taps + margin * SIDE + margin, SIDE * sizeof(float), filter, side * sizeof(float),
                 side * sizeof(float), side, cudaMemcpyDeviceToDevice);
}

template <int SIDE>
void run(const float* input, float* output, int width, int height)
{
    static cudaStream_t streams[2];
    if (streams[0] == nullptr)
        for (int i = 0; i < 2; i++)
            cudaStreamCreate(&streams[i]);
    dim3 threads(TILE, 8);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE);
    convolve<SIDE, true><<<blocks, threads, 0, streams[0]>>>(input, output, width, height);
    convolve<SIDE, false><<<blocks, threads, 0, streams[1]>>>(input, output, width, height);
    cudaStreamSynchronize(streams[0]);
    cudaStreamSynchronize(streams[1]);
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    float* taps;
    int side = 2 * radius + 1;
    if (side <= 9) {
        cudaGetSymbolAddress((void**)&taps, c_filter_9);
        copy_filter<9>(taps, filter, side);
        run<9>(input, output, width, height);
    } else {
        cudaGetSymbolAddress((void**)&taps, c_filter_17);
        copy_filter<17>(taps, filter, side);
        run<17>(input, output, width, height);
    }
}
