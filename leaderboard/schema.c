#include "leaderboard/schema.h"

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define INCLUDE(name, file)                                                                                            \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" file "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n")

/* A database that is made now gets all parts at once, an older one those that it lacks. */
#define INCLUDE_BOTH(name, first, second)                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" first "\"\n"                                                                                  \
            ".incbin \"" second "\"\n"                                                                                 \
            ".byte 0\n"                                                                                                \
            ".previous\n")

INCLUDE("appeals_sql", "leaderboard/appeals.sql");
INCLUDE_BOTH("schema_sql", "leaderboard/schema.sql", "leaderboard/appeals.sql");
INCLUDE("service_upgrade_2_sql", "leaderboard/service_2.sql");
INCLUDE_BOTH("service_sql", "leaderboard/service.sql", "leaderboard/service_2.sql");
