#include "leaderboard/schema.h"

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define INCLUDE(name, file)                                                                                            \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n"                                                                            \
            ".incbin \"" file "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n")

INCLUDE("schema_sql", "leaderboard/schema.sql");
INCLUDE("service_sql", "leaderboard/service.sql");
