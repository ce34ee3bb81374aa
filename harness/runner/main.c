/* The process that holds the object compiled from a submission and calls its solve(). It has one of three roles:
 *
 *     convjudge-runner cuda DESCRIPTOR OBJECT             a submission that is judged (roles.c)
 *     convjudge-runner cpu DESCRIPTOR OBJECT              a CPU baseline (roles.c)
 *     convjudge-runner direct CUDART OBJECT ARGUMENT...   a submission that a profiler looks at (roles.c)
 *
 * The roles differ in the CUDA runtime library that they open before the object: the judge's own, none, or NVIDIA's.
 * The program itself is therefore linked with none. In the first two roles it runs in the sandbox. It has access to no
 * testcase, no expected output and no device, and the judge sees from outside what goes wrong in it. */
#include "harness/runner/roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *role = argc < 4 ? "" : argv[1];
    if (strcmp(role, "cuda") == 0)
        return cuda_role(atoi(argv[2]), argv[3]);
    if (strcmp(role, "cpu") == 0)
        return cpu_role(atoi(argv[2]), argv[3]);
    if (strcmp(role, "direct") == 0)
        return direct_role(argv[2], argv[3], argc - 4, argv + 4);
    fprintf(stderr, "convjudge-runner: started by the judge itself, with the role cuda, cpu or direct\n");
    return 2;
}
