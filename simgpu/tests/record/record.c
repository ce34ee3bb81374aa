/* record - runs the kernels of recorded_rows.h, matrix_rows.h, tensor_rows.h and warpgroup_rows.h on a GPU and writes what they give.
 *
 *     gcc -I. -I/usr/local/cuda/include simgpu/tests/record/record.c base/text.c base/status.c base/arena.c -lcuda -lm -o record
 *     ./record simgpu/tests/data            writes opcodes.bin, matrices.bin, wmma.bin, tensors.bin and warpgroups.bin there
 *     ./record --ptx FOLDER                 writes the kernels only, for an assembler to look at  */
#include "simgpu/tests/matrix_rows.h"
#include "simgpu/tests/tensor_rows.h"
#include "simgpu/tests/warpgroup_rows.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_BYTES = 1 << 20 }; /* enough for the inputs, and for the results, of each kernel */

static void check(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "record: %s: %s\n", what, name != NULL ? name : "?");
    exit(1);
}

typedef struct Recorder {
    FILE *to;           /* NULL: only kernels are written */
    const char *folder; /* of kernels */
    int number;         /* of kernels so far */
    CUdeviceptr in, out;
} Recorder;

static void write_kernel(Recorder *recorder, const char *ptx)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%03d.ptx", recorder->folder, recorder->number++);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(ptx, file) == EOF || fclose(file) != 0) {
        fprintf(stderr, "record: cannot write %s\n", path);
        exit(1);
    }
}

static void launch(Recorder *recorder, const char *text, const char *ptx, unsigned blocks, unsigned threads)
{
    CUmodule module;
    CUfunction function;
    void *parameters[] = {&recorder->in, &recorder->out};
    check(cuModuleLoadData(&module, ptx), text);
    check(cuModuleGetFunction(&function, module, "test"), text);
    check(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL), text);
    check(cuCtxSynchronize(), text);
    check(cuModuleUnload(module), text);
}

static void put(Recorder *recorder, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, recorder->to) != bytes) {
        fputs("record: cannot write\n", stderr);
        exit(1);
    }
}

static void record_form(void *context, const RecordedGroup *group, const char *text)
{
    Recorder *recorder = context;
    Text ptx = {0};
    Slot slots[RECORDED_LANES];
    uint32_t hash = recorded_hash(text);
    opcode_kernel(&ptx, NULL, text);
    if (recorder->to == NULL) {
        write_kernel(recorder, ptx.data);
    } else {
        put(recorder, &hash, sizeof hash);
        for (int first = 0; first < RECORDED_CASES; first += RECORDED_LANES) {
            recorded_fill(group, first, slots);
            check(cuMemcpyHtoD(recorder->in, slots, sizeof slots), text);
            launch(recorder, text, ptx.data, 1, RECORDED_LANES);
            check(cuMemcpyDtoH(slots, recorder->out, sizeof slots), text);
            for (int i = 0; i < RECORDED_LANES; i++)
                put(recorder, &slots[i].a, recorded_bytes(group->registers[0]));
        }
    }
    text_free(&ptx);
}

static void record_matrix(Recorder *recorder, const MatrixRow *row)
{
    static unsigned char in[MATRIX_IN_BYTES], out[MATRIX_ROUNDS * MATRIX_LANES][MATRIX_RESULTS][8];
    Text ptx = {0};
    uint32_t hash = recorded_hash(row->form);
    int warps = matrix_is_load(row) ? 1 : MATRIX_ROUNDS;
    matrix_kernel(&ptx, row);
    if (recorder->to == NULL) {
        write_kernel(recorder, ptx.data);
    } else {
        matrix_fill(row, in);
        check(cuMemcpyHtoD(recorder->in, in, sizeof in), row->form);
        launch(recorder, row->form, ptx.data, (unsigned)warps, MATRIX_LANES);
        check(cuMemcpyDtoH(out, recorder->out, sizeof out), row->form);
        put(recorder, &hash, sizeof hash);
        for (int i = 0; i < warps * MATRIX_LANES; i++)
            for (int j = 0; j < row->d; j++)
                put(recorder, out[i][j], matrix_result_bytes(row));
    }
    text_free(&ptx);
}

static CUresult encode(const TensorRow *row, CUdeviceptr address, CUtensorMap *map)
{
    cuuint64_t extents[5], strides[4];
    cuuint32_t box[5], steps[5];
    for (int i = 0; i < 5; i++) {
        extents[i] = row->extents[i];
        box[i] = row->box[i];
        steps[i] = row->steps[i];
        if (i > 0)
            strides[i - 1] = row->strides[i - 1];
    }
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)row->type, row->rank, (void *)address, extents, strides,
                                  box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)row->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)row->fill);
}

