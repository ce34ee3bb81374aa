#include "service/client/exchange.h"

#include "base/clock.h"
#include "grader/result/version.h"
#include "grader/terminal/progress.h"
#include "service/client/interrupt.h"

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { CONNECT_S = 10 };
static const double FIRST_PAUSE_S = 0.5, LONGEST_PAUSE_S = 8;

typedef struct Receiver {
    const Exchange *exchange;
    CURL *curl;
    Text *body;
    bool too_large, satisfied;
} Receiver;

/* libcurl calls this for each piece of an answer. Anything else than `count` as the result ends the exchange. */
static size_t receive(char *bytes, size_t one, size_t count, void *context)
{
    Receiver *receiver = context;
    const Exchange *exchange = receiver->exchange;
    long status = 0;
    curl_easy_getinfo(receiver->curl, CURLINFO_RESPONSE_CODE, &status);
    if (exchange->take != NULL && status == 200) {
        receiver->satisfied = !exchange->take(exchange->context, bytes, count);
        return receiver->satisfied ? count + 1 : count;
    }
    receiver->too_large = receiver->body->length + count > EXCHANGE_MAX_BYTES;
    if (receiver->too_large)
        return count + 1;
    text_append(receiver->body, bytes, count);
    return count;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

/* A proxy would see what travels unencrypted, so http goes to the server itself. */
static void set_place(CURL *curl, const Server *server, const Exchange *exchange)
{
    Text url = {0};
    text_printf(&url, "%s%s", server->is_socket ? "http://localhost" : server->place, exchange->path);
    curl_easy_setopt(curl, CURLOPT_URL, url.data); /* libcurl keeps a copy */
    text_free(&url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    if (server->is_socket)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, server->place);
    if (!server->is_encrypted)
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
}

static struct curl_slist *headers_of(const Server *server, const Exchange *exchange)
{
    char bearer[sizeof server->token + 30];
    struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json, text/plain, text/event-stream");
    if (exchange->body != NULL)
        headers = curl_slist_append(headers, "Content-Type: application/json");
    snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", server->token);
    if (server->token[0] != '\0')
        headers = curl_slist_append(headers, bearer);
    return headers;
}

static void set_limits(CURL *curl, const Server *server, const Exchange *exchange)
{
    const long answer_s = (server->patience_s + 1) / 2;
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, answer_s < CONNECT_S ? answer_s : (long)CONNECT_S);
    if (exchange->take == NULL) {
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, answer_s);
    } else {
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, answer_s);
    }
}

static void set_request(CURL *curl, const Exchange *exchange, Receiver *receiver)
{
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, exchange->method);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "convjudge/" CONVJUDGE_VERSION);
    if (exchange->body != NULL) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body->length);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, exchange->body->data);
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, receiver);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static Status refuse_connection(const Server *server, CURL *curl, CURLcode code, Answer *answer, Message *why)
{
    long error = 0;
    curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &error);
    answer->end = EXCHANGE_UNREACHABLE;
    if (error == EACCES || error == EPERM)
        return fail(STATUS_SYSTEM, why, "%s: you may not connect to this server (%s)", server->place,
                    strerror((int)error));
    return fail(STATUS_BUSY, why, "no server at %s (%s): is `convjudge serve` running? `make grade` judges without one",
                server->place, error != 0 ? strerror((int)error) : curl_easy_strerror(code));
}

/* Why libcurl ended without an answer. */
static Status refuse_end(const Server *server, const Receiver *receiver, CURLcode code, Answer *answer, Message *why)
{
    curl_off_t connected_us = 0;
    curl_easy_getinfo(receiver->curl, CURLINFO_CONNECT_TIME_T, &connected_us);
    answer->end = EXCHANGE_REFUSED;
    if (receiver->too_large)
        return fail(STATUS_BAD_INPUT, why, "%s: the answer has more than %d bytes, which is the limit", server->place,
                    EXCHANGE_MAX_BYTES);
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
        (code == CURLE_OPERATION_TIMEDOUT && connected_us == 0))
        return refuse_connection(server, receiver->curl, code, answer, why);
    if (code == CURLE_OPERATION_TIMEDOUT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
        code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE) {
        answer->end = EXCHANGE_LOST;
        return fail(STATUS_BUSY, why, "%s: the connection was lost before the answer (%s)", server->place,
                    curl_easy_strerror(code));
    }
    return fail(STATUS_SYSTEM, why, "%s: no answer (%s)", server->place, curl_easy_strerror(code));
}

