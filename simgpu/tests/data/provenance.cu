// Kernels whose values are traced back to the elements that they were made of.

// Through shared memory and registers.
extern "C" __global__ void tiled(const float *input, const float *filter, float *output)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 3; k++)
        sum += tile[(threadIdx.x + k) % 32] * filter[k];
    output[threadIdx.x] = sum;
}

// Bytes of one word, moved by shifts and masks.
extern "C" __global__ void bytes(const unsigned *pixels, unsigned *output)
{
    unsigned pixel = pixels[threadIdx.x], other = pixels[threadIdx.x + 32];
    output[threadIdx.x] = (pixel >> 16 & 0xFF) | (other & 0xFF) << 8 | __byte_perm(pixel, other, 0x0074) << 16;
}

// From other lanes, and added up in memory.
extern "C" __global__ void shuffled(const float *input, float *output)
{
    float value = input[threadIdx.x];
    value += __shfl_down_sync(0xFFFFFFFFu, value, 1);
    atomicAdd(&output[threadIdx.x / 16], value);
}

// A choice, a limit and a conversion.
extern "C" __global__ void limited(const float *input, unsigned char *output)
{
    float value = 2.5f * input[threadIdx.x] - input[0];
    output[threadIdx.x] = (unsigned char)fminf(fmaxf(value > 0 ? value : 0.0f, 0.0f), 255.0f);
}
