// SPDX-License-Identifier: GPL-2.0-or-later
//
// netio's server, of both generations, for another machine's client (netio.c): takes one connection to `port`.
//
// `generation=1` (up to 1.14): reads and discards whatever comes until the other end closes. `generation=2` (from 1.16
// on): a control record before each size and direction; where the client wants to be sent to, blocks for `seconds`, the
// first byte of the last one 1.
//
// CPU load: ticks charged to a process against all ticks, from the connection to its end. What receiving costs the
// processor is this stack's own: nothing pads it to Linux 2.2's (kernel/linux_cost.asm).
#include "user.h"

static volatile int time_over;
static u32 received_kb, sent_kb;        // of 1024 bytes: the runs of an hour fit

static void on_alarm(int signal) {
    (void)signal;
    time_over = 1;
}

// Bytes into KB, the rest kept for the next ones.
static void count(u32 *kb, u32 *rest, u32 bytes) {
    *rest += bytes;
    *kb += *rest / 1024;
    *rest %= 1024;
}

static int discard_all(void) {
    u32 rest = 0;
    for (;;) {
        int n = system_call3(CALL_READ, FD_SOCKET, (u32)buffer, BUFFER);
        if (n <= 0)
            return n;
        count(&received_kb, &rest, (u32)n);
    }
}

static int take_size(u32 size) {
    u32 rest = 0;
    int error;
    do {
        if ((error = receive_block(size)))
            return error;
        count(&received_kb, &rest, size);
    } while (!buffer[0]);
    return 0;
}

static int give_size(u32 size) {
    u32 rest = 0;
    int error = 0;
    time_over = 0;
    buffer[0] = 0;
    system_call3(CALL_ALARM, set.milliseconds * 1000, (u32)on_alarm, (u32)alarm_restorer);
    while (!time_over && !error) {
        error = send_block(size);
        count(&sent_kb, &rest, size);
    }
    buffer[0] = 1;
    return error ? error : send_block(size);
}

// What the client wants next, until it has enough.
static int serve_records(void) {
    for (;;) {
        const u32 *record = (const u32 *)buffer;
        int error = receive_block(2 * sizeof *record);
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

int server(void) {
    u32 before[2], after[2];
    int error = take_connection("@server");
    if (error)
        return error;
    put(FD_LOG, "@server start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    error = set.generation == 2 ? serve_records() : discard_all();
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
    error = system_call3(CALL_CLOSE, FD_SOCKET, 0, 0);
    return error < 0 ? fail_with("close", error) : 0;
}