static Status conclude(const Server *server, const Receiver *receiver, CURLcode code, Answer *answer, Message *why)
{
    long status = 0;
    curl_off_t retry_after_s = 0;
    if (code != CURLE_OK && !receiver->satisfied)
        return refuse_end(server, receiver, code, answer, why);
    curl_easy_getinfo(receiver->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(receiver->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
    text_add(&answer->body, "");
    answer->end = EXCHANGE_ANSWERED;
    answer->status = (int)status;
    answer->retry_after_s = (double)retry_after_s;
    return STATUS_OK;
}

/* Lets libcurl work until it has ended, or the user interrupts. */
static CURLcode drive(CURLM *multi, int interrupt, bool *interrupted)
{
    struct curl_waitfd wait = {.fd = interrupt, .events = CURL_WAIT_POLLIN};
    int running = 1, left;
    while (curl_multi_perform(multi, &running) == CURLM_OK && running > 0) {
        if (curl_multi_poll(multi, &wait, interrupt == INTERRUPT_NONE ? 0 : 1, 1000, NULL) != CURLM_OK)
            break;
        *interrupted = wait.revents != 0;
        if (*interrupted)
            return CURLE_ABORTED_BY_CALLBACK;
    }
    const CURLMsg *end = curl_multi_info_read(multi, &left);
    return end == NULL ? CURLE_FAILED_INIT : end->data.result;
}

Status exchange_run(const Server *server, const Exchange *exchange, Answer *answer, Message *why)
{
    CURLM *multi = curl_multi_init();
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = headers_of(server, exchange);
    Receiver receiver = {.exchange = exchange, .curl = curl, .body = &answer->body};
    bool interrupted = false;
    *answer = (Answer){.end = EXCHANGE_REFUSED};
    if (multi == NULL || curl == NULL || headers == NULL)
        return fail(STATUS_SYSTEM, why, "libcurl cannot be started");
    set_place(curl, server, exchange);
    set_limits(curl, server, exchange);
    set_request(curl, exchange, &receiver);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_multi_add_handle(multi, curl);
    CURLcode code = drive(multi, server->interrupt, &interrupted);
    Status status;
    if (interrupted) {
        answer->end = EXCHANGE_INTERRUPTED;
        status = fail(STATUS_BUSY, why, "interrupted");
    } else {
        status = conclude(server, &receiver, code, answer, why);
    }
    curl_multi_remove_handle(multi, curl);
    curl_easy_cleanup(curl);
    curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
    return status;
}

/* ---- again ------------------------------------------------------------------------------------------------------- */

/* A part of the pause is drawn by lot, so that a class that has lost its server does not come back at one moment. */
static double drawn_pause(double pause_s)
{
    unsigned char lot = 0;
    if (getrandom(&lot, sizeof lot, 0) != sizeof lot)
        lot = 128;
    return pause_s * (0.5 + 0.5 * lot / 255);
}

static bool is_worth_another(const Answer *answer, bool first)
{
    switch (answer->end) {
    case EXCHANGE_ANSWERED: return answer->status == 503 || answer->status == 429;
    case EXCHANGE_UNREACHABLE: return !first;
    case EXCHANGE_LOST: return true;
    case EXCHANGE_INTERRUPTED:
    case EXCHANGE_REFUSED: break;
    }
    return false;
}

/* How long to wait before the next attempt; negative: there is no time left for one. */
static double next_pause(const Answer *answer, double pause_s, double end_s)
{
    const double wait_s = fmax(drawn_pause(pause_s), answer->retry_after_s);
    return now_s() + wait_s > end_s ? -1 : wait_s;
}

Status exchange_repeat(const Server *server, const Exchange *exchange, const char *step, Answer *answer, Message *why)
{
    const double end_s = now_s() + server->patience_s;
    double pause_s = FIRST_PAUSE_S, wait_s;
    bool first = true;
    Progress progress = progress_new(stderr);
    Status status = exchange_run(server, exchange, answer, why);
    while (is_worth_another(answer, first) && (wait_s = next_pause(answer, pause_s, end_s)) >= 0) {
        if (first)
            progress_begin(&progress, step, 0);
        first = false;
        progress_note(&progress, "no answer yet, trying again");
        text_free(&answer->body);
        if (interrupt_sleep(server->interrupt, wait_s)) {
            answer->end = EXCHANGE_INTERRUPTED;
            status = fail(STATUS_BUSY, why, "interrupted");
            break;
        }
        status = exchange_run(server, exchange, answer, why);
        pause_s = fmin(pause_s * 2, LONGEST_PAUSE_S);
    }
    if (!first)
        progress_end(&progress, status != STATUS_OK || is_worth_another(answer, false) ? "given up" : "done");
    return status;
}
