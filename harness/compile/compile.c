/* An entry of the cache is one line, "<seconds> <bytes of the module> <bytes of the object> <bytes of the host
 * object>", then the module, the object, the host object and what the compiler printed. */
#include "harness/compile/compile.h"

#include "base/compile_cache.h"
#include "base/elf.h"
#include "base/hash.h"
#include "base/text.h"
#include "harness/compile/compile_report.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/judge_source.h"
#include "harness/compile/toolkit.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/lexer.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== clang subset ================================================================================================ */

#define WITHOUT "clang compiles a subset of CUDA without"

/* The parts of CUDA whose headers are not in harness/cuda/, by the beginnings of the headers' names. */
static const struct {
    const char *header, *part;
} cuda_parts[] = {
    {"cub/", "CUB"},
    {"thrust/", "Thrust"},
    {"cuda/", "libcu++"},
    {"nv/", "libcu++"},
    {"cooperative_groups", "cooperative groups"},
    {"cuda_awbarrier", "barrier objects"},
    {"cuda_pipeline_helpers", "the helpers of pipelines"},
    {"cuda_fp16.hpp", "the internal headers of CUDA"},
    {"cuda_bf16.hpp", "the internal headers of CUDA"},
    {"cuda_fp4", "numbers of 8 bits and less"},
    {"cuda_fp6", "numbers of 8 bits and less"},
    {"cuda_fp8", "numbers of 8 bits and less"},
    {"crt/", "the internal headers of CUDA"},
    {"fatbinary_section.h", "the internal headers of CUDA"},
    {"cudart_platform.h", "the internal headers of CUDA"},
    {"cuComplex.h", "complex numbers"},
    {"cuda_occupancy.h", "the calculator of occupancy"},
    {"curand", "cuRAND"},
    {"cufft", "cuFFT"},
    {"cublas", "cuBLAS"},
    {"nvblas", "cuBLAS"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},
    {"cupti", "CUPTI"},
    {"nvperf", "CUPTI"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvjpeg", "nvJPEG"},
    {"nvrtc.h", "NVRTC"},
    {"nvJitLink.h", "nvJitLink"},
    {"nvvm.h", "NVVM"},
    {"nvml.h", "NVML"},
    {"nvtx3/", "NVTX"},
    {"nvToolsExt", "NVTX"},
    {"nv_decode.h", "the decoder of symbols"},
    {"library_types.h", "the types of NVIDIA's libraries"},
    {"cudalibxt.h", "the types of NVIDIA's libraries"},
    {"cudaProfiler", "the driver's profiler"},
    {"cudaTypedefs.h", "the types of the driver's functions"},
    {"cudaGL", "OpenGL"},
    {"cuda_gl_interop.h", "OpenGL"},
    {"cudaEGL", "EGL"},
    {"cuda_egl_interop.h", "EGL"},
    {"cudaVDPAU", "VDPAU"},
    {"cuda_vdpau_interop.h", "VDPAU"},
    {"generated_", "the internal headers of CUDA"},
};

/* The part of CUDA that a header belongs to, and its name: from "x.cu:3:10: fatal error: 'device_monitor.h' file not found". NULL if
 * the first error is another one. */
static const char *missing_part(const Text *output, const char **header, size_t *header_length)
{
    size_t length;
    const char *line = report_first_error(output, &length);
    const char *end = line != NULL ? memmem(line, length, "' file not found", 16) : NULL;
    const char *quote = end != NULL ? memrchr(line, '\'', (size_t)(end - line)) : NULL;
    if (quote == NULL)
        return NULL;
    *header = quote + 1;
    *header_length = (size_t)(end - *header);
    for (size_t i = 0; i < sizeof cuda_parts / sizeof *cuda_parts; i++)
        if (strncmp(*header, cuda_parts[i].header, strlen(cuda_parts[i].header)) == 0)
            return cuda_parts[i].part;
    return NULL;
}

/* The messages of clang's code generator when the GPU has neither an instruction for a function of C nor a library with
 * it: "error: no libcall available for facos", in some versions only the first sign, in others only the second. */
static const char no_function[] = "no libcall available for f", no_code[] = "error in backend: Cannot select";

static bool generator_failed(const Text *output)
{
    return strstr(output->data, no_function) != NULL || strstr(output->data, no_code) != NULL;
}

/* Before version 18, clang does not take "__shared__ alignas(16) float tile[64];", only alignas() in front of __shared__. */
static bool alignas_failed(const Text *output)
{
    static const char what[] = "error: an attribute list cannot appear here", code[] = "__shared__ alignas(";
    size_t length;
    const char *line = report_first_error(output, &length);
    const char *shown = line == NULL ? NULL : strchr(line, '\n');
    return shown != NULL && memmem(line, length, what, strlen(what)) != NULL &&
           memmem(shown + 1, strcspn(shown + 1, "\n"), code, strlen(code)) != NULL;
}

bool subset_is_refusal(const Text *output)
{
    size_t length;
    const char *header, *line = report_first_error(output, &length);
    return (line != NULL && memmem(line, length, WITHOUT, strlen(WITHOUT)) != NULL) ||
           missing_part(output, &header, &length) != NULL || alignas_failed(output) || generator_failed(output);
}

bool subset_headline(const Text *output, const CompileJob *job, Text *diagnostics)
{
    size_t length;
    const char *header, *part = missing_part(output, &header, &length);
    const char *function = strstr(output->data, no_function);
    if (part != NULL)
        text_printf(diagnostics, "%s: %.*s is a header of %s: " WITHOUT " it\n", job->file_name, (int)length, header,
                    part);
    if (alignas_failed(output))
        text_printf(diagnostics,
                    "%s: alignas() after __shared__ needs clang 18; before __shared__, every version takes it\n",
                    job->file_name);
    if (!generator_failed(output))
        return true;
    if (function != NULL)
        text_printf(diagnostics, "%s: a kernel calls the function %.*s(): " WITHOUT " it\n", job->file_name,
                    (int)strcspn(function + strlen(no_function), "\n"), function + strlen(no_function));
    else
        text_printf(diagnostics, "%s: a kernel needs an instruction that clang cannot make: " WITHOUT " it\n",
                    job->file_name);
    return false;
}

void subset_hint(const Text *output, const CompileJob *job, const Toolkit *toolkit, Text *diagnostics)
{
    static const char *const signs[] = {
        WITHOUT,     "file not found",   "to __host__ function", "use of undeclared identifier", "unknown type name",
        no_function, "error in backend", "__shared__ alignas("};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(output->data, signs[i]) != NULL) {
            text_printf(diagnostics,
                        "%s: compiled by %s, which knows a subset of CUDA: no textures, cooperative "
                        "groups, nor NVIDIA's libraries; to have all of it: make toolchain\n",
                        job->file_name, toolkit->name);
            return;
        }
}

