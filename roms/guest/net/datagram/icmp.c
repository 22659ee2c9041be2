// SPDX-License-Identifier: GPL-2.0-or-later
//
// ICMP (RFC 792): echo requests are answered, a datagram to no socket is refused, and a received refusal is passed to
// the socket that it concerns.
//
// Not modelled: all other messages (dropped), rate limits.
#include "ip_fragment.h"
#include "udp.h"

enum { ECHO_REPLY = 0, ECHO = 8, ICMP_HEADER = 8 };

struct icmp_header {
    u8 type, code;
    u16 check;
    u32 rest;
};

// Account of what bottom halves send: they cannot wait for room.
static struct datagram_sock own = {.send_buffer = 65535, .receive_buffer = 65535};

struct message {
    struct icmp_header header;
    const u8 *data;                     // data after the header
    u32 sum;                            // of the data copied
};

static void copy_message(void *datagram, u8 *to, u32 offset, u32 n) {
    struct message *m = datagram;
    if (offset) {
        m->sum = csum_copy(m->data + offset - ICMP_HEADER, to, n, m->sum);
        return;
    }
    m->sum = csum_copy(m->data, to + ICMP_HEADER, n - ICMP_HEADER, m->sum);
    m->header.check = 0;
    m->header.check = csum_fold(csum_partial(&m->header, ICMP_HEADER, m->sum));
    memcpy(to, &m->header, ICMP_HEADER);
}

// Replies to the sender of `b`.
static void answer(const struct skb *b, const struct icmp_header *header, const u8 *data, u32 bytes) {
    const struct ip_header *ip = (const struct ip_header *)b->nh;
    struct message m = {*header, data, 0};
    ip_learn(ip->from, b);
    ip_send(&own, ip->from, IP_ICMP, ICMP_HEADER + bytes, copy_message, &m);
}

void icmp_send(const struct skb *b, u8 type, u8 code) {
    const struct ip_header *ip = (const struct ip_header *)b->nh;
    const struct icmp_header header = {type, code, 0, 0};
    u32 words = ip_words(ip) * 4;
    if (b->packet_type != PACKET_HOST || ip->protocol == IP_ICMP || ntohs(ip->length) < words + 8u)
        return;
    answer(b, &header, b->nh, words + 8);
}

// A destination is unreachable: followed by the header of our datagram and 8 bytes of its data.
static void unreachable(const struct skb *b, u8 code) {
    const struct ip_header *ip = (const struct ip_header *)(b->data + ICMP_HEADER);
    u32 left = b->length - ICMP_HEADER;
    if (left < sizeof *ip || ip_words(ip) < 5 || left < ip_words(ip) * 4 + 8 || ip->protocol != IP_UDP ||
        ip->from != own_ip)
        return;
    const struct udp_header *uh = (const struct udp_header *)((const u8 *)ip + ip_words(ip) * 4);
    if (code == ICMP_PORT)
        udp_refused(ip->to, uh->to, uh->from);
}

void icmp_receive(struct skb *b) {
    const struct icmp_header *h = (const struct icmp_header *)b->data;
    if (b->packet_type == PACKET_HOST && b->length >= ICMP_HEADER && !csum_fold(csum_partial(h, b->length, 0))) {
        if (h->type == ECHO) {
            const struct icmp_header reply = {ECHO_REPLY, 0, 0, h->rest};
            answer(b, &reply, b->data + ICMP_HEADER, b->length - ICMP_HEADER);
        } else if (h->type == ICMP_UNREACHABLE) {
            unreachable(b, h->code);
        }
    }
    skb_free(b);
}
