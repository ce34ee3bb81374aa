/* warp.h - how many lanes a warp has, on every GPU that there is.  */
#ifndef SIMGPU_CODE_WARP_H
#define SIMGPU_CODE_WARP_H

enum { SIM_WARP_SIZE = 32 };

#endif
