#include "base/machine.h"

/* Each level is recognised by features that no lower level has, because clang knows the names of levels only since
 * version 19. */
MachineLevel machine_level(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return MACHINE_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return MACHINE_v3;
#endif
    return (MachineLevel)0;
}

const char *machine_march(void)
{
#define LEVEL(NAME, MARCH, TARGET) MARCH,
    static const char *const names[] = {MACHINE_LEVELS(LEVEL)};
#undef LEVEL
    return names[machine_level()];
}