static void record_tensor(Recorder *recorder, const TensorRow *row)
{
    static unsigned char in[TENSOR_IN_BYTES], out[TENSOR_BYTES];
    Text ptx = {0};
    CUtensorMap map;
    uint32_t hash = recorded_hash(row->name);
    tensor_kernel(&ptx, row);
    if (recorder->to == NULL) {
        write_kernel(recorder, ptx.data);
    } else {
        uint32_t result = (uint32_t)encode(row, recorder->in + TENSOR_AT, &map);
        put(recorder, &hash, sizeof hash);
        put(recorder, &result, sizeof result);
        if (result == CUDA_SUCCESS) {
            tensor_fill(row, in);
            memcpy(in, &map, sizeof map);
            check(cuMemcpyHtoD(recorder->in, in, sizeof in), row->name);
            launch(recorder, row->name, ptx.data, 1, TENSOR_THREADS);
            check(cuMemcpyDtoH(out, recorder->out, sizeof out), row->name);
            put(recorder, out, tensor_result_bytes(row));
        }
    }
    text_free(&ptx);
}

static void record_warpgroup(Recorder *recorder, const WarpgroupRow *row)
{
    static unsigned char in[WARPGROUP_ROUNDS * WARPGROUP_IN],
        out[WARPGROUP_ROUNDS * WARPGROUP_THREADS * WARPGROUP_D * 4];
    Text ptx = {0}, text = {0};
    warpgroup_kernel(&ptx, row);
    warpgroup_text(&text, row);
    uint32_t hash = recorded_hash(text.data);
    size_t bytes = (size_t)WARPGROUP_ROUNDS * WARPGROUP_THREADS * (size_t)row->d * 4;
    if (recorder->to == NULL) {
        write_kernel(recorder, ptx.data);
    } else {
        warpgroup_fill(row, in);
        check(cuMemcpyHtoD(recorder->in, in, sizeof in), text.data);
        launch(recorder, text.data, ptx.data, WARPGROUP_ROUNDS, WARPGROUP_THREADS);
        check(cuMemcpyDtoH(out, recorder->out, bytes), text.data);
        put(recorder, &hash, sizeof hash);
        put(recorder, out, bytes);
    }
    text_free(&ptx);
    text_free(&text);
}

static FILE *create(const char *folder, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fprintf(stderr, "record: cannot write %s\n", path);
        exit(1);
    }
    return file;
}

static void end_file(Recorder *recorder)
{
    if (recorder->to != NULL && fclose(recorder->to) != 0) {
        fputs("record: cannot write\n", stderr);
        exit(1);
    }
    recorder->to = NULL;
}

static void begin_file(Recorder *recorder, bool only_kernels, const char *name)
{
    end_file(recorder);
    recorder->to = only_kernels ? NULL : create(recorder->folder, name);
}

static void start_gpu(Recorder *recorder)
{
    CUdevice device;
    CUcontext gpu;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&gpu, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(gpu), "cuCtxSetCurrent");
    check(cuMemAlloc(&recorder->in, MEMORY_BYTES), "cuMemAlloc");
    check(cuMemAlloc(&recorder->out, MEMORY_BYTES), "cuMemAlloc");
}

int main(int count, char **arguments)
{
    Recorder recorder = {.folder = arguments[count - 1]};
    bool only_kernels = count == 3 && strcmp(arguments[1], "--ptx") == 0;
    if (count != 2 && !only_kernels) {
        fputs("usage: record [--ptx] FOLDER\n", stderr);
        return 2;
    }
    if (!only_kernels)
        start_gpu(&recorder);
    begin_file(&recorder, only_kernels, "opcodes.bin");
    recorded_each(record_form, &recorder);
    begin_file(&recorder, only_kernels, "matrices.bin");
    for (size_t i = 0; i < sizeof matrix_rows / sizeof *matrix_rows; i++)
        record_matrix(&recorder, &matrix_rows[i]);
    begin_file(&recorder, only_kernels, "wmma.bin");
    for (size_t i = 0; i < sizeof wmma_rows / sizeof *wmma_rows; i++)
        record_matrix(&recorder, &wmma_rows[i]);
    begin_file(&recorder, only_kernels, "tensors.bin");
    for (size_t i = 0; i < sizeof tensor_rows / sizeof *tensor_rows; i++)
        record_tensor(&recorder, &tensor_rows[i]);
    begin_file(&recorder, only_kernels, "warpgroups.bin");
    for (size_t i = 0; i < sizeof warpgroup_rows / sizeof *warpgroup_rows; i++)
        record_warpgroup(&recorder, &warpgroup_rows[i]);
    end_file(&recorder);
    return 0;
}
