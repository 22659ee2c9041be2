// SPDX-License-Identifier: GPL-2.0-or-later
//
// netio's server, of every generation, for a client on another machine (netio.c): accepts one connection to `port`.
//
// `generation=1` (up to 1.14): reads and discards everything until the other end closes. `generation=2` (from 1.16 on):
// a control record before each size and direction; if the client wants to receive, sends blocks for `seconds`, with 1
// as the first byte of the last one. `generation=3` (from 1.23 on): the same with a send buffer of 131072 bytes.
//
// CPU load: ticks charged to a process relative to all ticks, from the connection to its end.
#include "netio.h"
#include "user.h"

static int connection;
static u32 received_kb, sent_kb;        // of 1024 bytes, so that runs of an hour fit

// Adds bytes to KB; the rest is kept for the next call.
static void count(u32 *kb, u32 *rest, u32 bytes) {
    *rest += bytes;
    *kb += *rest / 1024;
    *rest %= 1024;
}

static int discard_all(void) {
    u32 rest = 0;
    for (;;) {
        int n = system_call3(CALL_READ, (u32)connection, (u32)buffer, BUFFER);
        if (n <= 0)
            return n;
        count(&received_kb, &rest, (u32)n);
    }
}

static int take_size(u32 size) {
    u32 rest = 0;
    int error;
    do {
        if ((error = receive_block(connection, size)))
            return error;
        count(&received_kb, &rest, size);
    } while (!buffer[0]);
    return 0;
}

static int give_size(u32 size) {
    u32 rest = 0;
    int error = 0;
    buffer[0] = 0;
    start_alarm(option_milliseconds("seconds", "10") * 1000);
    while (!time_over && !error) {
        error = send_block(connection, size);
        count(&sent_kb, &rest, size);
    }
    buffer[0] = 1;
    return error ? error : send_block(connection, size);
}

// Serves what the client requests until it quits.
static int serve_records(void) {
    for (;;) {
        const u32 *record = (const u32 *)buffer;
        int error = receive_block(connection, 2 * sizeof *record);
        if (error)
            return error;
        u32 command = htonl(record[0]), size = htonl(record[1]);
        if (command == NETIO_QUIT)
            return 0;
        if (!size || size > BUFFER)
            return -EINVAL;
        if (command != NETIO_CLIENT_SENDS && command != NETIO_SERVER_SENDS)
            return -EINVAL;
        if ((error = command == NETIO_CLIENT_SENDS ? take_size(size) : give_size(size)))
            return error;
    }
}

static int server(void) {
    u32 generation = option_number("generation", NETIO_ONE_WAY, NETIO_ONE_WAY, NETIO_BUFFERS);
    int error;
    u32 before[2], after[2];
    connection = take_connection("@server", option_port(NETIO_PORT));
    if (connection < 0)
        return fail_with("accept", connection);
    if (generation == NETIO_BUFFERS)
        system_call3(CALL_SEND_BUFFER, (u32)connection, NETIO_SEND_BUFFER, 0);
    put(FD_LOG, "@server start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    error = generation == NETIO_ONE_WAY ? discard_all() : serve_records();
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    if (error < 0)
        return fail_with("serve", error);
    begin();
    text("@served received_kb=");
    number(received_kb, 0);
    text(" sent_kb=");
    number(sent_kb, 0);
    end_line();
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@server end\n");
    error = system_call3(CALL_CLOSE, (u32)connection, 0, 0);
    return error < 0 ? fail_with("close", error) : 0;
}

PROGRAM(server, "netio-server", "seconds port generation");
