/* As compile.c, by gcc alone, without a toolkit and the judge's runtime. -march=native because the baseline runs
 * where it was compiled; the GPU's code is made for its device, too. */
#include "harness/compile/compile_cpu.h"

#include "base/hash.h"
#include "harness/compile/compile_report.h"
#include "harness/compile/compile_sandbox.h"

#include <limits.h>
#include <stdio.h>

#define SOURCE_NAME "submission.c"

/* $1: object, $2: shared object. */
static const char script[] =
    "gcc -std=gnu11 -O3 -march=native -fopenmp -pthread -fPIC -include prototype.h -I. "
    "-c " SOURCE_NAME " -o \"$1\" &&\n"
    "gcc -shared -fno-lto -fno-use-linker-plugin -fopenmp -pthread -Wl,-z,defs \"$1\" -lm -o \"$2\"\n";

/* Scalar parameters are whole numbers: problem.json allows no others. */
static void add_prototype(const CompileJob *job, Text *text)
{
    text_printf(text,
                "#ifndef CONVJUDGE_PROTOTYPE\n#define CONVJUDGE_PROTOTYPE\n%s;\n"
                "void convjudge_call(const unsigned long long *words)\n{\n    solve(",
                job->prototype);
    for (size_t i = 0; i < job->parameter_count; i++)
        text_printf(text, "%s(%s)words[%zu]", i > 0 ? ", " : "", job->parameter_types[i], i);
    text_add(text, ");\n}\n#endif\n");
}

static Status write_sources(const CompileJob *job, const CompileFolders *folders, Message *why)
{
    Text prototype = {0};
    add_prototype(job, &prototype);
    Status status = compile_put_file(folders->in, SOURCE_NAME, job->source, job->source_bytes, why);
    if (status == STATUS_OK)
        status = compile_put_file(folders->in, "prototype.h", prototype.data, prototype.length, why);
    text_free(&prototype);
    return status;
}

static Status run_compiler(const CompileJob *job, const CompileFolders *folders, Text *output, ProcessEnd *end,
                           Message *why)
{
    static const char *const argv[] = {"/bin/sh", "-c", script, "compile", "/out/submission.o", "/out/submission.so",
                                       NULL};
    Status status = write_sources(job, folders, why);
    return status == STATUS_OK ? compile_in_sandbox(job, NULL, folders, argv, output, end, why) : status;
}

/* Copies the object out of the folder that the compiler's user can write. */
static Status take_object(const CompileFolders *folders, Compiled *compiled, Message *why)
{
    char path[PATH_MAX + 32];
    Text object = {0};
    snprintf(path, sizeof path, "%s/submission.so", folders->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &object, why);
    if (status == STATUS_OK)
        status = compile_put_file(folders->folder, "submission.so", object.data, object.length, why);
    if (status == STATUS_OK) {
        Hash hash;
        hash_begin(&hash);
        hash_add(&hash, object.data, object.length);
        compiled->machine_code = hash_end(&hash);
        compiled->object_path = arena_printf(&compiled->arena, "%s/submission.so", folders->folder);
    }
    text_free(&object);
    return status;
}

static void add_diagnostics(const CompileJob *job, const Text *output, Compiled *compiled)
{
    const char *const paths[] = {"/submission/" SOURCE_NAME,
                                 job->file_name,
                                 SOURCE_NAME,
                                 job->file_name,
                                 "/out/submission.o",
                                 job->file_name,
                                 "./prototype.h",
                                 "the judge's prototype",
                                 NULL};
    Text all = {0};
    report_headline(job, compiled->outcome, output, &all);
    text_append(&all, output->data, output->length);
    report_diagnostics(&all, paths, &compiled->diagnostics);
    text_free(&all);
}

Status compile_for_cpu(const CompileJob *job, const char *scratch, Compiled *compiled, Message *why)
{
    CompileFolders folders;
    Text output = {0};
    ProcessEnd end = {0};
    *compiled = (Compiled){0};
    Status status = compile_folders_new(scratch, &folders, why);
    if (status == STATUS_OK)
        status = run_compiler(job, &folders, &output, &end, why);
    if (status == STATUS_OK) {
        compiled->seconds = end.seconds;
        compiled->outcome = report_outcome(&output, &end);
        add_diagnostics(job, &output, compiled);
    }
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_object(&folders, compiled, why);
    text_free(&output);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}