typedef struct CompilerRun {
    Text module;      /* the fatbin of the device step, as it was before the host's side was compiled */
    Text object;      /* submission.so */
    Text host_object; /* submission.o */
    Text output;      /* what was printed, unchanged */
    double seconds;
    CompileOutcome outcome;
} CompilerRun;

/* ==== compiler run ================================================================================================ */

/* The result of a compiler, and its form in the compile cache. */

static void compiler_run_free(CompilerRun *run)
{
    text_free(&run->module);
    text_free(&run->object);
    text_free(&run->host_object);
    text_free(&run->output);
    *run = (CompilerRun){0};
}

static bool unpack(const Text *entry, CompilerRun *run)
{
    size_t module, object, host_object;
    unsigned outcome;
    int head = 0;
    if (sscanf(entry->data, "%u %lf %zu %zu %zu%n", &outcome, &run->seconds, &module, &object, &host_object, &head) !=
            5 ||
        entry->data[head] != '\n')
        return false;
    run->outcome = (CompileOutcome)outcome;
    const char *at = entry->data + head + 1;
    size_t left = entry->length - (size_t)head - 1;
    if (module > left || object > left - module || host_object > left - module - object)
        return false;
    text_append(&run->module, at, module);
    at += module;
    left -= module;
    text_append(&run->object, at, object);
    text_append(&run->host_object, at + object, host_object);
    text_append(&run->output, at + object + host_object, left - object - host_object);
    return true;
}

/* False, and the run is empty, where the cache does not have it. */
static bool compiler_run_read(const Digest *key, CompilerRun *run)
{
    Text entry = {0};
    *run = (CompilerRun){0};
    bool found = compile_cache_read(NULL, key, &entry) && unpack(&entry, run);
    text_free(&entry);
    return found;
}

static void compiler_run_write(const Digest *key, const CompilerRun *run)
{
    Text entry = {0};
    text_printf(&entry, "%u %.6f %zu %zu %zu\n", (unsigned)run->outcome, run->seconds, run->module.length,
                run->object.length, run->host_object.length);
    text_append(&entry, run->module.data, run->module.length);
    text_append(&entry, run->object.data, run->object.length);
    text_append(&entry, run->host_object.data, run->host_object.length);
    text_append(&entry, run->output.data, run->output.length);
    compile_cache_write(NULL, key, &entry);
    text_free(&entry);
}

/* ==== compile modules ============================================================================================= */

static bool is_zero(const char *data, size_t bytes)
{
    while (bytes > 0 && *data == '\0')
        data++, bytes--;
    return bytes == 0;
}

bool module_is_alone(const Text *module, const Text *object)
{
    Elf elf;
    ElfSection section;
    if (!elf_open(&elf, object->data, object->length))
        return false;
    if (!elf_find(&elf, ".nv_fatbin", "", &section))
        return true; /* clang embeds nothing if there is no kernel */
    return section.data != NULL && section.bytes >= module->length &&
           memcmp(section.data, module->data, module->length) == 0 &&
           is_zero(section.data + module->length, section.bytes - module->length);
}

/* ---- the digest of the machine code ------------------------------------------------------------------------------ */

/* Sections that tell debuggers of files and lines. Nothing that runs reads them. */
static bool is_for_debuggers(const char *name)
{
    static const char *const parts[] = {".debug", ".nv_debug"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(name, parts[i], strlen(parts[i])) == 0 ||
            (strncmp(name, ".rel", 4) == 0 && strstr(name, parts[i]) != NULL))
            return true;
    return false;
}

/* Adds bytes without the eight digits that nvcc puts into the names of what is static or in a namespace without a name:
 * they follow from the file's path and text. */
static void add_masked(Hash *hash, const char *bytes, size_t count)
{
    static const char *const marks[] = {"_INTERNAL_", "GLOBAL__N__"};
    Text masked = {0};
    text_append(&masked, bytes, count);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        for (char *at = masked.data; (at = memmem(at, count - (size_t)(at - masked.data), marks[i], length)) != NULL;) {
            at += length;
            for (size_t digits = count - (size_t)(at - masked.data), k = 0; k < 8 && k < digits; k++, at++)
                *at = '#';
        }
    }
    hash_add(hash, masked.data, count);
    text_free(&masked);
}

static void add_section(Hash *hash, const ElfSection *section)
{
    add_masked(hash, section->name, strlen(section->name));
    hash_add(hash, &section->type, sizeof section->type);
    hash_add(hash, &section->flags, sizeof section->flags);
    hash_add(hash, &section->bytes, sizeof section->bytes);
    if (section->data != NULL)
        add_masked(hash, section->data, section->bytes);
}

/* Adds all of a cubin but what is for debuggers. The names of sections go in with the sections. */
static void add_cubin(Hash *hash, const void *image, size_t bytes)
{
    Elf elf;
    ElfSection section;
    if (!elf_open(&elf, image, bytes)) {
        hash_add(hash, image, bytes);
        return;
    }
    for (unsigned i = 0; i < elf.section_count; i++)
        if (elf_section(&elf, i, &section) && !is_for_debuggers(section.name) && strcmp(section.name, ".shstrtab") != 0)
            add_section(hash, &section);
}

/* Line information: directives on lines of their own, and labels that nothing refers to. */
static bool is_of_debugger(const Token *token)
{
    return token_is(token, ".loc") || token_is(token, ".file") || token_is(token, ".section") ||
           (token->length > 7 && memcmp(token->text, "$L__tmp", 7) == 0);
}

