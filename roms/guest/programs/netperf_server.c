// SPDX-License-Identifier: GPL-2.0-or-later
//
// netserver: netperf's other end, version 2.1, rebuilt from its wire protocol (docs/hardware/netperf.md). Serves `tests`
// tests, one after the other: waits for a control connection, and for each request on it opens a port for the data
// connection, from `port` + 1 on.
//
// CPU load: ticks charged to a process against all ticks, while a test ran.
#include "netperf.h"

static u32 record[RECORD_WORDS];
static u32 data_port;                   // the latest
static u32 served;                      // tests
static u32 measured_ticks, measured_busy;

static void add(struct wide *sum, u32 n) {
    sum->low += n;
    sum->high += sum->low < n;
}

// Bytes until the client ends its direction.
static int take_stream(int fd) {
    struct wide bytes = {0, 0};
    u32 calls = 0;
    for (int n; (n = system_call3(CALL_READ, (u32)fd, (u32)buffer, BUFFER)); calls++) {
        if (n < 0)
            return n;
        add(&bytes, (u32)n);
    }
    clear_record(record);
    put_double(record + STREAM_BYTES, bytes);
    record[STREAM_CALLS] = calls;
    return system_call3(CALL_SHUTDOWN, (u32)fd, 0, 0);
}

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

static int answer_requests(int fd, u32 request, u32 response, u32 seconds) {
    u32 transactions = 0;
    int error = 0;
    start_alarm((seconds + PAD_SECONDS) * 1000000);
    while (!time_over && !(error = take_request(fd, request)) && !(error = send_block(fd, response)))
        transactions++;
    start_alarm(0);
    clear_record(record);
    record[RR_TRANSACTIONS] = transactions;
    record[SPECIFIC] = transactions * (request + response);
    return error == -EINTR ? 0 : error;
}

static int listen_at(u32 port) {
    int fd = system_call3(CALL_SOCKET, 0, 0, 0);
    if (fd < 0)
        return fd;
    int error = system_call3(CALL_LISTEN, (u32)fd, port, 0);
    return error < 0 ? error : fd;
}

static int reply(int control, u32 type, u32 error) {
    clear_record(record);
    record[TYPE] = type;
    record[ERROR] = error;
    return send_record(control, record);
}

// The request in `record`, to its results.
static int serve(int control) {
    u32 type = record[TYPE], rr = type == DO_TCP_RR, before[2], after[2];
    u32 request = record[RR_REQUEST_SIZE], response = record[RR_RESPONSE_SIZE], seconds = record[RR_TEST_LENGTH];
    if (type == DEBUG_ON || type == DEBUG_OFF)
        return reply(control, DEBUG_OK, 0);
    if (type != DO_TCP_STREAM && !rr)
        return reply(control, 0, UNKNOWN_TEST);
    if (rr && (!request || request > BUFFER || !response || response > BUFFER || seconds - 1 >= 3600))
        return reply(control, type + 1, EINVAL);
    data_port++;
    int listener = listen_at(data_port), error, closed;
    if (listener < 0)
        return listener;
    clear_record(record);
    record[TYPE] = type + 1;
    record[rr ? RR_DATA_PORT : STREAM_DATA_PORT] = data_port;
    if (!rr)
        record[STREAM_RECEIVE_SIZE - 1] = BUFFER;
    if ((error = send_record(control, record)))
        return error;
    int data = system_call3(CALL_ACCEPT, (u32)listener, 0, 0);
    if (data < 0)
        return data;
    system_call3(CALL_CLOSE, (u32)listener, 0, 0);
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    error = rr ? answer_requests(data, request, response, seconds) : take_stream(data);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    measured_ticks += after[0] - before[0];
    measured_busy += after[1] - before[1];
    if (error < 0)
        return error;
    record[TYPE] = type + 2;
    served++;
    error = send_record(control, record);
    closed = system_call3(CALL_CLOSE, (u32)data, 0, 0);
    return error ? error : closed;
}

static int netserver(void) {
    u32 port = option_port(NETPERF_PORT), tests = option_number("tests", 1, 1, 1000000);
    u32 before[2] = {0, 0}, after[2];
    int error = 0, listener = listen_at(port);
    data_port = port;
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
        while (!(error = receive_record(control, record)))
            if ((error = serve(control)) < 0)
                return fail_with("serve", error);
        if (error != -EPIPE)
            return fail_with("control connection", error);
        system_call3(CALL_CLOSE, (u32)control, 0, 0);
    }
    after[0] = measured_ticks;
    after[1] = measured_busy;
    begin();
    text("@served tests=");
    number(served, 0);
    end_line();
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netserver end\n");
    error = system_call3(CALL_CLOSE, (u32)listener, 0, 0);
    return error < 0 ? fail_with("close", error) : 0;
}

PROGRAM(netserver, "netserver", "port tests");
