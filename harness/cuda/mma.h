/* mma.h - for clang: including it is an error that names what clang lacks here.  */
#error matrix instructions need nvcc: clang compiles a subset of CUDA without them