static void add_ptx(Hash *hash, const Fatbin *fatbin)
{
    Lexer lexer = lexer_new(fatbin->ptx, fatbin->ptx_bytes);
    int skipped_line = 0;
    for (Token token = lexer_next(&lexer); token.kind != TOKEN_END; token = lexer_next(&lexer)) {
        if (is_of_debugger(&token))
            skipped_line = token.line;
        if (token.line != skipped_line)
            add_masked(hash, token.text, token.length);
    }
}

/* Where a symbol lies, what it is, and its name if others can refer to it. */
static void add_symbol(Hash *hash, const Elf64_Sym *symbol, const ElfSection *names)
{
    const uint64_t numbers[] = {symbol->st_info, symbol->st_other, symbol->st_shndx, symbol->st_value, symbol->st_size};
    hash_add(hash, numbers, sizeof numbers);
    if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && symbol->st_name < names->bytes)
        add_masked(hash, names->data + symbol->st_name,
                   strnlen(names->data + symbol->st_name, names->bytes - symbol->st_name));
}

static void add_symbols(Hash *hash, const Elf *elf, const ElfSection *table)
{
    ElfSection names;
    if (!elf_section(elf, table->link, &names) || names.data == NULL || table->data == NULL)
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->bytes; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->data + at, sizeof symbol);
        add_symbol(hash, &symbol, &names);
    }
}

/* Adds all that the linker takes from the host's object: what is loaded, in whatever section, the relocations that fill
 * in addresses, and the symbols that they name. The fatbin is there as the device's code. */
static void add_host_object(Hash *hash, const Text *object)
{
    Elf elf;
    ElfSection section, target;
    if (!elf_open(&elf, object->data, object->length)) {
        hash_add(hash, object->data, object->length);
        return;
    }
    for (unsigned i = 0; i < elf.section_count; i++) {
        if (!elf_section(&elf, i, &section) || strcmp(section.name, ".nv_fatbin") == 0)
            continue;
        bool relocates = (section.type == SHT_RELA || section.type == SHT_REL) &&
                         elf_section(&elf, section.info, &target) && (target.flags & SHF_ALLOC) != 0;
        if (section.type == SHT_SYMTAB)
            add_symbols(hash, &elf, &section);
        else if ((section.flags & SHF_ALLOC) != 0 || relocates)
            add_section(hash, &section);
    }
}

/* The host's code comes from the object before linking, whose sections do not depend on where others lie. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object)
{
    Hash hash;
    hash_begin(&hash);
    for (size_t i = 0; i < count; i++) {
        Fatbin fatbin;
        if (fatbin_read(modules[i].image, modules[i].bytes, compute, &fatbin, NULL) != STATUS_OK)
            hash_add(&hash, modules[i].image, modules[i].bytes);
        else if (fatbin.cubin != NULL)
            add_cubin(&hash, fatbin.cubin, fatbin.cubin_bytes);
        else if (fatbin.ptx != NULL)
            add_ptx(&hash, &fatbin);
    }
    add_host_object(&hash, host_object);
    return hash_end(&hash);
}

/* ==== compile language ============================================================================================ */

/* Four choices depend on the source.
 *
 * Standard. C++17 with gcc's extensions, as nvcc alone takes it; a line "// standard: c++20" asks for the newer one, where
 * the compiler knows it. It is not for all: C++20's headers include more (unistd.h, with a function pause()), words such
 * as `requires` are no names there, and clang 16, 19 and 22 need 5 to 6 GB for solutions/blur-rgb/accepted/two_passes.cu.
 *
 * Extended lambdas. A lambda with an annotation, [=] __device__ (int i) { ... }, needs --extended-lambda. With it, nvcc
 * includes further headers, which cost 0.4 s of processor time. So it is given where the text has such a lambda, or
 * what looks like one; it changes no other code.
 *
 * Library. CUDA's headers include <cmath>. From C++17 on, libstdc++'s <cmath> includes the special functions (std::beta,
 * std::hermite), and with them <limits>, iterators and algorithms: two fifths of the cost of compiling a file of 20
 * lines. All of it lies in namespace std. So if the word `std` does not occur in a source, <bits/specfun.h> is
 * skipped by defining its include guard, which is the same in gcc 7 to 15; with another guard nothing would change.
 * Headers that the source includes itself are not affected, and NVIDIA's headers do not rely on <cmath> for any of
 * this, since in C++14 it does not include it. A source that names std is compiled with everything, because much
 * working code gets its std::min only in this way.
 *
 * Architecture. Some instructions of compute capability 9.0 exist on no later GPU. ptxas takes them only for sm_90a. A
 * source that names one of them is compiled for that; other code is the same for both.
 *
 * Source   PTX ISA 9.0, PTX Module Directives: .target; CUDA Compiler Driver NVCC, GPU Feature List.  */

enum { FIRST_NVCC_WITH_FEATURES = 12, FEATURES_OF_HOPPER = 90 };

/* Does a line of the source say that it is written in C++20? */
static bool asks_for_cpp20(const char *source)
{
    static const char line[] = "// standard: c++20";
    for (const char *at = source; (at = strstr(at, line)) != NULL; at += sizeof line - 1) {
        char behind = at[sizeof line - 1];
        if ((at == source || at[-1] == '\n') && (behind == '\0' || isspace((unsigned char)behind)))
            return true;
    }
    return false;
}

static const char *behind_space(const char *at)
{
    while (isspace((unsigned char)*at) || *at == '\\')
        at++;
    return at;
}

/* Is there a "]" with a name behind it, as in [=] __device__ or [=] HOST_DEVICE? */
static bool may_annotate_lambda(const char *source)
{
    for (const char *at = source; (at = strchr(at, ']')) != NULL; at++) {
        const char *behind = behind_space(at + 1);
        if (isalpha((unsigned char)*behind) || *behind == '_')
            return true;
    }
    return false;
}

