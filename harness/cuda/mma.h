/* mma.h - refused by name.  */
#error matrix instructions need nvcc: clang compiles a subset of CUDA without them
