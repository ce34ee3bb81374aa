#!/usr/bin/env bats
# convjudge import: exercises of other judges, packages and data of labs become problems; what cannot be translated is named.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    needs python3
}

# A home of its own without problems: import writes into it.
own_home() {
    local folder
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME"/{problems,testcases,solutions}
    for folder in base grader harness leaderboard simgpu; do ln -s "$root/$folder" "$CONVJUDGE_HOME/"; done
}

# oracle ID LINE...: the body of the problem's oracle.
oracle() {
    local file=$CONVJUDGE_HOME/problems/$1/oracle.h
    sed '/^{/,$d' "$file" >oracle.h
    printf '%s\n' '{' "${@:2}" '}' >>oracle.h
    mv oracle.h "$file"
}

@test "a challenge.py becomes a problem whose oracle is left to write, and lines that torch alone knows are named" {
    own_home
    judge import "$root/tests/import/leetgpu"
    ends 0 "problems/mirrored-filter/" "to do: challenge.py:52: torch.erfinv() computes an array here; random numbers stand for it" \
        "to do: oracle.h: torch computes the answers: write the formula of one element"
    local problem=$CONVJUDGE_HOME/problems/mirrored-filter cases=$CONVJUDGE_HOME/testcases/mirrored-filter
    json "$problem/problem.json" .signature "void solve(const float* signal, const float* taps, float* out, int n, int r)"
    json "$problem/problem.json" '[.parameters[].shape?[0]?] | tostring' '["n","(2 * r) + 1","n",null,null]'
    json "$problem/problem.json" '[.tolerance.absolute, .tolerance.relative] == [1e-4, 1e-5]' true
    json "$cases/sample.json" '[.cases[].inputs.signal.values[]] == [1, 2, 4]' true
    json "$cases/hidden.json" '[.cases[] | .sizes.n] | tostring' '[1,100,1000,5,1048576]'
    json "$cases/hidden.json" '.cases[4] | [.timed, .inputs.signal.low, .inputs.signal.high, .inputs.taps.deviation] == [true, 0, 10, 0.5]' true
    grep -q '1 <= `n` <= 1,048,576' "$problem/statement.md"
    oracle mirrored-filter '    Sum sum = SUM_ZERO;' '    for (int k = 0; k <= 2 * c->r; k++)' \
        '        sum = sum_add(sum, at_inside(c->signal, i + k - c->r, i + k - c->r, c->n), c->taps[2 * c->r - k]);' '    return sum;'
    cat >x.cu <<'EOF'
// problem: mirrored-filter
__global__ void filter(const float* signal, const float* taps, float* out, int n, int r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = -r; k <= r; k++)
        sum += i + k >= 0 && i + k < n ? signal[i + k] * taps[r - k] : 0;
    out[i] = sum;
}
extern "C" void solve(const float* signal, const float* taps, float* out, int n, int r)
{
    filter<<<(n + 255) / 256, 256>>>(signal, taps, out, n, r);
    cudaDeviceSynchronize();
}
EOF
    judge grade --no-record --device sim x.cu
    ends 0 "Accepted  x.cu, problem mirrored-filter" "4 of 4 accepted"
    judge import "$root/tests/import/leetgpu"
    ends 2 "convjudge: import: problems/mirrored-filter exists already; name another with --problem ID"
    judge import --problem another "$root/tests/import/leetgpu"
    ends 0 "problems/another/"
}