/* cuda::ptx calls tensormap.replace by a name with an underscore. */
static bool names_feature_of_hopper(const char *source)
{
    static const char *const names[] = {"wgmma", "setmaxnreg", "tensormap.replace", "tensormap_replace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(source, names[i]) != NULL)
            return true;
    return false;
}

const char *compile_features(const char *source, const Toolkit *toolkit, int compute)
{
    bool has_them = compute == FEATURES_OF_HOPPER && toolkit->major >= FIRST_NVCC_WITH_FEATURES;
    return has_them && names_feature_of_hopper(source) ? "a" : "";
}

static bool is_cpp20(const char *source, const Toolkit *toolkit)
{
    return toolkit_knows_cpp20(toolkit) && asks_for_cpp20(source);
}

static size_t add_arguments(const char **argv, size_t count, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        argv[count++] = *strings;
    return count;
}

/* nvcc gives -std=c++20 to gcc as well, which then knows no extensions; the last -std counts. Without any, both take
 * C++17 with extensions. */
static const char *const nvcc_cpp20[] = {"-std=c++20", "-Xcompiler", "-std=gnu++20", NULL};

size_t compile_language_flags(const char *source, const Toolkit *toolkit, const char **argv, size_t count)
{
    if (toolkit->kind == TOOLKIT_CLANG)
        argv[count++] = is_cpp20(source, toolkit) ? "-std=c++20" : "-std=c++17";
    else if (is_cpp20(source, toolkit))
        count = add_arguments(argv, count, nvcc_cpp20);
    if (toolkit->kind == TOOLKIT_NVCC && may_annotate_lambda(source))
        argv[count++] = "--extended-lambda";
    if (text_find_word(source, "std") == NULL)
        argv[count++] = "-D_GLIBCXX_BITS_SPECFUN_H=1";
    return count;
}

const char *compile_language_of_host(const char *source, const Toolkit *toolkit)
{
    return is_cpp20(source, toolkit) ? "-std=gnu++20" : "-std=gnu++17";
}

/* ==== compile nvcc ================================================================================================ */

/* A submission compiled by nvcc. */

/* Where the time goes for a file of 20 lines, in milliseconds of processor time (nvcc 13.0, gcc 12; in parentheses
 * with everything that <cmath> includes): preprocessing for the host 58 (93), cudafe++ 113
 * (276), preprocessing for the device 62 (92), cicc 145 (257), ptxas 22, compiling for the host 172 (226), linking 20
 * with gold or 62 with ld, which mostly reads libstdc++'s symbols; 594 (990) in total, nearly all of it for the CUDA
 * headers. <cooperative_groups.h> takes 3 s more. -O1 or -O0 for the host compiler, -pipe, --split-compile and
 * temporary files in memory have little or no effect. `--threads 2` compiles for host and device in parallel, which saves a fifth
 * of the wall clock (lab/measurements.md), to the same bytes and the same warnings. Where a file has errors, it prints
 * those of the preprocessor twice, so that they come from a second run without it.
 *
 * nvcc -cuda stops before the host compiler and leaves C++ that holds the fatbin. It is compiled in a second sandbox, after
 * the judge has read the fatbin itself; the code is the same as that of nvcc -c, for 40 ms of processor time more.  */

enum { NVCC_MAX_ARGUMENTS = 48 };

#define HOST_SOURCE "/out/submission.ii"
#define MODULE "submission.fatbin"

/* $1: a folder for nvcc's intermediate files, $2: where the fatbin goes. */
static const char device_script[] = "keep=$1 module=$2\nshift 2\n"
                                    "mkdir \"$keep\" || exit\n\"$@\" -keep -keep-dir \"$keep\" || exit\n"
                                    "cp \"$keep\"/" MODULE " \"$module\"\n";

static const char *const flags[] = {
    "-O3",        "-lineinfo", "--no-compress", "-cudart",     "none", "-Xptxas", "-v",
    "-Xcompiler", "-fPIC",     "-include",      "prototype.h", "-I",   ".",       NULL,
};
static const char *const parallel[] = {"--threads", "2", NULL};
static const char *const unoptimised[] = {"-Xptxas", "-O0", NULL};
/* A local variable that is never set often holds 0 by luck, and an array that is overrun often ends before memory that
 * nobody uses. So variables begin with bytes 0xFE, and host code that leaves an array ends: at an index of the array
 * with a trap, else where its function returns. gcc knows the first from version 12 on. Code without large local
 * arrays takes some nanoseconds longer (lab/measurements.md). */
static const char gcc_script[] = "case $(gcc -dumpversion) in\n[6-9]*|10*|11*) ;;\n"
                                 "*) set -- -ftrivial-auto-var-init=pattern \"$@\" ;;\nesac\nexec gcc \"$@\"\n";
/* As nvcc calls it, with the lines of instructions (compiled.h) and the checks above. Equal calls that end two branches stay two, since each
 * has a line of its own: often it is exit(), behind a macro that checks each CUDA call. */
static const char *const nvcc_host_flags[] = {
    "-x",
    "c++-cpp-output",
    "-fPIC",
    "-O3",
    "-g1",
    "-Wno-psabi",
    "-fsanitize=bounds",
    "-fsanitize-undefined-trap-on-error",
    "-fstack-protector-strong",
    "-fno-crossjumping",
    "-fno-tree-tail-merge",
    "-c",
    HOST_SOURCE,
    NULL,
};

/* Adds what a result depends on besides the source and the compiler's version. */
static MUST_USE Status compile_hash_nvcc(const CompileTools *tools, Hash *hash, Message *why)
{
    hash_add_string(hash, device_script);
    hash_add_strings(hash, flags);
    hash_add_strings(hash, parallel);
    hash_add_string(hash, gcc_script);
    hash_add_strings(hash, nvcc_host_flags);
    return STATUS_OK;
}

static Status run_device_side(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                              const char *const *how, Text *output, ProcessEnd *end, Message *why)
{
    static const char *const files[] = {"-cuda", COMPILE_SOURCE_NAME, "-o", HOST_SOURCE, NULL};
    char nvcc[PATH_MAX], gencode[80];
    const char *argv[NVCC_MAX_ARGUMENTS] = {"/bin/sh",      "-c", device_script, "compile", "/tmp/keep",
                                            "/out/" MODULE, nvcc, "-gencode",    gencode};
    size_t count = add_arguments(argv, add_arguments(argv, add_arguments(argv, 9, flags), how), files);
    count = job->unoptimised ? add_arguments(argv, count, unoptimised) : count;
    compile_language_flags(job->source, tools->toolkit, argv, count);
    compile_program_path(tools->toolkit, nvcc, sizeof nvcc);
    TRY(toolkit_gencode(tools->toolkit, job->compute, compile_features(job->source, tools->toolkit, job->compute),
                        gencode, sizeof gencode, why));
    return compile_in_sandbox(job, tools, folders, argv, output, end, why);
}

/* Repeats a failed compilation one step at a time, so that each message comes once, unless it took long to fail, as
 * endless templates do. */
static Status compile_device_side(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                  Text *output, ProcessEnd *end, Message *why)
{
    static const char *const one_by_one[] = {NULL};
    static const double SOON = 0.25; /* of the time that it may take */
    const size_t before = output->length;
    Status status = run_device_side(job, tools, folders, parallel, output, end, why);
    if (status != STATUS_OK || end->exit_status == 0 || end->seconds > SOON * compile_seconds(job->cpu_seconds))
        return status;
    const double seconds = end->seconds;
    if (output->data != NULL)
        output->data[output->length = before] = '\0';
    status = run_device_side(job, tools, folders, one_by_one, output, end, why);
    end->seconds += seconds;
    return status;
}

/* Makes submission.o and submission.so in folders->out from the sources in folders->in. Reads the fatbin of nvcc's device
 * step into `module`, before the host compiler gets to see the source. */
static MUST_USE Status compile_with_nvcc(const CompileJob *job, const CompileTools *tools,
                                         const CompileFolders *folders, Text *module, Text *output, ProcessEnd *end,
                                         Message *why)
{
    char path[PATH_MAX + 32];
    const char *host[NVCC_MAX_ARGUMENTS] = {COMPILE_SHELL, "/bin/sh", "-c", gcc_script, "gcc"};
    size_t count = add_arguments(host, COMPILE_SHELL_ARGUMENTS + 4, nvcc_host_flags);
    host[count] = compile_language_of_host(job->source, tools->toolkit);
    Status status = compile_device_side(job, tools, folders, output, end, why);
    if (status != STATUS_OK || end->exit_status != 0)
        return status;
    double seconds = end->seconds;
    snprintf(path, sizeof path, "%s/" MODULE, folders->out);
    status = text_read_file(path, COMPILE_FILE_BYTES, module, why);
    THEN(status, compile_in_sandbox(job, tools, folders, host, output, end, why));
    end->seconds += seconds;
    return status;
}

/* ==== compile clang =============================================================================================== */

/* Clang compiles with the judge's own CUDA headers and nothing of NVIDIA's, in two steps: the device side to PTX, then
 * the host side, with that PTX in a fatbin such as nvcc would make. The host side launches kernels through the same
 * runtime calls as nvcc's.  */

enum { CLANG_MAX_ARGUMENTS = 64 };

#define ALIASES "aliases"

static const struct Alias {
    const char *name, *header;
} aliases[] = {
#define ALIAS(name, header) {name, header},
#include "harness/compile/aliases.def"
};

static const char *const places[] = {
    "--cuda-path=" COMPILE_HEADERS,
    "-isystem",
    COMPILE_HEADERS,
    "-isystem",
    ALIASES,
    "-include",
    "prototype.h",
    "-I",
    ".",
    NULL,
};
/* The simulated GPU expects that divergent paths join after the place where they part (simgpu/block/group.c), as in
 * nvcc's PTX; so clang must not move the ends of loops before their middles. Nor may it make one instruction of those
 * that two branches end with: such a store belongs to no line, and clang 16 joins even stores to different state spaces. */
static const char *const device_flags[] = {
    "--cuda-device-only",
    "-mllvm",
    "-disable-block-placement",
    "-mllvm",
    "-sink-common-insts=false",
    "-gline-directives-only",
    "-S",
    COMPILE_SOURCE_NAME,
    "-o",
    "/out/submission.ptx",
    NULL,
};
/* The lines of instructions are for host_line(). -w: the first step has given the warnings. addr2line of
 * binutils 2.40 loses what was inlined into a function that clang describes in the newer format 5. The same checks of
 * variables and arrays as by gcc. */
static const char *const clang_host_flags[] = {
    "--cuda-host-only",
    "-gline-tables-only",
    "-gdwarf-4",
    "-w",
    "-Xclang",
    "-fcuda-include-gpubinary",
    "-Xclang",
    "submission.fatbin",
    "-ftrivial-auto-var-init=pattern",
    "-fsanitize=array-bounds",
    "-fsanitize-trap=array-bounds",
    "-fstack-protector-strong",
    "-mllvm",
    "-enable-tail-merge=false",
    "-c",
    COMPILE_SOURCE_NAME,
    NULL,
};

/* By default, all checks of a function share one trap, which belongs to no line. Clang 16 has no way to part them. */
enum { FIRST_WITH_UNIQUE = 18, FIRST_WITH_MERGE = 20 };
static const char *const unmerged_traps[] = {"-fno-sanitize-merge", NULL};
static const char *const unique_traps[] = {"-mllvm", "-ubsan-unique-traps", NULL};

#define COUNT(array) (sizeof(array) / sizeof *(array))
_Static_assert(COMPILE_SHELL_ARGUMENTS + 2 + COUNT(COMPILE_CLANG_FLAGS) + COUNT(places) + COUNT(clang_host_flags) +
                       COUNT(unique_traps) + COMPILE_LANGUAGE_FLAGS <=
                   CLANG_MAX_ARGUMENTS,
               "a command has room for all flags");

/* ---- the cache's key --------------------------------------------------------------------------------------------- */

/* Adds what a result depends on besides the source and the compiler's version. */
static Status compile_hash_clang(const CompileTools *tools, Hash *hash, Message *why)
{
    hash_add_strings(hash, places);
    hash_add_strings(hash, device_flags);
    hash_add_strings(hash, clang_host_flags);
    hash_add_strings(hash, unmerged_traps);
    hash_add_strings(hash, unique_traps);
    for (size_t i = 0; i < COUNT(aliases); i++) {
        hash_add_string(hash, aliases[i].name);
        hash_add_string(hash, aliases[i].header);
    }
    return compile_clang_hash_headers(tools->headers, hash, why);
}

/* ---- the two sides ----------------------------------------------------------------------------------------------- */

/* Adds the arguments of both sides, and those of one side. */
static size_t add_all_arguments(const char **argv, size_t count, const char *const *of_side)
{
    count = add_arguments(argv, count, COMPILE_CLANG_FLAGS);
    return add_arguments(argv, add_arguments(argv, count, places), of_side);
}

/* Headers that include another one, in a folder of this compilation. */
static Status put_aliases(const CompileFolders *folders, Message *why)
{
    char folder[PATH_MAX], line[100];
    TRY(compile_put_folder(folders->in, ALIASES, 0755, folder, sizeof folder, why));
    for (size_t i = 0; i < COUNT(aliases); i++) {
        snprintf(line, sizeof line, "#include <%s>\n", aliases[i].header);
        TRY(compile_put_file(folder, aliases[i].name, line, strlen(line), why));
    }
    return STATUS_OK;
}

static Status put_fatbin(const CompileJob *job, const CompileFolders *folders, Text *fatbin, Message *why)
{
    char path[PATH_MAX + 32];
    Text ptx = {0};
    snprintf(path, sizeof path, "%s/submission.ptx", folders->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &ptx, why);
    if (status == STATUS_OK) {
        fatbin_write(ptx.data, ptx.length, job->compute, fatbin);
        status = compile_put_file(folders->in, "submission.fatbin", fatbin->data, fatbin->length, why);
    }
    text_free(&ptx);
    return status;
}

/* Makes submission.o and submission.so in folders->out from the sources in folders->in. `module` gets the fatbin that the
 * judge makes of the device step's PTX. */
static Status compile_with_clang(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                 Text *module, Text *output, ProcessEnd *end, Message *why)
{
    char clang[PATH_MAX], architecture[40];
    const char *device[CLANG_MAX_ARGUMENTS] = {clang, architecture};
    const char *host[CLANG_MAX_ARGUMENTS] = {COMPILE_SHELL, clang, architecture};
    size_t device_count = add_all_arguments(device, 2, device_flags);
    size_t host_count = add_all_arguments(host, COMPILE_SHELL_ARGUMENTS + 2, clang_host_flags);
    compile_language_flags(job->source, tools->toolkit, device, device_count);
    if (tools->toolkit->major >= FIRST_WITH_MERGE)
        host_count = add_arguments(host, host_count, unmerged_traps);
    else if (tools->toolkit->major >= FIRST_WITH_UNIQUE)
        host_count = add_arguments(host, host_count, unique_traps);
    compile_language_flags(job->source, tools->toolkit, host, host_count);
    compile_program_path(tools->toolkit, clang, sizeof clang);
    snprintf(architecture, sizeof architecture, "--cuda-gpu-arch=sm_%d", job->compute);
    Status status = put_aliases(folders, why);
    THEN(status, compile_in_sandbox(job, tools, folders, device, output, end, why));
    if (status != STATUS_OK || end->exit_status != 0)
        return status;
    double seconds = end->seconds;
    status = put_fatbin(job, folders, module, why);
    THEN(status, compile_in_sandbox(job, tools, folders, host, output, end, why));
    end->seconds += seconds;
    return status;
}

/* ==== compile ===================================================================================================== */

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

/* Some structs of runtime calls have grown with CUDA 12 and 13 (runtime/client.h), so the object tells the runtime which
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
    text_add(&text, "#ifndef CONVJUDGE_PROTOTYPE\n#define CONVJUDGE_PROTOTYPE\n");
    if (strstr(job->prototype, "half") != NULL)
        text_add(&text, "#include <cuda_fp16.h>\n");
    if (strstr(job->prototype, "bfloat16") != NULL)
        text_add(&text, "#include <cuda_bf16.h>\n");
    if (strstr(job->prototype, "_t") != NULL)
        text_add(&text, "#include <stdint.h>\n");
    text_printf(&text,
                "extern \"C\" %s;\n"
                "extern \"C\" void convjudge_call(const unsigned long long *words)\n{\n    solve(",
                job->prototype);
    for (size_t i = 0; i < job->parameter_count; i++) {
        text_add(&text, i > 0 ? ", " : "");
        add_argument_expression(&text, job->parameter_types[i], i);
    }
    text_add(&text, ");\n}\n");
    add_version(&text, toolkit);
    if (job->driver != NULL) /* last, so that it can give the submission's solve() another name */
        text_printf(&text, "#include \"%s\"\n", job->headers[0].name);
    text_add(&text, "#endif\n");
    return text;
}

