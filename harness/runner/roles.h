/* roles.h - one call of solve() on a real GPU, with NVIDIA's CUDA runtime, for a profiler to look at.
 *
 * There is no sandbox: the object runs with the rights of the caller.  */
#ifndef HARNESS_RUNNER_ROLES_H
#define HARNESS_RUNNER_ROLES_H

/* ==== cpu role ==================================================================================================== */

/* A CPU baseline: plain C on arrays in memory that is shared with the judge (solve.h). */

/* Serves the judge until this process is killed. Returns, with an exit status, only if the object cannot be loaded. */
int cpu_role(int memory_descriptor, const char *object_path);

/* ==== cuda role =================================================================================================== */

/* A submission that is judged: its CUDA calls go to the judge's own runtime library. */

/* Serves the broker at the other end of the ring until this process is killed. Returns, with an exit status, only if
 * the object cannot be loaded. */
int cuda_role(int ring_descriptor, const char *object_path);

/* ==== direct role ================================================================================================= */

/* One argument for each parameter of solve(). "float:COUNT" and "byte:COUNT" are arrays of pseudo-random floats in [0,
 * 1) and bytes; "value:NUMBER" is passed as it is. Returns the exit status. */
int direct_role(const char *cudart_path, const char *object_path, int count, char **arguments);

#endif
