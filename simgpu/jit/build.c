#include "simgpu/jit/build.h"

#include "base/compile_cache.h"
#include "base/hash.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The options of lane_loops.c (Makefile), but for exactly this processor. */
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

/* The lines of /proc/cpuinfo that name the processor and its features. */
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

/* The digest of everything that the library depends on. */
static Digest key_of(const Translation *translation, const char *compiler)
{
    Hash hash;
    struct stat info = {0};
    hash_begin(&hash);
    hash_add_string(&hash, "simgpu translation 1"); /* raise the number when entries change their meaning */
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

/* gcc puts its temporary files beside the library, where the cache removes what a killed process leaves. */
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
        kill(process, SIGTERM); /* translation_abandon() came first */
    bool ended = started && waitid(P_PID, (id_t)process, &(siginfo_t){0}, WEXITED | WNOWAIT) == 0;
    atomic_store(&translation->compiler, -1); /* before the system can give the number to another process */
    return ended && waitpid(process, &status, 0) == process && status == 0;
}

void translation_abandon(Translation *translation)
{
    int process = atomic_exchange(&translation->compiler, -1);
    if (process > 0)
        kill(process, SIGTERM);
}

static bool take_library(Translation *translation, void *library)
{
    translation->library = library;
    if (library != NULL)
        *(void **)&translation->run = dlsym(library, "translated");
    return translation->run != NULL;
}

/* Compiles in the folder `place`, and writes the library to the cache. */
static bool compile_into_cache(Translation *translation, const char *compiler, const char *folder, const char *place,
                               const Digest *key)
{
    enum { MAX_LIBRARY_BYTES = 64 << 20 };
    char source[PATH_MAX], library[PATH_MAX];
    Text content = {0};
    if ((size_t)snprintf(source, sizeof source, "%s/translated.c", place) >= sizeof source ||
        (size_t)snprintf(library, sizeof library, "%s/translated.so", place) >= sizeof library)
        return false;
    bool done = text_write_file(source, &translation->source, NULL) == STATUS_OK &&
                run_compiler(translation, compiler, place, source, library) &&
                text_read_file(library, MAX_LIBRARY_BYTES, &content, NULL) == STATUS_OK;
    if (done)
        compile_cache_write(folder, key, &content);
    text_free(&content);
    unlink(source);
    unlink(library);
    return done;
}

static bool compile_library(Translation *translation, const char *compiler, const char *folder, const Digest *key)
{
    char place[PATH_MAX];
    int lock;
    if (!compile_cache_workplace(folder, place, sizeof place, &lock))
        return false;
    bool done = compile_into_cache(translation, compiler, folder, place, key);
    rmdir(place);
    close(lock);
    return done;
}

bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile)
{
    Digest key = key_of(translation, compiler);
    if (take_library(translation, compile_cache_load(folder, &key)))
        return true;
    return may_compile && compile_library(translation, compiler, folder, &key) &&
           take_library(translation, compile_cache_load(folder, &key));
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
