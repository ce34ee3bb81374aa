#include "harness/compile/compile.h"

#include "base/hash.h"
#include "base/paths.h"
#include "harness/compile/clang_subset.h"
#include "harness/compile/compile_clang.h"
#include "harness/compile/compile_language.h"
#include "harness/compile/compile_modules.h"
#include "harness/compile/compile_nvcc.h"
#include "harness/compile/compile_report.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/compiler_run.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- what goes in ------------------------------------------------------------------------------------------------ */

/* Appends the expression for a parameter of solve() in a 64-bit word. */
static void add_argument_expression(Text *text, const char *type, size_t index)
{
    if (strcmp(type, "float") == 0)
        text_printf(text, "__builtin_bit_cast(float, (unsigned)words[%zu])", index);
    else if (strcmp(type, "double") == 0)
        text_printf(text, "__builtin_bit_cast(double, words[%zu])", index);
    else
        text_printf(text, "(%s)words[%zu]", type, index);
}

/* Some structs of runtime calls have grown with CUDA 12 and 13 (runtime/older.h), so the object tells the runtime which
 * version it was compiled for. With clang, the structs are the judge's own. */
static void add_version(Text *text, const Toolkit *toolkit)
{
    if (toolkit->kind == TOOLKIT_NVCC && toolkit->major < 13)
        text_printf(text,
                    "extern \"C\" void convjudge_compiled_for(int);\n__attribute__((constructor(101))) static void "
                    "convjudge_begin()\n{\n    convjudge_compiled_for(%d);\n}\n",
                    toolkit->major);
}

static Text prototype_header(const CompileJob *job, const Toolkit *toolkit)
{
    Text text = {0};
    text_printf(&text,
                "#ifndef CONVJUDGE_PROTOTYPE\n#define CONVJUDGE_PROTOTYPE\nextern \"C\" %s;\n"
                "extern \"C\" void convjudge_call(const unsigned long long *words)\n{\n    solve(",
                job->prototype);
    for (size_t i = 0; i < job->parameter_count; i++) {
        text_add(&text, i > 0 ? ", " : "");
        add_argument_expression(&text, job->parameter_types[i], i);
    }
    text_add(&text, ");\n}\n");
    add_version(&text, toolkit);
    text_add(&text, "#endif\n");
    return text;
}

static Status write_sources(const CompileJob *job, const Toolkit *toolkit, const CompileFolders *folders, Message *why)
{
    static const char solve_h[] = "#include \"prototype.h\"\n";
    Text prototype = prototype_header(job, toolkit);
    Status status = compile_put_file(folders->in, COMPILE_SOURCE_NAME, job->source, job->source_bytes, why);
    if (status == STATUS_OK)
        status = compile_put_file(folders->in, "prototype.h", prototype.data, prototype.length, why);
    if (status == STATUS_OK)
        status = compile_put_file(folders->in, "solve.h", solve_h, strlen(solve_h), why);
    text_free(&prototype);
    return status;
}

/* Finds the judge's own files that the compiler needs, and reads the runtime library. */
static Status find_tools(const Toolkit *toolkit, CompileTools *tools, Text *runtime, Message *why)
{
    tools->toolkit = toolkit;
    Status status = paths_build("libcudart.so.13", tools->runtime, sizeof tools->runtime, why);
    if (status == STATUS_OK)
        status = paths_home("harness/cuda", tools->headers, sizeof tools->headers, why);
    return status == STATUS_OK ? text_read_file(tools->runtime, COMPILE_FILE_BYTES, runtime, why) : status;
}

static Status cache_key(const CompileJob *job, const CompileTools *tools, const Text *runtime, Digest *key,
                        Message *why)
{
    const Toolkit *toolkit = tools->toolkit;
    const char *language[COMPILE_LANGUAGE_FLAGS + 1] = {NULL};
    Hash hash;
    Text prototype = prototype_header(job, toolkit);
    compile_language_flags(job->source, toolkit, language, 0);
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge compilation 6"); /* raise it when an entry's meaning changes */
    hash_add(&hash, job->source, job->source_bytes);
    hash_add(&hash, prototype.data, prototype.length);
    hash_add_string(&hash, COMPILE_SCRIPT);
    hash_add_strings(&hash, language);
    hash_add(&hash, &job->compute, sizeof job->compute);
    hash_add(&hash, &job->unoptimised, sizeof job->unoptimised);
    toolkit_hash(toolkit, &hash);
    hash_add(&hash, runtime->data, runtime->length);
    text_free(&prototype);
    Status status = toolkit->kind == TOOLKIT_CLANG ? compile_hash_clang(tools, &hash, why)
                                                   : compile_hash_nvcc(tools, &hash, why);
    *key = hash_end(&hash);
    return status;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static Status read_results(const CompileFolders *folders, CompilerRun *run, Message *why)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/submission.so", folders->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &run->object, why);
    snprintf(path, sizeof path, "%s/submission.o", folders->out);
    return status == STATUS_OK ? text_read_file(path, COMPILE_FILE_BYTES, &run->host_object, why) : status;
}

