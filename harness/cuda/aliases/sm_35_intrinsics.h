/* sm_35_intrinsics.h - cuda_runtime.h declares what it holds.  */
#include <cuda_runtime.h>
