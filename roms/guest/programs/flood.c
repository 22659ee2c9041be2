// SPDX-License-Identifier: GPL-2.0-or-later
//
// flood: how the machine behaves with more frames than it can take. For each rate the generator of the station at the
// other end (its port is `port`) sends frames of `frame` bytes, in bursts of `burst`, for `seconds`; they are counted
// and discarded at `depth`: driver (before the kernel's backlog), hook (after it, before IP), stack (in UDP's input),
// process (in a receive loop here).
//
// A run is over once the generator has finished and nothing has been counted for QUIET times `drain` ms, so that queued
// frames have reached their end, too. Meanwhile the generator is asked for its counters: some drivers (8390.c for one)
// leave frames in the adapter until the next one arrives, which is its answer. If no answer arrives within five
// seconds, the adapter no longer receives anything: this is reported, and the run ends.
#include "netperf.h"
#include "sink_page.h"

enum { GENERATOR_PORT = 12900, FRAMES_PORT = 12901, COUNTER_PORT = 12902, MOST_RATES = 16, HIGHEST_RATE = 1500000 };
enum { MAGIC = 0x504C464C, ANSWER = 0x80000000u, START = 1, REPORT = 2 };
enum {                                  // words of a request and its answer (devices/stations/peer/generator.hpp)
    W_MAGIC, W_OPERATION, W_RUN, W_ERROR, W_PORT, W_FRAME, W_INTERVAL, W_BURST, W_DURATION, W_DELAY,
    W_RUNNING, W_GENERATED, W_OFFERED, W_HELD_BACK, W_GIVEN_UP, W_ELAPSED, WORDS
};
enum { W_BEHIND = WORDS };              // an additional word: the station that the frames are for
enum { DELAY = 30000, ANSWER_TIME = 200000, TRIES = 25, QUIET = 2 };       // microseconds

static u32 words[WORDS], wire[WORDS + 1];
static u32 behind, depth, frame, burst, duration, drain;
static int control, frames;
static volatile struct sink_page *page;

static const char *const depths[SINK_DEPTHS] = {"", "driver", "stack", "process", "forward", "hook"};

// Replaces `words` by the generator's answer to them.
static int ask(void) {
    struct message answer;
    u32 operation = words[W_OPERATION], run = words[W_RUN];
    int error = -ETIMEDOUT;
    for (u32 n = 0; n < WORDS; n++)
        wire[n] = htonl(words[n]);
    wire[W_BEHIND] = behind;            // in network order
    for (u32 n = 0; n < TRIES; n++) {
        u32 bytes = (behind ? WORDS + 1 : WORDS) * sizeof *wire;
        if ((error = system_call3(CALL_WRITE, (u32)control, (u32)wire, bytes)) < 0)
            return error;
        start_insistent_alarm(ANSWER_TIME);
        do {
            answer = (struct message){(u8 *)words, sizeof words, 0, 0};
            error = system_call3(CALL_UDP_RECEIVE, (u32)control, (u32)&answer, 0);
        } while (error == sizeof words && (words[W_OPERATION] != htonl(operation | ANSWER) || words[W_RUN] != htonl(run)));
        start_alarm(0);
        if (error != -EINTR)
            break;
    }
    if (error < 0)
        return error == -EINTR ? -ETIMEDOUT : error;
    for (u32 n = 0; n < WORDS; n++)
        words[n] = htonl(words[n]);
    return -(int)words[W_ERROR];
}

static u32 frames_port(void) { return depth == SINK_FORWARD ? COUNTER_PORT : FRAMES_PORT; }

static void request(u32 operation, u32 run, u32 rate) {
    words[W_MAGIC] = MAGIC;
    words[W_OPERATION] = operation;
    words[W_RUN] = run;
    words[W_ERROR] = 0;
    words[W_PORT] = frames_port();
    words[W_FRAME] = frame;
    words[W_INTERVAL] = mul_div(1000000000, burst, rate);
    words[W_BURST] = burst;
    words[W_DURATION] = duration;
    words[W_DELAY] = DELAY;
}

static void receive_all(void) {
    struct message m;
    u32 run = page->run, count = page->delivered;
    while (!time_over) {
        m = (struct message){buffer, BUFFER, 0, 0};
        if (system_call3(CALL_UDP_RECEIVE, (u32)frames, (u32)&m, 0) < 8)
            continue;
        if (((u32 *)buffer)[0] != htonl(run)) {
            page->strange++;
            continue;
        }
        page->log[count % SINK_LOG] = htonl(((u32 *)buffer)[1]);
        page->delivered = ++count;
    }
}