static Status write_sources(const CompileJob *job, const Toolkit *toolkit, const CompileFolders *folders, Message *why)
{
    static const char solve_h[] = "#include \"prototype.h\"\n";
    Text prototype = prototype_header(job, toolkit);
    Status status = compile_put_file(folders->in, COMPILE_SOURCE_NAME, job->source, job->source_bytes, why);
    THEN(status, compile_put_file(folders->in, "prototype.h", prototype.data, prototype.length, why));
    THEN(status, compile_put_file(folders->in, "solve.h", solve_h, strlen(solve_h), why));
    for (size_t i = 0; i < job->header_count; i++)
        THEN(status, compile_put_file(folders->in, job->headers[i].name, job->headers[i].text,
                                      strlen(job->headers[i].text), why));
    text_free(&prototype);
    return status;
}

/* The submission with the driver behind it, in one unit, so that the driver can launch its kernels and instantiate its
 * templates. Lines of either are called by their own file's name. */
static Text source_with_driver(const CompileJob *job)
{
    Text source = {0};
    text_append(&source, job->source, job->source_bytes);
    text_printf(&source, "\n#line 1 \"" COMPILE_DRIVER_NAME "\"\n%s", job->driver);
    return source;
}

/* Finds the judge's own files that the compiler needs, and reads the runtime library. */
static Status find_tools(const Toolkit *toolkit, CompileTools *tools, Text *runtime, Message *why)
{
    TRY(compile_tools_find(toolkit, tools, why));
    return text_read_file(tools->runtime, COMPILE_FILE_BYTES, runtime, why);
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
    hash_add_string(&hash, "convjudge compilation 7"); /* raise it when an entry's meaning changes */
    hash_add(&hash, job->source, job->source_bytes);
    hash_add(&hash, prototype.data, prototype.length);
    for (size_t i = 0; i < job->header_count; i++) {
        hash_add_string(&hash, job->headers[i].name);
        hash_add_string(&hash, job->headers[i].text);
    }
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
                           CompilerRun *run, Message *why)
{
    bool is_clang = tools->toolkit->kind == TOOLKIT_CLANG;
    ProcessEnd end = {0};
    TRY(is_clang ? compile_with_clang(job, tools, folders, &run->module, &run->output, &end, why)
                 : compile_with_nvcc(job, tools, folders, &run->module, &run->output, &end, why));
    run->seconds = end.seconds;
    run->outcome = report_outcome(&run->output, &end);
    if (run->outcome == COMPILE_ERROR && report_is_nested_launch(&run->output))
        run->outcome = COMPILE_NESTED;
    else if (run->outcome == COMPILE_ERROR && is_clang && subset_is_refusal(&run->output))
        run->outcome = COMPILE_UNSUPPORTED;
    else if (run->outcome == COMPILE_ERROR && is_clang && report_is_system_header(&run->output))
        run->outcome = COMPILE_BROKEN;
    return run->outcome == COMPILE_OK ? read_results(folders, run, why) : STATUS_OK;
}

