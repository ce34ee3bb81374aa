/* How it works
 *
 * The source is written under a fixed name into a folder that the sandbox sees read-only, beside the prototype. A few
 * lines of shell in the sandbox compile it (nvcc -c, clang -c) and link it (g++): apart, so that the object before
 * linking can be hashed, and at no cost, since nvcc would call g++ for that too. Where gold is installed it links in a
 * quarter of the time; what it cannot link the usual linker explains, everywhere in the same words. What they print and
 * write is bounded; nothing of the student's is ever part of a command line.  */
#include "base/paths.h"
#include "harness/compile/compiler_run.h"
#include "harness/compile/compile_parts.h"

#include "harness/sandbox/process.h"
#include "harness/sandbox/sandbox.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPILE_PROCESSES = 64, COMPILE_OPEN_FILES = 256, COMPILE_TMP_BYTES = 256 << 20 };

const char COMPILE_SCRIPT[] = "object=$1 shared=$2 runtime=$3\nshift 3\n"
                              "\"$@\" -c " COMPILE_SOURCE_NAME " -o \"$object\" || exit\n"
                              "link() { g++ -shared \"$object\" \"$runtime\" -Wl,-z,defs -o \"$shared\" \"$@\"; }\n"
                              "said=$(link -fuse-ld=gold 2>&1) || link\n";

static const char *const environment[] = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "LC_ALL=C", NULL};

/* ---- what goes in ------------------------------------------------------------------------------------------------ */

/* solve()'s parameter from a 64-bit word. */
static void add_argument(Text *text, const char *type, size_t index)
{
    if (strcmp(type, "float") == 0)
        text_printf(text, "__builtin_bit_cast(float, (unsigned)words[%zu])", index);
    else if (strcmp(type, "double") == 0)
        text_printf(text, "__builtin_bit_cast(double, words[%zu])", index);
    else
        text_printf(text, "(%s)words[%zu]", type, index);
}

/* Structs of the runtime's calls have grown with CUDA 12 and 13 (runtime/older.h); clang's are the judge's own. */
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
        add_argument(&text, job->parameter_types[i], i);
    }
    text_add(&text, ");\n}\n");
    add_version(&text, toolkit);
    text_add(&text, "#endif\n");
    return text;
}

/* A file that the sandbox's user can read. */
Status compile_put_file(const char *folder, const char *name, const char *data, size_t length, Message *why)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return fail(STATUS_BAD_INPUT, why, "%s: too long a path", folder);
    FILE *file = fopen(path, "wxe");
    if (file == NULL)
        return fail_errno(why, "%s: cannot be written", path);
    bool written = length == 0 || fwrite(data, length, 1, file) == 1;
    if (fclose(file) != 0 || !written)
        return fail_errno(why, "%s: cannot be written", path);
    chmod(path, 0644);
    return STATUS_OK;
}

Status compile_put_folder(const char *parent, const char *name, mode_t mode, char *path, size_t size, Message *why)
{
    if ((size_t)snprintf(path, size, "%s/%s", parent, name) >= size)
        return fail(STATUS_BAD_INPUT, why, "%s: too long a path", parent);
    if (mkdir(path, mode) != 0 || chmod(path, mode) != 0)
        return fail_errno(why, "%s: cannot be made", path);
    return STATUS_OK;
}

static Status prepare(const CompileJob *job, const Toolkit *toolkit, Places *places, Message *why)
{
    static const char solve_h[] = "#include \"prototype.h\"\n";
    Text prototype = prototype_header(job, toolkit);
    Status status = compile_put_folder(places->folder, "in", 0755, places->in, sizeof places->in, why);
    if (status == STATUS_OK) /* written by another user where the judge is root; the folder keeps all others out */
        status = compile_put_folder(places->folder, "out", 0777, places->out, sizeof places->out, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->in, COMPILE_SOURCE_NAME, job->source, job->source_bytes, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->in, "prototype.h", prototype.data, prototype.length, why);
    if (status == STATUS_OK)
        status = compile_put_file(places->in, "solve.h", solve_h, strlen(solve_h), why);
    text_free(&prototype);
    return status;
}

static Status cache_key(const CompileJob *job, const Toolkit *toolkit, const Places *places, const Text *runtime,
                        Digest *key, Message *why)
{
    Hash hash;
    Text prototype = prototype_header(job, toolkit);
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge compilation 3"); /* raise it when an entry's meaning changes */
    hash_add(&hash, job->source, job->source_bytes);
    hash_add(&hash, prototype.data, prototype.length);
    hash_add_string(&hash, COMPILE_SCRIPT);
    hash_add_string(&hash, library_flag(job) == NULL ? "" : library_flag(job));
    hash_add(&hash, &job->compute, sizeof job->compute);
    hash_add_string(&hash, toolkit->name);
    hash_add_string(&hash, toolkit->root);
    hash_add(&hash, runtime->data, runtime->length);
    text_free(&prototype);
    Status status = (toolkit->kind == TOOLKIT_CLANG ? clang_hash : nvcc_hash)(places, &hash, why);
    *key = hash_end(&hash);
    return status;
}

