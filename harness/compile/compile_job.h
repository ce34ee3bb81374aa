/* compile_job.h - what is to be compiled, and the limits for the compiler.  */
#ifndef HARNESS_COMPILE_COMPILE_JOB_H
#define HARNESS_COMPILE_COMPILE_JOB_H

#include <stdbool.h>
#include <stddef.h>

enum {
    COMPILE_FILE_BYTES = 64 << 20,     /* of any file that the compiler writes */
    COMPILE_OUTPUT_BYTES = 64 << 10,   /* of what it prints */
    COMPILE_MEMORY_BYTES = 0x7FFFF000, /* address space of each of its programs: 2 GiB */
    COMPILE_CPU_SECONDS = 10,          /* of each of its programs; an honest file takes 0.6 to 4 s in all of them */
    COMPILE_WALL_SECONDS = 60          /* for machines under load */
};

/* Submissions are compiled under this name, so that their code does not depend on the student's file name. The line
 * information of PTX holds it as /submission/submission.cu; show the student's own name instead. */
#define COMPILE_SOURCE_NAME "submission.cu"
#define COMPILE_HOST_NAME "submission.cudafe1.cpp" /* what nvcc calls the host's side of it */

/* Told when the compiler is about to run, which takes seconds, since nothing is kept from before. */
typedef void CompileBegins(void *context);

typedef struct CompileJob {
    const char *file_name; /* what diagnostics call the source: the student's own file name */
    const char *source;    /* terminated */
    size_t source_bytes;
    const char *prototype;              /* C declaration: "void solve(const float* input, int n)" */
    const char *const *parameter_types; /* "const float*", "int", ...: one for each parameter, for convjudge_call */
    size_t parameter_count;
    int compute;           /* 90 for a device of compute capability 9.0 */
    bool unoptimised;      /* by nvcc: ptxas leaves out all optimisation (-Xptxas -O0) */
    unsigned cpu_seconds;  /* processor time of each of the compiler's programs; 0: 10 s */
    CompileBegins *begins; /* NULL: nobody asks */
    void *context;         /* of `begins` */
} CompileJob;

/* Processor time that each of the compiler's programs may take. */
static inline unsigned compile_cpu_seconds(const CompileJob *job)
{
    return job->cpu_seconds != 0 ? job->cpu_seconds : COMPILE_CPU_SECONDS;
}

#endif
