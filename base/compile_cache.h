/* compile_cache.h - a folder that keeps what compilers made or said: submissions and their errors, the judge's own kernels,
 * oracles, translated kernels, which compilers there are; and what check-problem has judged. All of them share one folder,
 * one format and one limit.
 *
 * An entry is one file, named by the digest of everything that its content depends on: the content itself, then the
 * digest of that name and the content. The digest stands at the end so that a library can be loaded from its entry.
 *
 * Trust    Whoever can write here decides verdicts. The folder must belong to the user who runs the judge, be no
 *          symbolic link, and be closed to writing by others; so must each entry. An entry whose digest does not
 *          match is ignored.
 * Sharing  An entry is written under another name and renamed into place, so that other processes, and a kill at any
 *          moment, never see half of one. What is unfinished is locked by the process that works on it, so that
 *          whoever comes next can tell what a killed process left, and removes it.
 * Size     At most 4000 entries and 1 GiB; whoever writes one removes the least recently used beyond that.
 * Errors   None: where the folder cannot be used, nothing is found and nothing is kept, and everything works without.
 *
 * `folder` NULL means the judge's own (paths_cache()).  */
#ifndef BASE_COMPILE_CACHE_H
#define BASE_COMPILE_CACHE_H

#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { COMPILE_CACHE_ENTRIES = 4000 };

/* Appends the entry's content; false where there is no entry that can be trusted. */
bool compile_cache_read(const char *folder, const Digest *key, Text *content);

/* Loads the entry as a shared library, for dlsym() and dlclose(); NULL where there is none that can be trusted. */
void *compile_cache_load(const char *folder, const Digest *key);

void compile_cache_write(const char *folder, const Digest *key, const Text *content);

/* Makes a private folder inside the cache's, for a compiler to work in. The caller removes it and then closes `*lock`; if
 * the caller is killed, the cache removes it. False where none can be made. */
bool compile_cache_workplace(const char *folder, char *path, size_t size, int *lock);

/* The folder of translated kernels, inside the judge's own. */
#define COMPILE_CACHE_TRANSLATIONS "translations"

/* Removes what killed processes left unfinished; returns how much of it still belongs to somebody. With NULL also in the
 * folder of translated kernels. */
size_t compile_cache_sweep(const char *folder);

#endif
