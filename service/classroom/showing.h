/* showing.h - who may see what of others, and when, as class.json says (`show`).
 *
 * Pure. Teachers see everything at any time; they are not asked about here.
 * Board     hidden while any assignment with its problem hides it.
 * Sources   never before the assignment has closed for everybody, late days and extensions included.  */
#ifndef SERVICE_CLASSROOM_SHOWING_H
#define SERVICE_CLASSROOM_SHOWING_H

#include "service/class/class_file.h"

bool showing_board(const ClassFile *file, const char *problem, int64_t now_s);

/* The assignment because of which `reader` may read what `author` handed in for the problem at a moment; NULL: there is none. That
 * the reader has handed in something for it himself is for the caller to find out. */
const ClassAssignment *showing_source(const ClassFile *file, const char *problem, const char *reader,
                                      const char *author, int64_t received_s, int64_t now_s);

/* Whether something that the person handed in at a moment belongs to the assignment: after it opened, and not too late. */
bool showing_belongs(const ClassFile *file, const ClassAssignment *assignment, const char *person, int64_t received_s);

#endif
