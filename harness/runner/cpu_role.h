/* cpu_role.h - a CPU baseline: plain C on arrays in memory that is shared with the judge (cpu_memory.h).  */
#ifndef HARNESS_RUNNER_CPU_ROLE_H
#define HARNESS_RUNNER_CPU_ROLE_H

/* Serves the judge until this process is killed. Returns, with an exit status, only if the object cannot be loaded. */
int cpu_role(int memory_descriptor, const char *object_path);

#endif
