// SPDX-License-Identifier: GPL-2.0-or-later
//
// Definitions shared by netperf's client and server: version 2.1's control connection (docs/hardware/netperf.md).
// Requests and responses are records of 64 words in network order: type, error, and 62 that depend on the test.
#pragma once
#include "user.h"

enum { NETPERF_PORT = 12865, DATA_PORTS = 4 };    // the server's data ports, used in turn, follow its own
// Type of a request; its response has the next number, its results the one after that.
enum { DEBUG_ON = 1, DEBUG_OFF = 2, DEBUG_OK = 3 };
enum { DO_TCP_STREAM = 10, DO_TCP_RR = 13, DO_UDP_STREAM = 16, DO_UDP_RR = 19, DO_TCP_CRR = 34 };
enum { UNKNOWN_TEST = 998 };            // error number in a response
enum { PAD_SECONDS = 2 };               // the server waits this much longer for requests than the client sends them

// Integers of up to 2^53, which records hold as doubles.
struct wide {
    u32 low, high;
};
// Words of the records. Those that all tests have, though in different places, are in record_words.
enum { RECORD_WORDS = 64, TYPE = 0, ERROR = 1, SPECIFIC = 2 };
enum {                                  // TCP_STREAM
    STREAM_ALIGNMENT = SPECIFIC + 3,
    STREAM_TEST_LENGTH = SPECIFIC + 8,
    STREAM_RECEIVE_SIZE = SPECIFIC + 1, // in the response
    STREAM_BYTES = SPECIFIC,            // in the results: a double
    STREAM_CALLS = SPECIFIC + 2
};
enum {                                  // UDP_STREAM
    DATAGRAM_SIZE = SPECIFIC + 1,
    DATAGRAM_ALIGNMENT = SPECIFIC + 2,
    DATAGRAM_TEST_LENGTH = SPECIFIC + 7,
    DATAGRAM_MESSAGES = SPECIFIC,       // in the results
    DATAGRAM_BYTES = SPECIFIC + 1
};
enum {                                  // TCP_RR, UDP_RR and TCP_CRR
    RR_REQUEST_SIZE = SPECIFIC + 6,
    RR_RESPONSE_SIZE = SPECIFIC + 7,
    RR_TEST_LENGTH = SPECIFIC + 11,
    RR_TRANSACTIONS = SPECIFIC + 2      // in the results
};
struct record_words {
    u8 send, receive, measure;          // in a request: buffers (0: none), whether to measure the processor's load
    u8 has_send, has_receive, measures, data_port;      // in its response
    u8 cpu;                             // in the results: that load in percent, a float
};

// netperf_words.c
extern const struct record_words stream_words, datagram_words, rr_words;

// SO_SNDBUF and SO_RCVBUF; 0: the system's default.
struct buffers {
    u32 send, receive;
};
// Sets those that are not 0, and reads both with getsockopt(). Returns `fd`, or the error in `fd` or of the call.
int with_buffers(int fd, struct buffers *b);
int buffered_socket(u32 call, struct buffers *b);       // for CALL_SOCKET or CALL_UDP_SOCKET; likewise

// One run of a test.
struct outcome {
    u32 messages;                       // messages sent, or transactions
    u32 failed;                         // not sent for lack of a buffer
    u32 microseconds;
    struct timeval stop;
    u32 ticks, busy;                    // of the client: all ticks, and those charged to a process
    s32 server_cpu;                     // millionths of a processor; negative: not measured
    u32 calls;                          // the server's receive calls
    struct wide received;               // by the server: bytes, or transactions
};
struct test;
// netperf.c: one run on the control connection `control`; returns 0, or a negative error number.
int run_test(const struct test *t, int control, u32 size, struct outcome *o);
int is_messages(const struct test *t);  // the server counts messages
int is_transactions(const struct test *t);
extern struct buffers local_buffers, remote_buffers;    // requested sizes, then actual ones: the next request
extern u32 measure_cpu;                 // LOCAL and REMOTE: whose load must be within the width, too
enum { LOCAL = 1, REMOTE = 2 };

// netperf_confidence.c: runs a test of one size as often as needed and reports the results on COM1. 0, or an error.
int run_tests(const struct test *t, int control, u32 size);

// netperf_ring.c: a ring of buffers that are used in turn for sending or receiving. -ENOMEM, or 0.
enum { STREAM_LONGEST = 65535 };        // bytes of a message of TCP_STREAM
int make_ring(u32 width, u32 size, int receiving);
u8 *next_buffer(void);

// netperf_tests.c: the server's side of each test. They return 0 and fill in the results, or a negative error number.
int serve_stream(int fd, u32 *record, u32 size, u32 seconds);
int serve_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds);
int serve_connections(int listener, u32 *record, u32 request, u32 response, u32 seconds);
int serve_datagrams(int fd, u32 *record, u32 size, u32 seconds);
int serve_datagram_requests(int fd, u32 *record, u32 request, u32 response, u32 seconds);

// Like start_alarm(), but the alarm repeats at every tick until start_alarm(0), so a call that begins just after the
// first alarm returns, too.
void start_insistent_alarm(u32 microseconds);

void put_double(u32 *words, struct wide value);
struct wide get_double(const u32 *words);
// netperf_words.c
u32 float_of_percent(u32 millionths);
s32 percent_of_float(u32 bits);         // millionths of the whole; negative: not a percentage
void take_buffer_options(void);         // once for each size: the sizes read back by one test do not apply to the next
int connect_from_next_port(int fd, u32 peer, u32 port);
void clear_record(u32 *record);
int send_record(int fd, u32 *record);   // 0, or an error number
int receive_record(int fd, u32 *record, u32 call);     // by CALL_READ, or CALL_RECEIVE: -EINTR on alarm
