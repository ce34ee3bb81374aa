/* simgpu: runs one kernel of a PTX file or fatbin, and prints what it found and counted (simgpu/README.md).
 *
 * Exit status   0: the kernel ran, and nothing was found; 1: a fault or a finding; 2: nothing ran.  */
#include "base/arena.h"
#include "base/text.h"
#include "simgpu/simgpu.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 26, SHOWN = 8 /* elements of an array */ };

static const char usage[] =
    "usage: simgpu run FILE --kernel NAME --grid X[,Y[,Z]] --block X[,Y[,Z]] [--shared BYTES] [--profile FILE] ARGUMENT...\n"
    "\n"
    "FILE holds PTX, or is a fatbin with uncompressed PTX (nvcc --no-compress). NAME is the kernel's name in the PTX. The\n"
    "kernel's arguments follow in order:\n"
    "  i32:5          a number; the types are i32, u32, i64, u64, f32 and f64\n"
    "  f32[1000]      an array in device memory that nobody has written\n"
    "  f32[1000]=0.5  an array of one number; =index: of 0, 1, 2 ...\n"
    "\n"
    "  --shared BYTES   dynamic shared memory of a block\n"
    "  --profile FILE   the GPU: simgpu/profiles/h200.json\n";

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("simgpu: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct NumberType {
    const char *name;
    uint32_t bytes;
    double low, high; /* of whole numbers; both 0: a floating-point number */
} NumberType;

static const NumberType types[] = {
    {"i32", 4, INT32_MIN, INT32_MAX}, {"u32", 4, 0, UINT32_MAX}, {"i64", 8, INT64_MIN, INT64_MAX},
    {"u64", 8, 0, UINT64_MAX},        {"f32", 4, 0, 0},          {"f64", 8, 0, 0}};

static const NumberType *type_of(const char *text)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(text, types[i].name, strlen(types[i].name)) == 0)
            return &types[i];
    return NULL;
}

static bool is_whole(const NumberType *type)
{
    return type->high != 0;
}

/* The bits of the number that `text` is; false where it is none of that type. */
static bool read_number(const NumberType *type, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || (is_whole(type) && !(value >= type->low && value <= type->high)))
        return false;
    const float single = (float)value;
    if (is_whole(type))
        *bits = type->low < 0 ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    else
        memcpy(bits, type->bytes == 4 ? (const void *)&single : &value, type->bytes);
    return errno == 0 && *end == '\0';
}

static void print_number(const NumberType *type, const void *from)
{
    uint64_t bits = 0;
    float single;
    double value;
    memcpy(&bits, from, type->bytes);
    memcpy(&single, from, sizeof single);
    memcpy(&value, &bits, sizeof value);
    if (!is_whole(type))
        printf(" %g", type->bytes == 4 ? (double)single : value);
    else if (type->low < 0)
        printf(" %lld", type->bytes == 4 ? (long long)(int32_t)bits : (long long)bits);
    else
        printf(" %llu", (unsigned long long)bits);
}

static uint32_t read_count(const char *option, const char *text, char **end)
{
    errno = 0;
    const unsigned long long value = strtoull(text, end, 10);
    if (*end == text || text[0] == '-' || errno != 0 || value > UINT32_MAX)
        die("%s: found '%s', expected a whole number", option, text);
    return (uint32_t)value;
}

static void read_size(const char *option, const char *text, uint32_t size[3])
{
    const char *from = text;
    size[0] = size[1] = size[2] = 1;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        size[axis] = read_count(option, from, &end);
        if (*end == '\0')
            return;
        if (*end != ',')
            break;
        from = end + 1;
    }
    die("%s: found '%s', expected X, X,Y or X,Y,Z", option, text);
}

/* ---- the kernel's arguments -------------------------------------------------------------------------------------- */

typedef struct Argument {
    const NumberType *type;
    uint64_t count; /* of an array, else 0 */
    uint64_t bits;  /* its address or the number */
} Argument;

