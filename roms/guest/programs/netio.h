// SPDX-License-Identifier: GPL-2.0-or-later
//
// Definitions shared by netio's client and server.
#pragma once

enum { NETIO_PORT = 18767 };
// Values of the setting `generation`: the programs whose protocol is used.
enum {
    NETIO_ONE_WAY = 1,                  // up to 1.14: only the client sends
    NETIO_BOTH_WAYS,                    // from 1.16 on: control records, both directions
    NETIO_BUFFERS                       // from 1.23 on: as before, with send buffers of NETIO_SEND_BUFFER bytes
};
enum { NETIO_SEND_BUFFER = 131072 };
enum { NETIO_QUIT, NETIO_CLIENT_SENDS, NETIO_SERVER_SENDS };   // commands from the second generation on