/* A compiler that complains about nothing in the source may be unable to compile at all, which is no fault of the source. A file that
 * holds nothing shows it. */
static Status try_empty_source(const CompileJob *job, const CompileTools *tools, const char *scratch, Message *why)
{
    CompileJob empty = *job;
    CompileFolders folders = {0};
    CompilerRun run = {0};
    Text source = {0};
    text_printf(&source, "extern \"C\" %s\n{\n}\n", job->prototype);
    empty.driver = NULL;
    empty.header_count = 0;
    empty.source = source.data;
    empty.source_bytes = source.length;
    Status status = compile_folders_new(scratch, &folders, why);
    THEN(status, write_sources(&empty, tools->toolkit, &folders, why));
    THEN(status, run_compiler(&empty, tools, &folders, &run, why));
    if (status == STATUS_OK && run.outcome == COMPILE_ERROR)
        status = fail(STATUS_SYSTEM, why, "the compiler, %s, cannot compile an empty solve() either: %.*s",
                      tools->toolkit->name, (int)strcspn(run.output.data, "\n"), run.output.data);
    compiler_run_free(&run);
    text_free(&source);
    return status;
}

/* Would the compiler end in the same way another time? What it says of the source itself, it says again; a program of
 * it that crashes may do so because of this machine, which may also be short of memory or time. A header that is missing may
 * be installed. */
