// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/services.hpp"

#include <algorithm>
#include <utility>

#include "devices/stations/peer/counter.hpp"
#include "devices/stations/peer/echo_discard.hpp"
#include "devices/stations/peer/generator.hpp"
#include "devices/stations/peer/netserver.hpp"

namespace planar::net {

std::unique_ptr<ServiceConnection> Service::accept(std::uint16_t) { return nullptr; }
std::optional<Bytes> Service::datagram(const DatagramSender&, std::uint16_t, ByteView, Time) { return std::nullopt; }

Services::Services(const ServiceConfig& config) {
  services_.push_back(std::make_unique<NetioService>(config.netio_duration));
  services_.push_back(std::make_unique<EchoService>());
  services_.push_back(std::make_unique<DiscardService>());
  services_.push_back(std::make_unique<NetserverService>(config.socket_buffer));
  services_.push_back(std::make_unique<GeneratorService>());
  services_.push_back(std::make_unique<CounterService>());
  auto client = std::make_unique<NetperfClient>(config.socket_buffer);
  netperf_client_ = client.get();
  services_.push_back(std::move(client));
}

Service* Services::find(Transport transport, std::uint16_t port) const {
  for (const auto& service : services_) {
    const auto ports = service->ports();
    if (std::any_of(ports.begin(), ports.end(),
                    [&](const ServicePort& p) { return p.transport == transport && p.number == port; }))
      return service.get();
  }
  return nullptr;
}

void Services::archive(Archive& a) {
  for (const auto& service : services_) service->archive(a);
}

}  // namespace planar::net
