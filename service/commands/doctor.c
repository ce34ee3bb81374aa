#include "service/commands/doctor.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/sandbox.h"
#include "base/scratch.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_monitor.h"
#include "harness/device/device_open.h"
#include "service/commands/command_line.h"
#include "service/course/class_read.h"
#include "service/store/config.h"

#include <glob.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ==== command check config ======================================================================================== */

typedef struct ConfigCheck {
    Config config;
    Text text; /* what will be printed */
    int faults;
    double longest_s; /* of the deadlines of workers */
} ConfigCheck;

static void add_settings(ConfigCheck *check)
{
    const char *file = check->config.file;
    text_printf(&check->text, "%s%s\n", file == NULL ? "no configuration file; all settings by default" : file,
                file == NULL ? "" : ", with the defaults of what it leaves out");
    config_print(&check->config, &check->text);
    text_printf(&check->text,
                "\nA worker renews its lease every %d s and loses it after %g s.\n"
                "Deadlines of a judging in seconds, each longer than the one before it:\n%-24s %5s %9s %9s %9s %9s\n",
                DEADLINE_HEARTBEAT_S, check->config.lease_s, "problem", "mode", "compiler", "grading", "worker",
                "server");
}

static Status add_deadlines(ConfigCheck *check, const Problem *problem, JudgingMode mode, Message *why)
{
    Deadlines deadlines;
    TRY(deadlines_of(problem, mode, check->config.lease_s, &deadlines, why));
    text_printf(&check->text, "%-24s %5s %9.0f %9.0f %9.0f %9.0f\n", problem->id, judging_mode_name(mode),
                deadlines.compile_s, deadlines.grading_s, deadlines.worker_s, deadlines.server_s);
    const char *fault = deadlines_fault(&deadlines, check->config.lease_s);
    if (fault != NULL)
        text_printf(&check->text, "    wrong: %s\n", fault);
    check->faults += fault != NULL;
    if (deadlines.worker_s > check->longest_s)
        check->longest_s = deadlines.worker_s;
    return STATUS_OK;
}

static Status check_problem(ConfigCheck *check, const char *id, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    for (JudgingMode mode = 0; mode < JUDGING_MODES && status == STATUS_OK; mode++)
        status = add_deadlines(check, &problem, mode, why);
    problem_free(&problem);
    return status;
}

static Status check_problems(ConfigCheck *check, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count = 0;
    Status status = problem_list(&arena, &ids, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_problem(check, ids[i], why);
    arena_free(&arena);
    return status;
}

static Status check_class(ConfigCheck *check, Message *why)
{
    ClassFile class = {0};
    Arena arena = {0};
    size_t people;
    if (check->config.class_file == NULL)
        return STATUS_OK;
    Status status = class_file_read(check->config.class_file, &class, why);
    if (status == STATUS_OK) {
        class_people(&class, &arena, &people);
        text_printf(&check->text, "\nThe class: %zu assignment%s, %zu %s in groups, times of %s. Extensions: %zu.\n",
                    class.assignment_count, class.assignment_count == 1 ? "" : "s", people,
                    people == 1 ? "person" : "people", class.zone.name, class.extension_count);
    }
    class_file_free(&class);
    arena_free(&arena);
    return status;
}

/* A judging that takes longer than half of a pilot's time is begun by new pilots alone. */
static void add_pilots(ConfigCheck *check)
{
    const SlurmSettings *slurm = &check->config.slurm;
    if (check->config.engine != ENGINE_SLURM)
        return;
    const double half_s = 30.0 * (double)slurm->time_minutes;
    text_printf(&check->text, "\nA pilot of %lld minutes begins a judging until %.0f s before its end%s\n",
                (long long)slurm->time_minutes, check->longest_s < half_s ? check->longest_s : half_s,
                check->longest_s <= half_s
                    ? "."
                    : ".\nThe longest may take more than half of that; with longer \"time_minutes\" none is cut off.");
}

Status command_check_config(const Options *options, int *exit_status, Message *why)
{
    ConfigCheck check = {0};
    if (options->operand_count > 1 || (options->operand_count == 1 && options->config != NULL))
        return options_expect_file(options, why);
    Status status = config_read(options->operand_count == 0 ? options->config : options->operands[0], &check.config,
                                why);
    if (status == STATUS_OK) {
        add_settings(&check);
        status = check_problems(&check, why);
        THEN(status, check_class(&check, why));
        add_pilots(&check);
        fputs(check.text.data, stdout);
        *exit_status = check.faults > 0;
    }
    text_free(&check.text);
    config_free(&check.config);
    return status;
}

/* ==== checkup ===================================================================================================== */

enum { LEVEL_COLUMNS = 9, WHAT_COLUMNS = 16 };

static const char *const level_names[] = {"ok", "note", "missing"};

void checkup_add(Checkup *checkup, CheckupLevel level, const char *what, const char *cost, const char *format, ...)
{
    Text found = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&found, format, arguments);
    va_end(arguments);
    checkup->items = arena_grown(&checkup->arena, checkup->items, checkup->count, &checkup->capacity,
                                 sizeof *checkup->items);
    checkup->items[checkup->count++] = (CheckupItem){.level = level,
                                                     .what = arena_string(&checkup->arena, what),
                                                     .found = arena_string(&checkup->arena, found.data),
                                                     .cost = arena_string(&checkup->arena, cost)};
    text_free(&found);
}

