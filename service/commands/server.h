/* server.h - where the service is, and how its user proves who it is.
 *
 * Place    what --server says, else CONVJUDGE_SERVER, else /run/convjudge/socket. With "://" in it, it is a URL; else the
 *          path of a Unix socket, where the kernel tells the server who calls.
 * Token    for URLs alone: CONVJUDGE_TOKEN, else the content of ~/.config/convjudge/token, which others must not be able to
 *          read. It travels over https, or to this machine, and is never needed for a socket.
 * Patience CONVJUDGE_PATIENCE_SECONDS, else 60: how long to try again where an answer is lost. One answer gets half of it.  */
#ifndef SERVICE_COMMANDS_SERVER_H
#define SERVICE_COMMANDS_SERVER_H

#include "base/status.h"

#include <stdbool.h>

enum { SERVER_PLACE_BYTES = 1000, SERVER_TOKEN_BYTES = 200 };

typedef struct Server {
    char place[SERVER_PLACE_BYTES]; /* as messages name it: a URL without a slash at its end, or a path */
    bool is_socket;
    bool is_encrypted;              /* https */
    char token[SERVER_TOKEN_BYTES]; /* "": there is none */
    int patience_s;
    int interrupt; /* file of output.h, which cuts every wait for the server short; at first INTERRUPT_NONE */
} Server;

/* `option` may be NULL: not given. */
MUST_USE Status server_find(const char *option, Server *server, Message *why);

#endif
