#include "leaderboard/schema.h"

/* The assembler includes the file, relative to the folder that make runs in. C has no #embed before C23. */
__asm__(".section .rodata\n"
        ".global schema_sql\n"
        "schema_sql:\n"
        ".incbin \"leaderboard/schema.sql\"\n"
        ".byte 0\n"
        ".previous\n");
