// SPDX-License-Identifier: GPL-2.0-or-later
//
// netio's client, version 1.14, rebuilt from its wire protocol and counting (docs/hardware/netio.md#protocol): connects
// to TCP port 18767 and sends blocks, one size after another, each until an alarm expires; nothing is received. The
// time for each size is measured with gettimeofday, in units of 1/1024 s; KByte/s = blocks x size / ticks. The
// program's licence is restrictive: implemented from those facts, without using any line of it.
//
// The setting `generation=2` selects the client of 1.16 and later: a control record (two 32-bit words, big-endian)
// before each size and direction, the client's blocks first, then the server's; the first byte of the last block is 1.
// `generation=3` selects the client of 1.23 and later, which requests a send buffer of 131072 bytes; the buffer is
// empty at the start of each size, and its contents at the end of a size are counted.
//
// CPU load: ticks charged to a process relative to all ticks, from the first block to the end of the
// last size.
#include "netio.h"
#include "user.h"

enum { MAX_SIZES = 16 };
static int connection;
static u32 milliseconds;                // for each size and direction

struct outcome {                        // of one size in one direction
    u32 blocks, ticks;                  // ticks: of 1/1024 s
    struct timeval stop;
};

static void finish(struct outcome *o, const struct timeval *start) {
    system_call3(CALL_TIME, (u32)&o->stop, 0, 0);
    struct timeval lasted = between(start, &o->stop);
    o->ticks = lasted.sec * 1024 + mul_div(lasted.usec, 1024, 1000000);
}

// Sends one size for the set time. Returns 0 and the outcome, or an error.
static int run_size(u32 size, struct outcome *o) {
    struct timeval start;
    int error = 0;
    o->blocks = 0;
    start_alarm(milliseconds * 1000);
    system_call3(CALL_TIME, (u32)&start, 0, 0);
    while (!time_over) {
        if ((error = send_block(connection, size)))
            break;
        ++o->blocks;
    }
    finish(o, &start);
    return error;
}

static void print_row(const char *tag, const char *direction, u32 size, const struct outcome *o) {
    // blocks x size x 10 / ticks, rounded, within 64 bits
    u32 rate = o->ticks ? mul_div(o->blocks, size * 10, o->ticks) : 0;
    begin();
    text(tag);
    field(" bytes=", size);
    field(" blocks=", o->blocks);
    field(" ticks=", o->ticks);
    text(" kb_per_s=");
    tenths(rate, 0);
    ended_at(&o->stop);
    text("\n");
    put(FD_LOG, line);
    begin();
    text("Packet size ");
    number((size + 512) / 1024, 2);
    text(" k bytes:  ");
    tenths(rate, 5);
    text(" k bytes/sec");
    text(direction);
    text("\n");
    put(FD_CONSOLE, line);
}

static int control(u32 command, u32 data) {
    u32 record[2] = {htonl(command), htonl(data)};
    int n = system_call3(CALL_WRITE, (u32)connection, (u32)record, sizeof record);
    return n < 0 ? n : 0;
}

// Receives the server's blocks up to the one marked as the last.
static int receive_size(u32 size, struct outcome *o) {
    struct timeval start;
    int error;
    o->blocks = 0;
    if ((error = control(NETIO_SERVER_SENDS, size)))
        return error;
    system_call3(CALL_TIME, (u32)&start, 0, 0);
    do {
        if ((error = receive_block(connection, size)))
            return error;
        ++o->blocks;
    } while (!buffer[0]);
    finish(o, &start);
    return 0;
}

static int both_ways(u32 size) {
    struct outcome o;
    int error;
    buffer[0] = 0;
    if ((error = control(NETIO_CLIENT_SENDS, size)) || (error = run_size(size, &o)))
        return error;
    buffer[0] = 1;
    if ((error = send_block(connection, size)))
        return error;
    print_row("@row", " sent", size, &o);
    if ((error = receive_size(size, &o)))
        return error;
    print_row("@row_received", " received", size, &o);
    return 0;
}

static int one_way(u32 size) {
    struct outcome o;
    int error = run_size(size, &o);
    if (!error)
        print_row("@row", "", size, &o);
    return error;
}

static int netio(void) {
    static const char *const version[] = {[NETIO_ONE_WAY] = "1.14", [NETIO_BOTH_WAYS] = "1.16", [NETIO_BUFFERS] = "1.31"};
    u32 generation = option_number("generation", NETIO_ONE_WAY, NETIO_ONE_WAY, NETIO_BUFFERS);
    u32 sizes[MAX_SIZES], count = option_list("sizes", "1024,2048,4096,8192,16384,32767", BUFFER, sizes, MAX_SIZES);
    u32 wait = option_number("wait", 0, 0, 60), port = option_port(NETIO_PORT);
    u32 before[2], after[2];
    u32 draw = option_seed() * 1103515245u + 12345;
    milliseconds = option_milliseconds("seconds", "10");
    for (u32 i = 1; i < BUFFER; i++, draw = draw * 1103515245u + 12345)
        buffer[i] = (u8)(draw >> 16);
    put(FD_CONSOLE, "\nNETIO - Network Throughput Benchmark, Version ");
    put(FD_CONSOLE, version[generation]);
    put(FD_CONSOLE, " (rebuilt)\n\n");
    if (wait)
        pause_for(wait * 1000000);
    connection = connect_to(option_peer(), port);
    if (connection < 0)
        return fail_with("connect", connection);
    int error = 0;
    put(FD_CONSOLE, "TCP/IP connection established.\n");
    if (generation == NETIO_BUFFERS)
        system_call3(CALL_SEND_BUFFER, (u32)connection, NETIO_SEND_BUFFER, 0);
    start_clock();
    put(FD_LOG, "@netio start version=");
    put(FD_LOG, version[generation]);
    put(FD_LOG, "\n");
    system_call3(CALL_MEASURE, 1, 0, 0);
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    for (u32 i = 0; i < count && !error; i++)
        error = generation == NETIO_ONE_WAY ? one_way(sizes[i]) : both_ways(sizes[i]);
    if (generation != NETIO_ONE_WAY && !error)
        error = control(NETIO_QUIT, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    system_call3(CALL_MEASURE, 0, 0, 0);
    if (error < 0)
        return fail_with("transfer", error);
    print_load(before, after);
    error = system_call3(CALL_CLOSE, (u32)connection, 0, 0);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netio end\n");
    return error < 0 ? fail_with("close", error) : 0;
}

PROGRAM(netio, "netio", "seconds sizes peer port seed generation wait");
