/* What a traced submission calls before each turn of its loops, with their number and variable: (k < n) && convjudge_turn(0, k).
 *
 * grader/report/trace.c puts it in front of the source. The store is what simgpu/engine/provenance.h calls PROVENANCE_LOOPS;
 * no access to memory moves over it. A variable that is no whole number is not told.  */
extern "C" {
__device__ volatile long long convjudge_loops[64];
}

template <class T> __host__ __device__ inline bool convjudge_turn(int, const T &)
{
    return true;
}

#ifdef __CUDA_ARCH__
#define CONVJUDGE_TELL(loop, value)                                                                                    \
    convjudge_loops[loop] = (long long)value;                                                                          \
    asm volatile("" ::: "memory");
#else
#define CONVJUDGE_TELL(loop, value)
#endif
#define CONVJUDGE_TURN(T)                                                                                              \
    template <> __host__ __device__ inline bool convjudge_turn(int loop, const T &value)                               \
    {                                                                                                                  \
        CONVJUDGE_TELL(loop, value)                                                                                    \
        return true;                                                                                                   \
    }
CONVJUDGE_TURN(char)
CONVJUDGE_TURN(signed char)
CONVJUDGE_TURN(unsigned char)
CONVJUDGE_TURN(short)
CONVJUDGE_TURN(unsigned short)
CONVJUDGE_TURN(int)
CONVJUDGE_TURN(unsigned)
CONVJUDGE_TURN(long)
CONVJUDGE_TURN(unsigned long)
CONVJUDGE_TURN(long long)
CONVJUDGE_TURN(unsigned long long)
