// SPDX-License-Identifier: GPL-2.0-or-later
//
// UDP with the behaviour of Linux 2.2 (net/ipv4/udp.c and net/core/sock.c, read): in both directions a datagram is
// charged to the socket with the truesize of all its buffers. Sending sleeps while the sum is SO_SNDBUF or more, and is
// woken when it has fallen to half of that; a datagram that would fill SO_RCVBUF is dropped. A connected socket is told
// about unreachable ports.
//
// Not modelled: broadcasts and multicasts to a socket, several sockets at one port, options, errors of MSG_ERRQUEUE.
#pragma once
#include "ip_fragment.h"

enum { UDP_SOCKETS = 4, UDP_HEADER = 8, UDP_LONGEST = IP_LONGEST - IP_HEADER - UDP_HEADER };
enum { UDP_FRAME = MTU_ETHERNET - IP_HEADER - UDP_HEADER };     // maximum data bytes in one Ethernet frame
enum { UDP_BUFFER = 65535 };            // initial SO_SNDBUF and SO_RCVBUF of Linux 2.2

struct udp_header {
    u16 from, to, length, check;
};

struct udp_sock {
    struct datagram_sock memory;        // first: its wait queue is the socket's
    u32 remote_ip;                      // 0: not connected
    u16 remote_port, local_port;        // network order
    int open;
    struct skb_queue receive;
};

struct udp_sock *udp_socket(void);      // NULL if all are in use
int udp_bind(struct udp_sock *sk, u16 port);                // 0 = any; returns the port, or an error
int udp_connect(struct udp_sock *sk, u32 ip, u16 port);     // ip in network order
// One datagram; `ip` 0: to the connected address. Returns n or an error; -EINTR if the alarm expires while it waits.
int udp_send(struct udp_sock *sk, const u8 *from, u32 n, u32 ip, u16 port);
// The next datagram, truncated to n bytes, and its sender if requested.
int udp_take(struct udp_sock *sk, u8 *to, u32 n, u32 *ip, u16 *port);
void udp_close(struct udp_sock *sk);

void udp_receive(struct skb *b);        // from IP; takes it
void udp_full(struct skb *b);           // takes a datagram for which its socket has no room (system/sink.c)
extern u32 udp_dropped;                 // number of these, over all sockets
// An ICMP message says that `to` of our datagram from `local_port` is unreachable; ports in network order.
void udp_refused(u32 to, u16 remote_port, u16 local_port);
void udp_report(void);
