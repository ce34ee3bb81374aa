/* cooperative_groups.h - refused by name.  */
#error cooperative groups need nvcc: clang compiles a subset of CUDA without them
