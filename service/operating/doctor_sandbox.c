#include "service/operating/doctor.h"

#include "harness/compile/find_program.h"
#include "harness/sandbox/cgroup.h"
#include "harness/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_version(void *context, const char *output)
{
    return program_read_after(output, "bubblewrap ", "\n", context, 60);
}

static void find_bubblewrap(Checkup *checkup)
{
    const char *named = getenv("CONVJUDGE_BWRAP");
    const char *const argv[] = {named != NULL && named[0] != '\0' ? named : "/usr/bin/bwrap", "--version", NULL};
    char version[60] = "";
    Message why;
    if (program_ask(argv, read_version, version, "its version", "install bubblewrap", &why) == STATUS_OK)
        checkup_add(checkup, CHECKUP_OK, "bubblewrap", "", "%s (%s)", version, argv[0]);
    else
        checkup_add(checkup, CHECKUP_MISSING, "bubblewrap", "It makes the sandbox. Debian: apt-get install bubblewrap.",
                    "%s", why.text);
}

static long number_in(const char *path, long otherwise)
{
    FILE *file = fopen(path, "r");
    long number = otherwise;
    if (file == NULL)
        return otherwise;
    if (fscanf(file, "%ld", &number) != 1)
        number = otherwise;
    fclose(file);
    return number;
}

/* The usual switches that keep ordinary users from namespaces; root is not kept. */
static const char *forbids_namespaces(void)
{
    if (number_in("/proc/sys/user/max_user_namespaces", 1) == 0)
        return "sysctl user.max_user_namespaces=10000";
    if (geteuid() != 0 && number_in("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0)
        return "sysctl kernel.unprivileged_userns_clone=1";
    if (geteuid() != 0 && number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1)
        return "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile of AppArmor for bubblewrap";
    return NULL;
}

static void find_level(Checkup *checkup)
{
    char cost[400];
    const char *level = sandbox_level(), *remedy = forbids_namespaces();
    if (strcmp(level, "full") == 0) {
        checkup_add(checkup, CHECKUP_OK, "sandbox", "", "full: namespaces, system calls filtered, no rights");
        return;
    }
    snprintf(cost, sizeof cost,
             "No submission runs, unless --unconfined lets it run with your rights and without a rank. %s%s%s",
             remedy == NULL ? "Containers often forbid namespaces: run the judge outside, or let them be made"
                            : "As root: ",
             remedy == NULL ? "" : remedy, ".");
    checkup_add(checkup, CHECKUP_MISSING, "sandbox", cost, "%s", level);
}

static void find_seccomp(Checkup *checkup)
{
    if (access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0)
        checkup_add(checkup, CHECKUP_OK, "seccomp", "", "the kernel filters system calls");
    else
        checkup_add(checkup, CHECKUP_NOTE, "seccomp", "Where it filters none, the sandbox is not full.",
                    "the kernel does not say that it filters system calls");
}

static void find_cgroup(Checkup *checkup)
{
    const CgroupLimits limits = {.memory_bytes = 64 << 20, .processes = 16};
    Cgroup group = {0};
    if (cgroup_new(&limits, &group)) {
        cgroup_remove(&group);
        checkup_add(checkup, CHECKUP_OK, "control groups", "",
                    "memory and processes of a sandbox are limited together");
        return;
    }
    checkup_add(checkup, CHECKUP_NOTE, "control groups",
                "Limits hold for each process of a compiler, not for all of them together. The service's unit has "
                "Delegate=yes; by hand: systemd-run --user --scope -p Delegate=yes convjudge ...",
                "the kernel lends none");
}

void doctor_sandbox(Checkup *checkup)
{
    find_bubblewrap(checkup);
    find_level(checkup);
    find_seccomp(checkup);
    find_cgroup(checkup);
}
