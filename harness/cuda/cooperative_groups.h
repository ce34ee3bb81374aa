/* cooperative_groups.h - for clang: including it is an error that names what clang lacks here.  */
#error cooperative groups need nvcc: clang compiles a subset of CUDA without them
