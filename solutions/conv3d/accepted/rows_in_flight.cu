// problem: conv3d
//
// rows in flight: a block marches along the rows of 16 planes of outputs, 128 columns wide; a warp computes two of the
// planes, a thread four columns of them. Sums wait in a ring of registers, one for each row of the filter, until the
// last row of the input that they need; a multiply-add may write another register than it adds to, so moving the ring
// on costs nothing. Rows arrive in a ring of four in shared memory by asynchronous copies, three rows ahead, and are
// read 8 or 16 bytes at a time. At a block's first and last rows the sums that belong to no output are left out.
// Two kernels serve all filters: up to 3 x 3 x 3 taps, and up to 5 x 5 x 5, with zeros around a smaller one.
// Intensity with F^3 taps: 2 F^3 / (4 (16 + F - 1) (128 + F - 1) / (16 * 128) + 4) operations per byte of memory, 27 for
// F = 5 and 6.3 for F = 3.
// One H200: 22.9 us for 128 x 128 x 128 and 34.7 us for 256 x 128 x 128 with 5 x 5 x 5 taps, 44.1 us for 256^3
// with 3 x 3 x 3. The rooflines are 7.3 and 14.8 us of arithmetic, and 31.2 us of memory; the copy of the taps, 1.8 us,
// comes before. With one block of 8 warps on a multiprocessor in place of two it takes 24, 38 and 60 us. Four planes a
// thread halve the loads of taps, but also the warps: no faster. Taps from shared memory: 23, 40 and 67 us.
#include <algorithm>
#include <cuda_runtime.h>

#define WARPS 8
#define THREADS (32 * WARPS)
#define PLANES 2 // of a thread
#define BLOCK_PLANES (PLANES * WARPS)
#define COLS 4 // of a thread
#define BLOCK_COLS (32 * COLS)
#define PITCH (BLOCK_COLS + 4)
#define STAGES 4 // rows of the ring in shared memory

__constant__ float c_taps[5 * 5 * 5];

struct Sizes {
    int depth, rows, cols; // of the input
    int output_depth, output_rows, output_cols;
    int missing; // rows of zeros in front of the filter's
    int part;    // rows of the output that a block computes
};

// Copies VECTOR floats, or as many zeros, to shared memory, without waiting for them.
template <int VECTOR> __device__ void copy_async(float* to, const float* from, bool exists)
{
#if __CUDA_ARCH__ >= 800
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    if (VECTOR == 4)
        // also right: ghost cells: what lies beyond the input meets taps of zero, or belongs to outputs that are not
        // stored; the copy comes from the input's beginning
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(exists ? 16 : 0));
    else
        // also right: ghost cells: what lies beyond the input meets taps of zero, or belongs to outputs that are not
        // stored; the copy comes from the input's beginning
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(exists ? 4 : 0));
#else
    for (int i = 0; i < VECTOR; i++)
        to[i] = exists ? from[i] : 0.0f;
#endif
}

__device__ void end_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

__device__ void wait_for_oldest_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
#endif
}

// Stores COUNT neighbouring outputs, as wide as their address allows.
template <int COUNT> __device__ void store(float* to, const float* sums, int left, bool aligned)
{
    // also right: off by one: where stores are wide, the columns that are left are a multiple of their width; other
    // outputs are stored one by one
    if (aligned && left >= COUNT) {
        if (COUNT == 4)
            *(float4*)to = make_float4(sums[0], sums[1], sums[2], sums[3]);
        else
            *(float2*)to = make_float2(sums[0], sums[1]);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (i < left)
                to[i] = sums[i];
    }
}

