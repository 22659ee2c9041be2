// SPDX-License-Identifier: GPL-2.0-or-later
//
// flood-send: frames of `frame` bytes at full speed, for `seconds`, to the station's counter: from the kernel
// (`from=kernel`: driver and adapter alone), from a loop of write() here (`from=process`), or one after the other.
#include "netperf.h"
#include "sink_page.h"

enum { COUNTER_PORT = 12902, MAGIC = 0x504C434E, OVERHEAD = 14 + 20 + 8 + 4 };
enum { ANSWER_TIME = 200000, TRIES = 25, DRAIN = 300000, TICK = 10000 };        // microseconds

static const char *const places[] = {"kernel", "process"};
static int fd;

// Starts a new count at the station; its address is then known.
static int begin_count(u32 run) {
    u32 request[2] = {htonl(MAGIC), htonl(run)};
    for (u32 n = 0; n < TRIES; n++) {
        struct message answer = {buffer, BUFFER, 0, 0};
        int error = system_call3(CALL_WRITE, (u32)fd, (u32)request, sizeof request);
        if (error < 0)
            return error;
        start_insistent_alarm(ANSWER_TIME);
        error = system_call3(CALL_UDP_RECEIVE, (u32)fd, (u32)&answer, 0);
        start_alarm(0);
        if (error == sizeof request && ((u32 *)buffer)[1] == request[1])
            return 0;
        if (error < 0 && error != -EINTR)
            return error;
    }
    return -ETIMEDOUT;
}

static int send_from(u32 place, u32 run, u32 frame, u32 duration) {
    struct frames f = {frame - OVERHEAD, run, 0, 0};
    int error = begin_count(run);
    if (error)
        return error;
    system_call3(CALL_MEASURE, 1, 0, 0);
    ((u32 *)buffer)[0] = htonl(run);
    ((u32 *)buffer)[1] = 0;
    start_insistent_alarm(duration + TICK);     // an alarm may come a tick early; frames sent later are not counted
    if (!place)
        error = system_call3(CALL_SEND_FRAMES, (u32)fd, (u32)&f, 0);
    else
        while (!time_over)
            f.given += system_call3(CALL_WRITE, (u32)fd, (u32)buffer, f.bytes) > 0;
    start_alarm(0);
    if (error && error != -EINTR)
        return error;
    pause_for(DRAIN);
    system_call3(CALL_MEASURE, 0, 0, 0);
    begin();
    field("@flood send run=", run);
    text(" from=");
    text(places[place]);
    field(" frame=", frame);
    field(" given=", f.given);
    field(" refused=", f.refused);
    end_line();
    system_call3(CALL_COUNTERS, 0, 0, 0);
    return 0;
}

static int flood_send(void) {
    u32 frame = option_number("frame", 64, 64, 1518), duration = option_milliseconds("seconds", "1") * 1000, run = 0;
    u32 before[2], after[2];
    const char *from = settings_find(settings_text, "from");
    if (from && !settings_is(from, "kernel") && !settings_is(from, "process") && !settings_is(from, "both"))
        return fail_setting(from - 5);
    fd = system_call3(CALL_UDP_SOCKET, 0, 0, 0);
    int error = fd < 0 ? fd : system_call3(CALL_UDP_CONNECT, (u32)fd, option_peer(), COUNTER_PORT);
    if (error >= 0)
        error = system_call3(CALL_SINK, SINK_NONE, (u32)fd, 0);
    if (error < 0)
        return fail_with("socket", error);
    put(FD_LOG, "@flood start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    for (u32 place = 0; place < 2; place++) {
        if (from && !settings_is(from, "both") && !settings_is(from, places[place]))
            continue;
        if ((error = send_from(place, ++run, frame, duration)))
            return fail_with("flood-send", error);
    }
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    print_load(before, after);
    put(FD_LOG, "@flood end\n");
    return 0;
}

PROGRAM(flood_send, "flood-send", "from seconds frame peer");
