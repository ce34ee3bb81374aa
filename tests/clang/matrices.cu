// problem: conv1d
// Products of matrices in the registers of a warp, of each type and size, against sums of whole numbers. Prints "bad 0",
// else which differ.
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

struct Result {
    unsigned bad, count;
};

__shared__ __align__(32) unsigned char s_matrices[3][2048];

// Small whole numbers are exact in every type, and so are their sums.
__device__ int value_of_a(int row, int column) { return (3 * row + 5 * column) % 7 - 3; }
__device__ int value_of_b(int row, int column) { return (2 * row + 7 * column) % 5 - 2; }
__device__ int value_of_c(int row, int column) { return (row + 4 * column) % 9 - 4; }

template <class Layout> __device__ int place(int row, int column, int rows, int columns)
{
    return sizeof(Layout) == 1 ? row * columns + column : column * rows + row;
}

struct ByRows {
    typedef wmma::row_major Layout;
    char size;
};
struct ByColumns {
    typedef wmma::col_major Layout;
    char size[2];
};

template <int m, int n, int k, class Type, class Stored, class Sum, class A, class B>
__device__ void check(Result *result, wmma::layout_t layout)
{
    Stored *s_a = (Stored *)s_matrices[0], *s_b = (Stored *)s_matrices[1];
    Sum *s_c = (Sum *)s_matrices[2];
    const bool by_rows = layout == wmma::mem_row_major;
    __syncthreads();
    for (int i = threadIdx.x; i < m * k; i += 32)
        s_a[place<A>(i / k, i % k, m, k)] = Stored((float)value_of_a(i / k, i % k));
    for (int i = threadIdx.x; i < k * n; i += 32)
        s_b[place<B>(i / n, i % n, k, n)] = Stored((float)value_of_b(i / n, i % n));
    for (int i = threadIdx.x; i < m * n; i += 32)
        s_c[by_rows ? i : i % n * m + i / n] = Sum((float)value_of_c(i / n, i % n));
    __syncthreads();
    wmma::fragment<wmma::matrix_a, m, n, k, Type, typename A::Layout> a;
    wmma::fragment<wmma::matrix_b, m, n, k, Type, typename B::Layout> b;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> c, d;
    wmma::load_matrix_sync(a, s_a, sizeof(A) == 1 ? k : m);
    wmma::load_matrix_sync(b, s_b, sizeof(B) == 1 ? n : k);
    wmma::load_matrix_sync(c, s_c, by_rows ? n : m, layout);
    for (int i = 0; i < c.num_elements; i++)
        c.x[i] = c.x[i] + c.x[i]; // each element once, wherever it is
    wmma::mma_sync(d, a, b, c);
    wmma::mma_sync(d, a, b, d);
    wmma::store_matrix_sync(s_c, d, by_rows ? n : m, layout);
    __syncthreads();
    bool differs = false;
    for (int i = threadIdx.x; i < m * n; i += 32) {
        int sum = 2 * value_of_c(i / n, i % n);
        for (int l = 0; l < k; l++)
            sum += 2 * value_of_a(i / n, l) * value_of_b(l, i % n);
        differs |= (float)s_c[by_rows ? i : i % n * m + i / n] != (float)sum;
    }
    if (__any_sync(0xffffffffu, differs) && threadIdx.x == 0)
        atomicOr(&result->bad, 1u << result->count);
    __syncthreads();
    if (threadIdx.x == 0)
        result->count++;
}

template <int m, int n, int k, class Type, class Stored, class Sum> __device__ void check_layouts(Result *result)
{
    check<m, n, k, Type, Stored, Sum, ByRows, ByColumns>(result, wmma::mem_row_major);
    check<m, n, k, Type, Stored, Sum, ByColumns, ByRows>(result, wmma::mem_col_major);
}

__global__ void probe(Result *result, float one)
{
    check_layouts<16, 16, 16, half, half, float>(result);
    check_layouts<32, 8, 16, half, half, float>(result);
    check_layouts<8, 32, 16, half, half, float>(result);
    check_layouts<16, 16, 16, half, half, half>(result);
    check_layouts<32, 8, 16, half, half, half>(result);
    check_layouts<8, 32, 16, half, half, half>(result);
    check_layouts<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(result);
    check_layouts<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>(result);
    check_layouts<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>(result);
    check_layouts<16, 16, 8, wmma::precision::tf32, float, float>(result);
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> filled;
    wmma::fill_fragment(filled, 3 * one);
    if (filled.x[7] != 3 || filled.num_elements != 8 || wmma::__float_to_tf32(one + 0x1p-11f) != 1 + 0x1p-10f)
        atomicOr(&result->bad, 1u << 31);
}

__global__ void convolve(const float *input, const float *kernel, float *output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; i < output_size && k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    Result *result, found;
    cudaMalloc(&result, sizeof found);
    cudaMemset(result, 0, sizeof found);
    probe<<<1, 32>>>(result, 1.0f);
    cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(result);
    std::printf("bad %x\n", found.count == 20 ? found.bad : ~0u);
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