static Status run_compiler(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                           CompilerRun *run, CompileOutcome *outcome, Message *why)
{
    bool is_clang = tools->toolkit->kind == TOOLKIT_CLANG;
    ProcessEnd end = {0};
    Status status = is_clang ? compile_with_clang(job, tools, folders, &run->module, &run->output, &end, why)
                             : compile_with_nvcc(job, tools, folders, &run->module, &run->output, &end, why);
    if (status != STATUS_OK)
        return status;
    run->seconds = end.seconds;
    *outcome = report_outcome(&run->output, &end);
    if (*outcome == COMPILE_ERROR && is_clang && subset_is_refusal(&run->output))
        *outcome = COMPILE_UNSUPPORTED;
    else if (*outcome == COMPILE_ERROR && is_clang && report_is_system_header(&run->output))
        *outcome = COMPILE_BROKEN;
    return *outcome == COMPILE_OK ? read_results(folders, run, why) : STATUS_OK;
}

/* Takes the result from the cache, or runs the compiler and puts its result there. */
static Status find_or_compile(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                              const Text *runtime, CompilerRun *run, Compiled *compiled, Message *why)
{
    Digest key;
    Status status = cache_key(job, tools, runtime, &key, why);
    compiled->cached = status == STATUS_OK && compiler_run_read(&key, run);
    if (compiled->cached || status != STATUS_OK)
        return status;
    if (job->begins != NULL)
        job->begins(job->context);
    status = write_sources(job, tools->toolkit, folders, why);
    if (status == STATUS_OK)
        status = run_compiler(job, tools, folders, run, &compiled->outcome, why);
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        compiler_run_write(&key, run);
    return status;
}

/* The runner can register no other GPU code (harness/broker/broker_module.c); this says so to an honest person. */
static void refuse_foreign_code(CompilerRun *run, Compiled *compiled)
{
    static const char line[] = COMPILE_SOURCE_NAME
        ": error: the object file holds GPU code that the device compiler did "
        "not make (section .nv_fatbin)\n";
    Text output = {0};
    text_add(&output, line);
    text_append(&output, run->output.data, run->output.length);
    text_free(&run->output);
    run->output = output;
    compiled->outcome = COMPILE_ERROR;
}

/* Writes the object beside the sandbox's folders and takes the module of the device step. */
static Status take_object(const CompileJob *job, const CompileFolders *folders, CompilerRun *run, Compiled *compiled,
                          Message *why)
{
    Arena *arena = &compiled->arena;
    if (!module_is_alone(&run->module, &run->object)) {
        refuse_foreign_code(run, compiled);
        return STATUS_OK;
    }
    Status status = compile_put_file(folders->folder, "submission.so", run->object.data, run->object.length, why);
    if (status != STATUS_OK)
        return status;
    compiled->object_path = arena_printf(arena, "%s/submission.so", folders->folder);
    report_kernels(&run->output, arena, &compiled->kernels, &compiled->kernel_count);
    compiled->modules = arena_array(arena, 1, sizeof *compiled->modules);
    compiled->module_count = run->module.length > 0;
    if (compiled->module_count > 0)
        compiled->modules[0] = (CompileModule){arena_copy(arena, run->module.data, run->module.length),
                                               run->module.length};
    compiled->machine_code = machine_code_digest(compiled->modules, compiled->module_count, job->compute,
                                                 &run->host_object);
    return status;
}

static void add_diagnostics(const CompileJob *job, const Toolkit *toolkit, const CompileFolders *folders,
                            const Text *output, Compiled *compiled)
{
    const char *const paths[] = {"/submission/" COMPILE_SOURCE_NAME,
                                 job->file_name,
                                 COMPILE_HOST_NAME,
                                 job->file_name,
                                 COMPILE_SOURCE_NAME,
                                 job->file_name,
                                 "/out/submission.o",
                                 job->file_name,
                                 "./prototype.h",
                                 "the judge's prototype",
                                 COMPILE_HEADERS "/",
                                 "",
                                 folders->in,
                                 "",
                                 folders->out,
                                 "",
                                 NULL};
    Text all = {0};
    if (compiled->outcome != COMPILE_UNSUPPORTED || subset_headline(output, job, &all)) {
        report_headline(job, compiled->outcome, output, &all);
        text_append(&all, output->data, output->length);
    }
    if (toolkit->kind == TOOLKIT_CLANG &&
        (compiled->outcome == COMPILE_ERROR || compiled->outcome == COMPILE_UNSUPPORTED))
        subset_hint(output, job, toolkit, &all);
    report_diagnostics(&all, paths, &compiled->diagnostics);
    text_free(&all);
}

Status compile_submission(const CompileJob *asked, const Toolkit *toolkit, const char *scratch, Compiled *compiled,
                          Message *why)
{
    CompileJob chosen = *asked, *job = &chosen;
    CompileTools tools;
    CompileFolders folders;
    CompilerRun run = {0};
    Text runtime = {0};
    *compiled = (Compiled){0};
    Status status = toolkit_architecture(toolkit, asked->compute, &chosen.compute, why);
    if (status == STATUS_OK)
        status = find_tools(toolkit, &tools, &runtime, why);
    if (status == STATUS_OK)
        status = compile_folders_new(scratch, &folders, why);
    if (status == STATUS_OK)
        status = find_or_compile(job, &tools, &folders, &runtime, &run, compiled, why);
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_object(job, &folders, &run, compiled, why);
    if (status == STATUS_OK)
        add_diagnostics(job, toolkit, &folders, &run.output, compiled);
    compiled->seconds = run.seconds;
    compiler_run_free(&run);
    text_free(&runtime);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}
