// SPDX-License-Identifier: GPL-2.0-or-later
//
// netio's client, version 1.14, rebuilt from its wire protocol and counting (docs/hardware/netio.md#protocol): connects to TCP
// port 18767 and sends blocks, one size after the other, each until an alarm rings; nothing is received. Time is taken with
// gettimeofday around each size, in units of 1/1024 s; KByte/s = blocks x size / ticks. The program's licence is restrictive:
// implemented from those facts, no line of it is used.
//
// With the setting `generation=2` the client of 1.16 and later: a control record (two 32-bit words, big-endian) before
// each size and direction, the client's blocks first, then the server's; the first byte of the last block is 1. What
// receiving costs the processor is this stack's own: nothing pads it to Linux 2.2's (kernel/linux_cost.asm).
//
// CPU load: ticks charged to a process against all ticks, from the first block to the last size's
// end.
#include "user.h"

static volatile int time_over;

static void on_alarm(int signal) {
    (void)signal;
    time_over = 1;
}

// Elapsed time in 1/1024 s.
static u32 elapsed(const struct timeval *from, const struct timeval *to) {
    u32 seconds = to->sec - from->sec;
    s32 microseconds = (s32)(to->usec - from->usec);
    if (microseconds < 0) {
        microseconds += 1000000;
        seconds--;
    }
    return seconds * 1024 + mul_div((u32)microseconds, 1024, 1000000);
}

// Sends one size for the set time. Returns 0 and the row, or an error.
static int run_size(u32 size, u32 *blocks, u32 *ticks) {
    struct timeval start, stop;
    int error = 0;
    *blocks = 0;
    time_over = 0;
    system_call3(CALL_ALARM, set.milliseconds * 1000, (u32)on_alarm, (u32)alarm_restorer);
    system_call3(CALL_TIME, (u32)&start, 0, 0);
    while (!time_over) {
        if ((error = send_block(size)))
            break;
        ++*blocks;
    }
    system_call3(CALL_TIME, (u32)&stop, 0, 0);
    *ticks = elapsed(&start, &stop);
    return error;
}

static void print_row(const char *tag, const char *direction, u32 size, u32 blocks, u32 ticks) {
    // blocks x size x 10 / ticks, rounded, without leaving 64 bits
    u32 rate = ticks ? mul_div(blocks, size * 10, ticks) : 0;
    begin();
    text(tag);
    text(" bytes=");
    number(size, 0);
    text(" blocks=");
    number(blocks, 0);
    text(" ticks=");
    number(ticks, 0);
    text(" kb_per_s=");
    tenths(rate, 0);
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

void print_load(const u32 before[2], const u32 after[2]) {
    u32 all = after[0] - before[0], busy = after[1] - before[1];
    u32 load = all ? mul_div(busy, 1000, all) : 0;
    begin();
    text("@load percent=");
    tenths(load, 0);
    text(" busy_ticks=");
    number(busy, 0);
    text(" all_ticks=");
    number(all, 0);
    text("\n");
    put(FD_LOG, line);
    begin();
    text("CPU load ");
    tenths(load, 0);
    text(" %\n");
    put(FD_CONSOLE, line);
}

static void pause_for(u32 microseconds) {
    time_over = 0;
    system_call3(CALL_ALARM, microseconds, (u32)on_alarm, (u32)alarm_restorer);
    while (!time_over)
        system_call3(CALL_PAUSE, 0, 0, 0);
}

// Nothing for the set time: what the tick and the card cost by themselves.
int idle(void) {
    u32 before[2], after[2];
    put(FD_CONSOLE, "idle\n");
    put(FD_LOG, "@idle start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    pause_for(set.milliseconds * 1000);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@idle end\n");
    return 0;
}

static int control(u32 command, u32 data) {
    u32 record[2] = {htonl(command), htonl(data)};
    int n = system_call3(CALL_WRITE, FD_SOCKET, (u32)record, sizeof record);
    return n < 0 ? n : 0;
}

// Takes the server's blocks until the one that says it is the last.
static int receive_size(u32 size, u32 *blocks, u32 *ticks) {
    struct timeval start, stop;
    int error;
    *blocks = 0;
    if ((error = control(NETIO_SERVER_SENDS, size)))
        return error;
    system_call3(CALL_TIME, (u32)&start, 0, 0);
    do {
        if ((error = receive_block(size)))
            return error;
        ++*blocks;
    } while (!buffer[0]);
    system_call3(CALL_TIME, (u32)&stop, 0, 0);
    *ticks = elapsed(&start, &stop);
    return 0;
}

static int both_ways(u32 size) {
    u32 blocks, ticks;
    int error;
    buffer[0] = 0;
    if ((error = control(NETIO_CLIENT_SENDS, size)) || (error = run_size(size, &blocks, &ticks)))
        return error;
    buffer[0] = 1;
    if ((error = send_block(size)))
        return error;
    print_row("@row", " sent", size, blocks, ticks);
    if ((error = receive_size(size, &blocks, &ticks)))
        return error;
    print_row("@row_received", " received", size, blocks, ticks);
    return 0;
}

static int one_way(u32 size) {
    u32 blocks, ticks;
    int error = run_size(size, &blocks, &ticks);
    if (!error)
        print_row("@row", "", size, blocks, ticks);
    return error;
}

int netio(void) {
    int second = set.generation == 2;
    u32 before[2], after[2];
    u32 draw = set.seed * 1103515245u + 12345;
    for (u32 i = 1; i < BUFFER; i++, draw = draw * 1103515245u + 12345)
        buffer[i] = (u8)(draw >> 16);
    put(FD_CONSOLE, "\nNETIO - Network Throughput Benchmark, Version ");
    put(FD_CONSOLE, second ? "1.16 (rebuilt)\n\n" : "1.14 (rebuilt)\n\n");
    if (set.wait)
        pause_for(set.wait * 1000000);
    int error = system_call3(CALL_CONNECT, set.peer, set.port, 0);
    if (error < 0)
        return fail_with("connect", error);
    error = 0;
    put(FD_CONSOLE, "TCP/IP connection established.\n");
    put(FD_LOG, second ? "@netio start version=1.16\n" : "@netio start\n");
    system_call3(CALL_MEASURE, 1, 0, 0);
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    for (u32 i = 0; i < set.sizes && !error; i++)
        error = second ? both_ways(set.size[i]) : one_way(set.size[i]);
    if (second && !error)
        error = control(NETIO_QUIT, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    system_call3(CALL_MEASURE, 0, 0, 0);
    if (error < 0)
        return fail_with("transfer", error);
    print_load(before, after);
    error = system_call3(CALL_CLOSE, FD_SOCKET, 0, 0);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netio end\n");
    return error < 0 ? fail_with("close", error) : 0;
}