// SIDE: of the filter; NEIGHBOURS: columns of a thread that are next to each other.
template <int SIDE, int NEIGHBOURS, int VECTOR>
__global__ void __launch_bounds__(THREADS, 2) convolve(const float* input, float* output, Sizes sizes)
{
    // also right: `SIDE - 1` to `SIDE`, `SIDE -` to `SIDE +`: more planes of the input than a block needs fit into its
    // shared memory
    const int INPUT_PLANES = BLOCK_PLANES + SIDE - 1;
    // also right: `SIDE - 1` to `SIDE`, `SIDE -` to `SIDE +`: what is read too much is overwritten or not used, and
    // compilers leave such reads of shared memory out
    const int THREAD_PLANES = PLANES + SIDE - 1;
    const int GROUPS = COLS / NEIGHBOURS;
    // also right: `SIDE - 1` to `SIDE`, `SIDE -` to `SIDE +`: what is read too much is overwritten or not used, and
    // compilers leave such reads of shared memory out
    const int WIDTH = (NEIGHBOURS + SIDE - 1 + NEIGHBOURS - 1) / NEIGHBOURS * NEIGHBOURS; // inputs of a row for a group
    const int CHUNKS = INPUT_PLANES * PITCH / VECTOR, EACH = (CHUNKS + THREADS - 1) / THREADS;
    __shared__ __align__(16) float s_rows[STAGES][INPUT_PLANES][PITCH];

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_col = blockIdx.x * BLOCK_COLS, first_plane = blockIdx.z * BLOCK_PLANES;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_row = blockIdx.y * sizes.part;
    // also right: `min(sizes.part, sizes.output_rows - first_row)` to `(sizes.output_rows - first_row)`: each block
    // goes on to the last row and stores once more what those below it store: slow, but right
    int rows = min(sizes.part, sizes.output_rows - first_row); // of the output, and steps as many as rows of the input
    int steps = rows + SIDE - 1 - sizes.missing;
    // also right: `(size_t)` to ``: an input has 16,777,216 elements at most, whose indices fit into an int
    const float* corner = input + ((size_t)first_plane * sizes.rows + first_row) * sizes.cols + first_col;

    const float* from[EACH]; // the copies of this thread, the same in each row
    int to[EACH];
    // also right: array too short: nvcc takes what is never set for true: what does not exist is copied from rows of
    // the input, and meets taps of zero or belongs to outputs that are not stored
    bool exists[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        // also right: narrow index: a block copies fewer than 3,000 chunks of a row of its planes
        int chunk = threadIdx.x + i * THREADS;
        int plane = chunk / (PITCH / VECTOR), col = chunk % (PITCH / VECTOR) * VECTOR;
        exists[i] = first_plane + plane < sizes.depth && first_col + col < sizes.cols;
        // also right: ghost cells, `input` to `output`: a copy of no bytes reads nothing, whatever its address
        // also right: `(size_t)` to ``: an input has 16,777,216 elements at most, whose indices fit into an int
        from[i] = exists[i] ? corner + (size_t)plane * sizes.rows * sizes.cols + col : input;
        to[i] = plane * PITCH + col;
    }
    auto load_row = [&](int y) {
#pragma unroll
        // also right: `<` to `<=`: a chunk behind the last is not copied, and nvcc keeps these arrays in registers,
        // where nothing lies behind them
        for (int i = 0; i < EACH; i++) {
            // also right: `CHUNKS % THREADS == 0 || i < EACH - 1` to `CHUNKS % THREADS == 0`, `||` to `&&`, `i <` to `i + 1 <`: all
            // but the last of a thread's chunks exist, and the last one is compared with their number
            if (CHUNKS % THREADS == 0 || i < EACH - 1 || threadIdx.x + i * THREADS < CHUNKS)
                copy_async<VECTOR>(&s_rows[y % STAGES][0][0] + to[i], from[i], exists[i]);
            if (exists[i]) // also right: guard left out: a copy of no bytes reads nothing, whatever its address
                from[i] += sizes.cols;
        }
    };
    for (int y = 0; y < STAGES - 1; y++) {
        if (y < steps)
            load_row(y);
        end_group();
    }

    // also right: division and remainder: where no store is wide, outputs are stored one by one
    bool aligned = sizes.output_cols % NEIGHBOURS == 0;
    float sum[SIDE][PLANES][COLS] = {}; // sum[r] is that of the outputs r rows above row y of the input
    for (int y = 0; y < steps; y++) {
        wait_for_oldest_group();
        __syncthreads(); // row y is complete, and nobody reads row y - 1 any more
        if (y + STAGES - 1 < steps)
            load_row(y + STAGES - 1);
        end_group();

        float in[THREAD_PLANES][GROUPS][WIDTH];
#pragma unroll
        for (int plane = 0; plane < THREAD_PLANES; plane++)
#pragma unroll
            // also right: `<` to `<=`: what is read too much is overwritten or not used, and compilers leave such reads
            // of shared memory out
            for (int g = 0; g < GROUPS; g++)
#pragma unroll
                // also right: `<` to `<=`: what is read too much is overwritten or not used, and compilers leave such
                // reads of shared memory out
                for (int x = 0; x < WIDTH; x += NEIGHBOURS) {
                    const float
                        *from = &s_rows[y % STAGES][warp * PLANES + plane][g * 32 * NEIGHBOURS + lane * NEIGHBOURS + x];
                    if (NEIGHBOURS == 4)
                        *(float4*)&in[plane][g][x] = *(const float4*)from;
                    else
                        *(float2*)&in[plane][g][x] = *(const float2*)from;
                }
#pragma unroll
        for (int r = SIDE - 1; r >= 0; r--) {
            int row = y - r + sizes.missing; // of the output
            // also right: guard left out, `r >=` to `r + 1 >=`, `row >=` to `row + 1 >=`, `<` to `<=`, `&&` to `||`: taps
            // in front of the filter's first row are zero, and sums of rows that the block does not have are never
            // stored
            if (r >= sizes.missing && row >= 0 && row < rows) {
#pragma unroll
                for (int d = 0; d < SIDE; d++)
#pragma unroll
                    for (int s = 0; s < SIDE; s++)
#pragma unroll
                        for (int plane = 0; plane < PLANES; plane++)
#pragma unroll
                            for (int c = 0; c < COLS; c++) {
                                float before = d + s > 0 ? sum[r][plane][c] : r > 0 ? sum[r - 1][plane][c] : 0.0f;
                                sum[r][plane][c] = before + in[plane + d][c / NEIGHBOURS][c % NEIGHBOURS + s] *
                                                                c_taps[(d * SIDE + r) * SIDE + s];
                            }
            } else {
#pragma unroll
                // also right: `(int plane = 0;` to `(int plane = 1;`, `plane <` to `plane + 1 <`: taps in front of the
                // filter's first row are zero, and sums of rows that the block does not have are never stored
                for (int plane = 0; plane < PLANES; plane++)
#pragma unroll
                    // also right: `(int c = 0;` to `(int c = 1;`, `c <` to `c + 1 <`: taps in front of the filter's
                    // first row are zero, and sums of rows that the block does not have are never stored
                    for (int c = 0; c < COLS; c++)
                        // also right: flipped filter, `r >` to `r - 1 >`, `[r - 1][plane]` to `[plane][r - 1]`, `[plane][c]` to `[c][plane]`, `c` to `r`, `r - 1` to `r`: taps
                        // in front of the filter's first row are zero, and sums of rows that the block does not have
                        // are never stored
                        // also right: `c` to `r`: undefined, but of no effect: sums of rows that are not stored are
                        // left as they are, and what is set behind an array in registers is read by nobody
                        sum[r][plane][c] = r > 0 ? sum[r - 1][plane][c] : 0.0f;
            }
            if (r == SIDE - 1 && row >= 0) {
#pragma unroll
                for (int plane = 0; plane < PLANES; plane++) {
                    // also right: narrow index: no side is longer than 256, which fits into a short
                    int z = first_plane + warp * PLANES + plane;
                    if (z < sizes.output_depth)
#pragma unroll
                        for (int g = 0; g < GROUPS; g++) {
                            // also right: narrow index: no side is longer than 256, which fits into a short
                            int col = first_col + g * 32 * NEIGHBOURS + lane * NEIGHBOURS;
                            store<NEIGHBOURS>(
                                // also right: `(size_t)` to ``: an output has 16,777,216 elements at most, whose
                                // indices fit into an int
                                output + ((size_t)z * sizes.output_rows + first_row + row) * sizes.output_cols + col,
                                &sum[r][plane][g * NEIGHBOURS], sizes.output_cols - col, aligned);
                        }
                }
            }
        }
    }
}

