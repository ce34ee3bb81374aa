/* file_system.h - which file systems lie on another host: SQLite's log and locks do not work there.  */
#ifndef BASE_FILE_SYSTEM_H
#define BASE_FILE_SYSTEM_H

#include "base/status.h"

/* `*network` is the name of the network file system on which a file or folder lies, "NFS"; NULL: it is a local one. */
MUST_USE Status file_system_network(const char *path, const char **network, Message *why);

#endif
