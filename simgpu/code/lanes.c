#include "simgpu/code/lanes.h"

extern const LaneTable lanes_v2, lanes_v3, lanes_v4;

/* Each level is recognised by features that no lower level has, because clang knows the names of levels only since
 * version 19. */
const LaneTable *lanes_best(void)
{
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &lanes_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return &lanes_v3;
    return &lanes_v2;
}
