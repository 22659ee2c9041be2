// SPDX-License-Identifier: GPL-2.0-or-later
// Status of INT 13h for drives 80h and up.
#pragma once

enum {
    disk_ok = 0x00, disk_bad_command = 0x01, disk_write_protected = 0x03, disk_not_found = 0x04,
    disk_data_error = 0x10, disk_controller = 0x20, disk_timeout = 0x80, disk_not_ready = 0xAA,
    disk_write_fault = 0xCC,
};
