#include "leaderboard/schema.h"

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define INCLUDE(name, file)                                                                                            \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" file "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n")

INCLUDE("schema_sql", "leaderboard/schema.sql");
INCLUDE("service_upgrade_2_sql", "leaderboard/service_2.sql");
__asm__(".section .rodata\n"
        ".global service_sql\nservice_sql:\n"
        ".incbin \"leaderboard/service.sql\"\n"
        ".incbin \"leaderboard/service_2.sql\"\n"
        ".byte 0\n"
        ".previous\n");
