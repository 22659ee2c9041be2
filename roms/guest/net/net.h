// SPDX-License-Identifier: GPL-2.0-or-later
//
// Packet buffers, the network device and its queue, Ethernet, ARP and IP.
#pragma once
#include "kernel.h"

// ---- packet buffers (skb.c) ---------------------------------------------------------------------
struct sock;
struct netdev;
struct skb_queue;

struct skb {
    struct skb *next, *prev;            // a queue's head looks like an skb to its members
    struct skb_queue *queue;
    struct sock *sk;                    // the socket that is charged for it
    struct netdev *dev;
    void (*destructor)(struct skb *b);
    u32 stamp_sec, stamp_usec;
    u8 *th, *nh, *mac;                  // TCP, IP and Ethernet header
    u32 length, csum;
    u16 protocol;                       // network order
    u8 cloned, packet_type, summed;     // summed: SUM_...
    u32 users;
    u32 truesize;                       // bytes of buffer, as counted against the send buffer
    u8 *head, *data, *tail, *end;       // the reference count of the data is at end
    // used by TCP
    u32 seq, end_seq, when, ack_seq;
    u8 flags, retransmitted;
    u32 rest[10];                       // pads to the 140 bytes of Linux 2.2: a clone copies them, freeing clears them
};

// Checksum state of a received TCP or UDP frame: not computed; csum covers what follows a plain IP header; the adapter
// found it correct (CHECKSUM_UNNECESSARY).
enum { SUM_NONE, SUM_DATA, SUM_CHECKED };

struct skb_queue {
    struct skb *next, *prev;
    u32 length;
};

void queue_init(struct skb_queue *q);
struct skb *skb_alloc(u32 size);
struct skb *skb_clone(struct skb *b);
struct skb *skb_copy(struct skb *b);
void skb_free(struct skb *b);

static inline u32 *skb_dataref(struct skb *b) { return (u32 *)b->end; }
static inline int skb_cloned(struct skb *b) { return b->cloned && *skb_dataref(b) != 1; }
static inline u32 skb_tailroom(struct skb *b) { return (u32)(b->end - b->tail); }
static inline void skb_reserve(struct skb *b, u32 n) {
    b->data += n;
    b->tail += n;
}
static inline u8 *skb_put(struct skb *b, u32 n) {
    u8 *at = b->tail;
    b->tail += n;
    b->length += n;
    if (b->tail > b->end)
        fail("skb_put past the end");
    return at;
}
static inline u8 *skb_push(struct skb *b, u32 n) {
    b->data -= n;
    b->length += n;
    if (b->data < b->head)
        fail("skb_push before the start");
    return b->data;
}
static inline u8 *skb_pull(struct skb *b, u32 n) {
    b->length -= n;
    return b->data += n;
}
static inline void skb_trim(struct skb *b, u32 n) {
    b->length = n;
    b->tail = b->data + n;
}

static inline int queue_empty(struct skb_queue *q) { return q->next == (struct skb *)q; }
static inline struct skb *queue_first(struct skb_queue *q) {
    return queue_empty(q) ? NULL : q->next;
}
static inline struct skb *queue_last(struct skb_queue *q) {
    return queue_empty(q) ? NULL : q->prev;
}
static inline void queue_after(struct skb *at, struct skb *b, struct skb_queue *q) {
    b->next = at->next;
    b->prev = at;
    at->next->prev = b;
    at->next = b;
    b->queue = q;
    q->length++;
}
static inline void queue_tail(struct skb_queue *q, struct skb *b) {
    queue_after(((struct skb *)q)->prev, b, q);
}
static inline void queue_head(struct skb_queue *q, struct skb *b) {
    queue_after((struct skb *)q, b, q);
}
static inline void queue_unlink(struct skb *b) {
    b->queue->length--;
    b->next->prev = b->prev;
    b->prev->next = b->next;
    b->next = b->prev = NULL;
    b->queue = NULL;
}