@test "a def.py becomes a problem with a driver, which calls its solution()" {
    own_home
    judge import "$root/tests/import/tensara"
    ends 0 "problems/twice-a-plus-b/" "to do: oracle.h: torch computes the answers"
    json "$CONVJUDGE_HOME/problems/twice-a-plus-b/problem.json" '.parameters[2].shape | tostring' '["rows","cols"]'
    json "$CONVJUDGE_HOME/testcases/twice-a-plus-b/hidden.json" '.cases[0] | [.timed, .name, .inputs.a.low, .inputs.a.high] == [true, "512 x 256", -5, 5]' true
    oracle twice-a-plus-b '    return sum_add(sum_add(SUM_ZERO, at(c->a, i * c->cols + j), 2), at(c->b, i * c->cols + j), 1);'
    cat >x.cu <<'EOF'
// problem: twice-a-plus-b
__global__ void add(const float* a, const float* b, float* c, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count)
        c[i] = 2 * a[i] + b[i];
}
extern "C" void solution(const float* a, const float* b, float* c, size_t rows, size_t cols)
{
    add<<<(rows * cols + 255) / 256, 256>>>(a, b, c, rows * cols);
    cudaDeviceSynchronize();
}
EOF
    judge try --device sim x.cu
    ends 0 "Accepted  x.cu, problem twice-a-plus-b"
    sed 's/size_t rows/int rows/' x.cu >y.cu
    judge try --device sim y.cu
    ends 1 "Compile Error" "y.cu"
}

@test "extents that follow from no size become sizes that a driver keeps from submissions" {
    own_home
    judge import "$root/tests/import/leetgpu-blocks"
    ends 0 "to do: problem.json: the extents of x (3, 4, 100, 1000, 65536) follow from no size: solve() gets them as x_length"
    local problem=$CONVJUDGE_HOME/problems/scaled-blocks
    json "$problem/problem.json" .signature \
        "void solve(const long long* x, const float* scales, float* out, int block, int shift, int x_length)"
    json "$problem/problem.json" '[.parameters[].shape?[0]?] | tostring' '["x_length","(x_length + block - 1) / block","x_length",null,null,null]'
    json "$problem/problem.json" '.parameters[4].min' -2
    json "$CONVJUDGE_HOME/testcases/scaled-blocks/hidden.json" '.cases[3] | [.timed, .inputs.x.low, .inputs.scales.high] | tostring' '[true,-9,1.5]'
    oracle scaled-blocks '    return sum_add(SUM_ZERO, number_at(c->x, i) - c->shift, number_at(c->scales, i / c->block));'
    cat >x.cu <<'EOF'
// problem: scaled-blocks
__global__ void scale(const long long* x, const float* scales, float* out, int block, int shift)
{
    out[threadIdx.x] = (x[threadIdx.x] - shift) * scales[threadIdx.x / block];
}
extern "C" void solve(const long long* x, const float* scales, float* out, int block, int shift)
{
    scale<<<1, 3>>>(x, scales, out, block, shift);
    cudaDeviceSynchronize();
}
EOF
    judge try --device sim x.cu
    ends 0 "Accepted  x.cu, problem scaled-blocks"
}

@test "a def.py lists its parameters, and may have a shape among them" {
    own_home
    judge import --problem row-sums "$root/tests/import/tensara-list"
    ends 0 "to do: problem.json: the parameter register is called register_: C++ reserves the name" \
        "to do: hidden.json: \"(6, 7), 1\" is not timed: each timed call gets new data, and shape cannot be random"
    local problem=$CONVJUDGE_HOME/problems/row-sums
    json "$problem/problem.json" .signature \
        "void solve(const float* input, int dim, float* register_, const int* shape, int ndim, int input_length, int register__length)"
    grep -qF 'void solution(const float* input, int dim, float* register_, const int* shape, int ndim);' "$problem/student.h"
    json "$CONVJUDGE_HOME/testcases/row-sums/hidden.json" '.cases[1] | [.sizes.dim, .sizes.register__length, .inputs.shape.values[]] | tostring' \
        '[0,20,3,4,5]'
    oracle row-sums '    Sum sum = SUM_ZERO;' '    long inner = 1, extent = (long)number_at(c->shape, c->dim);' \
        '    for (int axis = c->dim + 1; axis < c->ndim; axis++)' '        inner *= (long)number_at(c->shape, axis);' \
        '    for (long k = 0; k < extent; k++)' '        sum = sum_add(sum, number_at(c->input, (i / inner * extent + k) * inner + i % inner), 1);' '    return sum;'
    cat >x.cu <<'EOF'
// problem: row-sums
__global__ void sum(const float* in, int dim, float* out, const int* shape, int ndim)
{
    int inner = 1, outer = 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int axis = 0; axis < ndim; axis++)
        (axis > dim ? inner : outer) *= axis == dim ? 1 : shape[axis];
    if (i >= inner * outer)
        return;
    float total = 0;
    for (int k = 0; k < shape[dim]; k++)
        total += in[(i / inner * shape[dim] + k) * inner + i % inner];
    out[i] = total;
}
extern "C" void solution(const float* input, int dim, float* output, const int* shape, int ndim)
{
    sum<<<4, 64>>>(input, dim, output, shape, ndim);
    cudaDeviceSynchronize();
}
EOF
    judge try --device sim x.cu
    ends 0 "Accepted  x.cu, problem row-sums"
}

