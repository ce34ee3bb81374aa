// expect: Run-Time Error
// says: begins a copy through a tensor map in local memory; a parameter that is a tensor map must be a const __grid_constant__ CUtensorMap (tensor_map_by_value.cu:45
// on cuda: Wrong Answer, Time Limit Exceeded
// problem: conv2d
// As tensor_map.cu, but a map is an ordinary parameter, which the compiler copies to local memory to take its address.
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

constexpr int kTileRows = 16;
constexpr int kTileCols = 64;
constexpr int kMaxTaps = 31;
constexpr int kBoxRows = kTileRows + kMaxTaps - 1;
constexpr int kBoxCols = kTileCols + 32;
constexpr int kThreads = 256;
constexpr int kMaxExtent = 4096;

__device__ float padded_input[kMaxExtent * kMaxExtent];
__device__ float padded_output[kMaxExtent * kMaxExtent];

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void __launch_bounds__(kThreads)
    convolve(CUtensorMap input, const float* kernel, const __grid_constant__ CUtensorMap output,
             int kernel_rows, int kernel_cols)
{
    __shared__ alignas(128) float tile[kBoxRows][kBoxCols];
    __shared__ alignas(128) float results[kTileRows][kTileCols];
    __shared__ float taps[kMaxTaps * kMaxTaps];
    __shared__ alignas(8) uint64_t arrived;
    const int col = blockIdx.x * kTileCols, row = blockIdx.y * kTileRows;

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(&input) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
                     "r"(static_cast<uint32_t>(sizeof tile))
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
                     "l"(&input), "r"(col), "r"(row), "r"(shared_address(&arrived))
                     : "memory");
    }
    for (int i = threadIdx.x; i < kernel_rows * kernel_cols; i += kThreads)
        taps[i] = kernel[i];
    __syncthreads();
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(
                     shared_address(&arrived))
                 : "memory");

    for (int i = threadIdx.x; i < kTileRows * kTileCols; i += kThreads) {
        const int y = i / kTileCols, x = i % kTileCols;
        float sum = 0.0f;
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += tile[y + r][x + s] * taps[r * kernel_cols + s];
        results[y][x] = sum;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&output),
                     "r"(col), "r"(row), "r"(shared_address(results))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

__global__ void copy_rows(float* to, int to_cols, const float* from, int from_cols, int cols)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < cols)
        to[static_cast<size_t>(y) * to_cols + x] = from[static_cast<size_t>(y) * from_cols + x];
}

static int padded(int cols)
{
    return (cols + 3) / 4 * 4;
}

static CUtensorMap map_of(float* matrix, int rows, int cols, int box_rows, int box_cols)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode), 12000,
                                     cudaEnableDefault, &found);
    CUtensorMap map{};
    const cuuint64_t extents[] = {cuuint64_t(cols), cuuint64_t(rows)}, strides[] = {padded(cols) * sizeof(float)};
    const cuuint32_t box[] = {cuuint32_t(box_cols), cuuint32_t(box_rows)}, steps[] = {1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    float *from = const_cast<float*>(input), *to = output;
    if (input_cols % 4 != 0) {
        cudaGetSymbolAddress(reinterpret_cast<void**>(&from), padded_input);
        copy_rows<<<dim3((input_cols + 255) / 256, input_rows), 256>>>(from, padded(input_cols), input, input_cols,
                                                                      input_cols);
    }
    if (cols % 4 != 0)
        cudaGetSymbolAddress(reinterpret_cast<void**>(&to), padded_output);
    const dim3 blocks((cols + kTileCols - 1) / kTileCols, (rows + kTileRows - 1) / kTileRows);
    convolve<<<blocks, kThreads>>>(map_of(from, input_rows, input_cols, kBoxRows, kBoxCols), kernel,
                                   map_of(to, rows, cols, kTileRows, kTileCols), kernel_rows, kernel_cols);
    if (to != output)
        copy_rows<<<dim3((cols + 255) / 256, rows), 256>>>(output, cols, to, padded(cols), cols);
    cudaDeviceSynchronize();
}
