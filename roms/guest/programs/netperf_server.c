// SPDX-License-Identifier: GPL-2.0-or-later
//
// netserver: netperf's other end, version 2.1, rebuilt from its wire protocol (docs/hardware/netperf.md). Serves
// `tests` clients, one after another: waits for a control connection, and for each request on it opens a port for the
// data, one of the DATA_PORTS after `port` in turn. A client with confidence intervals makes several requests. Its
// sockets get the buffers that the client requests.
//
// CPU load: ticks charged to a process relative to all ticks, while a test ran.
#include "netperf.h"

enum { LONGEST_TEST = 3600 };           // seconds
enum { PATIENCE = 60 };                 // seconds for a client to send something, beyond the length of its test
enum { NOT_MEASURED = 0xBF800000 };     // the float -1

static u32 record[RECORD_WORDS];
static u32 data_port;                   // the latest one used
static u32 runs;                        // tests, over all clients
static u32 measured_ticks, measured_busy;

static int listen_at(u32 port) {
    int fd = system_call3(CALL_SOCKET, 0, 0, 0);
    if (fd < 0)
        return fd;
    int error = system_call3(CALL_LISTEN, (u32)fd, port, 0);
    return error < 0 ? error : fd;
}

static int datagrams_at(u32 port) {
    int fd = system_call3(CALL_UDP_SOCKET, 0, 0, 0);
    if (fd < 0)
        return fd;
    int bound = system_call3(CALL_UDP_BIND, (u32)fd, port, 0);
    return bound < 0 ? bound : fd;
}

static int reply(int control, u32 type, u32 error) {
    clear_record(record);
    record[TYPE] = type;
    record[ERROR] = error;
    return send_record(control, record);
}

struct request {
    u32 type, size, response, seconds;  // size: of a message or a request
    const struct record_words *words;
    struct buffers buffers;
    int measure;                        // measure the load while it runs
};

static int is_datagrams(u32 type) { return type == DO_UDP_STREAM || type == DO_UDP_RR; }

// A client that does not know the server's size says -1: the system's default.
static u32 wanted_buffer(u32 word) { return (s32)word < 0 ? 0 : word; }

// Decodes the request in `record`. 0, or the error for the client.
static u32 understand(struct request *r) {
    r->type = record[TYPE];
    r->size = r->response = r->seconds = 1;
    r->words = &rr_words;
    switch (r->type) {
    case DO_TCP_STREAM:                 // ended by the client; a negative length is in bytes
        r->words = &stream_words;
        r->seconds = record[STREAM_TEST_LENGTH];
        if (r->seconds - 1 >= LONGEST_TEST)
            r->seconds = LONGEST_TEST;
        break;
    case DO_UDP_STREAM:
        r->words = &datagram_words;
        r->size = record[DATAGRAM_SIZE];
        r->seconds = record[DATAGRAM_TEST_LENGTH];
        break;
    case DO_TCP_RR:
    case DO_UDP_RR:
    case DO_TCP_CRR:
        r->size = record[RR_REQUEST_SIZE];
        r->response = record[RR_RESPONSE_SIZE];
        r->seconds = record[RR_TEST_LENGTH];
        break;
    default:
        return UNKNOWN_TEST;
    }
    r->buffers.send = r->words->send ? wanted_buffer(record[r->words->send]) : 0;
    r->buffers.receive = wanted_buffer(record[r->words->receive]);
    r->measure = record[r->words->measure] != 0;
    return r->size - 1 >= BUFFER || r->response - 1 >= BUFFER || r->seconds - 1 >= LONGEST_TEST ? EINVAL : 0;
}

static int respond(int control, const struct request *r) {
    clear_record(record);
    record[TYPE] = r->type + 1;
    record[r->words->has_send] = r->buffers.send;
    record[r->words->has_receive] = r->buffers.receive;
    record[r->words->measures] = (u32)r->measure;
    record[r->words->data_port] = data_port;
    if (r->type == DO_TCP_STREAM)
        record[STREAM_RECEIVE_SIZE] = r->size;
    return send_record(control, record);
}