@test "each axis gets a size of its own, and arrays that torch computes keep what is known of their numbers" {
    own_home
    mkdir pool
    cat >pool/def.py <<'EOF'
import torch
from problem import Problem

class masked_pool(Problem):
    parameters = [{"name": name, "type": kind, "pointer": kind == "float", "const": name != "output"} for name, kind in (
        ("image", "float"), ("mask", "float"), ("weights", "float"), ("size", "int"), ("output", "float"), ("height", "int"), ("width", "int"))]

    def __init__(self):
        super().__init__(name="masked-pool")

    def reference_solution(self, image, mask, weights, size):
        return torch.nn.functional.max_pool2d((image * mask * weights).view(1, 1, *image.shape), size, 1).squeeze()

    def make(self, n, size):
        image, mask = torch.randn(n, n).cumsum(0), torch.randn(n, n) > 0.5
        weights = torch.where(mask, torch.cat([torch.randn(n - 1, n) * 3, torch.zeros(1, n)]), 0.0)
        return {"name": f"{n}, {size}", "n": n, "create_inputs": lambda: (image.clamp(-2.0, 9.0), mask.to(torch.float32), weights, size)}

    def generate_test_cases(self):
        return [self.make(200, 3), self.make(300, 7)]

    def get_extra_params(self, case):
        return [case["n"], case["n"]]
EOF
    judge import pool
    ends 0 "to do: def.py:15: cumsum() computes an array here; random numbers stand for it" \
        "to do: sample.json: the exercise has no sample: the least of its cases stands for one, \"200, 3\""
    json "$CONVJUDGE_HOME/problems/masked-pool/problem.json" '[.parameters[].shape?] | tostring' \
        '[["height","width"],["height","width"],["height","width"],null,["height - size + 1","width - size + 1"],null,null]'
    json "$CONVJUDGE_HOME/testcases/masked-pool/hidden.json" '.cases[1].inputs | [.image.low, .image.high, .mask.generator, .mask.high,
        .weights.deviation] == [-2, 9, "integers", 1, 3]' true
}

@test "a lab's files become cases with their answers" {
    own_home
    judge import --problem lab-3 "$root/tests/import/lab"
    ends 0 "problems/lab-3/"
    json "$CONVJUDGE_HOME/problems/lab-3/problem.json" '[.parameters[].shape?[0]?] | tostring' '["input0_length","input1_length","input0_length",null,null]'
    json "$CONVJUDGE_HOME/testcases/lab-3/sample.json" '.cases[0].expected == [-2, -2, -2, -2, 4]' true
    cat >x.cu <<'EOF'
// problem: lab-3
__global__ void filter(const float* a, const float* b, float* c, int n, int m)
{
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += i + k - m / 2 >= 0 && i + k - m / 2 < n ? a[i + k - m / 2] * b[k] : 0;
    c[i] = sum;
}
extern "C" void solve(const float* a, const float* b, float* c, int n, int m)
{
    filter<<<1, n>>>(a, b, c, n, m);
    cudaDeviceSynchronize();
}
EOF
    judge grade --no-record --device sim x.cu
    ends 0 "Accepted  x.cu, problem lab-3"
}

