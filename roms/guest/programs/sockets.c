// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks that a process may hold several sockets: makes `connections` connections to the peer's echo service, sends
// blocks of a separate pattern through each in turn until `bytes` bytes have gone through each, and compares what comes
// back. All connections stay open, and a block on one is echoed while others wait for theirs.
#include "user.h"

enum { ECHO_PORT = 7, BLOCK = 4096, MOST = 4 };

static u32 pattern(u32 connection, u32 at) { return (at + connection * 0x1000193u) * 0x9E3779B1u; }

static void fill(u32 connection, u32 at, u32 size) {
    for (u32 i = 0; i < size; i++)
        buffer[i] = (u8)(pattern(connection, at + i) >> 24);
}

static u32 wrong_bytes(u32 connection, u32 at, u32 size) {
    u32 wrong = 0;
    for (u32 i = 0; i < size; i++)
        wrong += buffer[i] != (u8)(pattern(connection, at + i) >> 24);
    return wrong;
}

// Sends a block through every connection, then reads all of them back.
static int exchange(const int *fd, u32 count, u32 at, u32 size, u32 *wrong) {
    int error;
    for (u32 n = 0; n < count; n++) {
        fill(n, at, size);
        if ((error = send_block(fd[n], size)))
            return error;
    }
    for (u32 n = 0; n < count; n++) {
        if ((error = receive_block(fd[n], size)))
            return error;
        *wrong += wrong_bytes(n, at, size);
    }
    return 0;
}

static int sockets(void) {
    u32 bytes = option_number("bytes", 65536, 1, 999999999), count = option_number("connections", 2, 1, MOST);
    u32 peer = option_peer(), port = option_port(ECHO_PORT), wrong = 0;
    int fd[MOST], error;
    for (u32 n = 0; n < count; n++)
        if ((fd[n] = connect_to(peer, port)) < 0)
            return fail_with("connect", fd[n]);
    begin();
    text("@sockets start connections=");
    number(count, 0);
    end_line();
    for (u32 at = 0; at < bytes; at += BLOCK)
        if ((error = exchange(fd, count, at, bytes - at < BLOCK ? bytes - at : BLOCK, &wrong)))
            return fail_with("exchange", error);
    begin();
    text("@sockets end bytes=");
    number(bytes, 0);
    text(" wrong=");
    number(wrong, 0);
    end_line();
    for (u32 n = 0; n < count; n++)
        if ((error = system_call3(CALL_CLOSE, (u32)fd[n], 0, 0)) < 0)
            return fail_with("close", error);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    return wrong ? fail_with("content", -EINVAL) : 0;
}

PROGRAM(sockets, "sockets", "peer port bytes connections");
