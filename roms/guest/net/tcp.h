// SPDX-License-Identifier: GPL-2.0-or-later
//
// TCP with the behaviour of Linux 2.2 that shapes bulk sending.
//
// Files: sock.c (the sockets), tcp_connect.c, tcp_listen.c and tcp_close.c (active and passive open, close),
// tcp_buffers.c (SO_SNDBUF, SO_RCVBUF), tcp_time_wait.c (TIME_WAIT after the socket), tcp.c (send and receive),
// tcp_output.c (when and how segments are sent), tcp_input.c (arriving segments), tcp_timer.c (retransmission, delayed
// acknowledgement, window probe), stack.c (differences that settings select). Facts: net/ipv4/tcp*.c of Linux 2.2 and
// include/net/tcp.h, read; docs/hardware/linux-2.2-network-path.md#sizes-on-the-wire.
//
// Not modelled: selective acknowledgements and window scaling (neither is offered),
// urgent data, keepalive, resets for ports that nobody listens on, SYN cookies.
#pragma once
#include "net.h"

enum { TCP_CLOSED, TCP_SYN_SENT, TCP_ESTABLISHED, TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_CLOSING,
       TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_TIME_WAIT, TCP_SYN_RECEIVED, TCP_LISTEN };
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16, TCP_URG = 32 };

struct tcp_header {
    u16 from, to;
    u32 seq, ack;
    u8 words, flags;                    // words << 4
    u16 window, check, urgent;
};
enum { TCP_HEADER = 20, TCP_STAMP = 12 };

enum { BUFFER_MOST = 65535 };           // most that a process may request: sysctl_wmem_max, sysctl_rmem_max
enum { SEND_BUFFER = 65535, RECEIVE_BUFFER = 65535, MAX_WINDOW = 32767 };   // initial values of Linux 2.2
enum { SOCKETS = 8, BACKLOG = 4 };      // in the machine; connections per listener that wait for accept()
enum { RTO_INIT = 3 * HZ, RTO_MIN = HZ / 5, RTO_MAX = 120 * HZ, RETRIES = 15, SYN_RETRIES = 10 };

struct sock {
    u32 remote_ip, local_ip;
    u16 remote_port, local_port;        // network order
    int state, error, shutdown;
    u32 locked;                         // the process works on it: arriving segments wait
    struct skb_queue waiting;           // those segments
    struct skb_queue receive, write;
    struct skb *send_head;              // first segment of the write queue that was never sent
    u32 write_memory, receive_memory;   // truesize charged
    struct wait_queue sleep;

    u32 header_length;                  // 32 with timestamps
    u32 predict;                        // header prediction word
    u32 rcv_nxt, rcv_wup, rcv_wnd, window_clamp, last_ack_sent;
    u32 snd_una, snd_nxt, snd_wl1, snd_wl2, snd_wnd, max_window, write_seq, copied_seq;
    u32 mss_clamp, mss;                 // payload of a full segment
    u32 packets_out, retransmitted_out;
    u32 cwnd, cwnd_count, ssthresh;     // in segments
    u32 duplicate_acks, high_seq;
    struct skb *retransmit_head;
    int retransmit_done;
    // round-trip time: srtt in 1/8, mdev in 1/4 jiffies
    u32 srtt, mdev, rto, backoff, retransmits;
    // timestamps
    int stamps, saw_stamp;
    u32 rcv_tsval, rcv_tsecr, ts_recent;
    // delayed acknowledgement
    u32 ato, last_receive, delayed_acks, rcv_mss, last_segment;
    int quick_ack;
    // zero window probes
    int probing;
    u32 probes;
    struct timer retransmit_timer, ack_timer, probe_timer;
    int linger_over;                    // close() has waited long enough
    struct sock *listener;              // the listener of a connection not yet accepted
    int open;                           // owned by a process or a listener
    u32 send_buffer, receive_buffer;    // limits of the two memories
    struct skb_queue held;              // out-of-order segments
};

