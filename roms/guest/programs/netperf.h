// SPDX-License-Identifier: GPL-2.0-or-later
//
// What netperf's client and server agree on: version 2.1's control connection (docs/hardware/netperf.md). Requests and
// responses are records of 64 words in network order: type, error, and 62 of the test's own.
#pragma once
#include "user.h"

enum { NETPERF_PORT = 12865, NETPERF_DATA_PORT = NETPERF_PORT + 1 };
// A request's type; its response has the next number, its results the one behind that.
enum { DEBUG_ON = 1, DEBUG_OFF = 2, DEBUG_OK = 3 };
enum { DO_TCP_STREAM = 10, DO_TCP_RR = 13, DO_UDP_STREAM = 16, DO_UDP_RR = 19, DO_TCP_CRR = 34 };
enum { UNKNOWN_TEST = 998 };            // error of a response
enum { DATAGRAM_BUFFER = 65535 };       // of a UDP socket, both ways
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
enum {                                  // UDP_STREAM
    DATAGRAM_SIZE = SPECIFIC + 1,
    DATAGRAM_ALIGNMENT = SPECIFIC + 2,
    DATAGRAM_TEST_LENGTH = SPECIFIC + 7,
    DATAGRAM_RECEIVE_BUFFER = SPECIFIC, // of the response, and the send buffer behind it
    DATAGRAM_DATA_PORT = SPECIFIC + 4,
    DATAGRAM_MESSAGES = SPECIFIC,       // of the results
    DATAGRAM_BYTES = SPECIFIC + 1
};
enum {                                  // TCP_RR, UDP_RR and TCP_CRR
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
// netperf_tests.c: what serves a test. They return 0 and fill in the results, or an error number below 0.
int serve_stream(int fd, u32 *record);
int serve_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds);
int serve_connections(int listener, u32 *record, u32 request, u32 response, u32 seconds);
int serve_datagrams(int fd, u32 *record, u32 size, u32 seconds);
int serve_datagram_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds);

// As start_alarm(), but it rings with every tick from then on, until start_alarm(0): a call that begins just behind
// the first one returns, too.
void start_insistent_alarm(u32 microseconds);

void put_double(u32 *words, struct wide value);
struct wide get_double(const u32 *words);
void clear_record(u32 *record);
int send_record(int fd, u32 *record);   // 0, or an error number
int receive_record(int fd, u32 *record);