bool checkup_allows_grading(const Checkup *checkup)
{
    for (size_t i = 0; i < checkup->count; i++)
        if (checkup->items[i].level == CHECKUP_MISSING)
            return false;
    return true;
}

/* Words in lines of at most `width` columns; each line after the first begins at the column of the findings. */
static void add_folded(const char *words, int width, Text *text)
{
    const int indent = LEVEL_COLUMNS + WHAT_COLUMNS;
    int column = indent;
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        if (column > indent && column + 1 + (int)length > width) {
            text_printf(text, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            text_add(text, " ");
            column++;
        }
        text_add_printable(text, words, length);
        column += (int)length;
        words += length + strspn(words + length, " ");
    }
    text_add(text, "\n");
}

void checkup_print(const Checkup *checkup, int width, Text *text)
{
    for (size_t i = 0; i < checkup->count; i++) {
        const CheckupItem *item = &checkup->items[i];
        text_printf(text, "%-*s%-*s", LEVEL_COLUMNS, level_names[item->level], WHAT_COLUMNS, item->what);
        add_folded(item->found, width, text);
        if (item->cost[0] == '\0')
            continue;
        text_printf(text, "%*s", LEVEL_COLUMNS + WHAT_COLUMNS, "");
        add_folded(item->cost, width, text);
    }
    text_add(text, checkup_allows_grading(checkup) ? "Grading works here.\n"
                                                   : "Nothing can be graded here until the missing parts are there.\n");
}

void checkup_json(const Checkup *checkup, Text *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddBoolToObject(root, "grading_works", checkup_allows_grading(checkup));
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < checkup->count; i++) {
        const CheckupItem *item = &checkup->items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "level", level_names[item->level]);
        cJSON_AddStringToObject(object, "what", item->what);
        cJSON_AddStringToObject(object, "found", item->found);
        cJSON_AddStringToObject(object, "cost", item->cost);
        cJSON_AddItemToArray(findings, object);
    }
    json_print(root, text);
    cJSON_Delete(root);
}

void checkup_free(Checkup *checkup)
{
    arena_free(&checkup->arena);
}

/* ==== doctor devices ============================================================================================== */

enum { MOST_GPUS = 64 };

/* The first line of a file of the kernel; "" where there is none. */
static void read_word(const char *path, char word[100])
{
    FILE *file = fopen(path, "r");
    word[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(word, 100, file) == NULL)
        word[0] = '\0';
    word[strcspn(word, "\n")] = '\0';
    fclose(file);
}

/* A clock that follows the load differs from call to call. The judge warms it up, waits and repeats, which takes time. */
static void find_gpu_clock(const DeviceInfo *info, Checkup *checkup)
{
    DeviceMonitor *monitor;
    DeviceState state = {0};
    Message why;
    char reasons[200];
    if (device_monitor_open(info->uuid, &monitor, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_NOTE, "GPU clock",
                    "Disturbed measurements go unnoticed. Install NVIDIA's libnvidia-ml.so.1.", "unknown: %s",
                    why.text);
        return;
    }
    device_monitor_read(monitor, &state);
    device_monitor_close(monitor);
    device_monitor_reasons(state.reasons, reasons, sizeof reasons);
    checkup_add(checkup, reasons[0] == '\0' ? CHECKUP_OK : CHECKUP_NOTE, "GPU clock",
                reasons[0] == '\0' ? "As root, nvidia-smi --lock-gpu-clocks makes times steadier."
                                   : "The judge waits until the clock is free, which takes time.",
                "%u of at most %u MHz%s%s", state.sm_clock_mhz, state.max_sm_clock_mhz, reasons[0] == '\0' ? "" : ": ",
                reasons);
}