static inline int before(u32 a, u32 b) { return (s32)(a - b) < 0; }
static inline int after(u32 a, u32 b) { return (s32)(b - a) < 0; }
static inline u32 min_u(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u(u32 a, u32 b) { return a > b ? a : b; }
static inline u32 in_flight(struct sock *sk) { return sk->packets_out + sk->retransmitted_out; }

// stack.c: differences that settings select
extern u32 stack_plain;                 // timestamps are neither offered nor accepted
extern u32 stack_sends_tails;           // a short segment does not wait for acknowledgements
extern struct system_path stack_call_path;  // of a write(), in addition to Linux 2.2's
extern struct system_path stack_segment_path;   // of a segment with data, likewise
void stack_settings(const char *text);  // after the timer has started
void stack_opened(void);                // after the adapter has installed its interrupt handler
void stack_take_options(struct sock *sk, struct tcp_header *th);    // options in the other end's SYN

// sock.c
extern struct sock sockets[SOCKETS];
struct sock *tcp_socket(void);          // NULL if all are in use
struct sock *tcp_lookup(u32 ip, u16 remote_port, u16 local_port);   // NULL if there is no such connection
void tcp_abandon(struct sock *sk);      // closes it at once; queued data is dropped
void sock_drop(struct skb_queue *q);    // frees all buffers in it
static inline int sock_error(struct sock *sk) {
    int e = sk->error;
    sk->error = 0;
    return e ? -e : -EPIPE;
}

// tcp_connect.c, tcp_close.c
void tcp_open(struct sock *sk, u32 ip, u16 remote_port, u16 local_port);    // ports in network order
int tcp_connect(struct sock *sk, u32 ip, u16 port);
void tcp_unreachable(void);             // nobody answers ARP requests for the peer
int tcp_shutdown(struct sock *sk);      // waits for the other end's FIN; data before it is no longer read
int tcp_close(struct sock *sk);         // the caller gives up the socket

void tcp_leave(struct sock *sk);        // the caller gives up the socket; closing completes in the background
void tcp_left(void);                    // frees closed sockets that nobody owns; TIME_WAIT continues without them

// tcp_buffers.c
u32 sock_buffer(u32 wanted, int receive);           // bytes that setsockopt() sets for `wanted`
u32 tcp_buffer(struct sock *sk, int receive, u32 wanted);       // sets it unless 0; returns bytes as getsockopt()
void tcp_first_window(struct sock *sk); // the window that its SYN offers

int tcp_bind(struct sock *sk, u16 port);            // local port for its connection; 0: the next free one

// tcp_time_wait.c
void tcp_remember(struct sock *sk);     // in TIME_WAIT: abandons it and continues TIME_WAIT without it
int tcp_port_waits(u16 local_port);     // in TIME_WAIT; network order
// For a segment that no connection has claimed. 1: it belonged to a past connection. 0: it did not. A SYN that may open
// the next connection of its ports sets *first, the initial sequence number for our side.
int tcp_past_segment(struct skb *b, u32 *first);

// tcp.c
struct skb *sock_alloc(struct sock *sk, u32 size, int force);      // NULL if the send buffer is full and `force` is 0
void sock_own_write(struct sock *sk, struct skb *b);
// While the process works on a socket, segments for it wait; they are processed at release.
static inline void sock_lock(struct sock *sk) { sk->locked++; }
void sock_release(struct sock *sk);
int tcp_sendmsg(struct sock *sk, const u8 *from, u32 n);
int tcp_recvmsg(struct sock *sk, u8 *to, u32 n);    // everything available, up to n bytes; waits for the first

// tcp_listen.c
int tcp_listen(struct sock *sk, u16 port);
struct sock *tcp_accept(struct sock *sk, int *error);
void tcp_listen_close(struct sock *sk);
void tcp_listen_receive(struct skb *b);                             // no connection has claimed it; takes it
int tcp_completes_open(struct sock *sk, struct skb *b);

// tcp_output.c
extern u32 tcp_retransmitted;           // segments retransmitted on all connections
void tcp_transmit(struct sock *sk, struct skb *b);
void tcp_send_or_queue(struct sock *sk, struct skb *b, int hold);
void tcp_write_pending(struct sock *sk);
void tcp_push(struct sock *sk);
void tcp_data_check(struct sock *sk);
void tcp_send_ack(struct sock *sk);
void tcp_send_fin(struct sock *sk);
void tcp_send_reset(struct sock *sk, u32 seq);
void tcp_retransmit(struct sock *sk, struct skb *b);
void tcp_retransmit_queue(struct sock *sk);
void tcp_probe_window(struct sock *sk);
u32 tcp_select_window(struct sock *sk);
int tcp_may_raise_window(struct sock *sk);


// tcp_input.c
extern u32 tcp_out_of_order;            // out-of-order segments
void tcp_receive(struct skb *b);
void tcp_process(struct sock *sk, struct skb *b);
void tcp_parse_options(struct sock *sk, struct tcp_header *th);

// tcp_timer.c
void tcp_timers_init(struct sock *sk);
void tcp_timers_stop(struct sock *sk);
void tcp_set_retransmit(struct sock *sk, u32 when);
void tcp_delay_ack(struct sock *sk, u32 limit);
