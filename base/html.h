/* html.h - writes HTML: the one place where text becomes markup.
 *
 * Whatever people, compilers and submissions wrote reaches a page through html_text(), or as a %s of html_add() or a value of a
 * template (template.h), which do the same. All are safe between tags and in attributes within double quotes. Besides the five characters
 * of HTML, they show what nobody sees, so that a name or a source cannot look like something else: control characters as their
 * pictures (ESC is U+241B), marks of direction and of no width as [U+202E], bytes that are not UTF-8 as [0xFF]. Newlines and
 * tabs stay; a carriage return before a newline is left out.  */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* printf for markup: the format is markup, each %s is text and is escaped. The conversions are those of text_add_escaped(). */
__attribute__((format(printf, 2, 3))) void html_add(Text *page, const char *markup, ...);

/* Markup that is already complete. */
void html_raw(Text *page, const char *markup);

/* Text between tags or in an attribute. */
void html_text(Text *page, const char *text);
void html_bytes(Text *page, const char *bytes, size_t length);

/* The same for a sentence of the judge, in which `these marks` enclose code. */
void html_code(Text *page, const char *sentence);

/* CUDA C++, in which words, numbers and texts, comments and directives have the classes k, n, c and p. `in_comment` is whether the text
 * begins within a comment, and becomes whether it ends within one; `page` NULL: only that is wanted. */
void html_source(Text *page, const char *source, size_t length, bool *in_comment);

/* The name of a file, which may be broken after each `_`, `-` and `.` where a column is narrow. */
void html_name(Text *page, const char *name);

/* One part of a URL's path or query: everything but letters, digits, '-', '.', '_' and '~' is percent-encoded. */
void html_url_part(Text *page, const char *part);

#endif
