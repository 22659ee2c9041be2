// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/etherlink/etherlink_eeprom.hpp"

namespace planar::ethernet {
namespace {

// 93C46 operations, bits 7:6 of EEPROM Command; for operation 0 bits 5:4 select further.
enum EepromOperation : unsigned { eeprom_extended, eeprom_store, eeprom_fetch, eeprom_erase };
enum EepromExtended : unsigned { write_disable, write_all, erase_all, write_enable };

}  // namespace

EtherLinkEeprom::EtherLinkEeprom(Scheduler& scheduler, const std::string& name, const Contents& contents, Time read,
                                 Time write)
    : contents_(contents),
      read_(read),
      write_(write),
      done_(scheduler, name + ".eeprom", Priority::device, Callback::to<&EtherLinkEeprom::finish>(this)) {}

void EtherLinkEeprom::command(std::uint16_t value, Time now) {
  if (done_.pending()) return;
  command_ = value & 0x00FF;
  const unsigned operation = value >> 6 & 3, extended = value >> 4 & 3;
  if (operation == eeprom_extended && (extended == write_enable || extended == write_disable)) {
    writable_ = extended == write_enable;
    return;
  }
  done_.at(now + (operation == eeprom_fetch ? read_ : write_));
}

void EtherLinkEeprom::set_data(std::uint16_t value) {
  if (!done_.pending()) data_ = value;
}

void EtherLinkEeprom::finish(Time) {
  std::uint16_t& cell = contents_[command_ & 0x3F];
  const unsigned operation = command_ >> 6 & 3;
  if (operation == eeprom_fetch) {
    data_ = cell;
  } else if (writable_) {
    if (operation == eeprom_store)
      cell = data_;
    else if (operation == eeprom_erase)
      cell = 0xFFFF;
    else
      contents_.fill((command_ >> 4 & 3) == write_all ? data_ : 0xFFFF);
  }
}

void EtherLinkEeprom::reset() {
  done_.cancel();
  command_ = data_ = 0;
  writable_ = false;
}

}  // namespace planar::ethernet
