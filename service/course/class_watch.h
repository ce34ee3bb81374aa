/* class_watch.h - class.json as a server or a command knows it: read for a store, and read anew when it changes.
 *
 * Every reading joins the groups of file and store and records extensions (extensions.h).
 * Anew     when the file is another one than the one that was read (device, number, size or time of change) or somebody got another
 *          name, which is looked at every CLASS_LOOK_S, or when class_watch_look() is told to. A file that is wrong is refused with a line in the log, and
 *          the one that was read before stays in force until there is a better one.
 * Threads  one looks. On it the file that class_watch_file() gives lives until the next class_watch_look(), on others from
 *          class_watch_hold() to class_watch_release().  */
#ifndef SERVICE_COURSE_CLASS_WATCH_H
#define SERVICE_COURSE_CLASS_WATCH_H

#include "base/status.h"
#include "leaderboard/store.h"
#include "service/course/class_file.h"

enum { CLASS_LOOK_S = 2 };

/* For a file that has just been read: joins its groups with those of the store, and records its extensions. */
MUST_USE Status class_take_for(ClassFile *file, Store *store, const char *person, Message *why);

typedef struct ClassWatch ClassWatch;

MUST_USE Status class_watch_start(const char *path, Store *store, const char *person, ClassWatch **watch, Message *why);
/* `is_told`: now, whatever the time. NULL is accepted. */
void class_watch_look(ClassWatch *watch, bool is_told);
/* NULL of NULL: there is no class. */
const ClassFile *class_watch_file(const ClassWatch *watch);
/* NULL is accepted. */
void class_watch_hold(ClassWatch *watch);
void class_watch_release(ClassWatch *watch);
void class_watch_stop(ClassWatch *watch);

#endif
