// SPDX-License-Identifier: GPL-2.0-or-later
//
// Common fields of netperf's tests, in different words of their records: socket buffers and the processor's load.
#include "netperf.h"

enum { MOST = 1 << 20 };                // maximum bytes that a setting may request

struct buffers local_buffers, remote_buffers;
u32 measure_cpu;

const struct record_words stream_words = {
    .send = SPECIFIC, .receive = SPECIFIC + 1, .measure = SPECIFIC + 6,
    .has_send = SPECIFIC + 5, .has_receive = SPECIFIC, .measures = SPECIFIC + 3, .data_port = SPECIFIC + 6,
    .cpu = SPECIFIC + 4};
const struct record_words datagram_words = {
    .receive = SPECIFIC, .measure = SPECIFIC + 5,
    .has_send = SPECIFIC + 1, .has_receive = SPECIFIC, .measures = SPECIFIC + 2, .data_port = SPECIFIC + 4,
    .cpu = SPECIFIC + 3};
const struct record_words rr_words = {
    .send = SPECIFIC + 1, .receive = SPECIFIC, .measure = SPECIFIC + 9,
    .has_send = SPECIFIC + 4, .has_receive = SPECIFIC, .measures = SPECIFIC + 2, .data_port = SPECIFIC + 5,
    .cpu = SPECIFIC + 4};

void take_buffer_options(void) {
    local_buffers = (struct buffers){option_number("local_send", 0, 0, MOST), option_number("local_receive", 0, 0, MOST)};
    remote_buffers = (struct buffers){option_number("remote_send", 0, 0, MOST), option_number("remote_receive", 0, 0, MOST)};
    measure_cpu = option_number("cpu", 0, 0, LOCAL | REMOTE);
}

static int buffer_of(int fd, u32 which, u32 *bytes) {
    int has = system_call3(CALL_BUFFER, (u32)fd, which, *bytes);
    if (has >= 0)
        *bytes = (u32)has;
    return has;
}

int buffered_socket(u32 call, struct buffers *b) {
    system_call3(CALL_LEAVE, (u32)-1, 0, 0);        // free sockets of closed connections
    return with_buffers(system_call3(call, 0, 0, 0), b);
}

int with_buffers(int fd, struct buffers *b) {
    int error = fd;
    if (fd < 0 || (error = buffer_of(fd, 0, &b->send)) < 0 || (error = buffer_of(fd, 1, &b->receive)) < 0)
        return error;
    return fd;
}

// netperf uses a separate port for each connection of TCP_CRR, in sequence from an arbitrary one: a used port becomes
// free only after TIME_WAIT has passed at the server.
int connect_from_next_port(int fd, u32 peer, u32 port) {
    enum { FIRST = 5000, PORTS = 65535 - FIRST };
    static u32 drawn, used;
    int error;
    if (!drawn)
        drawn = option_seed() * 69069u % PORTS + 1;
    do {
        u32 own = FIRST + (drawn + used++) % PORTS;
        error = own == port ? -EADDRINUSE : system_call3(CALL_BIND, (u32)fd, own, 0);
    } while (error == -EADDRINUSE);
    return error < 0 ? error : system_call3(CALL_CONNECT, (u32)fd, peer, port);
}

// ---- percentages as floats ----------------------------------------------------------------------
enum { BIAS = 127, FRACTION = 23, PER_PERCENT = 10000 };

u32 float_of_percent(u32 millionths) {
    u32 fixed = mul_div(millionths, 1 << 24, PER_PERCENT), exponent = BIAS + 31 - 24;
    if (!fixed)
        return 0;
    for (; !(fixed >> 31); exponent--)
        fixed <<= 1;
    return exponent << FRACTION | (fixed >> 8 & ((1 << FRACTION) - 1));
}

s32 percent_of_float(u32 bits) {
    u32 exponent = bits >> FRACTION & 0xFF, fraction = (bits & ((1 << FRACTION) - 1)) | 1 << FRACTION;
    if (bits >> 31 || exponent >= BIAS + 7)     // 128 %
        return -1;
    u32 places = BIAS + FRACTION - exponent;
    return places > 40 ? 0 : (s32)((u64)fraction * PER_PERCENT >> places);
}
