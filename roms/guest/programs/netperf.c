// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's client, version 2.1, rebuilt from its wire protocol (docs/hardware/netperf.md; no line of its code is
// used). A whole test for each size: a control connection, a request, a data connection to the port that the server
// names, the test, the server's results.
//
// TCP_STREAM sends messages of that size until the alarm expires, ends its direction, and stops the clock when the
// server has ended its own; the result is what the server has received. TCP_RR sends a request of that size and waits
// for a response of `response` bytes, repeatedly until the alarm has expired. The round trip that the alarm interrupts
// is completed and counted. TCP_CRR makes a connection for each. UDP_STREAM sends datagrams until the alarm expires,
// and two seconds after the end of the test the server reports how many have arrived; UDP_RR abandons the round trip
// that the alarm interrupts, whose response may never come.
//
// The requested socket buffer sizes are put into the request and set on the client's own sockets; netperf_confidence.c
// determines how often a test runs.
//
// CPU load: ticks charged to a process relative to all ticks, during the tests only.
#include "netperf.h"

enum { MAX_SIZES = 16 };
static u32 milliseconds;                // per test
static u32 response_size;
static u32 measured_ticks, measured_busy;       // over the tests so far

static int stream(int fd, u32 port, u32 size, struct outcome *o) {
    (void)port;
    while (!time_over) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)next_buffer(), size);
        if (n < 0)
            return n;
        if ((u32)n != size)
            break;                      // interrupted by the alarm
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
        int data = buffered_socket(CALL_SOCKET, &local_buffers), error;
        if (data < 0)
            return data;
        if (!(error = connect_from_next_port(data, option_peer(), port)) && !(error = send_block(data, size)) &&
            !(error = receive_block(data, response_size)))
            o->messages++;
        system_call3(CALL_LEAVE, (u32)data, 0, 0);
        if (error)
            return error;
    }
    return 0;
}

static int datagrams(int fd, u32 port, u32 size, struct outcome *o) {
    u8 *from = next_buffer();
    (void)port;
    while (!time_over) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)from, size);
        if (n == -ENOBUFS) {
            o->failed++;
            continue;
        }
        if (n < 0)
            return n == -EINTR ? 0 : n; // interrupted by the alarm
        o->messages++;
        from = next_buffer();
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

// A kind of test: its request, its data connection, the server's final results.
struct test {
    const char *name;
    u32 type;
    const char *sizes;                  // default
    u32 most;                           // bytes
    const struct record_words *words;
    u32 socket, connect, close;         // calls of the data connection; socket 0: the test has none
    void (*ask)(u32 *record, u32 size, u32 seconds);
    int (*run)(int fd, u32 port, u32 size, struct outcome *o);
    void (*result)(const u32 *record, struct outcome *o);
};

