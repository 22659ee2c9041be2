// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's alarm, its records, and the doubles in them: two words, the high half first. Words are kept in host order.
#include "netperf.h"

enum { RECORD_BYTES = 4 * RECORD_WORDS };
static u32 wire[RECORD_WORDS];

void clear_record(u32 *record) {
    for (u32 n = 0; n < RECORD_WORDS; n++)
        record[n] = 0;
}

static void on_insistent_alarm(int signal) {
    (void)signal;
    time_over = 1;
    system_call3(CALL_ALARM, 10000, (u32)on_insistent_alarm, (u32)alarm_restorer);
}

void start_insistent_alarm(u32 microseconds) {
    time_over = 0;
    system_call3(CALL_ALARM, microseconds, (u32)on_insistent_alarm, (u32)alarm_restorer);
}

int send_record(int fd, u32 *record) {
    for (u32 n = 0; n < RECORD_WORDS; n++)
        wire[n] = htonl(record[n]);
    int sent = system_call3(CALL_WRITE, (u32)fd, (u32)wire, RECORD_BYTES);
    return sent < 0 ? sent : sent == RECORD_BYTES ? 0 : -EPIPE;
}

int receive_record(int fd, u32 *record, u32 call) {
    for (u32 done = 0; done < RECORD_BYTES;) {
        int n = system_call3(call, (u32)fd, (u32)wire + done, RECORD_BYTES - done);
        if (n <= 0)
            return n < 0 ? n : -EPIPE;
        done += (u32)n;
    }
    for (u32 n = 0; n < RECORD_WORDS; n++)
        record[n] = htonl(wire[n]);
    return 0;
}

void put_double(u32 *words, struct wide value) {
    u32 exponent = 1023 + 63;
    words[0] = words[1] = 0;
    if (!value.low && !value.high)
        return;
    while (!(value.high & 0x80000000u)) {
        value.high = value.high << 1 | value.low >> 31;
        value.low <<= 1;
        exponent--;
    }
    u32 mantissa_high = value.high & 0x7FFFFFFF;        // without the leading one: 31 and 32 bits, of which 52 remain
    words[0] = exponent << 20 | mantissa_high >> 11;
    words[1] = mantissa_high << 21 | value.low >> 11;
}

struct wide get_double(const u32 *words) {
    u32 high = words[0], low = words[1];
    struct wide value = {0, 0};
    s32 exponent = (s32)(high >> 20 & 0x7FF) - 1023;
    if (exponent < 0 || exponent > 62 || high >> 31)
        return value;
    value.high = 0x80000000u | (high & 0xFFFFF) << 11 | low >> 21;
    value.low = low << 11;
    for (s32 n = exponent; n < 63; n++) {
        value.low = value.low >> 1 | value.high << 31;
        value.high >>= 1;
    }
    return value;
}
