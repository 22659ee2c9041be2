// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's client, version 2.1, rebuilt from its wire protocol (docs/hardware/netperf.md; no line of its code is
// used). For each size one whole test: a control connection, a request, a data connection to the port that the server
// names, the test, the server's results.
//
// TCP_STREAM sends messages of that size until the alarm rings, ends its direction, and stops the clock when the
// server has ended its own; what counts is what the server has received. TCP_RR sends a request of that size and waits
// for a response of `response` bytes, one after the other until the alarm has rung. The round trip that it interrupts
// is waited for and counted. TCP_CRR makes a connection for each. UDP_STREAM sends datagrams until the alarm rings,
// and the server tells two seconds behind the test's length how many have come; UDP_RR gives the round trip up that
// the alarm interrupts, whose response may never come.
//
// CPU load: ticks charged to a process against all ticks, over the tests alone.
#include "netperf.h"

enum { MAX_SIZES = 16 };
static u32 milliseconds;                // of each test
static u32 response_size;
static u32 measured_ticks, measured_busy;       // of the tests so far

struct outcome {
    u32 messages;                       // sent, or transactions
    u32 failed;                         // found no buffer
    u32 microseconds;
    struct wide received;               // by the server: bytes, or transactions
    u32 calls;                          // the server's receive calls
};

static u32 elapsed(const struct timeval *from, const struct timeval *to) {
    return (to->sec - from->sec) * 1000000 + to->usec - from->usec;
}

static int stream(int fd, u32 port, u32 size, struct outcome *o) {
    (void)port;
    while (!time_over) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)buffer, size);
        if (n < 0)
            return n;
        if ((u32)n != size)
            break;                      // the alarm
        o->messages++;
    }
    return system_call3(CALL_SHUTDOWN, (u32)fd, 0, 0);
}

static int request_response(int fd, u32 port, u32 size, struct outcome *o) {
    int error = 0;
    (void)port;
    while (!time_over && !error) {
        if (!(error = send_block(fd, size)) && !(error = receive_block(fd, response_size)))
            o->messages++;
    }
    return error;
}

static int connect_request_response(int fd, u32 port, u32 size, struct outcome *o) {
    (void)fd;
    while (!time_over) {
        int data = connect_to(option_peer(), port), error;
        if (data < 0)
            return data;
        if (!(error = send_block(data, size)) && !(error = receive_block(data, response_size)))
            o->messages++;
        system_call3(CALL_LEAVE, (u32)data, 0, 0);
        if (error)
            return error;
    }
    return 0;
}

static int datagrams(int fd, u32 port, u32 size, struct outcome *o) {
    (void)port;
    while (!time_over) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)buffer, size);
        if (n == -ENOBUFS) {
            o->failed++;
            continue;
        }
        if (n < 0)
            return n == -EINTR ? 0 : n; // the alarm
        o->messages++;
    }
    return 0;
}

static int datagram_requests(int fd, u32 port, u32 size, struct outcome *o) {
    struct message answer = {buffer, response_size, 0, 0};
    (void)port;
    while (!time_over) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)buffer, size);
        if (n >= 0)
            n = system_call3(CALL_UDP_RECEIVE, (u32)fd, (u32)&answer, 0);
        if (n < 0)
            return n == -EINTR ? 0 : n;
        if ((u32)n != response_size)
            return -EPROTO;
        o->messages++;
    }
    return 0;
}

static int no_socket(u32 peer, u32 port) { return peer && port ? 0 : -EINVAL; }
static int datagrams_to(u32 peer, u32 port) {
    int fd = system_call3(CALL_UDP_SOCKET, 0, 0, 0);
    if (fd < 0)
        return fd;
    int error = system_call3(CALL_UDP_CONNECT, (u32)fd, peer, port);
    return error < 0 ? error : fd;
}

// A kind of test: its request, its data connection, what the server says at the end.
struct test {
    const char *name;
    u32 type;
    const char *sizes;                  // without a setting
    u32 data_port;                      // word of the response
    int (*open)(u32 peer, u32 port);    // the data connection's descriptor, or 0: it has none of its own
    void (*ask)(u32 *record, u32 size, u32 seconds);
    int (*run)(int fd, u32 port, u32 size, struct outcome *o);
    void (*result)(const u32 *record, struct outcome *o);
};

static void ask_stream(u32 *record, u32 size, u32 seconds) {
    (void)size;                         // the server reads as much as its socket's buffer holds
    record[STREAM_ALIGNMENT] = 8;
    record[STREAM_TEST_LENGTH] = seconds;
}
static void stream_result(const u32 *record, struct outcome *o) {
    o->received = get_double(record + STREAM_BYTES);
    o->calls = record[STREAM_CALLS];
}
static void ask_rr(u32 *record, u32 size, u32 seconds) {
    record[SPECIFIC + 2] = record[SPECIFIC + 4] = 8;    // alignment of its buffers
    record[RR_REQUEST_SIZE] = size;
    record[RR_RESPONSE_SIZE] = response_size;
    record[RR_TEST_LENGTH] = seconds;
}
static void rr_result(const u32 *record, struct outcome *o) { o->received.low = record[RR_TRANSACTIONS]; }

