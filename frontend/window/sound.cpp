// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/sound.hpp"

#include <SDL.h>

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/audio/speaker.hpp"

namespace planar {

namespace {
constexpr Uint32 bytes_per_ms = Speaker::rate / 1000 * sizeof(std::int16_t);
// Length of the queue: enough for the time between two pictures, but not so much that a beep is late.
constexpr Uint32 first_bytes = 40 * bytes_per_ms, most_bytes = 200 * bytes_per_ms;
}  // namespace

struct Sound::Output {
  SDL_AudioDeviceID device;
  bool real_time = true;
  std::optional<Speaker> speaker;

  explicit Output(SDL_AudioDeviceID d) : device(d) {}
  ~Output() {
    SDL_CloseAudioDevice(device);
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }
  Output(const Output&) = delete;

  void queue(Speaker::Samples samples) const {
    const Uint32 queued = SDL_GetQueuedAudioSize(device);
    if (!real_time || queued > most_bytes) return;
    static constexpr std::array<std::int16_t, first_bytes / sizeof(std::int16_t)> silence{};
    if (queued == 0) SDL_QueueAudio(device, silence.data(), first_bytes);
    SDL_QueueAudio(device, samples.data(), static_cast<Uint32>(samples.size_bytes()));
  }
};

Sound::Sound() = default;
Sound::~Sound() = default;

bool Sound::listens() const { return output_ != nullptr; }

std::string Sound::listen(Machine* machine, Time now) {
  if (!machine) {
    output_.reset();
    return {};
  }
  if (!output_) {
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) return SDL_GetError();
    SDL_AudioSpec wanted{};
    wanted.freq = Speaker::rate;
    wanted.format = AUDIO_S16SYS;
    wanted.channels = 1;
    wanted.samples = 512;
    const SDL_AudioDeviceID device = SDL_OpenAudioDevice(nullptr, 0, &wanted, nullptr, 0);
    if (device == 0) {
      std::string why = SDL_GetError();
      SDL_QuitSubSystem(SDL_INIT_AUDIO);
      return why;
    }
    output_ = std::make_unique<Output>(device);
    SDL_PauseAudioDevice(device, 0);
  }
  Output& output = *output_;
  output.speaker.emplace(*machine, now, [&output](Speaker::Samples samples) { output.queue(samples); });
  return {};
}

void Sound::play(Time now, bool real_time) {
  if (!output_) return;
  output_->real_time = real_time;
  output_->speaker->advance(now);
}

}  // namespace planar
