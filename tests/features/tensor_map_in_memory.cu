// expect: Accepted
// problem: conv2d
// The tensor map lies in device memory, and the rows of the tile are swizzled: a thread finds element x of row y where the
// 16 bytes that hold it have gone, so that threads along a column use different banks. Each block adds its part of the taps
// to the output by a reduction through a second map.
// Needs a GPU of compute capability 9.0.
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

constexpr int kTileRows = 32;
constexpr int kTileCols = 32;
constexpr int kMaxTaps = 31;
constexpr int kBoxRows = kTileRows + kMaxTaps - 1;
constexpr int kParts = 2; // the tile and its halo are two boxes of 32 columns, the span of the swizzle
constexpr int kThreads = 256;
constexpr int kMaxExtent = 4096;

__device__ float padded_input[kMaxExtent * kMaxExtent];
__device__ float padded_output[kMaxExtent * kMaxExtent];
__device__ CUtensorMap maps[2];

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void __launch_bounds__(kThreads) convolve(const float* kernel, int kernel_rows, int kernel_cols)
{
    __shared__ alignas(1024) float tile[kParts][(kBoxRows + 7) / 8 * 8][kTileCols];
    __shared__ alignas(128) float results[kTileRows][kTileCols];
    __shared__ alignas(8) uint64_t arrived;
    const int col = blockIdx.x * kTileCols, row = blockIdx.y * kTileRows;
    const uint32_t barrier = shared_address(&arrived);

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(static_cast<uint32_t>(kParts * kBoxRows * kTileCols * sizeof(float)))
                     : "memory");
        for (int i = 0; i < kParts; i++)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile[i])),
                         "l"(&maps[0]), "r"(col + i * kTileCols), "r"(row), "r"(barrier)
                         : "memory");
    }
    __syncthreads();
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(barrier)
                 : "memory");

    for (int i = threadIdx.x; i < kTileRows * kTileCols; i += kThreads) {
        const int y = i / kTileCols, x = i % kTileCols;
        float sum = 0.0f;
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++) {
                const int at = (x + s) % kTileCols;
                const int piece = at / 4 ^ (y + r) % 8;
                sum += tile[(x + s) / kTileCols][y + r][piece * 4 + at % 4] * kernel[r * kernel_cols + s];
            }
        results[y][x] = sum;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                         &maps[1]),
                     "r"(col), "r"(row), "r"(shared_address(results))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

__global__ void copy_rows(float* to, int to_cols, const float* from, int from_cols, int cols)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < cols)
        to[static_cast<size_t>(y) * to_cols + x] = from == nullptr ? 0.0f : from[static_cast<size_t>(y) * from_cols + x];
}

static int padded(int cols)
{
    return (cols + 3) / 4 * 4;
}

static CUtensorMap map_of(float* matrix, int rows, int cols, int box_rows, CUtensorMapSwizzle swizzle)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode), 12000,
                                     cudaEnableDefault, &found);
    CUtensorMap map{};
    const cuuint64_t extents[] = {cuuint64_t(cols), cuuint64_t(rows)}, strides[] = {padded(cols) * sizeof(float)};
    const cuuint32_t box[] = {kTileCols, cuuint32_t(box_rows)}, steps[] = {1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    float *from = const_cast<float*>(input), *to;
    const dim3 input_blocks((input_cols + 255) / 256, input_rows), output_blocks((cols + 255) / 256, rows);
    if (input_cols % 4 != 0) {
        cudaGetSymbolAddress(reinterpret_cast<void**>(&from), padded_input);
        copy_rows<<<input_blocks, 256>>>(from, padded(input_cols), input, input_cols, input_cols);
    }
    cudaGetSymbolAddress(reinterpret_cast<void**>(&to), padded_output);
    copy_rows<<<output_blocks, 256>>>(to, padded(cols), nullptr, 0, cols);
    const CUtensorMap both[] = {map_of(from, input_rows, input_cols, kBoxRows, CU_TENSOR_MAP_SWIZZLE_128B),
                                map_of(to, rows, cols, kTileRows, CU_TENSOR_MAP_SWIZZLE_NONE)};
    cudaMemcpyToSymbol(maps, both, sizeof both);
    convolve<<<dim3((cols + kTileCols - 1) / kTileCols, (rows + kTileRows - 1) / kTileRows), kThreads>>>(
        kernel, kernel_rows, kernel_cols);
    copy_rows<<<output_blocks, 256>>>(output, cols, to, padded(cols), cols);
    cudaDeviceSynchronize();
}
