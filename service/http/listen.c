#include "service/http/listen.h"

#include <errno.h>
#include <stdbool.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING = 511 }; /* connections that wait to be accepted */

static Status start(int file, const char *what, int *listening, Message *why)
{
    if (listen(file, WAITING) == 0) {
        *listening = file;
        return STATUS_OK;
    }
    Status status = fail_errno(why, "%s", what);
    close(file);
    return status;
}

/* A socket stays behind when its server is killed. */
static Status remove_dead(const struct sockaddr_un *address, Message *why)
{
    struct stat info;
    if (lstat(address->sun_path, &info) != 0)
        return STATUS_OK;
    if (!S_ISSOCK(info.st_mode))
        return fail(STATUS_BAD_INPUT, why, "%s: exists and is no socket, expected the place of one", address->sun_path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = connect(file, (const struct sockaddr *)address, sizeof *address) == 0;
    close(file);
    if (answers)
        return fail(STATUS_BUSY, why, "%s: another server listens there", address->sun_path);
    return unlink(address->sun_path) == 0 ? STATUS_OK : fail_errno(why, "%s", address->sun_path);
}

Status listen_unix(const char *path, mode_t mode, int *listening, Message *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(STATUS_BAD_INPUT, why, "%s: the name of a socket has at most %zu bytes", path,
                    sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    Status status = remove_dead(&address, why);
    if (status != STATUS_OK)
        return status;
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0 || chmod(path, mode) != 0) {
        status = fail_errno(why, "%s", path);
        if (file >= 0)
            close(file);
        return status;
    }
    return start(file, path, listening, why);
}

/* Splits "[::1]:8080" into "::1" and "8080". */
static Status split(const char *address, char host[100], char port[10], Message *why)
{
    const char *colon = strrchr(address, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - address);
    const bool bracketed = length > 2 && address[0] == '[' && address[length - 1] == ']';
    const char *begin = bracketed ? address + 1 : address;
    length -= bracketed ? 2 : 0;
    if (length == 0 || length >= 100 || strlen(colon + 1) == 0 || strlen(colon + 1) > 5 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return fail(STATUS_BAD_INPUT, why, "%s: not an address, expected one like 127.0.0.1:8080", address);
    snprintf(host, 100, "%.*s", (int)length, begin);
    snprintf(port, 10, "%s", colon + 1);
    return STATUS_OK;
}

static void name_of(int file, char *found, size_t found_bytes)
{
    struct sockaddr_storage place;
    socklen_t size = sizeof place;
    char host[64] = "", port[8] = "";
    getsockname(file, (struct sockaddr *)&place, &size);
    getnameinfo((const struct sockaddr *)&place, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(found, found_bytes, place.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static Status bind_first(const char *address, const struct addrinfo *place, int *file, Message *why)
{
    const int yes = 1;
    *file = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*file < 0)
        return fail_errno(why, "%s", address);
    setsockopt(*file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(*file, place->ai_addr, place->ai_addrlen) == 0)
        return STATUS_OK;
    Status status = errno == EADDRINUSE
                        ? fail(STATUS_BUSY, why, "%s: another program listens there; choose another port with --listen",
                               address)
                        : fail_errno(why, "%s", address);
    close(*file);
    return status;
}

Status listen_address(const char *address, int *listening, char *found, size_t found_bytes, Message *why)
{
    char host[100], port[10];
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *places;
    int file;
    Status status = split(address, host, port, why);
    if (status != STATUS_OK)
        return status;
    if (getaddrinfo(host, port, &wanted, &places) != 0)
        return fail(STATUS_BAD_INPUT, why, "%s: unknown host, expected an address like 127.0.0.1:8080", address);
    status = bind_first(address, places, &file, why);
    freeaddrinfo(places);
    if (status == STATUS_OK)
        name_of(file, found, found_bytes);
    return status == STATUS_OK ? start(file, address, listening, why) : status;
}