/* ---- the compiler in its sandbox --------------------------------------------------------------------------------- */

/* A toolkit in the system's own folders is there already, and may be found by links between them. */
static bool inside_system(const char *root)
{
    return strcmp(root, "/usr") == 0 || strncmp(root, "/usr/lib", 8) == 0;
}

void compile_program_path(const Toolkit *toolkit, char *path, size_t size)
{
    if (inside_system(toolkit->root))
        snprintf(path, size, "%s", toolkit->compiler);
    else
        snprintf(path, size, "/toolkit%s", toolkit->compiler + strlen(toolkit->root));
}

unsigned compile_cpu_seconds(const CompileJob *job)
{
    return job->cpu_seconds != 0 ? job->cpu_seconds : COMPILE_CPU_SECONDS;
}

Status compile_in_sandbox(const CompileJob *job, const Toolkit *toolkit, const Places *places, const char *const *argv,
                          Text *output, ProcessEnd *end, Message *why)
{
    const SandboxMount mounts[] = {{places->in, "/submission", false},
                                   {places->out, "/out", true},
                                   {places->runtime, COMPILE_RUNTIME, false},
                                   {places->headers, COMPILE_HEADERS, false},
                                   {toolkit->root, "/toolkit", false}};
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .environment = environment,
                    .folder = "/submission",
                    .limits = {.address_space_bytes = COMPILE_MEMORY_BYTES,
                               .file_bytes = COMPILE_FILE_BYTES,
                               .cpu_seconds = compile_cpu_seconds(job),
                               .processes = COMPILE_PROCESSES,
                               .open_files = COMPILE_OPEN_FILES}},
        .mounts = mounts,
        .mount_count = inside_system(toolkit->root) ? 4 : 5,
        .tmp_bytes = COMPILE_TMP_BYTES,
    };
    Sandbox *sandbox;
    ProcessSpec process;
    Status status = sandbox_new(&spec, &sandbox, &process, why);
    if (status == STATUS_OK)
        status = process_run(&process, COMPILE_WALL_SECONDS, COMPILE_OUTPUT_BYTES, output, end, why);
    sandbox_free(sandbox);
    return status;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static bool contains_any(const Text *text, const char *const *needles)
{
    for (; *needles != NULL; needles++)
        if (strstr(text->data, *needles) != NULL)
            return true;
    return false;
}

/* nvcc passes on the signal that ended one of its programs, in words and as a shell does; gcc does so in words only, which
 * may stand beyond the part of the output that is kept. */
CompileOutcome compile_outcome(const Text *output, const ProcessEnd *end)
{
    static const char *const out_of_time[] = {"CPU time limit exceeded", NULL};
    static const char *const too_large[] = {"out of memory",
                                            "memory exhausted",
                                            "Cannot allocate memory",
                                            "bad_alloc",
                                            "File size limit exceeded",
                                            "No space left on device",
                                            "File too large",
                                            NULL};
    int signal_number = end->exit_status - 128;
    if (end->exit_status == 0)
        return COMPILE_OK;
    if (end->timed_out || signal_number == SIGXCPU || signal_number == SIGKILL || contains_any(output, out_of_time))
        return COMPILE_TIME_LIMIT;
    if (signal_number > 0 && signal_number < NSIG)
        return COMPILE_TOO_LARGE;
    return contains_any(output, too_large) ? COMPILE_TOO_LARGE : COMPILE_ERROR;
}

/* The first line says what is wrong, whatever the compiler says after it. */
void compile_headline(const CompileJob *job, CompileOutcome outcome, const Text *output, Text *diagnostics)
{
    if (outcome == COMPILE_TIME_LIMIT)
        text_printf(diagnostics, "%s: compiling takes too long: the limit is %u s of processor time for each step\n",
                    job->file_name, compile_cpu_seconds(job));
    else if (outcome == COMPILE_TOO_LARGE)
        text_printf(diagnostics,
                    "%s: compiling takes too much memory or makes too large a file: the limits are 2 GiB and "
                    "%d MiB\n",
                    job->file_name, COMPILE_FILE_BYTES >> 20);
    else if (outcome == COMPILE_UNSUPPORTED)
        report_first_error(output, job, diagnostics);
    else if (outcome == COMPILE_ERROR && !report_solve(output, job, diagnostics))
        report_first_error(output, job, diagnostics);
}

static void add_diagnostics(const CompileJob *job, const Toolkit *toolkit, const Places *places, const Text *output,
                            Compiled *compiled)
{
    const char *const paths[] = {"/submission/" COMPILE_SOURCE_NAME,
                                 job->file_name,
                                 COMPILE_SOURCE_NAME,
                                 job->file_name,
                                 "/out/submission.o",
                                 job->file_name,
                                 "./prototype.h",
                                 "the judge's prototype",
                                 COMPILE_HEADERS "/",
                                 "",
                                 places->in,
                                 "",
                                 places->out,
                                 "",
                                 NULL};
    Text all = {0};
    compile_headline(job, compiled->outcome, output, &all);
    text_append(&all, output->data, output->length);
    if (toolkit->kind == TOOLKIT_CLANG &&
        (compiled->outcome == COMPILE_ERROR || compiled->outcome == COMPILE_UNSUPPORTED))
        report_subset(output, job, toolkit, &all);
    report_diagnostics(&all, paths, &compiled->diagnostics);
    text_free(&all);
}