@test "a lab whose program reads its files gets a driver for main()" {
    own_home
    cp -r "$root/tests/import/lab" lab
    cat >lab/template.cu <<'EOF'
// problem: lab
#include <wb.h>

__global__ void filter(const float* a, const float* b, float* c, int n, int m)
{
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += i + k - m / 2 >= 0 && i + k - m / 2 < n ? a[i + k - m / 2] * b[k] : 0;
    c[i] = sum;
}

int main(int argc, char** argv)
{
    wbArg_t args = wbArg_read(argc, argv);
    int n, m;
    float* input = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
    float* taps = (float*)wbImport(wbArg_getInputFile(args, 1), &m);
    float *a, *b, *c;
    wbTime_start(GPU, "Allocating");
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, m * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMemcpy(a, input, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, taps, m * sizeof(float), cudaMemcpyHostToDevice);
    filter<<<1, n>>>(a, b, c, n, m);
    cudaMemcpy(input, c, n * sizeof(float), cudaMemcpyDeviceToHost);
    wbSolution(args, input, n);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(input);
    free(taps);
}
EOF
    judge import lab
    ends 0 "problems/lab/"
    judge grade --no-record --device sim lab/template.cu
    ends 0 "Accepted  template.cu, problem lab"
    judge try --device sim "$CONVJUDGE_HOME/problems/lab/starter.cu"
    ends 1 "Wrong Answer  starter.cu"
}

@test "packages of Kattis and DOMjudge become problems that are programs, which read and print" {
    own_home
    judge import "$root/tests/import/kattis"
    ends 0 "to do: data/secret/02-word.ans:1: expected numbers alone, found 'IMPOSSIBLE': the case is left out"
    judge import "$root/tests/import/domjudge"
    ends 0 "problems/dom-sums/"
    json "$CONVJUDGE_HOME/problems/moving-sums/problem.json" '[.tolerance.absolute, .tolerance.relative] | tostring' '[0.0001,0.0001]'
    cat >x.cu <<'EOF'
#include <cstdio>
#include <iostream>
#include <vector>
__global__ void sums(const float* a, float* b, int n)
{
    int i = threadIdx.x;
    if (i < n)
        b[i] = a[i] + a[i + 1] + a[i + 2];
}
int main()
{
    int n;
    std::cin >> n;
    std::vector<float> a(n);
    for (float& number : a)
        std::cin >> number;
    float *input, *output;
    cudaMalloc(&input, n * sizeof(float));
    cudaMalloc(&output, n * sizeof(float));
    cudaMemcpy(input, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sums<<<1, 256>>>(input, output, n - 2);
    cudaMemcpy(a.data(), output, (n - 2) * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n - 2; i++)
        std::cout << a[i] << '\n';
    cudaFree(input);
    cudaFree(output);
}
EOF
    sed 's/std::cin >> n;/if (std::scanf("%d", \&n) != 1) return 1;/; s/std::cin >> number;/if (std::scanf("%f", \&number) != 1) return 1;/
        s/std::cout << a.i. << .*/std::printf("%g ", a[i]);/; s/main()/main(int argc, char** argv)/' x.cu >y.cu
    local file
    for file in x.cu y.cu; do
        judge grade --no-record --device sim --problem moving-sums "$file"
        ends 0 "Accepted  $file, problem moving-sums"
    done
    sed 's/n - 2; i++/n - 3; i++/' x.cu >z.cu
    judge try --device sim --problem dom-sums z.cu
    ends 1 "the program printed 1 numbers, expected 2"
}

@test "what is no exercise is refused by what was expected" {
    own_home
    mkdir empty broken data
    judge import empty
    ends 2 "convjudge: import: empty: expected challenge.py, def.py, data/secret with problem.yaml or domjudge-problem.ini, or data of a lab"
    judge import none
    ends 2 "convjudge: import: none: no such folder"
    judge import
    ends 2 "convjudge: import: expected one FOLDER, found 0"
    printf 'import torch\nhalf = 1 / 0\n' >broken/challenge.py
    judge import broken
    ends 2 "convjudge: import: broken/challenge.py: line 2: ZeroDivisionError: division by zero"
    printf '3\n1\n2\n' >data/input0.raw
    printf '1\nx\n' >data/output.raw
    judge import data
    ends 2 "convjudge: import: data/output.raw: line 2: expected a number, found 'x'"
    equal "" "$(ls "$CONVJUDGE_HOME/problems")"
}
