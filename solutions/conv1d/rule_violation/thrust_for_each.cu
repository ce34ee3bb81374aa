// says: uses a library's algorithm that runs on the whole device (its kernel cub::detail::for_each::static_kernel): cub and libcu++ are allowed only within a block or a warp
// problem: conv1d
//
// Mistake: a whole-device algorithm of Thrust computes the outputs, under another name: a kernel of the library's own.
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

namespace mine = thrust;
#define COMPUTE for_each

struct Convolve {
    const float *input, *kernel;
    float* output;
    int kernel_size;
    __device__ void operator()(int i) const
    {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
};

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    mine::counting_iterator<int> first(0);
    mine::COMPUTE(mine::device, first, first + (input_size - kernel_size + 1),
                  Convolve{input, kernel, output, kernel_size});
}
