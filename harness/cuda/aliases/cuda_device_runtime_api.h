/* cuda_device_runtime_api.h - cuda_runtime.h declares what it holds.  */
#include <cuda_runtime.h>
