#include "service/operating/doctor.h"

#include "base/processors.h"
#include "grader/result/version.h"
#include "grader/terminal/terminal.h"
#include "harness/compile/find_program.h"
#include "harness/compile/toolkit.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

static void find_versions(Checkup *checkup)
{
    struct utsname system = {0};
    uname(&system);
    checkup_add(checkup, CHECKUP_OK, "versions", "", "ConvJudge %s, %s %s, glibc %s", CONVJUDGE_VERSION, system.sysname,
                system.release, gnu_get_libc_version());
}

static bool has_clang(Toolkit *clang, Message *why)
{
    return toolkit_find_clang(clang, why) == STATUS_OK;
}

static void find_compilers(Checkup *checkup)
{
    Toolkit nvcc, clang;
    Message no_nvcc = {0}, no_clang = {0};
    const bool has_nvcc = toolkit_find_nvcc(&nvcc, &no_nvcc) == STATUS_OK, clang_works = has_clang(&clang, &no_clang);
    if (has_nvcc)
        checkup_add(checkup, CHECKUP_OK, "nvcc", "", "%s in %s", nvcc.version, nvcc.root);
    else
        checkup_add(checkup, clang_works ? CHECKUP_NOTE : CHECKUP_MISSING, "nvcc",
                    clang_works
                        ? "clang compiles, for the simulated GPU alone, and its modelled times are a ranking of "
                          "their own. To get nvcc: " HOW_TO_GET_NVCC "."
                        : "Nothing compiles submissions. To get a compiler: " HOW_TO_GET_EITHER ".",
                    "%s", no_nvcc.text);
    if (clang_works)
        checkup_add(checkup, CHECKUP_OK, "clang", "", "%s in %s", clang.name, clang.root);
    else
        checkup_add(checkup, has_nvcc ? CHECKUP_OK : CHECKUP_NOTE, "clang",
                    has_nvcc ? "It is not needed: nvcc compiles." : "", "%s", no_clang.text);
}

static bool read_line(void *context, const char *output)
{
    char *line = context;
    snprintf(line, 100, "%.*s", (int)strcspn(output, "\n"), output);
    return line[0] != '\0';
}

static void find_gcc(Checkup *checkup)
{
    static const char *const names[] = {"gcc", "g++"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX], version[100] = "";
        const char *const argv[] = {path, "-dumpfullversion", NULL};
        Message why;
        if (program_on_path(names[i], path) &&
            program_ask(argv, read_line, version, "its version", "install it", &why) == STATUS_OK)
            checkup_add(checkup, CHECKUP_OK, names[i], "", "%s", version);
        else
            checkup_add(
                checkup, CHECKUP_MISSING, names[i],
                "It compiles expected outputs and the host's side of submissions. Debian: apt-get install gcc g++.",
                "none that works");
    }
}

static void find_locale(Checkup *checkup)
{
    if (terminal_style(stdout).utf8)
        checkup_add(checkup, CHECKUP_OK, "locale", "", "UTF-8");
    else
        checkup_add(checkup, CHECKUP_NOTE, "locale",
                    "Bars and signs in reports are plain ASCII. LANG=C.UTF-8 changes that.", "not UTF-8");
}

static void find_stack(Checkup *checkup)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_STACK, &limit);
    const unsigned long mebibytes = (unsigned long)(limit.rlim_cur >> 20);
    if (limit.rlim_cur == RLIM_INFINITY || mebibytes >= 8)
        checkup_add(checkup, CHECKUP_OK, "stack", "", "8 MiB or more");
    else
        checkup_add(checkup, CHECKUP_NOTE, "stack", "8 MiB are usual. Raise the hard limit (ulimit -Hs).",
                    "%lu MiB at most", mebibytes);
}

static void find_cores(Checkup *checkup)
{
    const size_t cores = processors_usable();
    const double gibibytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE) / (1 << 30);
    const bool few = cores < 2 || gibibytes < 3.5;
    checkup_add(
        checkup, few ? CHECKUP_NOTE : CHECKUP_OK, "cores",
        few ? "The simulated GPU runs on the cores, and a submission may use 2 GiB: gradings take long, and run one "
              "at a time."
            : "",
        "%zu, with %.1f GiB of memory", cores, gibibytes);
}

void doctor_programs(Checkup *checkup)
{
    find_versions(checkup);
    find_compilers(checkup);
    find_gcc(checkup);
    find_cores(checkup);
    find_stack(checkup);
    find_locale(checkup);
}
