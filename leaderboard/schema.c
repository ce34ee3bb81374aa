#include "leaderboard/schema.h"

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define INCLUDE(name, file)                                                                                            \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" file "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n")

/* A database that is made now gets all parts at once, an older one those that it lacks. */
#define INCLUDE_ALL(name, first, second, third, fourth, fifth)                                                         \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" first "\"\n"                                                                                  \
            ".incbin \"" second "\"\n"                                                                                 \
            ".incbin \"" third "\"\n"                                                                                  \
            ".incbin \"" fourth "\"\n"                                                                                 \
            ".incbin \"" fifth "\"\n"                                                                                  \
            ".byte 0\n"                                                                                                \
            ".previous\n")

INCLUDE("schema_sql", "leaderboard/schema.sql");
INCLUDE("service_upgrade_2_sql", "leaderboard/service_2.sql");
INCLUDE("service_upgrade_3_sql", "leaderboard/service_3.sql");
INCLUDE("service_upgrade_4_sql", "leaderboard/service_4.sql");
INCLUDE("service_upgrade_5_sql", "leaderboard/service_5.sql");
INCLUDE_ALL("service_sql", "leaderboard/service.sql", "leaderboard/service_2.sql", "leaderboard/service_3.sql",
            "leaderboard/service_4.sql", "leaderboard/service_5.sql");
