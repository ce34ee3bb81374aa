/* sandbox.h - where untrusted code runs: the compiler on a submission, and the submission itself.
 *
 * bubblewrap with its own user, pid, ipc, net, uts and cgroup namespaces, no capability, no nested user namespaces, an
 * empty environment, a private /tmp, a file system that holds what is listed and nothing else, and a filter of system calls
 * (seccomp.h). Facts and the
 * measurements behind them: docs/security.md.  */
#ifndef HARNESS_SANDBOX_SANDBOX_H
#define HARNESS_SANDBOX_SANDBOX_H

#include "base/status.h"
#include "harness/sandbox/process.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct SandboxMount {
    const char *source; /* on the host */
    const char *target; /* inside */
    bool writable;
} SandboxMount;

typedef struct SandboxSpec {
    ProcessSpec process;        /* argv, limits, descriptors; its folder is one inside the sandbox */
    const SandboxMount *mounts; /* besides the system's libraries (/usr without /usr/local, /lib*, /bin, read-only) */
    size_t mount_count;
    bool one_process; /* it may start threads, but no processes */
    bool proc, dev;   /* a fresh /proc, a minimal /dev: neither for the compiler, both for the runner */
    size_t tmp_bytes; /* size of the private /tmp; 0: 64 MiB */
} SandboxSpec;

/* Turns the spec into one that process_start() and process_run() take. Its strings live until sandbox_free(), but for
 * the environment and the list of descriptors, which stay the caller's. limits.processes counts this sandbox alone.
 * Mounts must be readable by everyone (the program is another user where the judge is root), and their targets must lie
 * outside /usr, which is read-only. Where bubblewrap is missing or refused by the system, the process runs without it,
 * and paths inside (whole arguments, the folder) are replaced by those outside: see sandbox_level(). CONVJUDGE_BWRAP
 * names another bubblewrap than /usr/bin/bwrap; it finds its libraries by LD_LIBRARY_PATH, the sandboxed program does
 * not. */
typedef struct Sandbox Sandbox;
MUST_USE Status sandbox_new(const SandboxSpec *spec, Sandbox **sandbox, ProcessSpec *process, Message *why);
void sandbox_free(Sandbox *sandbox);

/* What is in force on this machine, probed once by running `true` in it: "full", "partial: <what is missing>" or
 * "none: <why>". */
const char *sandbox_level(void);

#endif