static bool is_lasting(const CompilerRun *run)
{
    static const char *const passing[] = {"internal compiler error", "died due to signal", "No such file or directory",
                                          "file not found"};
    if (run->outcome == COMPILE_OK)
        return true;
    for (size_t i = 0; i < sizeof passing / sizeof *passing && run->output.length > 0; i++)
        if (strstr(run->output.data, passing[i]) != NULL)
            return false;
    return (run->outcome == COMPILE_ERROR || run->outcome == COMPILE_NESTED) && report_names_source(&run->output) &&
           !compile_says_shortage(&run->output, 0);
}

/* Takes the result from the cache, or runs the compiler and puts its result there. */
static Status find_or_compile(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                              const char *scratch, const Text *runtime, CompilerRun *run, Compiled *compiled,
                              Message *why)
{
    Digest key;
    Status status = cache_key(job, tools, runtime, &key, why);
    compiled->cached = status == STATUS_OK && compiler_run_read(&key, run);
    compiled->outcome = run->outcome;
    if (compiled->cached || status != STATUS_OK)
        return status;
    if (job->begins != NULL)
        job->begins(job->context);
    status = write_sources(job, tools->toolkit, folders, why);
    THEN(status, run_compiler(job, tools, folders, run, why));
    compiled->outcome = run->outcome;
    if (status == STATUS_OK && is_lasting(run))
        compiler_run_write(&key, run);
    if (status == STATUS_OK && compiled->outcome == COMPILE_ERROR && !report_names_source(&run->output))
        status = try_empty_source(job, tools, scratch, why);
    return status;
}

/* What the compilers let pass, and the judge does not: `fault` begins the output as an error of the source. */
static void refuse_source(const char *fault, CompilerRun *run, Compiled *compiled)
{
    Text output = {0};
    text_printf(&output, COMPILE_SOURCE_NAME ": error: %s\n", fault);
    text_append(&output, run->output.data, run->output.length);
    text_free(&run->output);
    run->output = output;
    compiled->outcome = COMPILE_ERROR;
}

/* What inline assembly has put into the module besides PTX, for a message; NULL: nothing. ptxas obeys the line markers of
 * a preprocessor (`# 500 "x"`) between any two tokens, after which its machine code claims other lines of PTX than it was
 * made from, and takes a module's directives anywhere. */
static const char *assembly_fault(const Text *module, int compute, Arena *arena)
{
    static const char *const heads[] = {".version", ".target", ".address_size"};
    Fatbin fatbin;
    if (fatbin_read(module->data, module->length, compute, &fatbin, NULL) != STATUS_OK || fatbin.ptx == NULL)
        return NULL;
    Lexer lexer = lexer_new(fatbin.ptx, fatbin.ptx_bytes);
    bool in_body = false;
    for (Token token = lexer_next(&lexer); token.kind != TOKEN_END; token = lexer_next(&lexer)) {
        in_body |= token_is(&token, "{");
        if (token.kind == TOKEN_BAD)
            return arena_printf(arena, "inline assembly holds \"%.*s\", which is not PTX",
                                (int)(token.length < 20 ? token.length : 20), token.text);
        for (size_t i = 0; in_body && i < sizeof heads / sizeof *heads; i++)
            if (token_is(&token, heads[i]))
                return arena_printf(arena, "inline assembly holds %s, which stands once, at the head of a module",
                                    heads[i]);
    }
    return NULL;
}

