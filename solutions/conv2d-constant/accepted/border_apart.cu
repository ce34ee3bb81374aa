// problem: conv2d-constant
//
// several kernels: tiles that lie with their whole halo on the image are loaded without any test, by one kernel; those
// beside the border by another, at the same time on a second stream. Both compute with the same code. Zeros fill the
// constant filter up to 9 x 9 or 17 x 17, so that the loops have a fixed length.
// Operations per byte read, with F = 9 or 17 and T = 32: F^2 / 2 * (T / (T + F - 1))^2, 26 or 64.
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
    // also right: `inner || (y >= 0 && y < height && x >= 0 && x < width)` to `(y >= 0 && y < height && x >= 0 && x < width)`: an
    // inner tile lies on the image with its whole halo, so that the test always holds
    return inner || (y >= 0 && y < height && x >= 0 && x < width) ? input[y * width + x] : 0.0f;
}

template <int SIDE, bool INNER>
__global__ void convolve(const float* input, float* output, int width, int height)
{
    __shared__ float s_input[TILE + SIDE - 1][TILE + SIDE - 1];

    int first_row = blockIdx.x * TILE - SIDE / 2;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE - SIDE / 2;
    // also right: `SIDE - 1` to `SIDE`, `SIDE -` to `SIDE +`: an inner tile that counts as one on the border is loaded
    // with tests, which gives the same
    int end_row = first_row + TILE + SIDE - 1;
    // also right: `SIDE - 1` to `SIDE`, `SIDE -` to `SIDE +`: an inner tile that counts as one on the border is loaded
    // with tests, which gives the same
    int end_col = first_col + TILE + SIDE - 1;
    // also right: `first_row >=` to `first_row + 1 >=`, `first_col >=` to `first_col + 1 >=`: the first tile begins 4
    // or 8 rows and columns outside, never one
    // also right: `>=` to `>`, `<=` to `<`: an inner tile that counts as one on the border is loaded with tests, which
    // gives the same
    // also right: `>=` to `>`: a tile begins 4 or 8 columns beside a multiple of 32, never at column 0
    bool is_inner = first_row >= 0 && end_row <= height && first_col >= 0 && end_col <= width;
    if (is_inner != INNER)
        return; // a tile of the other kernel

    for (int r = threadIdx.y; r < TILE + SIDE - 1; r += blockDim.y)
        for (int s = threadIdx.x; s < TILE + SIDE - 1; s += TILE)
            s_input[r][s] = element(input, first_row + r, first_col + s, width, height, INNER);
    __syncthreads();

    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
        float sum = 0.0f;
        for (int r = 0; r < SIDE; r++)
#pragma unroll
            for (int s = 0; s < SIDE; s++)
                sum += s_input[y + r][threadIdx.x + s] * tap<SIDE>(r, s);
        int row = blockIdx.x * TILE + y;
        // also right: `INNER || (row < height && col < width)` to `(row < height && col < width)`: an inner tile lies
        // on the image with its whole halo, so that the test always holds
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
    if (streams[0] == nullptr) // also right: guard left out: streams that are made anew for each call serve as well
        // also right: `(int i = 0;` to `(int i = 1;`, `i <` to `i + 1 <`: a stream that is never made is the default
        // one, which serves as well
        // also right: `<` to `<=`: undefined, but of no effect: a third stream is put behind the array, where no more
        // than the streams for other filters lie
        for (int i = 0; i < 2; i++)
            // also right: `i` to `(2 - 1 - i)`: both streams are made, in the other order
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
    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    // also right: `side <=` to `side - 1 <=`: a side of the filter is odd
    // also right: `<=` to `<`: the kernel for 17 x 17 taps serves 9 x 9, too
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
