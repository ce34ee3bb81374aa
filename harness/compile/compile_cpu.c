/* A CPU baseline's way to a shared object: as a submission's (compile.c), by gcc alone, without a toolkit and without
 * the judge's runtime. -march=native since it runs where it was compiled; the GPU's code is made for its device, too. */
#include "harness/compile/compile_parts.h"

#include "harness/sandbox/sandbox.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_NAME "submission.c"

enum { PROCESSES = 64, OPEN_FILES = 256, TMP_BYTES = 256 << 20 };

/* $1 object, $2 shared object. */
static const char script[] = "gcc -std=gnu11 -O3 -march=native -fopenmp -pthread -fPIC -include prototype.h -I. "
                             "-c " SOURCE_NAME " -o \"$1\" &&\n"
                             "gcc -shared -fopenmp -pthread -Wl,-z,defs \"$1\" -lm -o \"$2\"\n";

typedef struct CpuPlaces { /* on the host */
    char folder[PATH_MAX], in[PATH_MAX], out[PATH_MAX];
} CpuPlaces;

/* Scalars among the parameters are whole numbers: problem.json has no others. */
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

static Status prepare(const CompileJob *job, const char *scratch, CpuPlaces *places, Message *why)
{
    Text prototype = {0};
    if ((size_t)snprintf(places->folder, sizeof places->folder, "%s/compile.XXXXXX", scratch) >= sizeof places->folder)
        return fail(STATUS_BAD_INPUT, why, "%s: too long a path", scratch);
    if (mkdtemp(places->folder) == NULL)
        return fail_errno(why, "%s: cannot be made", places->folder);
    add_prototype(job, &prototype);
    Status status = compile_put_folder(places->folder, "in", 0755, places->in, sizeof places->in, why);
    if (status == STATUS_OK) /* see compile.c */
        status = compile_put_folder(places->folder, "out", 0777, places->out, sizeof places->out, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->in, SOURCE_NAME, job->source, job->source_bytes, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->in, "prototype.h", prototype.data, prototype.length, why);
    text_free(&prototype);
    return status;
}

static Status run_compiler(const CompileJob *job, const CpuPlaces *places, Text *output, ProcessEnd *end, Message *why)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "LC_ALL=C", NULL};
    static const char *const argv[] = {"/bin/sh", "-c", script, "compile", "/out/submission.o", "/out/submission.so",
                                       NULL};
    const SandboxMount mounts[] = {{places->in, "/submission", false}, {places->out, "/out", true}};
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .environment = environment,
                    .folder = "/submission",
                    .limits = {.address_space_bytes = COMPILE_MEMORY_BYTES,
                               .file_bytes = COMPILE_FILE_BYTES,
                               .cpu_seconds = compile_cpu_seconds(job),
                               .processes = PROCESSES,
                               .open_files = OPEN_FILES}},
        .mounts = mounts,
        .mount_count = 2,
        .tmp_bytes = TMP_BYTES,
    };
    Sandbox *sandbox;
    ProcessSpec process;
    Status status = sandbox_new(&spec, &sandbox, &process, why);
    if (status == STATUS_OK)
        status = process_run(&process, COMPILE_WALL_SECONDS, COMPILE_OUTPUT_BYTES, output, end, why);
    sandbox_free(sandbox);
    return status;
}

/* Takes the object out of the folder that the compiler's user can write. */
static Status take_object(const CpuPlaces *places, Compiled *compiled, Message *why)
{
    char path[PATH_MAX + 32];
    Text object = {0};
    snprintf(path, sizeof path, "%s/submission.so", places->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &object, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->folder, "submission.so", object.data, object.length, why);
    if (status == STATUS_OK) {
        Hash hash;
        hash_begin(&hash);
        hash_add(&hash, object.data, object.length);
        compiled->machine_code = hash_end(&hash);
        compiled->object_path = arena_printf(&compiled->arena, "%s/submission.so", places->folder);
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
    compile_headline(job, compiled->outcome, output, &all);
    text_append(&all, output->data, output->length);
    report_diagnostics(&all, paths, &compiled->diagnostics);
    text_free(&all);
}

Status compile_for_cpu(const CompileJob *job, const char *scratch, Compiled *compiled, Message *why)
{
    CpuPlaces places = {0};
    Text output = {0};
    ProcessEnd end = {0};
    *compiled = (Compiled){0};
    Status status = prepare(job, scratch, &places, why);
    if (status == STATUS_OK)
        status = run_compiler(job, &places, &output, &end, why);
    if (status == STATUS_OK) {
        compiled->seconds = end.seconds;
        compiled->outcome = compile_outcome(&output, &end);
        add_diagnostics(job, &output, compiled);
    }
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_object(&places, compiled, why);
    text_free(&output);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}
