// SPDX-License-Identifier: GPL-2.0-or-later
// The table of the station's services. To add one: write a class in a file of its own and a row in services.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/stations/peer/netio_protocol.hpp"
#include "devices/stations/peer/netperf_client.hpp"
#include "devices/stations/peer/service.hpp"

namespace planar::net {

struct ServiceConfig {
  Time netio_duration = net::netio_duration;  ///< how long netio sends for each size (1.16 and later)
  std::uint32_t socket_buffer = 65535;        ///< bytes of a socket's buffers, and the largest that may be requested
};

class Services {
 public:
  explicit Services(const ServiceConfig& config = {});

  /// The service at a port, or null.
  Service* find(Transport transport, std::uint16_t port) const;
  const std::vector<std::unique_ptr<Service>>& all() const { return services_; }
  NetperfClient& netperf_client() { return *netperf_client_; }
  const NetperfClient& netperf_client() const { return *netperf_client_; }
  void archive(Archive& a);

 private:
  std::vector<std::unique_ptr<Service>> services_;
  NetperfClient* netperf_client_;
};

}  // namespace planar::net