static void add_gpu(const DeviceInfo *info, Checkup *checkup)
{
    checkup_add(checkup, CHECKUP_OK, "GPU", "", "%s: %s, driver %s", info->handle, info->name, info->driver);
    if (info->fma_flops_per_s <= 0) /* the memory's peak is known without a calibration */
        checkup_add(checkup, CHECKUP_NOTE, "GPU's rates",
                    "Run once: convjudge calibrate. Until then reports lack the roofline, and impossible times are "
                    "refused only beyond the peak of the memory.",
                    "not measured yet");
    if (info->pageable_access)
        checkup_add(checkup, CHECKUP_NOTE, "GPU's memory",
                    "Nothing is ranked on this device: docs/explanation/security.md.",
                    "kernels can read the memory of the judge's processes");
    find_gpu_clock(info, checkup);
}

static void find_gpus(Checkup *checkup)
{
    DeviceInfo info;
    Message why;
    if (device_describe("auto", &info, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_MISSING, "GPU", "DEVICE=sim selects the simulated GPU.", "%s", why.text);
        return;
    }
    if (info.modelled)
        checkup_add(checkup, CHECKUP_NOTE, "GPU",
                    "Gradings run on the simulated GPU, and times are modelled; they are a ranking of their own.",
                    "none: %s", info.passed_over);
    for (int i = 0; i < MOST_GPUS && !info.modelled; i++) {
        char name[20];
        snprintf(name, sizeof name, "cuda:%d", i);
        if (device_describe(name, &info, &why) != STATUS_OK)
            break;
        add_gpu(&info, checkup);
    }
}

static void find_simulated(Checkup *checkup)
{
    DeviceInfo info;
    Message why;
    if (device_describe("sim", &info, &why) == STATUS_OK)
        checkup_add(checkup, CHECKUP_OK, "simulated GPU", "", "%s", info.name);
    else
        checkup_add(checkup, CHECKUP_MISSING, "simulated GPU", "The judge's folder lacks simgpu/profiles/.", "%s",
                    why.text);
}

/* Reading a clock other than the processor's own is a call of the system, or worse. */
static void find_clock(Checkup *checkup)
{
    char source[100], governor[100];
    read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    read_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
    const bool fast = strcmp(source, "tsc") == 0 || strcmp(source, "kvm-clock") == 0 || source[0] == '\0';
    checkup_add(checkup, fast ? CHECKUP_OK : CHECKUP_NOTE, "host clock",
                fast ? ""
                     : "Reading it takes a microsecond or more, which blurs the second clock of short kernels. The "
                       "kernel's option tsc=reliable may help.",
                "%s", source[0] == '\0' ? "unknown" : source);
    if (governor[0] != '\0' && strcmp(governor, "performance") != 0)
        checkup_add(checkup, CHECKUP_NOTE, "host frequency",
                    "Times of CPU baselines vary with the load. As root: cpupower frequency-set -g performance.",
                    "governor \"%s\"", governor);
}

/* GPUs and the simulated GPU; the clock of the host. */
static void doctor_devices(Checkup *checkup)
{
    find_gpus(checkup);
    find_simulated(checkup);
    find_clock(checkup);
}

/* ==== doctor files ================================================================================================ */

enum { WRITES = 5, BLOCK_BYTES = 4096 };
static const double SLOW_MS = 50, LEAST_GIB = 2;

/* ---- disks ------------------------------------------------------------------------------------------------------- */

