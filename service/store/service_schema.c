#include "service/store/service_schema.h"

/* As in leaderboard/schema.c. */
__asm__(".section .rodata\n"
        ".global service_sql\n"
        "service_sql:\n"
        ".incbin \"service/store/service.sql\"\n"
        ".byte 0\n"
        ".previous\n");