static Status read_results(const Places *places, CompilerRun *run, Message *why)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/submission.so", places->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &run->object, why);
    snprintf(path, sizeof path, "%s/submission.o", places->out);
    return status == STATUS_OK ? text_read_file(path, COMPILE_FILE_BYTES, &run->host_object, why) : status;
}

static Status compile(const CompileJob *job, const Toolkit *toolkit, const Places *places, CompilerRun *run,
                      CompileOutcome *outcome, Message *why)
{
    ProcessEnd end = {0};
    CompileRun *compiler = toolkit->kind == TOOLKIT_CLANG ? clang_run : nvcc_run;
    Status status = compiler(job, toolkit, places, &run->output, &end, why);
    if (status != STATUS_OK)
        return status;
    run->seconds = end.seconds;
    *outcome = compile_outcome(&run->output, &end);
    if (*outcome == COMPILE_ERROR && toolkit->kind == TOOLKIT_CLANG && report_is_refusal(&run->output))
        *outcome = COMPILE_UNSUPPORTED;
    return *outcome == COMPILE_OK ? read_results(places, run, why) : STATUS_OK;
}

/* Puts the object beside the sandbox's folders and looks into it. */
static Status take_object(const CompileJob *job, const Places *places, const CompilerRun *run, Compiled *compiled,
                          Message *why)
{
    Arena *arena = &compiled->arena;
    Status status = compile_put_file(places->folder, "submission.so", run->object.data, run->object.length, why);
    if (status != STATUS_OK)
        return status;
    compiled->object_path = arena_printf(arena, "%s/submission.so", places->folder);
    report_kernels(&run->output, arena, &compiled->kernels, &compiled->kernel_count);
    status = modules_read(compiled->object_path, arena, &compiled->modules, &compiled->module_count, why);
    compiled->machine_code = machine_code_digest(compiled->modules, compiled->module_count, job->compute,
                                                 &run->host_object);
    return status;
}

/* A folder for this compilation, and the runtime to link with. */
static Status find_places(const char *scratch, Places *places, Text *runtime, Message *why)
{
    Status status = paths_build("libcudart.so.13", places->runtime, sizeof places->runtime, why);
    if (status == STATUS_OK)
        status = paths_home("harness/cuda", places->headers, sizeof places->headers, why);
    if (status == STATUS_OK)
        status = text_read_file(places->runtime, COMPILE_FILE_BYTES, runtime, why);
    if (status != STATUS_OK)
        return status;
    if ((size_t)snprintf(places->folder, sizeof places->folder, "%s/compile.XXXXXX", scratch) >= sizeof places->folder)
        return fail(STATUS_BAD_INPUT, why, "%s: too long a path", scratch);
    return mkdtemp(places->folder) != NULL ? STATUS_OK : fail_errno(why, "%s: cannot be made", places->folder);
}

/* From the cache, or from the compiler. */
static Status obtain(const CompileJob *job, const Toolkit *toolkit, Places *places, const Text *runtime,
                     CompilerRun *run, Compiled *compiled, Message *why)
{
    Digest key;
    Status status = cache_key(job, toolkit, places, runtime, &key, why);
    compiled->cached = status == STATUS_OK && compiler_run_read(&key, run);
    if (compiled->cached || status != STATUS_OK)
        return status;
    status = prepare(job, toolkit, places, why);
    if (status == STATUS_OK)
        status = compile(job, toolkit, places, run, &compiled->outcome, why);
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        compiler_run_write(&key, run);
    return status;
}

Status compile_submission(const CompileJob *asked, const Toolkit *toolkit, const char *scratch, Compiled *compiled,
                          Message *why)
{
    CompileJob chosen = *asked, *job = &chosen;
    Places places = {0};
    CompilerRun run = {0};
    Text runtime = {0};
    *compiled = (Compiled){0};
    Status status = toolkit_architecture(toolkit, asked->compute, &chosen.compute, why);
    if (status == STATUS_OK)
        status = find_places(scratch, &places, &runtime, why);
    if (status == STATUS_OK)
        status = obtain(job, toolkit, &places, &runtime, &run, compiled, why);
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_object(job, &places, &run, compiled, why);
    if (status == STATUS_OK)
        add_diagnostics(job, toolkit, &places, &run.output, compiled);
    compiled->seconds = run.seconds;
    compiler_run_free(&run);
    text_free(&runtime);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}

void compiled_free(Compiled *compiled)
{
    text_free(&compiled->diagnostics);
    arena_free(&compiled->arena);
    *compiled = (Compiled){0};
}