static void wait(u32 microseconds) {
    start_insistent_alarm(microseconds);
    if (depth == SINK_PROCESS)
        receive_all();
    else
        while (!time_over)
            system_call3(CALL_PAUSE, 0, 0, 0);
    start_alarm(0);
}

static u32 ended(void) {
    u32 passed_on = depth == SINK_FORWARD ? (u32)system_call3(CALL_FORWARDED, 0, 0, 0) : 0;
    return page->delivered + page->backlog_dropped + page->socket_dropped + passed_on;
}

static void report_run(u32 run, u32 rate) {
    begin();
    field("@flood run=", run);
    field(" rate=", rate);
    field(" frame=", frame);
    field(" burst=", burst);
    text(" depth=");
    text(depths[depth]);
    end_line();
    begin();
    field("@flood generator run=", run);
    field(" generated=", words[W_GENERATED]);
    field(" offered=", words[W_OFFERED]);
    field(" held_back=", words[W_HELD_BACK]);
    field(" given_up=", words[W_GIVEN_UP]);
    field(" us=", words[W_ELAPSED]);
    end_line();
    system_call3(CALL_COUNTERS, 0, 0, 0);
    begin();
    field("@flood sink run=", run);
    field(" delivered=", page->delivered);
    field(" backlog=", page->backlog_dropped);
    field(" socket=", page->socket_dropped);
    field(" strange=", page->strange);
    end_line();
}

static int run_rate(u32 run, u32 rate) {
    int error = system_call3(CALL_SINK, depth, (u32)frames, run);
    u32 before, same = 0;
    if (error < 0)
        return error;
    page = (volatile struct sink_page *)error;
    request(START, run, rate);
    if ((error = ask()))
        return error;
    wait(DELAY + duration);
    do {
        do {
            before = ended();
            wait(drain);
        } while (ended() != before);
        request(REPORT, run, rate);
        if ((error = ask()))
            return error;
        wait(drain);
        same = words[W_RUNNING] || ended() != before ? 0 : same + 1;
    } while (same < QUIET);
    system_call3(CALL_MEASURE, 0, 0, 0);
    report_run(run, rate);
    return 0;
}

static u32 chosen_depth(void) {
    const char *name = settings_find(settings_text, "depth");
    for (u32 n = SINK_DRIVER; n < SINK_DEPTHS; n++)
        if (name && settings_is(name, depths[n]))
            return n;
    return name ? SINK_NONE : SINK_PROCESS;
}

static int open_sockets(u32 port) {
    control = system_call3(CALL_UDP_SOCKET, 0, 0, 0);
    if (control < 0)
        return control;
    frames = system_call3(CALL_UDP_SOCKET, 0, 0, 0);
    if (frames < 0)
        return frames;
    int error = system_call3(CALL_UDP_BIND, (u32)frames, frames_port(), 0);
    if (error < 0)
        return error;
    error = system_call3(CALL_UDP_CONNECT, (u32)control, option_peer(), port);
    return error < 0 ? error : 0;
}

static int flood(void) {
    u32 rates[MOST_RATES], port = option_port(GENERATOR_PORT), before[2], after[2];
    u32 count = option_list("rates", "200,500,1000,2000,4000,7000,10000,14880", HIGHEST_RATE, rates, MOST_RATES);
    int error;
    if (!(depth = chosen_depth()))
        return fail_setting(settings_find(settings_text, "depth") - 6);
    const char *address = settings_find(settings_text, "behind");
    if (address && !settings_address(address, &behind))
        return fail_setting(address - 7);
    if (!behind != (depth != SINK_FORWARD))
        return fail_with("behind", -EINVAL);
    frame = option_number("frame", 64, 64, 1518);
    burst = option_number("burst", 1, 1, 256);
    duration = option_milliseconds("seconds", "1") * 1000;
    drain = option_number("drain", 60, 10, 1000) * 1000;
    for (u32 n = 0; n < count; n++)
        if (burst / 4 >= rates[n])
            return fail_with("burst at this rate", -EINVAL);
    if ((error = open_sockets(port)))
        return fail_with("socket", error);
    put(FD_LOG, "@flood start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    for (u32 n = 0; n < count; n++) {
        system_call3(CALL_MEASURE, 1, 0, 0);    // messages of the driver take no time on COM1
        error = run_rate(n + 1, rates[n]);
        if (error && error != -ETIMEDOUT)
            return fail_with("flood", error);
        if (error) {
            begin();
            field("@flood stalled run=", n + 1);
            field(" rate=", rates[n]);
            end_line();
            break;
        }
    }
    system_call3(CALL_MEASURE, 0, 0, 0);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    print_load(before, after);
    system_call3(CALL_UDP_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@flood end\n");
    return 0;
}

PROGRAM(flood, "flood", "rates seconds frame burst drain depth behind peer port");
