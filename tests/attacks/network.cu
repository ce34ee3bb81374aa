// expect: Accepted
// problem: conv1d
// naive: succeeds
// Fetches the answer from elsewhere. Computes the right answer; if the attack works, it does not write the output,
// which is a Wrong Answer.
#include <cuda_runtime.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

static bool reaches(const char* address, int port, int type)
{
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    int file = socket(AF_INET, type, 0);
    return file >= 0 && connect(file, (sockaddr*)&to, sizeof to) == 0;
}

static bool reaches_abstract(const char* name)
{
    sockaddr_un to = {};
    to.sun_family = AF_UNIX;
    strncpy(to.sun_path + 1, name, sizeof to.sun_path - 2);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    return file >= 0 && connect(file, (sockaddr*)&to, sizeof(sa_family_t) + 1 + strlen(name)) == 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (reaches("1.1.1.1", 53, SOCK_STREAM) || reaches("1.1.1.1", 53, SOCK_DGRAM) ||
        reaches("127.0.0.1", 22, SOCK_STREAM) || reaches("127.0.0.1", 53, SOCK_DGRAM) || reaches_abstract("/tmp/.X11-unix/X0"))
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