/* Writes the object beside the sandbox's folders and takes the module of the device step. */
static Status take_object(const CompileJob *job, const CompileFolders *folders, CompilerRun *run, Compiled *compiled,
                          Message *why)
{
    Arena *arena = &compiled->arena;
    /* The runner can register no other GPU code (harness/broker/broker_launch.c); this says so to an honest person. */
    const char
        *fault = module_is_alone(&run->module, &run->object)
                     ? assembly_fault(&run->module, job->compute, arena)
                     : "the object file holds GPU code that the device compiler did not make (section .nv_fatbin)";
    if (fault != NULL) {
        refuse_source(fault, run, compiled);
        return STATUS_OK;
    }
    TRY(compile_put_file(folders->folder, "submission.so", run->object.data, run->object.length, why));
    compiled->object_path = arena_printf(arena, "%s/submission.so", folders->folder);
    report_kernels(&run->output, arena, &compiled->kernels, &compiled->kernel_count);
    compiled->modules = arena_array(arena, 1, sizeof *compiled->modules);
    compiled->module_count = run->module.length > 0;
    if (compiled->module_count > 0)
        compiled->modules[0] = (CompileModule){arena_copy(arena, run->module.data, run->module.length),
                                               run->module.length};
    compiled->machine_code = machine_code_digest(compiled->modules, compiled->module_count, job->compute,
                                                 &run->host_object);
    return STATUS_OK;
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
                                 "/submission/./prototype.h",
                                 "the judge's prototype",
                                 "./prototype.h",
                                 "the judge's prototype",
                                 "/submission/./",
                                 "",
                                 "/submission/",
                                 "",
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
    Text runtime = {0}, source = {0};
    *compiled = (Compiled){0};
    if (asked->driver != NULL) {
        source = source_with_driver(asked);
        chosen.source = source.data;
        chosen.source_bytes = source.length;
    }
    Status status = toolkit_architecture(toolkit, asked->compute, &chosen.compute, why);
    THEN(status, find_tools(toolkit, &tools, &runtime, why));
    THEN(status, compile_folders_new(scratch, &folders, why));
    THEN(status, find_or_compile(job, &tools, &folders, scratch, &runtime, &run, compiled, why));
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_object(job, &folders, &run, compiled, why);
    if (status == STATUS_OK)
        add_diagnostics(job, toolkit, &folders, &run.output, compiled);
    compiled->seconds = run.seconds;
    compiler_run_free(&run);
    text_free(&runtime);
    text_free(&source);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}

/* ==== compile cpu ================================================================================================= */

/* As compile.c, by gcc alone, without a toolkit and the judge's runtime. -march=native because the baseline runs
 * where it was compiled; the GPU's code is made for its device, too. */

#define SOURCE_NAME "submission.c"

/* $1: object, $2: shared object. */
static const char script[] =
    "gcc -std=gnu11 -O3 -march=native -fopenmp -pthread -fPIC -include prototype.h -I. "
    "-c " SOURCE_NAME " -o \"$1\" &&\n"
    "gcc -shared -fno-lto -fno-use-linker-plugin -fopenmp -pthread -Wl,-z,defs \"$1\" -lm -o \"$2\"\n";

/* A float or double is made of the bits in its word. */
static void add_prototype(const CompileJob *job, Text *text)
{
    text_printf(text,
                "#ifndef CONVJUDGE_PROTOTYPE\n#define CONVJUDGE_PROTOTYPE\n#include <stdbool.h>\n"
                "#include <stddef.h>\n#include <stdint.h>\n%s;\n"
                "void convjudge_call(const unsigned long long *words)\n{\n    solve(",
                job->prototype);
    for (size_t i = 0; i < job->parameter_count; i++) {
        const char *type = job->parameter_types[i];
        const bool is_float = strcmp(type, "float") == 0 || strcmp(type, "double") == 0;
        text_printf(text,
                    is_float ? "%s((union { %s number; unsigned long long word; }){.word = words[%zu]}).number"
                             : "%s(%s)words[%zu]",
                    i > 0 ? ", " : "", type, i);
    }
    text_add(text, ");\n}\n#endif\n");
}

static Status write_cpu_sources(const CompileJob *job, const CompileFolders *folders, Message *why)
{
    Text prototype = {0};
    add_prototype(job, &prototype);
    Status status = compile_put_file(folders->in, SOURCE_NAME, job->source, job->source_bytes, why);
    THEN(status, compile_put_file(folders->in, "prototype.h", prototype.data, prototype.length, why));
    text_free(&prototype);
    return status;
}

static Status run_gcc(const CompileJob *job, const CompileFolders *folders, Text *output, ProcessEnd *end, Message *why)
{
    static const char *const argv[] = {"/bin/sh", "-c", script, "compile", "/out/submission.o", "/out/submission.so",
                                       NULL};
    TRY(write_cpu_sources(job, folders, why));
    return compile_in_sandbox(job, NULL, folders, argv, output, end, why);
}

/* Copies the object out of the folder that the compiler's user can write. */
static Status take_cpu_object(const CompileFolders *folders, Compiled *compiled, Message *why)
{
    char path[PATH_MAX + 32];
    Text object = {0};
    snprintf(path, sizeof path, "%s/submission.so", folders->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &object, why);
    THEN(status, compile_put_file(folders->folder, "submission.so", object.data, object.length, why));
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

static void add_gcc_diagnostics(const CompileJob *job, const Text *output, Compiled *compiled)
{
    const char *const paths[] = {"/submission/" SOURCE_NAME,
                                 job->file_name,
                                 SOURCE_NAME,
                                 job->file_name,
                                 "/out/submission.o",
                                 job->file_name,
                                 "/submission/./prototype.h",
                                 "the judge's prototype",
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
    THEN(status, run_gcc(job, &folders, &output, &end, why));
    if (status == STATUS_OK) {
        compiled->seconds = end.seconds;
        compiled->outcome = report_outcome(&output, &end);
        add_gcc_diagnostics(job, &output, compiled);
    }
    if (status == STATUS_OK && compiled->outcome == COMPILE_OK)
        status = take_cpu_object(&folders, compiled, why);
    text_free(&output);
    if (status != STATUS_OK)
        compiled_free(compiled);
    return status;
}