static void ask_stream(u32 *record, u32 size, u32 seconds) {
    (void)size;                         // the server reads as much as its socket buffer holds
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

#define OVER_TCP CALL_SOCKET, CALL_CONNECT, CALL_CLOSE
#define OVER_UDP CALL_UDP_SOCKET, CALL_UDP_CONNECT, CALL_LEAVE
static const struct test tests[] = {
    {"tcp_stream", DO_TCP_STREAM, "65535", STREAM_LONGEST, &stream_words, OVER_TCP, ask_stream, stream, stream_result},
    {"tcp_rr", DO_TCP_RR, "1", BUFFER, &rr_words, OVER_TCP, ask_rr, request_response, rr_result},
    {"tcp_crr", DO_TCP_CRR, "1", BUFFER, &rr_words, 0, 0, 0, ask_rr, connect_request_response, rr_result},
    {"udp_stream", DO_UDP_STREAM, "8192", BUFFER, &datagram_words, OVER_UDP, ask_datagrams, datagrams, datagrams_result},
    {"udp_rr", DO_UDP_RR, "1", BUFFER, &rr_words, OVER_UDP, ask_rr, datagram_requests, rr_result},
};

int is_messages(const struct test *t) { return t->type == DO_UDP_STREAM; }
int is_transactions(const struct test *t) { return t->words == &rr_words; }

static const struct test *chosen(void) {
    const char *name = settings_find(settings_text, "test");
    for (u32 n = 0; n < sizeof tests / sizeof *tests; n++)
        if (name ? settings_is(name, tests[n].name) : n == 0)
            return &tests[n];
    return NULL;
}

// Reads the server's response or results. The type of the results is not checked: the real server leaves its response's
// there and swaps it a second time.
static int answer(int control, u32 *record) {
    int error = receive_record(control, record, CALL_READ);
    return error ? error : -(int)record[ERROR];
}

static int measured(const struct test *t, int fd, u32 port, u32 size, struct outcome *o) {
    struct timeval start;
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
    system_call3(CALL_TIME, (u32)&o->stop, 0, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    struct timeval lasted = between(&start, &o->stop);
    o->microseconds = lasted.sec * 1000000 + lasted.usec;
    measured_ticks += o->ticks = after[0] - before[0];
    measured_busy += o->busy = after[1] - before[1];
    return error;
}

// From a response: a server that does not know the size says -1.
static u32 buffer_size(u32 word) { return (s32)word < 0 ? 0 : word; }

static int ask_for(const struct test *t, int control, u32 size, u32 *record) {
    const struct record_words *w = t->words;
    int error;
    clear_record(record);
    record[TYPE] = t->type;
    t->ask(record, size, (milliseconds + 999) / 1000);
    if (w->send)
        record[w->send] = remote_buffers.send;
    record[w->receive] = remote_buffers.receive;
    record[w->measure] = measure_cpu & REMOTE ? 1 : 0;
    if ((error = send_record(control, record)) || (error = answer(control, record)))
        return error;
    if (record[TYPE] != t->type + 1)
        return -EPROTO;
    remote_buffers.send = buffer_size(record[w->has_send]);
    remote_buffers.receive = buffer_size(record[w->has_receive]);
    return 0;
}

// Messages come from a ring of buffers: as many as the socket buffer holds plus one, at least two; for datagrams 32.
static int make_messages(const struct test *t, u32 size) {
    if (t->type == DO_UDP_STREAM)
        return make_ring(32, size, 0);
    u32 width = local_buffers.send / size + 1;
    return t->type == DO_TCP_STREAM ? make_ring(width > 1 ? width : 2, size, 0) : 0;
}

int run_test(const struct test *t, int control, u32 size, struct outcome *o) {
    static u32 record[RECORD_WORDS];
    const struct record_words *w = t->words;
    int error, closed, data = t->socket ? buffered_socket(t->socket, &local_buffers) : 0;
    if (data < 0)
        return data;
    if ((error = make_messages(t, size)) || (error = ask_for(t, control, size, record)))
        return error;
    u32 port = record[w->data_port] & 0xFFFF, measured_there = record[w->measures];
    if (data && (error = system_call3(t->connect, (u32)data, option_peer(), port)) < 0)
        return error;
    error = measured(t, data, port, size, o);
    if (!error && !(error = answer(control, record))) {
        t->result(record, o);
        o->server_cpu = measured_there ? percent_of_float(record[w->cpu]) : -1;
    }
    closed = data ? system_call3(t->close, (u32)data, 0, 0) : 0;
    return error ? error : closed;
}

static int netperf(void) {
    const struct test *t = chosen();
    u32 sizes[MAX_SIZES], port = option_port(NETPERF_PORT), wait = option_number("wait", 0, 0, 60);
    u32 count = option_list("sizes", t ? t->sizes : "1", t ? t->most : 1, sizes, MAX_SIZES);
    u32 before[2], after[2];
    if (!t)
        return fail_setting(settings_find(settings_text, "test") - 5);
    response_size = option_number("response", 1, 1, BUFFER);
    milliseconds = option_milliseconds("seconds", "10");
    if (wait)
        pause_for(wait * 1000000);
    start_clock();
    begin();
    text("@netperf start test=");
    text(t->name);
    end_line();
    system_call3(CALL_MEASURE, 1, 0, 0);
    for (u32 n = 0; n < count; n++) {
        int control = connect_to(option_peer(), port);
        if (control < 0)
            return fail_with("connect", control);
        take_buffer_options();
        int error = run_tests(t, control, sizes[n]);
        if (error < 0)
            return fail_with(t->name, error);
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

PROGRAM(netperf, "netperf",
        "seconds sizes peer port seed test response wait local_send local_receive remote_send remote_receive cpu runs_most "
        "runs_least level width");
