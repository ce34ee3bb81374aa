/* seccomp.h - the system calls that a program in the sandbox may use, as a filter for bubblewrap.
 *
 * Namespaces already close the ways out. The filter closes ways to memory that no resource limit counts (shared anonymous
 * memory, System V IPC, files in memory, pages in pipes, locks, watches), kernel objects that outlive a process or that
 * namespaces do not separate (keys, vsock), and parts of the kernel that only attacks need here.
 *
 * A submission runs as one process that reads files and computes: what that needs is allowed, and every other call fails
 * with ENOSYS. A compiler is many programs that change with each version: the calls that it has no use for fail with EPERM,
 * and the others are allowed.
 *
 * libseccomp writes the filter's program (linked statically: a GPU node may lack it). It replaced the judge's own
 * code: the same decisions in two thirds of the instructions, and nobody has to count jumps.
 * Source   Linux, Documentation/userspace-api/seccomp_filter.rst; bwrap(1), --seccomp; seccomp_export_bpf(3).  */
#ifndef HARNESS_SANDBOX_SECCOMP_H
#define HARNESS_SANDBOX_SECCOMP_H

#include "base/status.h"

#include <stdbool.h>

/* `*descriptor` reads the filter; the caller closes it. `one_process`: the filter of a submission, which may start threads,
 * but no processes; otherwise that of a compiler. */
MUST_USE Status seccomp_filter(bool one_process, int *descriptor, Message *why);

#endif