/* The median time to get a block onto the disk; negative where nothing can be written. */
static double sync_ms(const char *folder)
{
    char path[PATH_MAX], block[BLOCK_BYTES] = {0};
    double times[WRITES];
    if ((size_t)snprintf(path, sizeof path, "%s/convjudge-doctor-XXXXXX", folder) >= sizeof path)
        return -1;
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    unlink(path);
    bool written = true;
    for (int i = 0; i < WRITES && written; i++) {
        const double start_s = now_s();
        written = write(file, block, sizeof block) == (ssize_t)sizeof block && fsync(file) == 0;
        times[i] = 1e3 * (now_s() - start_s);
    }
    close(file);
    qsort(times, WRITES, sizeof *times, order_numbers);
    return written ? times[WRITES / 2] : -1;
}

typedef struct Disk {
    const char *what, *folder;
    bool holds_store;          /* a database: no network file system, and each run waits for the disk */
    CheckupLevel if_read_only; /* where nothing can be written */
    const char *cost;          /* of that */
} Disk;

static void examine_disk(const Disk *disk, Checkup *checkup)
{
    struct statvfs info = {0};
    const char *network = NULL, *cost = "";
    const double ms = sync_ms(disk->folder);
    if (statvfs(disk->folder, &info) != 0 || file_system_network(disk->folder, &network, NULL) != STATUS_OK || ms < 0) {
        checkup_add(checkup, disk->if_read_only, disk->what, disk->cost, "%s: nothing can be written there",
                    disk->folder);
        return;
    }
    const double free_gib = (double)info.f_bavail * (double)info.f_frsize / (1 << 30);
    if (disk->holds_store && network != NULL)
        cost = "The database may be damaged, since its log needs shared memory. Move it to a local disk.";
    else if (free_gib < LEAST_GIB)
        cost = "A full disk ends gradings with a judge error. Make room.";
    else if (disk->holds_store && ms > SLOW_MS)
        cost = "Each run waits for the disk twice. A faster one makes a busy service quicker.";
    checkup_add(checkup, cost[0] == '\0' ? CHECKUP_OK : CHECKUP_NOTE, disk->what, cost,
                "%s: %.1f GiB free, a write reaches the disk in %.1f ms%s%s", disk->folder, free_gib, ms,
                network == NULL ? "" : ", on ", network == NULL ? "" : network);
}

static void examine_disks(const char *database, const char *state, Checkup *checkup)
{
    char folder[PATH_MAX], cache[PATH_MAX];
    const char *temporary = getenv("TMPDIR"), *slash = strrchr(database, '/');
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - database),
             slash == NULL ? "." : database);
    const Disk disks[] = {
        {"leaderboard", folder, true, CHECKUP_NOTE,
         "Runs cannot be kept. Grade with --no-record, or let CONVJUDGE_DB name a file of your own."},
        {"temporary files", temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary, false, CHECKUP_MISSING,
         "Nothing can be compiled. Let TMPDIR name a folder of your own."},
        {"service's state", state, true, CHECKUP_NOTE, "Only the service's account can write there, as intended."},
        {"compile cache", cache, false, CHECKUP_NOTE,
         "Each file is compiled anew. Let CONVJUDGE_CACHE name a folder of your own."},
    };
    if (paths_cache(cache, sizeof cache, NULL) != STATUS_OK)
        cache[0] = '\0';
    for (size_t i = 0; i < sizeof disks / sizeof *disks; i++)
        if (disks[i].if_read_only == CHECKUP_MISSING || access(disks[i].folder, F_OK) == 0)
            examine_disk(&disks[i], checkup);
}

/* ---- who may read what ------------------------------------------------------------------------------------------- */

