/* cuda_profiler_api.h - cuda_runtime.h declares what it holds.  */
#include <cuda_runtime.h>