static void fill(SimGpu *gpu, const Argument *array, int number, const char *with)
{
    const NumberType *type = array->type;
    for (uint64_t i = 0; i < array->count; i++) {
        char index[32];
        uint64_t bits;
        snprintf(index, sizeof index, "%llu", (unsigned long long)i);
        if (!read_number(type, strcmp(with, "index") == 0 ? index : with, &bits))
            die("argument %d: found '=%s', expected a number of type %s, or index", number, with, type->name);
        memcpy((char *)(uintptr_t)array->bits + i * type->bytes, &bits, type->bytes);
    }
    simgpu_mark_written(gpu, array->bits, array->count * type->bytes);
}

static Argument read_array(SimGpu *gpu, const NumberType *type, const char *text, int number)
{
    char *end, name[32], what[48];
    snprintf(what, sizeof what, "argument %d, an array's size", number);
    Argument array = {.type = type, .count = read_count(what, text + strlen(type->name) + 1, &end)};
    if (*end != ']' || (end[1] != '\0' && end[1] != '=') || array.count == 0)
        die("argument %d: found '%s', expected TYPE[COUNT] or TYPE[COUNT]=NUMBER", number, text);
    array.bits = simgpu_alloc(gpu, array.count * type->bytes);
    if (array.bits == 0)
        die("argument %d: '%s' does not fit the memory of the GPU", number, text);
    snprintf(name, sizeof name, "argument%d", number);
    simgpu_name(gpu, array.bits, name, type->bytes);
    if (end[1] == '=')
        fill(gpu, &array, number, end + 2);
    return array;
}

static Argument read_argument(SimGpu *gpu, const char *text, int number)
{
    const NumberType *type = type_of(text);
    const char *behind = type == NULL ? "" : text + strlen(type->name);
    Argument argument = {.type = type};
    if (*behind == '[')
        return read_array(gpu, type, text, number);
    if (*behind != ':' || !read_number(type, behind + 1, &argument.bits))
        die("argument %d: found '%s', expected TYPE:NUMBER or TYPE[COUNT], the type one of i32 u32 i64 u64 f32 f64",
            number, text);
    return argument;
}

