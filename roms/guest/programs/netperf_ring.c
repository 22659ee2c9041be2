// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's buffers (netlib.c, nettest_bsd.c of 2.1pl1; read): a ring, so that a buffer is not reused at once, each
// from malloc() with room for an alignment of 8. Nothing is ever stored in the buffers that are sent. Linux therefore
// allocates pages only where malloc() and the ring's elements write, between two buffers; all other addresses map its
// one page of zeros (CALL_HEAP): what is sent comes from the processor's cache, however long the messages are.
#include "netperf.h"

enum { PAGE = 4096, ALIGNMENT = 8 };
// The C library's chunks are multiples of 8 bytes: one of 16 for an element of the ring; 4 bytes of a chunk are the
// library's, and the caller's bytes begin 8 bytes after its start.
enum { ELEMENT = 16, HEADER = 8 };
enum { MOST_BYTES = 1 << 20 };          // per ring; short messages would otherwise need more than a small machine has

static struct {
    u8 *first;
    u32 width, size, stride;
    int receiving;
    u32 next;
} ring;

// Whether anything is written to the page at `at`, relative to the first element: an element, or the header of the
// buffer that follows.
static int is_written(u32 at) {
    u32 element = (at + PAGE - 1) / ring.stride * ring.stride;  // the last one that begins before the end of the page
    return ring.receiving || element + ELEMENT + HEADER > at;
}

// Later runs of a test reuse the ring of the first; a server's buffers are reused unless a client requests larger ones.
int make_ring(u32 width, u32 size, int receiving) {
    if (ring.first && receiving == ring.receiving && (receiving ? size <= ring.size : size == ring.size))
        return 0;
    ring.stride = ELEMENT + ((size + ALIGNMENT + 4 + HEADER - 1) & ~(HEADER - 1u));
    ring.width = width <= MOST_BYTES / ring.stride ? width : MOST_BYTES / ring.stride;
    ring.receiving = receiving;
    ring.size = ring.next = 0;
    ring.first = NULL;
    for (u32 at = 0; at < ring.width * ring.stride; at += PAGE) {
        int page = system_call3(CALL_HEAP, 1, (u32)is_written(at), 0);
        if (page < 0)
            return page;
        if (!at)
            ring.first = (u8 *)page + ELEMENT + HEADER;
    }
    ring.size = size;
    return 0;
}

// After the first buffer the ring continues with the last, and then downwards.
u8 *next_buffer(void) {
    u8 *at = ring.first + ring.next * ring.stride;
    ring.next = (ring.next ? ring.next : ring.width) - 1;
    return at;
}
