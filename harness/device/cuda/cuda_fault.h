/* cuda_fault.h - errors that end a context of a real GPU, in words for the student.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_FAULT_H
#define HARNESS_DEVICE_CUDA_CUDA_FAULT_H

#include "harness/device/cuda/cuda_state.h"

/* Keeps a sticky error and describes it in the device's fault. Returns `error`. */
CudaError cuda_note(CudaDevice *cuda, CudaError error);
/* Keeps the fault of work that took longer than the time limit. Returns its error, which is sticky. */
CudaError cuda_time_is_up(CudaDevice *cuda);

#endif
