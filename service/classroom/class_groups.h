/* class_groups.h - groups of class.json and groups of the server are one thing where their names agree.
 *
 * The people of a group are those that class.json lists and those who have joined by the server's link. The server's boards can
 * be filtered by the groups of class.json, and an assignment for a group is for whoever has joined it, too. Whom class.json lists no
 * more leaves the group; who has joined by a link stays.  */
#ifndef SERVICE_CLASSROOM_CLASS_GROUPS_H
#define SERVICE_CLASSROOM_CLASS_GROUPS_H

#include "base/status.h"
#include "leaderboard/store.h"
#include "service/class/class_file.h"

/* Adds to the store what the file has, and to the groups in memory what the store has. One transaction. */
MUST_USE Status class_groups_join(Store *store, ClassFile *file, Message *why);

#endif
