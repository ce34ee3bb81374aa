/* mutant_notes.h - mutants that are right, as the author of an accepted solution has noted at the end of their line,
 * or above it:
 *
 *     int blocks = (n + 255) / 256; // also right: `n` to `m`, halo: blocks too many leave at the check above
 *
 * Behind the words "also right" stand the mutants of this line: those that turn the first text into the second one, those of
 * a kind of mistake (mutation.h), or "any mutant"; then a colon and the reason. A line may have several notes. Texts are as
 * mutant_texts() gives them, and " ... " stands for a part of a long one.  */
#ifndef GRADER_COMMANDS_MUTANT_NOTES_H
#define GRADER_COMMANDS_MUTANT_NOTES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/commands/mutation.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct MutantNote {
    int line;
    const char *mistake;        /* "off by one", "any mutant"; NULL: the two texts tell */
    const char *before, *after; /* the bytes that change, and what becomes of them */
    bool found;
} MutantNote;

typedef struct MutantNotes {
    MutantNote *items;
    size_t count, capacity;
    Arena arena;
} MutantNotes;

/* Reads the notes of a source, which messages call `path`. BAD_INPUT with the line of one that is not well-formed. The caller
 * frees them even after an error. */
MUST_USE Status mutant_notes_read(const char *path, const char *source, MutantNotes *notes, Message *why);
void mutant_notes_free(MutantNotes *notes);

/* Whether a mutant of the source is noted. Remembers that it was found. */
bool mutant_notes_find(MutantNotes *notes, const char *source, const Mutant *mutant);

/* BAD_INPUT if what a note names was never found. */
MUST_USE Status mutant_notes_check(const char *path, const MutantNotes *notes, Message *why);

/* Adds "`<` to `<=`": how a note names a mutant of the source; a long one by its kind of mistake. */
void mutant_note_add(const char *source, const Mutant *mutant, Text *text);

#endif
