// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ethernet framing.
#include "net.h"

u16 eth_type(struct skb *b, struct netdev *dev) {
    b->mac = b->data;
    skb_pull(b, ETH_HEADER);
    if (b->mac[0] & 1)
        b->packet_type = memcmp(b->mac, link_broadcast, 6) ? PACKET_MULTICAST : PACKET_BROADCAST;
    else if (memcmp(b->mac, dev->mac, 6))
        b->packet_type = PACKET_OTHER;
    return *(u16 *)(b->mac + 12);
}

// Copies a frame out of an adapter's memory and checksums everything after its IP header on the way, as drivers of
// shared-memory cards do; TCP need not read it again. The padding of a short IP frame is not copied.
void eth_copy_and_sum(struct skb *to, const u8 *from, u32 length) {
    enum { HEADERS = ETH_HEADER + 20 };
    if (*(const u16 *)(from + 12) != htons(ETH_IP)) {
        memcpy_fromio(to->data, from, length);
        return;
    }
    memcpy_fromio(to->data, from, HEADERS);
    length -= HEADERS;
    u32 ip_length = (u32)ntohs(*(const u16 *)(from + ETH_HEADER + 2)) - 20;
    if (ip_length <= length && ip_length > 7)
        length = ip_length;
    to->csum = csum_copy(from + HEADERS, to->data + HEADERS, length, 0);
    to->summed = SUM_DATA;
}

void eth_header(struct skb *b, u16 type, const u8 *to) {
    u8 *header = skb_push(b, ETH_HEADER);
    memcpy(header, to, 6);
    memcpy(header + 6, netdev->mac, 6);
    *(u16 *)(header + 12) = htons(type);
}
