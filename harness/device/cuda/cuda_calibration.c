#include "harness/device/cuda/cuda_calibration.h"

#include "harness/device/cuda/cuda_gate.h"
#include "harness/device/cuda/cuda_memory.h"

#include <math.h>
#include <stdlib.h>

enum { CALIBRATION_BRACKETS = 31, LAUNCH_WARM_UPS = 5, LAUNCH_BRACKETS = 61 };

/* A kernel that does nothing, for every GPU from compute capability 7.5 on: the driver compiles it. */
static const char EMPTY_KERNEL[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\n    ret;\n}\n";

void cuda_calibration_open(CudaDevice *cuda)
{
    if (cuda->driver->cuModuleLoadData(&cuda->empty, EMPTY_KERNEL) != CUDA_ERROR_SUCCESS)
        cuda->empty = NULL;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures a bracket like that of most submissions: one operation of some microseconds, and a wait for it. */
static CudaError measure_clock_gap(CudaDevice *cuda)
{
    double gaps_s[CALIBRATION_BRACKETS];
    CudaError error = CUDA_ERROR_SUCCESS;
    for (int i = 0; i < CALIBRATION_BRACKETS && error == CUDA_ERROR_SUCCESS; i++) {
        DeviceBracket taken = {0};
        error = cuda_bracket_begin(cuda);
        if (error == CUDA_ERROR_SUCCESS)
            error = CUDA_COPY_OPS.fill(&cuda->device, cuda->flush_address, 0, cuda->flush_bytes / 2, NULL);
        if (error == CUDA_ERROR_SUCCESS)
            error = cuda_wait_all(cuda);
        if (error == CUDA_ERROR_SUCCESS)
            error = cuda_bracket_end(cuda, &taken);
        gaps_s[i] = taken.host_s - taken.event_s;
    }
    qsort(gaps_s, CALIBRATION_BRACKETS, sizeof *gaps_s, by_number);
    cuda->device.info.clock_gap_s = fmax(0, gaps_s[CALIBRATION_BRACKETS / 2]);
    return error;
}

static CudaError launch_empty(CudaDevice *cuda, CuFunction function, double *event_s)
{
    DeviceBracket taken = {0};
    CuStream raw;
    CudaError error = cuda_bracket_begin(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_enter(cuda, NULL, &raw);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, raw, NULL, NULL));
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_wait_all(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_bracket_end(cuda, &taken);
    *event_s = taken.event_s;
    return error;
}

/* The median, and half of its 95 % interval: the order statistics that lie 0.98 roots of n from the middle (Conover,
 * Practical Nonparametric Statistics, 1999, section 3.2). */
static void take_launches(double *launches_s, DeviceInfo *info)
{
    const int middle = LAUNCH_BRACKETS / 2, reach = (int)ceil(0.98 * sqrt(LAUNCH_BRACKETS));
    qsort(launches_s, LAUNCH_BRACKETS, sizeof *launches_s, by_number);
    info->launch_s = launches_s[middle];
    info->launch_spread_s = (launches_s[middle + reach] - launches_s[middle - reach]) / 2;
}

/* How long a launch takes on this host without any work, with both events of a timed call around it. Where the driver
 * cannot compile the kernel, the time stays unknown. */
static CudaError measure_launch(CudaDevice *cuda)
{
    double launches_s[LAUNCH_BRACKETS] = {0};
    CuFunction function;
    if (cuda->empty == NULL)
        return CUDA_ERROR_SUCCESS;
    CudaError error = cuda_note(cuda, cuda->driver->cuModuleGetFunction(&function, cuda->empty, "empty"));
    for (int i = -LAUNCH_WARM_UPS; i < LAUNCH_BRACKETS && error == CUDA_ERROR_SUCCESS; i++)
        error = launch_empty(cuda, function, &launches_s[i < 0 ? 0 : i]);
    if (error == CUDA_ERROR_SUCCESS)
        take_launches(launches_s, &cuda->device.info);
    const CudaError unloaded = cuda_note(cuda, cuda->driver->cuModuleUnload(cuda->empty));
    cuda->empty = NULL;
    return error == CUDA_ERROR_SUCCESS ? unloaded : error;
}

static CudaError measure_echo(CudaDevice *cuda)
{
    double echoes_s[CALIBRATION_BRACKETS] = {0};
    CudaError error = cuda_wait_all(cuda);
    for (int i = 0; i < CALIBRATION_BRACKETS && error == CUDA_ERROR_SUCCESS; i++)
        error = cuda_measure_echo(cuda, &echoes_s[i]);
    qsort(echoes_s, CALIBRATION_BRACKETS, sizeof *echoes_s, by_number);
    cuda->usual_echo_s = error == CUDA_ERROR_SUCCESS ? echoes_s[CALIBRATION_BRACKETS / 2] : 0;
    return error;
}

CudaError cuda_calibrate(CudaDevice *cuda)
{
    CudaError error = measure_echo(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = measure_clock_gap(cuda);
    return error == CUDA_ERROR_SUCCESS ? measure_launch(cuda) : error;
}
