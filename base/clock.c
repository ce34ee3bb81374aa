#include "base/clock.h"

#include <sched.h>

size_t processors_usable(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : (size_t)count;
}

void processors_keep_share(size_t share, size_t shares)
{
    cpu_set_t all, kept;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return; /* all of them then, which is only slower */
    const size_t count = (size_t)CPU_COUNT(&all), first = share * count / shares;
    const size_t end = count < shares ? first + 1 : (share + 1) * count / shares;
    size_t index = 0;
    CPU_ZERO(&kept);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            if (index >= first && index < end)
                CPU_SET(cpu, &kept);
            index++;
        }
    (void)sched_setaffinity(0, sizeof kept, &kept);
}
