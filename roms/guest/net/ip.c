// SPDX-License-Identifier: GPL-2.0-or-later
//
// IPv4: datagrams to and from the one neighbour, header checksums in both directions. Anything but a whole TCP segment
// goes to ip_datagram.c, which checks it again.
//
// Not modelled: options, routing.
#include "ip_fragment.h"
#include "linux_cost.h"
#include "tcp.h"

u32 own_ip = 0x020AA8C0;                // 192.168.10.2
u32 own_seed = 1;
static u16 next_id;

static void ip_receive(struct skb *b) {
    COST(ip_receive);
    struct ip_header *ip = (struct ip_header *)b->data;
    if (b->packet_type == PACKET_OTHER || b->length < sizeof *ip)
        goto drop;
    u32 words = ip->version_words & 15, length = ntohs(ip->length);
    if (ip->version_words >> 4 != 4 || words < 5 || b->length < words * 4 ||
        ip_header_csum(ip, words) || length > b->length || length < words * 4)
        goto drop;
    skb_trim(b, length);                // the frame may be padded
    if (ip->to != own_ip || (ip->fragment & htons(0x3FFF)))
        goto drop;
    b->nh = (u8 *)ip;
    skb_pull(b, words * 4);
    b->th = b->data;
    if (ip->protocol == IP_TCP) {
        tcp_receive(b);
        return;
    }
drop:
    ip_receive_other(b);
}

void (*ip_input)(struct skb *b) = ip_receive;

void ip_queue_transmit(struct skb *b) {
    struct sock *sk = b->sk;
    COST(ip_transmit);
    struct ip_header *ip = (struct ip_header *)skb_push(b, sizeof *ip);
    ip->version_words = 0x45;
    ip->tos = 0;
    ip->length = htons((u16)b->length);
    ip->id = htons(next_id++);
    ip->fragment = htons(IP_DONT_FRAGMENT);     // path MTU discovery, the default in Linux 2.2
    ip->ttl = 64;
    ip->protocol = IP_TCP;
    ip->check = 0;
    ip->from = sk->local_ip;
    ip->to = sk->remote_ip;
    ip->check = ip_header_csum(ip, 5);
    b->nh = (u8 *)ip;
    b->protocol = htons(ETH_IP);
    neighbour_output(b);
}