static int run(int data, const struct request *r) {
    switch (r->type) {
    case DO_TCP_RR: return serve_requests(data, record, r->size, r->response, r->seconds);
    case DO_TCP_CRR: return serve_connections(data, record, r->size, r->response, r->seconds);
    case DO_UDP_STREAM: return serve_datagrams(data, record, r->size, r->seconds);
    case DO_UDP_RR: return serve_datagram_requests(data, record, r->size, r->response, r->seconds);
    default: return serve_stream(data, record, r->size, r->seconds + PATIENCE);
    }
}

// The client has not kept to its own sizes (-EPROTO), has closed its connection midway, or sends nothing.
static int given_up(int control, u32 type, int error) {
    return reply(control, type + 2, error == -EPROTO ? EINVAL : error == -EINTR ? ETIMEDOUT : (u32)-error);
}

// Serves the request in `record`, up to its results.
static int serve(int control) {
    struct request r;
    u32 before[2], after[2], refused = understand(&r);
    if (r.type == DEBUG_ON || r.type == DEBUG_OFF)
        return reply(control, DEBUG_OK, 0);
    if (refused)
        return reply(control, refused == UNKNOWN_TEST ? 0 : r.type + 1, refused);
    data_port = option_port(NETPERF_PORT) + 1 + runs % DATA_PORTS;
    int data = with_buffers(is_datagrams(r.type) ? datagrams_at(data_port) : listen_at(data_port), &r.buffers);
    int error;
    if (data < 0)
        return reply(control, r.type + 1, (u32)-data);
    if (r.type == DO_TCP_STREAM) {      // reads as much as the socket buffer holds, into two such buffers in turn
        r.size = r.buffers.receive;
        if ((error = make_ring(2, r.size, 1)))
            return reply(control, r.type + 1, (u32)-error);
    }
    if ((error = respond(control, &r)))
        return error;
    if (!is_datagrams(r.type) && r.type != DO_TCP_CRR) {
        int listener = data;
        start_insistent_alarm(PATIENCE * 1000000);
        data = system_call3(CALL_ACCEPT_UNTIL, (u32)listener, 0, 0);
        start_alarm(0);
        system_call3(CALL_CLOSE, (u32)listener, 0, 0);
        if (data < 0)
            return given_up(control, r.type, data);
    }
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    error = run(data, &r);
    start_alarm(0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    measured_ticks += after[0] - before[0];
    measured_busy += after[1] - before[1];
    if (error < 0) {
        system_call3(CALL_LEAVE, (u32)data, 0, 0);
        return given_up(control, r.type, error);
    }
    record[TYPE] = r.type + 2;
    record[r.words->cpu] = r.measure && after[0] - before[0]
                               ? float_of_percent(mul_div(after[1] - before[1], 1000000, after[0] - before[0]))
                               : NOT_MEASURED;
    runs++;
    error = send_record(control, record);
    system_call3(is_datagrams(r.type) ? CALL_LEAVE : CALL_CLOSE, (u32)data, 0, 0);
    return error;
}

// Serves one client's requests until it closes or is silent for too long. Returns whether it ran a test.
static int serve_client(int control) {
    u32 before = runs;
    for (;;) {
        start_insistent_alarm(PATIENCE * 1000000);
        int error = receive_record(control, record, CALL_RECEIVE);
        start_alarm(0);
        if (error || serve(control) < 0)
            break;
    }
    system_call3(CALL_CLOSE, (u32)control, 0, 0);   // waits at most 5 s
    return runs != before;
}

static int netserver(void) {
    u32 port = option_port(NETPERF_PORT), tests = option_number("tests", 1, 1, 1000000);
    u32 before[2] = {0, 0}, after[2];
    u32 served = 0;                     // clients
    int listener = listen_at(port);
    if (listener < 0)
        return fail_with("listen", listener);
    begin();
    text("@netserver port=");
    number(port, 0);
    end_line();
    put(FD_LOG, "@netserver start\n");
    while (served < tests) {
        int control = system_call3(CALL_ACCEPT, (u32)listener, 0, 0);
        if (control < 0)
            return fail_with("accept", control);
        served += (u32)serve_client(control);
    }
    after[0] = measured_ticks;
    after[1] = measured_busy;
    begin();
    text("@served tests=");
    number(served, 0);
    text(" runs=");
    number(runs, 0);
    end_line();
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    system_call3(CALL_UDP_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netserver end\n");
    int error = system_call3(CALL_CLOSE, (u32)listener, 0, 0);
    return error < 0 ? fail_with("close", error) : 0;
}

PROGRAM(netserver, "netserver", "port tests");
