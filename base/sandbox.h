/* sandbox.h - where untrusted code runs: the compiler on a submission, and the submission itself.
 *
 * It is made by bubblewrap, with its own user, pid, ipc, net, uts and cgroup namespaces, without capabilities and
 * nested user namespaces, with an empty environment, a private /tmp, a file system that holds nothing but what is
 * listed, and a filter of system calls. docs/explanation/security.md describes it.  */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "base/process.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== seccomp ===================================================================================================== */

/* The system calls that a program in the sandbox may use, as a filter for bubblewrap.
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
 * Source   Linux, Documentation/userspace-api/seccomp_filter.rst; bwrap(1), --seccomp; seccomp_export_bpf(3). */

/* `*descriptor` reads the filter; the caller closes it. `one_process`: the filter of a submission, which may start threads,
 * but no processes; otherwise that of a compiler. */
MUST_USE Status seccomp_filter(bool one_process, int *descriptor, Message *why);

/* ==== sandbox ===================================================================================================== */

typedef struct SandboxMount {
    const char *source; /* on the host */
    const char *target; /* inside */
    bool writable;
} SandboxMount;

typedef struct SandboxSpec {
    ProcessSpec process;        /* argv, limits, descriptors; its folder is a path inside the sandbox */
    const SandboxMount *mounts; /* in addition to the system (/usr without /usr/local, /lib*, /bin, read-only) */
    size_t mount_count;
    bool one_process;    /* a submission: it may start threads, but no processes, and only read files */
    bool proc, dev;      /* a new /proc, a minimal /dev; without it there is /dev/null alone: the compiler's */
    bool read_only;      /* /tmp is empty and nothing can be written: no limit would count the files themselves */
    size_t tmp_bytes;    /* size of the private /tmp; 0: 64 MiB */
    size_t memory_bytes; /* of all processes together, where there are control groups (scratch.h); 0: no limit */
} SandboxSpec;

/* Turns the spec into `*process`, for process_start() and process_run(). Its strings live until sandbox_free(),
 * except for the environment and the list of descriptors, which remain the caller's. limits.processes counts this
 * sandbox only.
 *
 * Mounts must be readable by everyone (if the judge runs as root, the program has another user), and their targets
 * must lie outside /usr, which is read-only. Where no full sandbox can be made it fails, as sandbox_require() does. If
 * running unconfined is allowed, and bubblewrap is missing or refused by the system, the process runs without it, and
 * paths inside (whole arguments, the folder) are replaced by those of the host: see sandbox_level().
 *
 * CONVJUDGE_BWRAP names a bubblewrap other than /usr/bin/bwrap. It finds its libraries through LD_LIBRARY_PATH; the
 * sandboxed program does not see that variable. */
typedef struct Sandbox Sandbox;
MUST_USE Status sandbox_new(const SandboxSpec *spec, Sandbox **sandbox, ProcessSpec *process, Message *why);
void sandbox_free(Sandbox *sandbox);

/* True if a process that ended with this status (ProcessEnd) never became the program, because bubblewrap could not
 * make the sandbox this time: a shortage of the judge's, not a fault of the program's. */
bool sandbox_was_not_made(const Sandbox *sandbox, int exit_status);
/* True if its processes were killed because they needed more than `memory_bytes`. */
bool sandbox_ran_out_of_memory(const Sandbox *sandbox);

/* Lets submissions run without a full sandbox. They are not ranked. Without this call, nothing would run. */
void sandbox_allow_unconfined(void);
bool sandbox_allows_unconfined(void);
/* STATUS_UNSUPPORTED, and a message that names the option, where sandbox_new() would fail for want of a sandbox. */
MUST_USE Status sandbox_require(Message *why);

/* The sandbox that this machine allows, found once by running `true` in it, again where a resource is short for a
 * moment: "full", "partial: <what is missing>" or
 * "none: <why>". */
const char *sandbox_level(void);

#endif