// ---- checksums (checksum.asm) -------------------------------------------------------------------
u32 csum_partial(const void *p, u32 n, u32 sum);
u32 csum_copy(const void *from, void *to, u32 n, u32 sum);
u16 ip_header_csum(const void *header, u32 words);
static inline u16 csum_fold(u32 sum) {
    __asm__("addl %1,%0\n\tadcl $0xffff,%0"
            : "=r"(sum)
            : "r"(sum << 16), "0"(sum & 0xFFFF0000u)
            : "cc");
    return (u16)(~sum >> 16);
}
// Adds the sum of the TCP pseudo header (addresses in network order) to `sum`.
static inline u32 csum_pseudo(u32 from, u32 to, u32 length, u32 sum) {
    __asm__("addl %1,%0\n\tadcl %2,%0\n\tadcl %3,%0\n\tadcl $0,%0"
            : "=r"(sum)
            : "g"(to), "g"(from), "g"(((u32)htons((u16)length) << 16) + (6u << 8)), "0"(sum)
            : "cc");
    return sum;
}

// ---- the device (dev.c) -------------------------------------------------------------------------
struct net_counters {
    u32 rx_packets, tx_packets, rx_bytes, tx_bytes, rx_errors, tx_errors, rx_dropped, multicast,
        collisions, rx_length_errors, rx_over_errors, rx_crc_errors, rx_frame_errors,
        rx_fifo_errors, rx_missed_errors, tx_aborted_errors, tx_carrier_errors, tx_fifo_errors,
        tx_heartbeat_errors, tx_window_errors;
};

struct queue_link {                     // entry in the list of devices whose queues must be run; NULL: not on it
    struct queue_link *next;
};

struct netdev {
    const char *name;                   // the driver's
    int slot;                           // same as the device's
    u16 io;
    u16 mtu;                            // maximum length of an IP datagram; set before the driver's probe
    int irq;
    u8 mac[6];
    u8 link;                            // the probe of a Token Ring driver sets LINK_TOKEN_RING
    volatile int busy;                  // the card accepts no frame now
    volatile int in_interrupt, started;
    u32 transmit_start;                 // jiffies
    int (*open)(struct netdev *dev);
    int (*start_transmit)(struct skb *b, struct netdev *dev);   // 0 = taken
    int (*linked)(struct netdev *dev);  // the cable's other end answers; NULL: open() waits for it, or nothing tells
    void (*update_counters)(struct netdev *dev);
    // Masks the adapter's interrupts; returns what takes frames in place of its handler. NULL: the handler does.
    irq_handler *(*begin_polling)(struct netdev *dev);
    int can_delay;                      // its driver supports receive_delayed
    struct net_counters counters;
    void *private_data;                 // the driver's state
    struct netdev *master;              // the bond that it belongs to: above the driver, its frames are from the bond
    int frames_left;                    // in the adapter, which may not signal them again (drivers/driver.h)
    int no_queue;                       // start_transmit() accepts every frame
    struct queue_link active;
    // queue of frames to send: a single FIFO list
    struct skb_queue queue;
    u32 last_transmit;
    int opened;
    int megabits;                       // maximum rate of the wire
};
enum { QUEUE_LENGTH = 100, BACKLOG_LENGTH = 300 };
enum { LINK_ETHERNET, LINK_TOKEN_RING };

