#include "harness/sandbox/judge_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIX "convjudge."

void judge_name_begin(pid_t judge, char begin[JUDGE_NAME_BYTES])
{
    struct stat info = {.st_ino = 0};
    (void)stat("/proc/self/ns/pid", &info);
    snprintf(begin, JUDGE_NAME_BYTES, PREFIX "%d.%lu.", (int)judge, (unsigned long)info.st_ino);
}

pid_t judge_name_owner(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !isdigit((unsigned char)name[strlen(PREFIX)]))
        return 0;
    char *end;
    long owner = strtol(name + strlen(PREFIX), &end, 10);
    return *end == '.' && owner > 0 && owner == (pid_t)owner ? (pid_t)owner : 0;
}

bool judge_name_is_of(const char *name, pid_t judge)
{
    char begin[JUDGE_NAME_BYTES];
    judge_name_begin(judge, begin);
    return strncmp(name, begin, strlen(begin)) == 0;
}
