// Variables that are used before they are set, and others that only look so. Blocks of 128 threads; `words` has one
// element, which is zero, so that the compiler does not know how long a loop is.
#define THREADS 128
#define KERNEL(name) extern "C" __global__ void name(const float *input, float *output, const unsigned *words)

static __device__ int own() { return blockIdx.x * THREADS + threadIdx.x; }

// ---- used before they are set --------------------------------------------------------------------------------------

KERNEL(sum_of_a_loop)
{
    float sum;
    for (unsigned i = 0; i < words[0] + 3; i++)
        sum += input[i]; // 14
    output[own()] = sum;
}

KERNEL(sum_of_a_loop_that_is_unrolled)
{
    float sum;
    for (int i = 0; i < 3; i++)
        sum += input[i]; // 22
    output[own()] = sum;
}

KERNEL(sums_in_an_array)
{
    float sums[4];
    for (unsigned i = 0; i < words[0] + 3; i++)
        for (int j = 0; j < 4; j++)
            sums[j] += input[i + j]; // 31
    output[own()] = sums[0] + sums[1] * sums[2] + sums[3];
}

KERNEL(second_of_two_sums)
{
    float even = 0, odd;
    for (unsigned i = 0; i < words[0] + 8; i += 2) {
        even += input[i];
        odd += input[i + 1]; // 40
    }
    output[own()] = even + odd;
}

KERNEL(set_in_one_branch)
{
    float value;
    if (threadIdx.x < 100)
        value = input[own()];
    output[own()] = value; // 50
}

KERNEL(stored_into_a_tile)
{
    __shared__ float tile[THREADS];
    float value;
    if (threadIdx.x >= 28)
        value = input[own()];
    tile[threadIdx.x] = value; // 59
    __syncthreads();
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(greatest)
{
    float most;
    for (unsigned i = 0; i < words[0] + 3; i++)
        if (input[i] > most) // 68
            most = input[i];
    output[own()] = most;
}

KERNEL(sum_in_double)
{
    double sum;
    for (unsigned i = 0; i < words[0] + 3; i++)
        sum += input[i]; // 77
    output[own()] = (float)sum;
}

KERNEL(one_of_four_channels)
{
    float4 sum;
    sum.x = sum.y = sum.z = 0;
    for (unsigned i = 0; i < words[0] + 3; i++) {
        sum.x += input[i];
        sum.y += input[i + 1];
        sum.z += input[i + 2];
        sum.w += input[i + 3]; // 89
    }
    output[own()] = sum.x + sum.y + sum.z + sum.w;
}

static __device__ void add(float &sum, float value) { sum += value; } // 94

KERNEL(sum_by_reference)
{
    float sum;
    for (unsigned i = 0; i < words[0] + 3; i++)
        add(sum, input[i]);
    output[own()] = sum;
}

KERNEL(sum_of_a_warp)
{
    float sum;
    for (unsigned i = threadIdx.x; i < words[0] + 300; i += THREADS)
        sum += input[i]; // 108
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    output[own()] = sum;
}

KERNEL(whole_number)
{
    int count;
    for (unsigned i = 0; i < words[0] + 3; i++)
        count += input[i] > 1; // 118
    output[own()] = count;
}

// ---- set -----------------------------------------------------------------------------------------------------------

KERNEL(used_under_the_same_condition)
{
    float value;
    bool has_value = threadIdx.x < 100 + words[0];
    if (has_value)
        value = input[own()];
    __syncthreads();
    if (has_value)
        output[own()] = value;
    else
        output[own()] = 0;
}

KERNEL(thrown_away)
{
    float value;
    bool has_value = threadIdx.x < 100 + words[0];
    if (has_value)
        value = input[own()];
    __syncthreads();
    output[own()] = has_value ? value * 2 + 1 : 0;
}

KERNEL(set_in_the_first_turn)
{
    float before;
    for (unsigned i = 0; i < words[0] + 5; i++) {
        if (i > 0)
            output[own()] = input[i] - before;
        before = input[i];
    }
}

KERNEL(asked_only_where_it_is_set)
{
    float value;
    bool has_value = threadIdx.x < 100 + words[0];
    if (has_value)
        value = input[own()];
    __syncthreads();
    output[own()] = 0;
    if (has_value && value > 5)
        output[own()] = 1;
}

KERNEL(set_by_each_case)
{
    float value;
    switch (threadIdx.x % 3) {
    case 0: value = input[0]; break;
    case 1: value = input[1]; break;
    case 2: value = input[2]; break;
    }
    output[own()] = value;
}