/* How many of the files that match are readable for everybody. */
static int count_public(const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    struct stat info;
    int count = 0;
    if (paths_home(pattern, path, sizeof path, NULL) != STATUS_OK || glob(path, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        count += stat(found.gl_pathv[i], &info) == 0 && (info.st_mode & S_IROTH) != 0;
    globfree(&found);
    return count;
}

static void examine_secrets(Checkup *checkup)
{
    const int cases = count_public("testcases/*/hidden.json"), solutions = count_public("solutions/*/accepted/*");
    if (cases + solutions == 0)
        checkup_add(checkup, CHECKUP_OK, "secrets", "", "only some may read hidden cases and solutions");
    else
        checkup_add(
            checkup, CHECKUP_NOTE, "secrets",
            "Fine for practice. For a class, install the service, whose account alone reads them (make install), or "
            "at least: chmod -R o= testcases solutions.",
            "everybody here may read %d files of hidden cases and %d solutions", cases, solutions);
}

static void examine_database(const char *database, Checkup *checkup)
{
    struct stat info;
    if (stat(database, &info) != 0)
        checkup_add(checkup, CHECKUP_OK, "database", "The first grading makes it.", "%s: none yet", database);
    else if ((info.st_mode & S_IWOTH) != 0)
        checkup_add(checkup, CHECKUP_NOTE, "database", "Anybody can change ranks. chmod o-w.",
                    "%s: everybody may write to it", database);
    else if ((info.st_mode & S_IROTH) != 0)
        checkup_add(checkup, CHECKUP_NOTE, "database",
                    "It holds the sources of all submissions. chmod o-r, or run the service.",
                    "%s: everybody may read it", database);
    else
        checkup_add(checkup, CHECKUP_OK, "database", "", "%s: only some may read it", database);
}

/* Disks, and who may read what. `state`: the folder of the service, examined where it exists. */
static void doctor_files(const char *state, Checkup *checkup)
{
    char database[PATH_MAX];
    Message why;
    if (paths_chosen("CONVJUDGE_DB", "leaderboard/leaderboard.db", database, sizeof database, &why) != STATUS_OK) {
        checkup_add(checkup, CHECKUP_MISSING, "judge's folder", "It holds problems and testcases. Set CONVJUDGE_HOME.",
                    "%s", why.text);
        return;
    }
    examine_disks(database, state, checkup);
    examine_database(database, checkup);
    examine_secrets(checkup);
}

/* ==== doctor programs ============================================================================================= */

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

/* Compilers, versions, locale, stack, cores and memory. */
static void doctor_programs(Checkup *checkup)
{
    find_versions(checkup);
    find_compilers(checkup);
    find_gcc(checkup);
    find_cores(checkup);
    find_stack(checkup);
    find_locale(checkup);
}

/* ==== doctor sandbox ============================================================================================== */

static bool read_version(void *context, const char *output)
{
    return program_read_after(output, "bubblewrap ", "\n", context, 60);
}

static void find_bubblewrap(Checkup *checkup)
{
    const char *named = paths_variable("CONVJUDGE_BWRAP");
    const char *const argv[] = {named != NULL ? named : "/usr/bin/bwrap", "--version", NULL};
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
                "the judge may not make any");
}

/* bubblewrap and what the kernel lends it. */
static void doctor_sandbox(Checkup *checkup)
{
    find_bubblewrap(checkup);
    find_level(checkup);
    find_seccomp(checkup);
    find_cgroup(checkup);
}

/* ==== command doctor ============================================================================================== */

static bool stays_on_this_host(const char *listen)
{
    static const char *const beginnings[] = {"127.", "[::1]:", "localhost:"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(listen, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return listen[0] == '\0';
}

static void examine_settings(const Config *config, Checkup *checkup)
{
    const char *file = config->file == NULL ? "no file, all by default" : config->file;
    if (stays_on_this_host(config->listen))
        checkup_add(checkup, CHECKUP_OK, "configuration", "", "%s", file);
    else
        checkup_add(checkup, CHECKUP_NOTE, "configuration",
                    "Tokens cross the network as plain text. Listen on 127.0.0.1, behind a reverse proxy with TLS "
                    "(docs/guides/operate.md).",
                    "%s: listens on %s", file, config->listen);
}

static void examine(const Config *config, Checkup *checkup)
{
    doctor_programs(checkup);
    doctor_devices(checkup);
    doctor_sandbox(checkup);
    doctor_files(config->state, checkup);
    examine_settings(config, checkup);
}

static Status report(const Options *options, const Checkup *checkup, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (options->json != NULL) {
        checkup_json(checkup, &text);
        status = json_target_write(options->json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        checkup_print(checkup, terminal_style(stdout).width, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

Status command_doctor(const Options *options, int *exit_status, Message *why)
{
    Config config;
    Checkup checkup = {0};
    TRY(options_expect_no_file(options, why));
    TRY(json_target_check(options->json, NULL, why));
    Status status = config_read(options->config, &config, why);
    if (status == STATUS_OK) {
        examine(&config, &checkup);
        status = report(options, &checkup, why);
        *exit_status = !checkup_allows_grading(&checkup);
    }
    checkup_free(&checkup);
    config_free(&config);
    return status;
}
