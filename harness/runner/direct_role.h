/* direct_role.h - one call of solve() on a real GPU, with NVIDIA's CUDA runtime, for a profiler to look at.
 *
 * There is no sandbox: the object runs with the rights of the caller.  */
#ifndef HARNESS_RUNNER_DIRECT_ROLE_H
#define HARNESS_RUNNER_DIRECT_ROLE_H

/* One argument for each parameter of solve(). "float:COUNT" and "byte:COUNT" are arrays of pseudo-random floats in [0,
 * 1) and bytes; "value:NUMBER" is passed as it is. Returns the exit status. */
int direct_role(const char *cudart_path, const char *object_path, int count, char **arguments);

#endif
