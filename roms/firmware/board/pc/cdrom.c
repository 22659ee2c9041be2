// SPDX-License-Identifier: GPL-2.0-or-later
// ATAPI CD-ROM drives, by programmed I/O (SFF-8020i): packets, sense, reading.
#include "cdrom.h"

#include "ata.h"
#include "disk.h"

enum {
    ata_packet = 0xA0, ata_identify_packet = 0xA1,
    signature_low = 0x14, signature_high = 0xEB,
    identity_type = 0x1F00, type_cdrom = 0x0500,
    sense_bytes = 18, capacity_bytes = 8,
    op_request_sense = 0x03, op_read_capacity = 0x25, op_read = 0x28,
    sense_not_ready = 2, sense_medium = 3, sense_request = 5, sense_attention = 6, no_medium = 0x3A,
    tries = 20, spin_up_ms = 500,
    reply = 0x240,                         // offset of a packet's reply in the EBDA
};

// A packet (bytes 0, 2 to 5 and 7 to 8 of it) and the destination of its reply's words: `skip` of them are discarded,
// `take` go to a linear address, the rest is discarded.
struct Request { u32 operation, block, count, skip, take, buffer; };

static u16 swapped(u32 word) { return (u16)(word << 8 | (word >> 8 & 0xFF)); }

static void drop_words(u16 port, u32 words)
{
    while (words--)
        inw((u16)(port + reg_data));
}

// Takes words of the reply, of which `at` have arrived before.
static void take_words(u16 port, const struct Request* request, u32 at, u32 words)
{
    u32 first = request->skip, end = first + request->take;
    if (at < first) {
        u32 skipped = words < first - at ? words : first - at;
        drop_words(port, skipped);
        at += skipped;
        words -= skipped;
    }
    u32 taken = at >= end ? 0 : words < end - at ? words : end - at;
    read_words(port, request->buffer + (at - first) * 2, (u16)taken);
    drop_words(port, words - taken);
}

// 0: the device stays busy.
static int select(u8 device)
{
    u16 port = port_of(device);
    outb((u16)(port + reg_device), select_bits(device));
    delay_us(1);
    return wait_idle(port, long_ms);
}

// Issues a command and waits: 1 if the device requests a transfer, else 0.
static int requests(u16 port, u8 command)
{
    outb((u16)(port + reg_command), command);
    delay_us(1);
    return wait_idle(port, long_ms) && (inb((u16)(port + reg_command)) & (status_request | status_error)) == status_request;
}

static void send_packet(u16 port, const struct Request* request)
{
    outw(port, (u16)request->operation);
    outw(port, swapped(request->block >> 16));
    outw(port, swapped(request->block));
    outw(port, (u16)(request->count & 0xFF00));
    outw(port, (u16)(request->count & 0xFF));
    outw(port, 0);
}

// Sends a packet and reads its data, if any, in blocks of at most 2048 bytes.
static u8 packet(u8 device, const struct Request* request)
{
    u16 port = port_of(device);
    if (!select(device))
        return disk_timeout;
    outb((u16)(port + reg_error), 0);
    outb((u16)(port + reg_cylinder_low), (u8)cd_block_bytes);
    outb((u16)(port + reg_cylinder_high), cd_block_bytes >> 8);
    if (!requests(port, ata_packet))
        return disk_controller;
    send_packet(port, request);
    for (u32 at = 0;;) {
        delay_us(1);
        if (!wait_idle(port, long_ms))
            return disk_timeout;
        u8 status = inb((u16)(port + reg_command));
        if (status & status_error)
            return disk_controller;
        if (!(status & status_request))
            return disk_ok;
        u32 words = (inb((u16)(port + reg_cylinder_low)) + inb((u16)(port + reg_cylinder_high)) * 256u + 1) / 2;
        take_words(port, request, at, words);
        at += words;
    }
}

// Prepares a request whose reply goes to the EBDA.
static void reply_request(struct Request* request, u32 operation, u32 bytes)
{
    request->operation = operation;
    request->block = request->count = request->skip = 0;
    request->take = bytes / 2;
    request->buffer = ((u32)ebda_segment << 4) + reply;
}

// Finds out why the previous packet failed. Requesting the sense data clears a unit attention.
static u8 sense(u8 device, int* again)
{
    struct Request request;
    reply_request(&request, op_request_sense, sense_bytes);
    request.block = sense_bytes << 8;      // byte 4 is the length
    *again = 0;
    if (packet(device, &request) != disk_ok)
        return disk_controller;
    switch (far_read8(ebda_segment, reply + 2) & 15) {
    case sense_attention:
        *again = 1;
        return disk_controller;
    case sense_not_ready:
        if (far_read8(ebda_segment, reply + 12) != no_medium) {
            delay_ms(spin_up_ms);
            *again = 1;
        }
        return disk_not_ready;
    case sense_medium: return disk_data_error;
    case sense_request: return disk_not_found;
    default: return disk_controller;
    }
}

static u8 fulfil(u8 device, const struct Request* request)
{
    u8 status = disk_ok;
    for (int n = 0; n < tries; ++n) {
        status = packet(device, request);
        if (status != disk_controller)
            return status;
        int again;
        status = sense(device, &again);
        if (!again)
            return status;
    }
    return status;
}

u8 cd_read(u8 device, u32 block, u8 skip, u32 sectors, u32 buffer)
{
    struct Request request;
    request.operation = op_read;
    request.block = block;
    request.count = (skip + sectors + cd_sectors_per_block - 1) / cd_sectors_per_block;
    request.skip = skip * (u32)sector_words;
    request.take = sectors * sector_words;
    request.buffer = buffer;
    return fulfil(device, &request);
}

u32 cd_blocks(u8 device)
{
    struct Request request;
    reply_request(&request, op_read_capacity, capacity_bytes);
    if (fulfil(device, &request) != disk_ok)
        return 0;
    u32 last = 0;                          // most significant byte first
    for (u16 n = 0; n < 4; ++n)
        last = last << 8 | far_read8(ebda_segment, (u16)(reply + n));
    return last + 1;
}

int cd_identify(u8 device)
{
    u16 port = port_of(device);
    if (!select(device) || inb((u16)(port + reg_cylinder_low)) != signature_low
        || inb((u16)(port + reg_cylinder_high)) != signature_high || !requests(port, ata_identify_packet))
        return 0;
    u16 type = inw((u16)(port + reg_data));
    drop_words(port, sector_words - 1);
    if ((type & identity_type) != type_cdrom)
        return 0;
    cd->found |= (u8)(1 << device);
    print(TEXT("IDE CD-ROM drive "));
    print_decimal(device);
    print_char('\n');
    return 1;
}
