// expect: Accepted
// problem: conv2d
// Modern style: a view class, lambdas in device code, auto, structured bindings.
#include <cuda_runtime.h>

namespace {

struct Point {
    int row, col;
};

template <typename T>
class View {
public:
    __host__ __device__ View(T* data, int rows, int cols) : data_(data), rows_(rows), cols_(cols) {}
    __device__ T& operator()(int row, int col) const { return data_[row * cols_ + col]; }
    __host__ __device__ int rows() const { return rows_; }
    __host__ __device__ int cols() const { return cols_; }
    __device__ bool contains(Point p) const { return p.row < rows_ && p.col < cols_; }

private:
    T* data_;
    int rows_, cols_;
};

template <typename Body>
__device__ void for_each(int rows, int cols, Body&& body)
{
    for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s)
            body(r, s);
}

__global__ void convolve(View<const float> input, View<const float> kernel, View<float> output)
{
    const Point here{static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
                     static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)};
    if (!output.contains(here))
        return;
    auto [row, col] = here;
    float sum = 0.0f;
    for_each(kernel.rows(), kernel.cols(),
             [&, row = row, col = col](int r, int s) { sum += input(row + r, col + s) * kernel(r, s); });
    output(row, col) = sum;
}

constexpr auto blocks_for(int count, unsigned threads) { return (count + threads - 1) / threads; }

} // namespace

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    View<float> result{output, input_rows - kernel_rows + 1, input_cols - kernel_cols + 1};
    const dim3 threads{64, 4};
    const dim3 blocks{blocks_for(result.cols(), threads.x), blocks_for(result.rows(), threads.y)};
    convolve<<<blocks, threads>>>({input, input_rows, input_cols}, {kernel, kernel_rows, kernel_cols}, result);
    cudaDeviceSynchronize();
}
