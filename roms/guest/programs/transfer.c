// SPDX-License-Identifier: GPL-2.0-or-later
//
// Data with known content in both directions, for checking a network rather than measuring it.
//
// `transfer`: connects to the peer's `port`, sends `bytes` bytes of a pattern, then reads as many, which must be the
// complement of those sent. The pattern is 32-bit words, least significant byte first: word i = i * 9E3779B1h + seed.
//
// `serve`: waits for one connection to `port` and returns every byte until the other end closes.
#include "user.h"

enum { BLOCK = 8192, STANDARD_PORT = 18767 };
static u32 bytes, seed;
static int connection;

static void fill(u32 first_word) {
    u32 word = first_word * 0x9E3779B1u + seed;
    for (u32 i = 0; i < BLOCK / 4; i++, word += 0x9E3779B1u)
        ((u32 *)buffer)[i] = word;
}

static int send_pattern(void) {
    for (u32 done = 0; done < bytes;) {
        u32 n = bytes - done < BLOCK ? bytes - done : BLOCK;
        fill(done / 4);
        int error = send_block(connection, n);
        if (error)
            return error;
        done += n;
    }
    return 0;
}

static int check_pattern(u32 *received, u32 *wrong) {
    while (*received < bytes) {
        u32 n = bytes - *received < BLOCK ? bytes - *received : BLOCK;
        int error = receive_block(connection, n);
        if (error)
            return error;
        u32 word = *received / 4 * 0x9E3779B1u + seed;
        for (u32 i = 0; i < n; i++) {
            if (buffer[i] != (u8)(~word >> i % 4 * 8))
                ++*wrong;
            if (i % 4 == 3)
                word += 0x9E3779B1u;
        }
        *received += n;
    }
    return 0;
}

static void report_counts(const char *tag, u32 sent, u32 received) {
    begin();
    text(tag);
    text(" sent=");
    number(sent, 0);
    text(" received=");
    number(received, 0);
}

static void report_end(void) {
    end_line();
    system_call3(CALL_COUNTERS, 0, 0, 0);
}

static int transfer(void) {
    u32 received = 0, wrong = 0;
    int error;
    bytes = option_number("bytes", 4194304, 1, 999999999);
    seed = option_seed();
    connection = connect_to(option_peer(), option_port(STANDARD_PORT));
    if (connection < 0)
        return fail_with("connect", connection);
    put(FD_LOG, "@transfer start\n");
    if ((error = send_pattern()))
        return fail_with("send", error);
    if ((error = check_pattern(&received, &wrong)))
        return fail_with("receive", error);
    report_counts("@transfer end", bytes, received);
    text(" wrong=");
    number(wrong, 0);
    report_end();
    error = system_call3(CALL_CLOSE, (u32)connection, 0, 0);
    if (error < 0)
        return fail_with("close", error);
    return wrong ? fail_with("content", -EINVAL) : 0;
}

static int serve(void) {
    u32 received = 0, sent = 0;
    int error;
    connection = take_connection("@serve", option_port(STANDARD_PORT));
    if (connection < 0)
        return fail_with("accept", connection);
    for (;;) {
        int n = system_call3(CALL_READ, (u32)connection, (u32)buffer, BLOCK);
        if (n < 0)
            return fail_with("receive", n);
        if (!n)
            break;
        received += (u32)n;
        if ((error = send_block(connection, (u32)n)))
            return fail_with("send", error);
        sent += (u32)n;
    }
    report_counts("@served", sent, received);
    report_end();
    error = system_call3(CALL_CLOSE, (u32)connection, 0, 0);
    return error < 0 ? fail_with("close", error) : 0;
}

PROGRAM(transfer, "transfer", "peer port seed bytes");
PROGRAM(serve, "serve", "port");
