// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tests as netserver runs them (netperf_server.c). Request/response tests and UDP's stream end by the server's own
// clock, two seconds after the test's length: it cannot know when the client has stopped.
#include "netperf.h"

static void add(struct wide *sum, u32 n) {
    sum->low += n;
    sum->high += sum->low < n;
}

// Receives bytes until the client ends its direction. Gives up if nothing arrives for `seconds`: -EINTR.
int serve_stream(int fd, u32 *record, u32 size, u32 seconds) {
    struct wide bytes = {0, 0};
    u32 calls = 0;
    start_insistent_alarm(seconds * 1000000);
    for (int n; (n = system_call3(CALL_RECEIVE, (u32)fd, (u32)next_buffer(), size)); calls++) {
        if (n < 0)
            return n;
        add(&bytes, (u32)n);
    }
    start_alarm(0);
    clear_record(record);
    put_double(record + STREAM_BYTES, bytes);
    record[STREAM_CALLS] = calls;
    return system_call3(CALL_SHUTDOWN, (u32)fd, 0, 0);
}

// ---- requests and responses ---------------------------------------------------------------------
// Receives a whole request: 0, or -EINTR if the time expires first.
static int take_request(int fd, u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_RECEIVE, (u32)fd, (u32)buffer + done, size - done);
        if (n <= 0)
            return n < 0 ? n : -EINTR;  // closed: netserver would keep asking until its alarm expires
        done += (u32)n;
    }
    return 0;
}

static int transactions_done(u32 *record, u32 transactions, u32 bytes, int error) {
    start_alarm(0);
    clear_record(record);
    record[SPECIFIC] = transactions * bytes;
    record[RR_TRANSACTIONS] = transactions;
    return error == -EINTR ? 0 : error;
}

int serve_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds) {
    u32 transactions = 0;
    int error = 0;
    start_insistent_alarm((seconds + PAD_SECONDS) * 1000000);
    while (!time_over && !(error = take_request(fd, request)) && !(error = send_block(fd, response)))
        transactions++;
    return transactions_done(record, transactions, request + response, error);
}

// A connection for each transaction, which this end closes first.
int serve_connections(int listener, u32 *record, u32 request, u32 response, u32 seconds) {
    u32 transactions = 0;
    int error = 0;
    start_insistent_alarm((seconds + PAD_SECONDS) * 1000000);
    while (!time_over && !error) {
        int fd = system_call3(CALL_ACCEPT_UNTIL, (u32)listener, 0, 0);
        if (fd < 0) {
            error = fd;
            break;
        }
        if (!(error = take_request(fd, request)) && !(error = send_block(fd, response)))
            transactions++;
        system_call3(CALL_LEAVE, (u32)fd, 0, 0);
    }
    return transactions_done(record, transactions, request + response, error);
}

// ---- datagrams ----------------------------------------------------------------------------------
// Receives until a shorter datagram arrives or the time has expired. Longer ones are truncated.
int serve_datagrams(int fd, u32 *record, u32 size, u32 seconds) {
    struct message m = {buffer, size, 0, 0};
    u32 messages = 0;
    int n;
    start_insistent_alarm((seconds + PAD_SECONDS) * 1000000);
    while ((n = system_call3(CALL_UDP_RECEIVE, (u32)fd, (u32)&m, 0)) == (int)size && !time_over)
        messages++;
    messages += n == (int)size;
    start_alarm(0);
    clear_record(record);
    record[DATAGRAM_MESSAGES] = messages;
    record[DATAGRAM_BYTES] = messages * size + (n > 0 && n != (int)size ? (u32)n : 0);
    return n < 0 && n != -EINTR ? n : 0;
}

// A request of a different size is the client's error: -EPROTO.
int serve_datagram_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds) {
    struct message m;
    u32 transactions = 0;
    int n = 0;
    start_insistent_alarm((seconds + PAD_SECONDS) * 1000000);
    while (!time_over) {
        m.data = buffer;
        m.bytes = request;
        if ((n = system_call3(CALL_UDP_RECEIVE, (u32)fd, (u32)&m, 0)) < 0)
            break;
        if ((u32)n != request) {
            n = -EPROTO;
            break;
        }
        m.data = buffer;
        m.bytes = response;
        if ((n = system_call3(CALL_UDP_SEND, (u32)fd, (u32)&m, 0)) < 0)
            break;
        transactions++;
    }
    return transactions_done(record, transactions, request + response, n < 0 ? n : 0);
}