enum { ADAPTERS_MOST = 4 };
extern struct netdev net_adapters[ADAPTERS_MOST];
extern u32 net_adapter_count;           // adapters taken over by drivers
extern struct netdev *netdev;           // what the stack sends through: the first adapter, or the bond of all
extern int net_list_adapters;           // also report @adapter_counters
extern u32 net_queue_dropped;           // frames dropped because their device's queue was full
extern struct skb_queue netdev_backlog; // frames for the bottom half; while it drops, its length is biased (sink.c)
// Number of frames that drivers may still take (drivers/driver.h); counted if receive_limited is set (receive/mode.h).
extern int receive_limited, receive_allowed;
void net_init(void);
void net_open(void);                    // all devices that drivers have taken over; waits for their links
void net_report_adapters(void);
void net_report_counters(void);
void dev_queue_transmit(struct skb *b);
void netif_rx(struct skb *b);
// Added to the backlog's length, it makes every frame go to backlog_full().
enum { BACKLOG_BIAS = 0x10000 };
// Called by netif_rx() with more than BACKLOG_LENGTH frames waiting: takes the frame (1), or says that it must be
// queued (0). In Linux 2.2 (net/core/dev.c; read) a backlog that has grown beyond that drops every frame until one
// finds it empty, not until it has room again. Implemented above this layer (system/sink.c), as a frame may end there.
int backlog_full(struct skb *b);

// Deliver a frame up the stack, from the backlog or directly: to ip.c and arp.c, or to a router. They take the frame.
extern void (*ip_input)(struct skb *b);
extern void (*arp_input)(struct skb *b);
static inline void net_deliver(struct skb *b) {
    b->nh = b->data;
    if (b->protocol == htons(0x0800))   // ETH_IP
        ip_input(b);
    else if (b->protocol == htons(0x0806))      // ETH_ARP
        arp_input(b);
    else
        skb_free(b);
}

// ---- Ethernet (ether.c), Token Ring (tr.c) ------------------------------------------------------
enum { ETH_HEADER = 14, ETH_MIN = 60, ETH_SOURCE = 6, ETH_IP = 0x0800, ETH_ARP = 0x0806 };
// AC, FC and addresses, a routing field of up to 18 bytes, SNAP
enum { TR_HEADER = 40, TR_SOURCE = 8 };
enum { MTU_STANDARD = 1500, MTU_ETHERNET = 1500, MTU_TOKEN_RING = 4464, MTU_LEAST = 576 };
enum { PACKET_HOST, PACKET_BROADCAST, PACKET_MULTICAST, PACKET_OTHER };
extern const u8 link_broadcast[6];
// Takes the link header off a frame received by a driver and returns the type in network order (0: neither IP nor ARP).
// On a ring the frame begins with the AC byte.
u16 eth_type(struct skb *b, struct netdev *dev);
u16 tr_type(struct skb *b, struct netdev *dev);
void eth_copy_and_sum(struct skb *to, const u8 *from, u32 length);
// Prepend the link's header to the data; LINK_HEADROOM bytes are reserved for it.
enum { LINK_HEADROOM = 48 };
void eth_header(struct skb *b, u16 type, const u8 *to);
void tr_header(struct skb *b, u16 type, const u8 *to);

// ---- ARP (arp.c) --------------------------------------------------------------------------------
struct neighbour {
    u32 ip;
    int cached;                         // the header is ready to copy
    int known;                          // the address is known
    u8 header[16];                      // 2 bytes of padding, the Ethernet header; its first 6 bytes: the address
    struct skb_queue waiting;
    struct timer timer;
};
extern struct neighbour gateway;        // the one station we talk to
void neighbour_learn(u32 ip, const struct skb *b);     // the sender of this frame
void neighbour_output(struct skb *b);

// ---- IP (ip.c) ----------------------------------------------------------------------------------
struct ip_header {
    u8 version_words, tos;
    u16 length, id, fragment;
    u8 ttl, protocol;
    u16 check;
    u32 from, to;
};
extern u32 own_ip;                      // network order
extern u32 own_seed;                    // determines initial sequence numbers and ports
enum { IP_TCP = 6, IP_DONT_FRAGMENT = 0x4000 };
void ip_queue_transmit(struct skb *b);

// Bytes that TCP reserves before its data: 32 for the link, 128 for IP and TCP, as in Linux
// 2.2 (MAX_HEADER and tcp_prot.max_header).
enum { HEADROOM = 32 + 128 };
