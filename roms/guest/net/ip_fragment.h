// SPDX-License-Identifier: GPL-2.0-or-later
//
// IP datagrams other than TCP's segments: fragments in both directions, ICMP, and buffers larger than a frame.
//
// Files: ip_datagram.c (what ip.c does not handle, sending in fragments), ip_fragment.c (reassembly), icmp.c,
// skb_large.c, forward.c, udp.h.
#pragma once
#include "net.h"

enum { IP_ICMP = 1, IP_UDP = 17 };
enum { IP_MORE = 0x2000, IP_OFFSET = 0x1FFF };      // bits of `fragment`, in host order; offsets in units of 8 bytes
enum { IP_LONGEST = 65535, IP_HEADER = 20 };

static inline u32 ip_words(const struct ip_header *ip) { return ip->version_words & 15; }
// Adds the sum of the UDP pseudo header to `sum`; the carry out of 32 bits is added back.
static inline u32 csum_pseudo_udp(u32 from, u32 to, u32 length, u32 sum) {
    __asm__("addl %1,%0\n\tadcl %2,%0\n\tadcl %3,%0\n\tadcl $0,%0"
            : "=r"(sum)
            : "g"(to), "g"(from), "g"(((u32)htons((u16)length) << 16) + ((u32)IP_UDP << 8)), "0"(sum)
            : "cc");
    return sum;
}

// ip_datagram.c
void ip_receive_other(struct skb *b);   // a fragment, or not TCP; takes it
void ip_deliver(struct skb *b);         // a whole datagram, b->nh at its header, b->data after it; takes it

// The account to which IP charges what it sends.
struct datagram_sock {
    u32 write_memory, send_buffer;      // bytes of buffer, and their limit
    u32 receive_memory, receive_buffer;
    int error;                          // error number that the next call returns
    int may_wait;                       // 1: waits for room (sockets of a process)
    struct wait_queue sleep;
};
// Copies bytes [offset, offset + n) of a datagram's data to `to`. IP requests those at offset 0 last, when the checksum
// of the whole is known.
typedef void ip_copy(void *datagram, u8 *to, u32 offset, u32 n);
// Sends `length` bytes of data after an IP header, in fragments if they exceed the MTU, the last fragment first.
// Returns 0, or a negative error number; earlier fragments have then already been sent. `to` is in network order.
void ip_learn(u32 from, const struct skb *b);   // so that replies reach the sender, unless the neighbour is another
int ip_send(struct datagram_sock *sk, u32 to, u8 protocol, u32 length, ip_copy *copy, void *datagram);

// ip_fragment.c: returns the whole datagram, as ip_deliver() expects it, if this fragment completes it; else NULL
struct skb *ip_defragment(struct skb *b);
extern u32 ip_reassembly_failed;        // fragments and datagrams dropped

// icmp.c
enum { ICMP_UNREACHABLE = 3, ICMP_PORT = 3, ICMP_TIME = 11, ICMP_REASSEMBLY = 1 };
void icmp_receive(struct skb *b);       // takes it
void icmp_send(const struct skb *b, u8 type, u8 code);      // about the datagram whose header is at b->nh

// skb_large.c: like skb_alloc(), for more bytes than a frame. Reserves `destructor` until skb_own_receive().
struct skb *skb_alloc_large(u32 size);
// From now on the buffer is charged to sk's receive memory.
void skb_own_receive(struct datagram_sock *sk, struct skb *b);

// forward.c
extern u32 net_forwarded;               // datagrams forwarded
void forward_init(const char *settings);        // the setting `forward`; all adapters are open
void forward_report(void);
