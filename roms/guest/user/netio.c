// SPDX-License-Identifier: GPL-2.0-or-later
//
// netio 1.14's client, rebuilt from its wire protocol and counting (facts/software.md section 1,
// notes/timing-physics.md section 1): connects to TCP port 18767 and sends blocks, one size after
// the other, each until an alarm rings; nothing is received. Time is taken with gettimeofday around
// each size, in units of 1/1024 s; KByte/s = blocks x size / ticks. The program's licence is
// restrictive: implemented from those facts, no line of it is used.
//
// CPU load: ticks charged to a process against all ticks, from the first block to the last size's
// end.
#include "../kernel/kernel.h"
#include "calls.h"

enum { PORT = 18767, BUFFER = 32768 };

int system_call3(u32 number, u32 a, u32 b, u32 c);
void alarm_restorer(void);

static u8 buffer[BUFFER];
static volatile int time_over;
static struct settings set;

static u32 length_of(const char *s) {
    u32 n = 0;
    while (s[n])
        n++;
    return n;
}

static void put(int fd, const char *text) {
    system_call3(CALL_WRITE, (u32)fd, (u32)text, length_of(text));
}

// A line built piece by piece.
static char line[128];
static u32 at;
static void begin(void) { at = 0; }
static void text(const char *s) {
    while (*s && at < sizeof line - 1)
        line[at++] = *s++;
    line[at] = 0;
}
static void number(u32 v, u32 width) {
    char digits[12];
    u32 n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    for (; width > n; width--)
        text(" ");
    while (n) {
        char one[2] = {digits[--n], 0};
        text(one);
    }
}
static void tenths(u32 v, u32 width) {
    number(v / 10, width);
    text(".");
    number(v % 10, 0);
}

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

// One block; a call that the alarm cut short is continued. 0 = sent.
static int send_block(u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_WRITE, FD_SOCKET, (u32)buffer + done, size - done);
        if (n < 0)
            return n;
        done += (u32)n;
    }
    return 0;
}

static int fail_with(const char *what, int error) {
    begin();
    text(what);
    text(": error ");
    number((u32)-error, 0);
    text("\n");
    put(FD_CONSOLE, "netio: ");
    put(FD_CONSOLE, line);
    put(FD_LOG, "@fail ");
    put(FD_LOG, line);
    return 1;
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

static void print_row(u32 size, u32 blocks, u32 ticks) {
    // blocks x size x 10 / ticks, rounded, without leaving 64 bits
    u32 rate = ticks ? mul_div(blocks, size * 10, ticks) : 0;
    begin();
    text("@row bytes=");
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
    text(" k bytes/sec\n");
    put(FD_CONSOLE, line);
}

static void print_load(const u32 before[2], const u32 after[2]) {
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

// Nothing for the set time: what the tick and the card cost by themselves.
static int idle(void) {
    u32 before[2], after[2];
    put(FD_CONSOLE, "idle\n");
    put(FD_LOG, "@idle start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    system_call3(CALL_ALARM, set.milliseconds * 1000, (u32)on_alarm, (u32)alarm_restorer);
    while (!time_over)
        system_call3(CALL_PAUSE, 0, 0, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@idle end\n");
    return 0;
}

static int netio(void) {
    u32 before[2], after[2], blocks, ticks;
    u32 draw = set.seed * 1103515245u + 12345;
    for (u32 i = 1; i < BUFFER; i++, draw = draw * 1103515245u + 12345)
        buffer[i] = (u8)(draw >> 16);
    put(FD_CONSOLE, "\nNETIO - Network Throughput Benchmark, Version 1.14 (rebuilt)\n\n");
    int error = system_call3(CALL_CONNECT, set.peer, PORT, 0);
    if (error < 0)
        return fail_with("connect", error);
    put(FD_CONSOLE, "TCP/IP connection established.\n");
    put(FD_LOG, "@netio start\n");
    system_call3(CALL_MEASURE, 1, 0, 0);
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    for (u32 i = 0; i < set.sizes; i++) {
        error = run_size(set.size[i], &blocks, &ticks);
        if (error < 0)
            break;
        print_row(set.size[i], blocks, ticks);
    }
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    system_call3(CALL_MEASURE, 0, 0, 0);
    if (error < 0)
        return fail_with("send", error);
    print_load(before, after);
    error = system_call3(CALL_CLOSE, FD_SOCKET, 0, 0);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@netio end\n");
    return error < 0 ? fail_with("close", error) : 0;
}

int main(void) {
    system_call3(CALL_SETTINGS, (u32)&set, 0, 0);
    return set.task[0] == 'i' ? idle() : netio();
}