static void ask_datagrams(u32 *record, u32 size, u32 seconds) {
    record[DATAGRAM_SIZE] = size;
    record[DATAGRAM_ALIGNMENT] = 8;
    record[DATAGRAM_TEST_LENGTH] = seconds;
}
static void datagrams_result(const u32 *record, struct outcome *o) { o->received.low = record[DATAGRAM_MESSAGES]; }

static const struct test tests[] = {
    {"tcp_stream", DO_TCP_STREAM, "32768", STREAM_DATA_PORT, connect_to, ask_stream, stream, stream_result},
    {"tcp_rr", DO_TCP_RR, "1", RR_DATA_PORT, connect_to, ask_rr, request_response, rr_result},
    {"tcp_crr", DO_TCP_CRR, "1", RR_DATA_PORT, no_socket, ask_rr, connect_request_response, rr_result},
    {"udp_stream", DO_UDP_STREAM, "8192", DATAGRAM_DATA_PORT, datagrams_to, ask_datagrams, datagrams, datagrams_result},
    {"udp_rr", DO_UDP_RR, "1", RR_DATA_PORT, datagrams_to, ask_rr, datagram_requests, rr_result},
};

static const struct test *chosen(void) {
    const char *name = settings_find(settings_text, "test");
    for (u32 n = 0; n < sizeof tests / sizeof *tests; n++)
        if (name ? settings_is(name, tests[n].name) : n == 0)
            return &tests[n];
    return NULL;
}

// The server's response or results. Results are not told by their type, which the real server leaves as its response's
// and swaps a second time.
static int answer(int control, u32 *record) {
    int error = receive_record(control, record);
    return error ? error : -(int)record[ERROR];
}

static int measured(const struct test *t, int fd, u32 port, u32 size, struct outcome *o) {
    struct timeval start, stop;
    u32 before[2], after[2];
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    if (t->type == DO_UDP_RR)           // a response may never come
        start_insistent_alarm(milliseconds * 1000);
    else
        start_alarm(milliseconds * 1000);
    system_call3(CALL_TIME, (u32)&start, 0, 0);
    int error = t->run(fd, port, size, o);
    if (t->type == DO_UDP_RR)
        start_alarm(0);
    system_call3(CALL_TIME, (u32)&stop, 0, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    o->microseconds = elapsed(&start, &stop);
    measured_ticks += after[0] - before[0];
    measured_busy += after[1] - before[1];
    return error;
}

static int run_test(const struct test *t, int control, u32 size, struct outcome *o) {
    static u32 record[RECORD_WORDS];
    int error, closed;
    clear_record(record);
    record[TYPE] = t->type;
    t->ask(record, size, (milliseconds + 999) / 1000);
    if ((error = send_record(control, record)) || (error = answer(control, record)))
        return error;
    if (record[TYPE] != t->type + 1)
        return -EPROTO;
    u32 port = record[t->data_port] & 0xFFFF;
    int data = t->open(option_peer(), port);
    if (data < 0)
        return data;
    error = measured(t, data, port, size, o);
    if (!error && !(error = answer(control, record)))
        t->result(record, o);
    closed = data ? system_call3(t->open == connect_to ? CALL_CLOSE : CALL_LEAVE, (u32)data, 0, 0) : 0;
    return error ? error : closed;
}

static void print_row(u32 size, const struct outcome *o) {
    begin();
    text("@row bytes=");
    number(size, 0);
    text(" messages=");
    number(o->messages, 0);
    text(" us=");
    number(o->microseconds, 0);
    text(" received_kb=");
    number(o->received.low >> 10 | o->received.high << 22, 0);
    text(" received_rest=");
    number(o->received.low & 1023, 0);
    text(" calls=");
    number(o->calls, 0);
    if (o->failed) {
        text(" failed=");
        number(o->failed, 0);
    }
    end_line();
}

static int netperf(void) {
    const struct test *t = chosen();
    u32 sizes[MAX_SIZES], port = option_port(NETPERF_PORT), wait = option_number("wait", 0, 0, 60);
    u32 count = option_sizes("sizes", t ? t->sizes : "1", sizes, MAX_SIZES);
    u32 before[2], after[2];
    if (!t)
        return fail_setting(settings_find(settings_text, "test") - 5);
    response_size = option_number("response", 1, 1, BUFFER);
    milliseconds = option_milliseconds("seconds", "10");
    if (wait)
        pause_for(wait * 1000000);
    begin();
    text("@netperf start test=");
    text(t->name);
    end_line();
    system_call3(CALL_MEASURE, 1, 0, 0);
    for (u32 n = 0; n < count; n++) {
        struct outcome o = {0};
        int control = connect_to(option_peer(), port);
        if (control < 0)
            return fail_with("connect", control);
        int error = run_test(t, control, sizes[n], &o);
        if (error < 0)
            return fail_with(t->name, error);
        print_row(sizes[n], &o);
        if ((error = system_call3(CALL_CLOSE, (u32)control, 0, 0)) < 0)
            return fail_with("close", error);
    }
    system_call3(CALL_MEASURE, 0, 0, 0);
    before[0] = before[1] = 0;
    after[0] = measured_ticks;
    after[1] = measured_busy;
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    system_call3(CALL_UDP_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netperf end\n");
    return 0;
}

PROGRAM(netperf, "netperf", "seconds sizes peer port seed test response wait");
