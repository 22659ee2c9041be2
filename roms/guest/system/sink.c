// SPDX-License-Identifier: GPL-2.0-or-later
//
// Overload handling of the receive path, backlog_full() of net.h and udp_full() of udp.h, and the sinks of the flood
// program (sink.h). None of it runs while there is room.
//
// While frames are dropped, or end before the backlog, netif_rx() comes here for each frame because BIAS is added to
// the backlog's length: its usual comparison is the only one on the path of a queued frame.
#include "sink.h"
#include "mode.h"

enum { BIAS = BACKLOG_BIAS };
enum { GENERATED_RUN = UDP_HEADER, GENERATED_NUMBER = UDP_HEADER + 4 };  // offsets, after IP's header

extern void do_irq(struct regs *r);

u32 udp_dropped;
static struct sink_page *page;
static u32 depth;
static u16 port;                        // network order
static struct udp_sock *socket;
static int dropping;
static void (*usual_input)(struct skb *b);

static void count(const u8 *datagram) {
    if (*(const u32 *)(datagram + GENERATED_RUN) != htonl(page->run)) {
        page->strange++;
        return;
    }
    page->log[page->delivered % SINK_LOG] = htonl(*(const u32 *)(datagram + GENERATED_NUMBER));
    page->delivered++;
}

// The UDP datagram to the sink's port in a frame whose IP header is next; NULL: anything else.
static const u8 *generated(const struct skb *b) {
    const struct ip_header *ip = (const struct ip_header *)b->data;
    u32 words = ip->version_words & 15;
    if (b->protocol != htons(ETH_IP) || b->packet_type != PACKET_HOST || b->length < words * 4 + GENERATED_NUMBER + 4 ||
        ip->protocol != IP_UDP || ((const struct udp_header *)(b->data + words * 4))->to != port)
        return NULL;
    return b->data + words * 4;
}

// Replaces IP's input, as Click takes frames from the bottom half of Linux 2.2.
static void hook(struct skb *b) {
    const u8 *datagram = generated(b);
    if (!datagram) {
        usual_input(b);
        return;
    }
    count(datagram);
    skb_free(b);
}

int backlog_full(struct skb *b) {
    const u8 *datagram = depth ? generated(b) : NULL;
    u32 flags;
    if (datagram && depth == SINK_DRIVER) {
        count(datagram);
        skb_free(b);
        return 1;
    }
    if (receive_direct) {
        save_flags_cli(flags);
        queue_tail(&receive_taken, b);
        restore_flags(flags);
        return 1;
    }
    save_flags_cli(flags);
    u32 waiting = netdev_backlog.length % BIAS;
    if (waiting > BACKLOG_LENGTH)
        dropping = 1;
    else if (!waiting)
        dropping = 0;
    netdev_backlog.length = waiting + (dropping || depth == SINK_DRIVER ? BIAS : 0);
    restore_flags(flags);
    if (!dropping)
        return 0;
    if (datagram)
        page->backlog_dropped++;
    b->dev->counters.rx_dropped++;
    skb_free(b);
    return 1;
}

void udp_full(struct skb *b) {
    udp_dropped++;
    if (depth && ((const struct udp_header *)b->data)->to == port && b->length >= GENERATED_NUMBER + 4) {
        if (depth == SINK_STACK)
            count(b->data);
        else
            page->socket_dropped++;
    }
    skb_free(b);
}

struct sink_page *sink_set(u32 new_depth, struct udp_sock *sk, u32 run) {
    enum { USER_PAGE = 0x09000000 };    // after the programs' own pages (programs/user.ld)
    u32 flags;
    if (!page) {
        usual_input = ip_input;
        page = alloc_pages(1);
        page->magic = SINK_MAGIC;
        page->do_irq = (u32)do_irq;
        page->do_bottom_half = (u32)do_bottom_half;
        page->receive_visit = (u32)receive_visit;
        page->receive_run = (u32)receive_run;
        mm_map_user(current->cr3, USER_PAGE, phys(page));
        report("@flood page=%x\n", (u32)page);
    }
    save_flags_cli(flags);
    if (socket)
        socket->memory.receive_buffer = UDP_BUFFER;
    socket = sk;
    depth = new_depth;
    ip_input = depth == SINK_HOOK ? hook : usual_input;
    port = sk->local_port;
    if (depth == SINK_STACK)
        sk->memory.receive_buffer = 0;  // nothing fits
    netdev_backlog.length = netdev_backlog.length % BIAS + (dropping || depth == SINK_DRIVER || receive_direct ? BIAS : 0);
    page->run = run;
    page->delivered = page->backlog_dropped = page->socket_dropped = page->strange = 0;
    restore_flags(flags);
    return (struct sink_page *)USER_PAGE;
}
