/* From C to a library that is loaded. Libraries are kept in a folder under the hash of all that they depend on: another
 * process, or another day, finds them there.  */
#include "simgpu/jit/translate.h"

#include "base/hash.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As lanes.c is compiled, for just this machine. */
static const char *const options[] = {
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
    "-fPIC",
    "-shared",
    "-x",
    "c",
};
enum { OPTIONS = sizeof options / sizeof *options };

/* The line of /proc/cpuinfo that names what the processor can do. */
static void hash_processor(Hash *hash)
{
    char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0) {
            hash_add_string(hash, line);
            if (line[0] == 'f')
                break;
        }
    if (file != NULL)
        fclose(file);
}

static Digest key_of(const Translation *translation, const char *compiler)
{
    Hash hash;
    struct stat info = {0};
    hash_begin(&hash);
    hash_add(&hash, translation->source.data, translation->source.length);
    for (int i = 0; i < OPTIONS; i++)
        hash_add_string(&hash, options[i]);
    hash_add_string(&hash, compiler);
    if (stat(compiler, &info) == 0) {
        hash_add(&hash, &info.st_size, sizeof info.st_size);
        hash_add(&hash, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    }
    hash_processor(&hash);
    return hash_end(&hash);
}

/* gcc's temporary files lie beside the library, and are swept away with all that is unfinished there. */
static bool run_compiler(Translation *translation, const char *compiler, const char *folder, const char *source,
                         const char *library)
{
    const char *arguments[OPTIONS + 5] = {compiler};
    char temporary[PATH_MAX + 8];
    char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", temporary, NULL};
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    memcpy(arguments + 1, options, sizeof options);
    arguments[OPTIONS + 1] = source;
    arguments[OPTIONS + 2] = "-o";
    arguments[OPTIONS + 3] = library;
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    bool started = posix_spawn(&process, compiler, &actions, NULL, (char *const *)arguments, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    int none = 0;
    if (started && !atomic_compare_exchange_strong(&translation->compiler, &none, process))
        kill(process, SIGTERM); /* it has been abandoned */
    bool ended = started && waitid(P_PID, (id_t)process, &(siginfo_t){0}, WEXITED | WNOWAIT) == 0;
    atomic_store(&translation->compiler, -1); /* before the number is free for another process */
    return ended && waitpid(process, &status, 0) == process && status == 0;
}

void translation_abandon(Translation *translation)
{
    int process = atomic_exchange(&translation->compiler, -1);
    if (process > 0)
        kill(process, SIGTERM);
}

/* Removes what nobody has used for a month, and what was left unfinished an hour ago. */
static void sweep(const char *folder)
{
    enum { HOUR_S = 3600, MONTH_S = 30 * 24 * HOUR_S };
    DIR *entries = opendir(folder);
    time_t now = time(NULL);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat info;
        size_t length = strlen(entry->d_name);
        bool is_library = length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
        if (fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
            now - info.st_mtime > (is_library ? MONTH_S : HOUR_S))
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries != NULL)
        closedir(entries);
}

/* Under another name first: whoever finds a library finds all of it. */
static bool compile(Translation *translation, const char *compiler, const char *folder, const char *path)
{
    char source[PATH_MAX], fresh[PATH_MAX];
    if ((size_t)snprintf(source, sizeof source, "%s.%d.c", path, getpid()) >= sizeof source ||
        (size_t)snprintf(fresh, sizeof fresh, "%s.%d.new", path, getpid()) >= sizeof fresh)
        return false;
    bool done = text_write_file(source, &translation->source, NULL) == STATUS_OK &&
                run_compiler(translation, compiler, folder, source, fresh) && rename(fresh, path) == 0;
    unlink(source);
    unlink(fresh);
    return done;
}

static bool load(Translation *translation, const char *path)
{
    if (utimensat(AT_FDCWD, path, NULL, 0) != 0) /* it is in use */
        return false;
    translation->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (translation->library == NULL)
        return false;
    *(void **)&translation->run = dlsym(translation->library, "translated");
    return translation->run != NULL;
}

bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile)
{
    char path[PATH_MAX];
    Digest key = key_of(translation, compiler);
    if ((size_t)snprintf(path, sizeof path, "%s/%s.so", folder, key.hex) >= sizeof path)
        return false;
    if (load(translation, path))
        return true;
    if (!may_compile)
        return false;
    sweep(folder);
    return compile(translation, compiler, folder, path) && load(translation, path);
}

void translation_free(Translation *translation)
{
    if (translation == NULL)
        return;
    if (translation->library != NULL)
        dlclose(translation->library);
    text_free(&translation->source);
    arena_free(&translation->arena);
    free(translation);
}
