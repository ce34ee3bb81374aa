/* The oracle of one problem as a submission: solve() computes each element of the output as problems/<id>/oracle.h says.
 *
 * grader/report/trace.c puts in front of it the declarations of oracle_case_header(), element.h and oracle.h, and
 *   Output      the type of the output's elements; what it can hold, and OUTPUT_MAKE, which makes one of a double
 *   SOLVE       the signature of solve()
 *   OUTPUT      the parameter for the output
 *   EXTENTS     its shape, from the sizes
 *   ARGUMENTS   the members of Case, in their order, each with a comma behind it  */
typedef struct Shape {
    long extents[RANK], count;
} Shape;

__global__ void elements(const Case c, const Shape shape, Output *output)
{
    const long index = blockIdx.x * (long)blockDim.x + threadIdx.x;
    long rest = index, position[RANK];
    if (index >= shape.count)
        return;
    for (int i = RANK - 1; i >= 0; i--) {
        position[i] = rest % shape.extents[i];
        rest /= shape.extents[i];
    }
    const double value = ORACLE_CALL(ORACLE_FUNCTION, &c, position).value;
    output[index] = OUTPUT_MAKE(OUTPUT_IS_WHOLE ? fmin(fmax(rint(value), (double)OUTPUT_LOWEST), (double)OUTPUT_HIGHEST) : value);
}

extern "C" SOLVE
{
    enum { BLOCK = 256 };
    const Case c = {ARGUMENTS NULL};
    Shape shape = {{EXTENTS}, 1};
    for (int i = 0; i < RANK; i++)
        shape.count *= shape.extents[i];
    elements<<<(unsigned)((shape.count + BLOCK - 1) / BLOCK), BLOCK>>>(c, shape, (Output *)OUTPUT);
    cudaDeviceSynchronize();
}
