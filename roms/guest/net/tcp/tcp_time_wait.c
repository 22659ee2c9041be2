// SPDX-License-Identifier: GPL-2.0-or-later
//
// TIME_WAIT without a socket, as Linux 2.2 keeps it (tcp_timewait_state_process; read): the remainder of a connection
// that this end closed first, for 60 s. An acknowledgement that still arrives for it restarts the 60 s; a reset ends
// it; a SYN with a number beyond the last one opens the ports' next connection at once, an older one is answered with a
// reset and ends it, too. Until then its local port is not reused.
//
// Old segments are acknowledged, as RFC 793 requires; Linux 2.2 means to, but compares the lengths the wrong way round.
// At most MOST connections, beyond which the oldest is dropped; Linux is limited only by memory.
#include "tcp.h"

enum { LIFE = 60 * HZ, MOST = 8192, HEADS = PAGE_SIZE / 4 };
enum { NEXT_NUMBERS = 128000 };         // the next connection of the same ports begins this far beyond the last number

struct past {
    struct past *next, *younger;        // with the same hash; in the list of all
    u32 remote_ip;
    u16 remote_port, local_port;        // network order
    u32 rcv_nxt, snd_nxt, ts_recent, expires;
    u32 mss;                            // 0: ended early
    int stamps;
};

static struct cache past_cache = {sizeof(struct past), NULL}, page_cache = {PAGE_SIZE, NULL};
static struct past **heads;             // a page, allocated for the first connection
static struct past *eldest, *youngest;
static u32 count;
static struct sock answering;           // stands in for a past connection

static struct past **head_of(u16 remote_port, u16 local_port) {
    return &heads[(ntohs(remote_port) ^ ntohs(local_port)) & (HEADS - 1)];
}

static int over(const struct past *p) { return !p->mss || (s32)(p->expires - jiffies) <= 0; }

static struct past *find(u32 ip, u16 remote_port, u16 local_port) {
    if (!heads)
        return NULL;
    for (struct past *p = *head_of(remote_port, local_port); p; p = p->next)
        if (p->remote_ip == ip && p->remote_port == remote_port && p->local_port == local_port && !over(p))
            return p;
    return NULL;
}

static void drop_eldest(void) {
    struct past *p = eldest, **at = head_of(p->remote_port, p->local_port);
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (!(eldest = p->younger))
        youngest = NULL;
    count--;
    cache_free(&past_cache, p);
}

// Drops the oldest ones if expired. An entry whose time was restarted keeps those after it: find() checks the time.
static void make_room(void) {
    while (eldest && over(eldest))
        drop_eldest();
    if (count == MOST)
        drop_eldest();
}

void tcp_remember(struct sock *sk) {
    struct past *p = NULL;
    bh_atomic_begin();
    make_room();
    if (!heads && (heads = cache_alloc(&page_cache)))
        memset(heads, 0, PAGE_SIZE);
    if (heads && (p = cache_alloc(&past_cache))) {
        struct past **head = head_of(sk->remote_port, sk->local_port);
        *p = (struct past){.next = *head,
                           .remote_ip = sk->remote_ip,
                           .remote_port = sk->remote_port,
                           .local_port = sk->local_port,
                           .rcv_nxt = sk->rcv_nxt,
                           .snd_nxt = sk->snd_nxt,
                           .ts_recent = sk->ts_recent,
                           .expires = jiffies + LIFE,
                           .mss = sk->mss,
                           .stamps = sk->stamps};
        *head = p;
        if (youngest)
            youngest->younger = p;
        else
            eldest = p;
        youngest = p;
        count++;
    }
    tcp_abandon(sk);
    bh_atomic_end();
}

int tcp_port_waits(u16 local_port) {
    int waits = 0;
    bh_atomic_begin();
    for (struct past *p = eldest; p && !waits; p = p->younger)
        waits = p->local_port == local_port && !over(p);
    bh_atomic_end();
    return waits;
}

static struct sock *in_the_name_of(const struct past *p) {
    struct sock *sk = &answering;
    sk->remote_ip = p->remote_ip;
    sk->local_ip = own_ip;
    sk->remote_port = p->remote_port;
    sk->local_port = p->local_port;
    sk->state = TCP_TIME_WAIT;
    sk->mss = p->mss;
    sk->stamps = p->stamps;
    sk->header_length = TCP_HEADER + (p->stamps ? TCP_STAMP : 0);
    sk->ts_recent = p->ts_recent;
    sk->snd_nxt = p->snd_nxt;
    sk->rcv_nxt = sk->rcv_wup = p->rcv_nxt;
    sk->rcv_wnd = sk->window_clamp = MAX_WINDOW;
    return sk;
}

// Does only what the comment at the top says.
int tcp_past_segment(struct skb *b, u32 *first) {
    struct tcp_header *th = (struct tcp_header *)b->th;
    struct past *p = find(((struct ip_header *)b->nh)->from, th->from, th->to);
    u32 seq = ntohl(th->seq), header = (u32)(th->words >> 4) * 4;
    u32 end = seq + b->length - header + (th->flags >> 1 & 1) + (th->flags & TCP_FIN);
    if (!p)
        return 0;
    if ((th->flags & (TCP_SYN | TCP_RST)) == TCP_SYN && after(seq, p->rcv_nxt)) {
        *first = p->snd_nxt + NEXT_NUMBERS;
        p->mss = 0;
        return 0;
    }
    if (th->flags & (TCP_RST | TCP_SYN)) {
        p->mss = 0;
        if (!(th->flags & TCP_RST)) {
            struct past unknown = *p;
            unknown.mss = 536;
            unknown.stamps = 0;
            unknown.rcv_nxt = end;
            tcp_send_reset(in_the_name_of(&unknown), 0);
        }
        return 1;
    }
    if (th->flags & TCP_ACK)
        p->expires = jiffies + LIFE;
    if (end != seq)
        tcp_send_ack(in_the_name_of(p));
    return 1;
}