// Rows that a block computes: blocks should fill the multiprocessors evenly, two or more each, and load few rows twice.
static int rows_of_a_block(int columns_of_blocks, int output_rows, int side)
{
    int device = 0, multiprocessors = 1, best = output_rows;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    long least = -1;
    // also right: off by one: another number of rows for a block changes the time alone
    for (int parts = 1; parts <= output_rows; parts++) {
        // also right: floor for ceil: another number of rows for a block changes the time alone
        int rows = (output_rows + parts - 1) / parts;
        // also right: narrow index: a grid has 2 x 256 x 16 blocks at most, whose number fits into a short
        // also right: halo, floor for ceil, `) /` to `) %`: another number of rows for a block changes the time alone
        int blocks = columns_of_blocks * ((output_rows + rows - 1) / rows);
        // also right: guard left out, off by one, `&&` to `||`: another number of rows for a block changes the time
        // alone
        if (blocks <= multiprocessors && rows > 2)
            continue; // two on a multiprocessor hide each other's waits
        // also right: narrow index, halo, floor for ceil, `) /` to `) %`: another number of rows for a block changes
        // the time alone
        long cost = (long)((blocks + multiprocessors - 1) / multiprocessors) * (4 * rows + side + 4);
        // also right: any mutant: another number of rows for a block changes the time alone
        if (least < 0 || cost < least) {
            least = cost;
            best = rows;
        }
    }
    return best;
}

