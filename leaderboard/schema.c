#include "leaderboard/schema.h"

/* The assembler reads the file, from the folder that make runs in; C has had no #embed before C23. */
__asm__(".section .rodata\n"
        ".global schema_sql\n"
        "schema_sql:\n"
        ".incbin \"leaderboard/schema.sql\"\n"
        ".byte 0\n"
        ".previous\n");
