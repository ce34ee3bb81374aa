/* suggestion.h - finds the known name that a misspelt one probably means.
 *
 * Names are near where few single-character edits (insert, delete, replace, swap neighbours) turn one into the other:
 * at most one edit for every three characters of the word, ignoring case. A word that begins a name is near it, too.
 * Source   optimal string alignment distance: Boytsov, Indexing methods for approximate dictionary searching, ACM JEA
 *          16 (2011), section 2.2.  */
#ifndef BASE_SUGGESTION_H
#define BASE_SUGGESTION_H

typedef struct Suggestion {
    char text[100]; /* "did you mean 'grade'? " with a space at the end; "" if no name is near, or the word is a name */
} Suggestion;

/* `names` stand as a message would list them: "grade, check, sweep". Use it as
 * fail(..., "unknown command '%s'; %sknown commands: %s", word, suggestion_for(word, names).text, names).  */
Suggestion suggestion_for(const char *word, const char *names);

#endif
