// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tests as netserver runs them (netperf_server.c). Those of requests and responses, and UDP's stream, end by the
// server's own clock, two seconds behind the test's length: it cannot know when the client has stopped.
#include "netperf.h"

static void add(struct wide *sum, u32 n) {
    sum->low += n;
    sum->high += sum->low < n;
}

// Bytes until the client ends its direction. One of which nothing is heard for so many seconds is given up: -EINTR.
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
// Takes a whole request: 0, or -EINTR when the time is over before.
static int take_request(int fd, u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_RECEIVE, (u32)fd, (u32)buffer + done, size - done);
        if (n <= 0)
            return n < 0 ? n : -EINTR;  // gone, which netserver would go on asking until its alarm rings
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

// A connection for each: this end closes it first.
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
// Until a shorter one comes, if not until the time is over. Longer ones are cut.
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

// A request of another size is the client's error: -EPROTO.
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
