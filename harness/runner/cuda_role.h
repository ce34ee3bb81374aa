/* cuda_role.h - a submission that is judged: its CUDA calls go to the judge's own runtime library.  */
#ifndef HARNESS_RUNNER_CUDA_ROLE_H
#define HARNESS_RUNNER_CUDA_ROLE_H

/* Serves the broker at the other end of the ring until this process is killed. Returns, with an exit status, only if
 * the object cannot be loaded. */
int cuda_role(int ring_descriptor, const char *object_path);

#endif
