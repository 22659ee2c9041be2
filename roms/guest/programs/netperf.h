// SPDX-License-Identifier: GPL-2.0-or-later
//
// What netperf's client and server agree on: version 2.1's control connection (docs/hardware/netperf.md). Requests and
// responses are records of 64 words in network order: type, error, and 62 of the test's own.
#pragma once
#include "user.h"

enum { NETPERF_PORT = 12865, NETPERF_DATA_PORT = NETPERF_PORT + 1 };
// A request's type; its response has the next number, its results the one behind that.
enum { DEBUG_ON = 1, DEBUG_OFF = 2, DEBUG_OK = 3, DO_TCP_STREAM = 10, DO_TCP_RR = 13 };
enum { UNKNOWN_TEST = 998 };            // error of a response
enum { PAD_SECONDS = 2 };               // the server waits so much longer for requests than the client makes them

// Words of the records.
enum { RECORD_WORDS = 64, TYPE = 0, ERROR = 1, SPECIFIC = 2 };
enum {                                  // TCP_STREAM
    STREAM_RECEIVE_SIZE = SPECIFIC + 2,
    STREAM_ALIGNMENT = SPECIFIC + 3,
    STREAM_TEST_LENGTH = SPECIFIC + 8,
    STREAM_DATA_PORT = SPECIFIC + 6,    // of the response
    STREAM_BYTES = SPECIFIC,            // of the results: a double
    STREAM_CALLS = SPECIFIC + 2
};
enum {                                  // TCP_RR
    RR_REQUEST_SIZE = SPECIFIC + 6,
    RR_RESPONSE_SIZE = SPECIFIC + 7,
    RR_TEST_LENGTH = SPECIFIC + 11,
    RR_DATA_PORT = SPECIFIC + 5,        // of the response
    RR_TRANSACTIONS = SPECIFIC + 2      // of the results
};

// Integers of up to 2^53 as doubles of a record.
struct wide {
    u32 low, high;
};
void put_double(u32 *words, struct wide value);
struct wide get_double(const u32 *words);
void clear_record(u32 *record);
int send_record(int fd, u32 *record);   // 0, or an error number
int receive_record(int fd, u32 *record);
