// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's confidence intervals (version 2.1, options -i and -I; docs/hardware/netperf.md): a test is repeated over
// the same control connection until its result, and the load of the processors if measured, lie within the requested
// width: 2 t s / (mean sqrt(n - 1)), where s is the standard deviation of n runs and t Student's t for the level. At
// least `runs_least` runs; at most `runs_most` - 1, if that is more.
//
// As in netperf, the buffer sizes that getsockopt() returned in one run are set in the next one: Linux doubles them.
#include "netperf.h"

enum { MOST_RUNS = 30, ONE = 1000000 }; // millionths

// Student's t, two-sided, in thousandths, for 1 degree of freedom and up.
static const u32 t95[MOST_RUNS] = {12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228, 2201, 2179, 2160, 2145, 2131,
                                   2120,  2110, 2101, 2093, 2086, 2080, 2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042};
static const u32 t99[MOST_RUNS] = {63657, 9925, 5841, 4604, 4032, 3707, 3499, 3355, 3250, 3169, 3106, 3055, 3012, 2977, 2947,
                                   2921,  2898, 2878, 2861, 2845, 2831, 2819, 2807, 2797, 2787, 2779, 2771, 2763, 2756, 2750};

// A figure over all runs so far. Each value is below 2^24, so everything here fits in 64 bits.
struct figure {
    u32 count, sum;
    u64 squares;
};

static void add(struct figure *f, u32 value) {
    f->count++;
    f->sum += value;
    f->squares += (u64)value * value;
}

static u32 root(u64 v) {
    u64 r = 0;
    for (u32 bit = 32; bit--;)
        if ((r | 1ull << bit) * (r | 1ull << bit) <= v)
            r |= 1ull << bit;
    return (u32)r;
}

// The width of its interval in millionths of its mean.
static u32 width_of(const struct figure *f, const u32 *t) {
    u32 n = f->count;
    u64 left = n * f->squares - (u64)f->sum * f->sum, all = (u64)f->sum * f->sum * (n - 1), ratio = 0;
    if (!left)
        return 0;
    while (all >> 62) {
        all >>= 1;
        left >>= 1;
    }
    for (u32 bit = 0; bit < 60; bit++) {        // left / all, which is at most 1, to 60 binary places
        left <<= 1;
        ratio <<= 1;
        if (left >= all) {
            left -= all;
            ratio |= 1;
        }
    }
    return (u32)((u64)t[n - 2] * 2000 * root(ratio) >> 30);
}

// Bytes per second, or transactions per 1000 seconds.
static u32 result_of(const struct test *t, u32 size, const struct outcome *o) {
    u64 bytes = (u64)o->received.high << 32 | o->received.low;
    u32 time = o->microseconds;
    if (is_transactions(t))
        return mul_div(o->messages, ONE, (time + 999) / 1000);
    if (is_messages(t))
        bytes = (u64)o->received.low * size;
    for (; bytes >> 32; bytes >>= 1)
        time >>= 1;
    return mul_div((u32)bytes, ONE, time ? time : 1);
}

static void print_run(const char *tag, u32 size, const struct outcome *o) {
    begin();
    field("@buffers local_send=", local_buffers.send);
    field(" local_receive=", local_buffers.receive);
    field(" remote_send=", remote_buffers.send);
    field(" remote_receive=", remote_buffers.receive);
    end_line();
    begin();
    field("@cpu ticks=", o->ticks);
    field(" busy=", o->busy);
    if (o->server_cpu >= 0)
        field(" server_millionths=", (u32)o->server_cpu);
    end_line();
    begin();
    text(tag);
    field(" bytes=", size);
    field(" messages=", o->messages);
    field(" us=", o->microseconds);
    field(" received_kb=", o->received.low >> 10 | o->received.high << 22);
    field(" received_rest=", o->received.low & 1023);
    field(" calls=", o->calls);
    if (o->failed)
        field(" failed=", o->failed);
    ended_at(&o->stop);
    end_line();
}

// Widths in millionths: wanted, and of the result and the loads.
static void print_confidence(u32 runs, int met, u32 level, u32 wanted, const u32 widths[3]) {
    begin();
    field("@confidence runs=", runs);
    field(" level=", level);
    field(" width=", wanted);
    field(" met=", (u32)met);
    if (runs > 1) {
        field(" result=", widths[0]);
        if (measure_cpu & LOCAL)
            field(" local=", widths[1]);
        if (measure_cpu & REMOTE)
            field(" remote=", widths[2]);
    }
    end_line();
}

int run_tests(const struct test *t, int control, u32 size) {
    u32 most = option_number("runs_most", 1, 1, MOST_RUNS), least = option_number("runs_least", 1, 1, MOST_RUNS);
    u32 wanted = option_milliseconds("width", "5") * 10, widths[3] = {0, 0, 0}, run;
    u32 level = option_number("level", 99, 95, 99);
    const u32 *student = level == 99 ? t99 : t95;
    struct figure figures[3] = {{0}};   // result, local load, remote load
    int met = 0, several = most > 1 || least > 1;
    for (run = 1; (!met && run < most) || run <= least; run++) {
        struct outcome o = {.server_cpu = -1};
        int error = run_test(t, control, size, &o);
        if (error < 0)
            return error;
        print_run(several ? "@run" : "@row", size, &o);
        add(&figures[0], result_of(t, size, &o));
        if (measure_cpu & LOCAL)
            add(&figures[1], o.ticks ? mul_div(o.busy, ONE, o.ticks) : 0);
        if (o.server_cpu >= 0)
            add(&figures[2], (u32)o.server_cpu);
        met = run > 1;
        for (u32 n = 0; run > 1 && n < 3; n++) {
            widths[n] = figures[n].count > 1 ? width_of(&figures[n], student) : 0;
            met &= widths[n] <= wanted;
        }
    }
    if (several)
        print_confidence(run - 1, met, level, wanted, widths);
    return 0;
}
