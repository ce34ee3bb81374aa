/* broker_confine.h - takes from a broker everything that serving a submission does not need, before it reads the first
 * byte that a submission made, so that a hole in its readers is not a hole in the judge.
 *
 * On a simulated GPU: namespaces of its own for users, processes, network, IPC, host name and cgroups; no capabilities; Landlock,
 * which leaves the system's programs and libraries and the profiles to read, and the folder of translations to write,
 * and no signals to processes outside; a filter of system calls without sockets, without ways to other processes, and
 * without the parts of the kernel that only attacks need. Where kernels are not translated, it starts no process and
 * writes no file. A translation's gcc runs under the same rules.
 *
 * On a real GPU the same comes in two parts. Before the driver starts threads, which would otherwise keep what they have: namespaces of its
 * own but for processes, since the driver reads /proc, no capabilities, and Landlock, which leaves the system's libraries and what the
 * kernel tells in /proc and /sys to read, and the driver's files of this one GPU to use. After that the filter, which leaves it sockets
 * within the host, and threads and processes, but no other program.
 *
 * Source   Linux, Documentation/userspace-api/landlock.rst; user_namespaces(7); seccomp_rule_add(3).  */
#ifndef HARNESS_BROKER_BROKER_CONFINE_H
#define HARNESS_BROKER_BROKER_CONFINE_H

#include "harness/device/device.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Confinement {
    bool is_real_gpu;
    const char *profiles;     /* folder to read from; NULL: none */
    const char *translations; /* folder to write to, which exists; NULL: kernels are not translated */
} Confinement;

/* Each confines the calling process for good. What the kernel does not offer is left out, and its name is added to the string
 * `missing`, which begins as "". */

/* Confines a process that uses a real GPU, before the driver starts. `gpu`: its files; if it names none, all files stay
 * open. */
void broker_confine_driver(const DeviceFiles *gpu, char *missing, size_t size);

/* The process must have one thread, or a real GPU. Where it gets a namespace of processes, the call returns in a child,
 * and the calling process only waits for it. */
void broker_confine(const Confinement *confinement, char *missing, size_t size);

#endif