static void place(const SimFunctionInfo *info, const Argument *argument, uint32_t i, unsigned char *parameters)
{
    const uint32_t bytes = argument->count > 0 ? (uint32_t)sizeof argument->bits : argument->type->bytes;
    if (bytes != info->parameter_sizes[i])
        die("argument %u: found %u bytes, kernel %s expects %u", i + 1, bytes, info->name, info->parameter_sizes[i]);
    memcpy(parameters + info->parameter_offsets[i], &argument->bits, bytes);
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void print_output(SimGpu *gpu)
{
    char text[4096];
    uint64_t lost;
    for (size_t length; (length = simgpu_take_output(gpu, text, sizeof text, &lost)) > 0;)
        fwrite(text, 1, length, stdout);
}

/* The first elements of the arrays that the kernel has stored into. */
static void print_arrays(const SimGpu *gpu, const Argument *arguments, int count)
{
    for (int i = 0; i < count; i++) {
        const Argument *array = &arguments[i];
        SimAllocation found;
        if (array->count == 0 || !simgpu_find(gpu, array->bits, 1, &found) || !found.kernel_wrote)
            continue;
        printf("argument %d:", i + 1);
        for (uint64_t k = 0; k < array->count && k < SHOWN; k++)
            print_number(array->type, (const char *)(uintptr_t)array->bits + k * array->type->bytes);
        puts(array->count > SHOWN ? " ..." : "");
    }
}

static void print_counters(const SimCounters *counters)
{
#define COUNTER(NAME, UNIT)                                                                                            \
    if (counters->NAME > 0)                                                                                            \
        printf("%-24s %12llu  %s\n", #NAME, (unsigned long long)counters->NAME, UNIT);
#include "simgpu/cost/counters.def"
}

/* True where something is wrong with the kernel. */
static bool print_report(const SimGpu *gpu, const SimReport *report, const Argument *arguments, int count)
{
    if (report->outcome != SIM_OK) {
        printf("fault: %s\n", report->fault.text);
        return true;
    }
    for (uint32_t i = 0; i < report->finding_count; i++)
        printf("finding: %s\n", report->findings[i].where.text);
    if (report->findings_more > 0)
        printf("findings beyond these: %u\n", report->findings_more);
    printf("modelled time: %.2f us, limited by %s, occupancy %.0f %%\n", report->modelled_s * 1e6, report->limiter,
           report->occupancy * 100);
    print_arrays(gpu, arguments, count);
    print_counters(&report->counters);
    return report->finding_count > 0;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

typedef struct RunRequest {
    const char *file, *kernel, *profile;
    LaunchShape shape;
    char **arguments;
    int argument_count;
} RunRequest;

static RunRequest read_request(int argc, char **argv)
{
    static const struct option options[] = {{"kernel", required_argument, NULL, 'k'},
                                            {"grid", required_argument, NULL, 'g'},
                                            {"block", required_argument, NULL, 'b'},
                                            {"shared", required_argument, NULL, 's'},
                                            {"profile", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    RunRequest request = {.profile = "simgpu/profiles/h200.json"};
    char *end;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'k': request.kernel = optarg; break;
        case 'g': read_size("--grid", optarg, request.shape.grid); break;
        case 'b': read_size("--block", optarg, request.shape.block); break;
        case 's':
            request.shape.dynamic_shared_bytes = read_count("--shared", optarg, &end);
            if (*end != '\0')
                die("--shared: found '%s', expected a whole number of bytes", optarg);
            break;
        case 'p': request.profile = optarg; break;
        case 'h': fputs(usage, stdout); exit(0);
        default: exit(2);
        }
    if (argc - optind < 2 || strcmp(argv[optind], "run") != 0)
        die("found %s, expected run FILE; simgpu --help says more", argc == optind ? "nothing" : argv[optind]);
    if (request.kernel == NULL || request.shape.grid[0] == 0 || request.shape.block[0] == 0)
        die("%s is missing", request.kernel == NULL       ? "--kernel NAME"
                             : request.shape.grid[0] == 0 ? "--grid X[,Y[,Z]]"
                                                          : "--block X[,Y[,Z]]");
    request.file = argv[optind + 1];
    request.arguments = argv + optind + 2;
    request.argument_count = argc - optind - 2;
    return request;
}

static SimGpu *new_gpu(const char *path)
{
    HardwareProfile profile;
    SimGpu *gpu;
    Message why;
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const size_t length = strlen(name), suffix = strlen(".json");
    char folder[4096], base[256];
    if (length <= suffix || length - suffix >= sizeof base || strcmp(name + length - suffix, ".json") != 0)
        die("--profile: found '%s', expected a file NAME.json", path);
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path), slash == NULL ? "." : path);
    snprintf(base, sizeof base, "%.*s", (int)(length - suffix), name);
    if (hardware_profile_read(folder, base, &profile, &why) != STATUS_OK ||
        simgpu_new(&profile, 0, 1ull << 36, 0, &gpu, &why) != STATUS_OK)
        die("%s", why.text);
    return gpu;
}

int main(int argc, char **argv)
{
    const RunRequest request = read_request(argc, argv);
    Text image = {0};
    Message why;
    SimModule *module;
    SimFunctionInfo info;
    if (text_read_file(request.file, MAX_FILE_BYTES, &image, &why) != STATUS_OK)
        die("%s", why.text);
    SimGpu *gpu = new_gpu(request.profile);
    if (simgpu_module_load(gpu, image.data, image.length, &module, &why) != STATUS_OK)
        die("%s: %s", request.file, why.text);
    SimFunction *function = simgpu_function(module, request.kernel);
    if (function == NULL)
        die("%s: no kernel '%s'", request.file, request.kernel);
    simgpu_function_info(function, &info);
    if ((uint32_t)request.argument_count != info.parameter_count)
        die("kernel %s: found %d arguments, expected %u", info.name, request.argument_count, info.parameter_count);
    Argument *arguments = zeroed((size_t)request.argument_count + 1, sizeof *arguments);
    unsigned char *parameters = zeroed(info.parameter_bytes + 1, 1);
    for (int i = 0; i < request.argument_count; i++) {
        arguments[i] = read_argument(gpu, request.arguments[i], i + 1);
        place(&info, &arguments[i], (uint32_t)i, parameters);
    }
    const SimLaunch launch = {.function = function,
                              .shape = request.shape,
                              .parameters = parameters,
                              .flags = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED};
    static SimReport report;
    simgpu_launch(gpu, &launch, &report);
    print_output(gpu);
    const bool is_wrong = print_report(gpu, &report, arguments, request.argument_count);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    free(arguments);
    free(parameters);
    text_free(&image);
    return is_wrong;
}