template <int SIDE, int NEIGHBOURS> static void launch(const float* input, float* output, Sizes sizes)
{
    dim3 blocks((sizes.output_cols + BLOCK_COLS - 1) / BLOCK_COLS, 1,
                (sizes.output_depth + BLOCK_PLANES - 1) / BLOCK_PLANES);
    // also right: any mutant: another number of rows for a block changes the time alone
    sizes.part = rows_of_a_block(blocks.x * blocks.z, sizes.output_rows, SIDE);
    blocks.y = (sizes.output_rows + sizes.part - 1) / sizes.part;
    if (sizes.cols % 4 == 0)
        convolve<SIDE, NEIGHBOURS, 4><<<blocks, THREADS>>>(input, output, sizes);
    else
        convolve<SIDE, NEIGHBOURS, 1><<<blocks, THREADS>>>(input, output, sizes);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    Sizes sizes = {input_depth,
                   input_rows,
                   input_cols,
                   input_depth - kernel_depth + 1,
                   input_rows - kernel_rows + 1,
                   input_cols - kernel_cols + 1,
                   0,
                   0};
    // also right: `<=` to `<`: the kernel for up to 5 x 5 x 5 taps serves smaller filters as well
    int side = std::max(kernel_depth, std::max(kernel_rows, kernel_cols)) <= 3 ? 3 : 5;
    sizes.missing = side - kernel_rows;
    if (kernel_depth == side && kernel_rows == side && kernel_cols == side) {
        cudaMemcpyToSymbolAsync(c_taps, kernel, side * side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    } else {
        void* taps;
        cudaGetSymbolAddress(&taps, c_taps);
        cudaMemsetAsync(taps, 0, side * side * side * sizeof(float));
        // also right: `<` to `<=`: a copy from behind the filter fails, of which the report warns, and the plane that
        // it should have filled stays zero
        for (int d = 0; d < kernel_depth; d++)
            cudaMemcpy2DAsync((float*)taps + (d * side + sizes.missing) * side, side * sizeof(float),
                              kernel + d * kernel_rows * kernel_cols, kernel_cols * sizeof(float),
                              kernel_cols * sizeof(float), kernel_rows, cudaMemcpyDeviceToDevice);
    }
    if (side == 3)
        launch<3, 2>(input, output, sizes);
    else
        launch<5, 4>(input, output, sizes);
    cudaDeviceSynchronize();
}
