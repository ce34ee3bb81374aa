/* seccomp.h - the system calls that nothing in the sandbox may use, as a filter for bubblewrap.
 *
 * Namespaces already close the ways out. What is denied here are ways to memory that no resource limit counts (shared
 * anonymous memory, System V IPC, files in memory), kernel objects that outlive a process or know no namespace (keys,
 * vsock), and parts of the kernel that only attacks need there. Each fails with EPERM, as if it were forbidden to the user.
 * Source   Linux, Documentation/userspace-api/seccomp_filter.rst; bwrap(1), --seccomp.  */
#ifndef HARNESS_SANDBOX_SECCOMP_H
#define HARNESS_SANDBOX_SECCOMP_H

#include "base/status.h"

#include <stdbool.h>

/* A descriptor from which the filter can be read; the caller closes it. `one_process`: threads may be started, processes
 * may not. */
MUST_USE Status seccomp_filter(bool one_process, int *descriptor, Message *why);

#endif
