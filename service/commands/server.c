#include "service/commands/server.h"

#include "base/text.h"
#include "service/commands/output.h"

#include <ctype.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { DEFAULT_PATIENCE_S = 60, MOST_PATIENCE_S = 3600 };
static const char DEFAULT_PLACE[] = "/run/convjudge/socket";

/* ---- the token --------------------------------------------------------------------------------------------------- */

/* A token becomes part of a header, where a line break would begin another one. */
static Status keep_token(const char *from, const char *text, Server *server, Message *why)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        if (!isgraph((unsigned char)text[i]))
            return fail(STATUS_BAD_INPUT, why, "%s: expected one token, found a space or another odd character", from);
    if (length >= sizeof server->token)
        return fail(STATUS_BAD_INPUT, why, "%s: %zu characters, expected a token of at most %zu", from, length,
                    sizeof server->token - 1);
    memcpy(server->token, text, length);
    server->token[length] = '\0';
    return STATUS_OK;
}

static Status check_secrecy(int file, const char *path, Message *why)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return fail_errno(why, "%s: cannot be inspected", path);
    if ((info.st_mode & 077) == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "%s: others can read this token (mode %03o), expected: chmod 600 %s", path,
                (unsigned)info.st_mode & 0777, path);
}

/* It is no error if there is no such file: the server may ask for no token. */
static Status read_token_file(const char *path, Server *server, Message *why)
{
    Text text = {0};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return access(path, F_OK) == 0 ? fail_errno(why, "%s: cannot be opened", path) : STATUS_OK;
    Status status = check_secrecy(file, path, why);
    THEN(status, text_read_open_file(file, path, 4096, &text, why));
    THEN(status, keep_token(path, text.data, server, why));
    text_free(&text);
    close(file);
    return status;
}

static Status find_token(Server *server, Message *why)
{
    const char *token = getenv("CONVJUDGE_TOKEN"), *home = getenv("HOME");
    char path[4096];
    if (token != NULL && token[0] != '\0')
        return keep_token("CONVJUDGE_TOKEN", token, server, why);
    if (home == NULL || home[0] == '\0')
        return STATUS_OK;
    snprintf(path, sizeof path, "%s/.config/convjudge/token", home);
    return read_token_file(path, server, why);
}

/* ---- the place --------------------------------------------------------------------------------------------------- */

static bool is_this_machine(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0 || strcmp(host, "[::1]") == 0;
}

/* One part of a URL, "" where it has none. The caller frees it with curl_free(). */
static char *part_of(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static Status refuse_url(const Server *server, Message *why)
{
    return fail(STATUS_BAD_INPUT, why,
                "%s: expected the address of a server, such as https://judge.example.org or http://localhost:8080",
                server->place);
}

/* libcurl itself takes the URL apart, so that what is checked here is the host that it connects to. */
static Status check_parts(CURLU *url, Server *server, Message *why)
{
    char *scheme = part_of(url, CURLUPART_SCHEME), *host = part_of(url, CURLUPART_HOST);
    char *user = part_of(url, CURLUPART_USER), *query = part_of(url, CURLUPART_QUERY);
    char *fragment = part_of(url, CURLUPART_FRAGMENT);
    server->is_encrypted = scheme != NULL && strcmp(scheme, "https") == 0;
    Status status = STATUS_OK;
    if (scheme == NULL || (strcmp(scheme, "http") != 0 && !server->is_encrypted) || host == NULL || user != NULL ||
        query != NULL || fragment != NULL)
        status = refuse_url(server, why);
    THEN(status, find_token(server, why));
    if (status == STATUS_OK && server->token[0] != '\0' && !server->is_encrypted && !is_this_machine(host))
        status = fail(STATUS_BAD_INPUT, why,
                      "%s: your token would travel unencrypted to another machine, expected a https:// address",
                      server->place);
    curl_free(scheme);
    curl_free(host);
    curl_free(user);
    curl_free(query);
    curl_free(fragment);
    return status;
}

static Status use_url(Server *server, Message *why)
{
    for (size_t length = strlen(server->place); length > 0 && server->place[length - 1] == '/'; length--)
        server->place[length - 1] = '\0';
    CURLU *url = curl_url();
    Status status = url == NULL || curl_url_set(url, CURLUPART_URL, server->place, 0) != CURLUE_OK
                        ? refuse_url(server, why)
                        : check_parts(url, server, why);
    curl_url_cleanup(url);
    return status;
}

static Status use_socket(Server *server, Message *why)
{
    const size_t most = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    server->is_socket = true;
    if (strlen(server->place) > most)
        return fail(STATUS_BAD_INPUT, why, "%s: the path of a Unix socket has at most %zu bytes", server->place, most);
    return STATUS_OK;
}

static Status choose_patience(Server *server, Message *why)
{
    const char *text = getenv("CONVJUDGE_PATIENCE_SECONDS");
    char *end;
    server->patience_s = DEFAULT_PATIENCE_S;
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    long seconds = strtol(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || seconds < 1 || seconds > MOST_PATIENCE_S)
        return fail(STATUS_BAD_INPUT, why,
                    "CONVJUDGE_PATIENCE_SECONDS: expected a whole number from 1 to %d, found '%s'", MOST_PATIENCE_S,
                    text);
    server->patience_s = (int)seconds;
    return STATUS_OK;
}

Status server_find(const char *option, Server *server, Message *why)
{
    const char *place = option, *variable = getenv("CONVJUDGE_SERVER");
    *server = (Server){.interrupt = INTERRUPT_NONE};
    if (place != NULL && place[0] == '\0')
        return fail(STATUS_BAD_INPUT, why, "--server: an empty name, expected a URL or the path of a socket");
    if (place == NULL)
        place = variable != NULL && variable[0] != '\0' ? variable : DEFAULT_PLACE;
    if (strlen(place) >= sizeof server->place)
        return fail(STATUS_BAD_INPUT, why, "%.60s...: %zu bytes, expected the address of a server", place,
                    strlen(place));
    strcpy(server->place, place);
    TRY(choose_patience(server, why));
    return strstr(place, "://") == NULL ? use_socket(server, why) : use_url(server, why);
}
