// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls as the ring-3 program sees them.
#pragma once

enum {
    CALL_EXIT, CALL_WRITE, CALL_READ, CALL_CONNECT, CALL_CLOSE, CALL_ALARM, CALL_TIME, CALL_TICKS,
    CALL_SETTINGS, CALL_MEASURE, CALL_SIGRETURN, CALL_COUNTERS, CALL_PAUSE,
    CALL_LISTEN, CALL_ACCEPT
};
enum { FD_CONSOLE = 1, FD_LOG = 2, FD_SOCKET = 3 };
