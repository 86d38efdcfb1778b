// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#include "cable_sim_ros2_control/link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cable_sim_ros2_control
{

namespace
{

constexpr std::uint32_t kVersion = 2;
constexpr char kMagic[] = {'C', 'A', 'B', 'L', 'E', 'S', 'I', 'M'};
constexpr std::size_t kMostBytes = 65536;
constexpr auto kLook = std::chrono::milliseconds(100);

// Kinds of packets.
constexpr std::uint32_t kHello = 1;
constexpr std::uint32_t kWelcome = 2;
constexpr std::uint32_t kGoodbye = 3;
constexpr std::uint32_t kEngage = 4;
constexpr std::uint32_t kCommands = 5;
constexpr std::uint32_t kStates = 6;

// Flags of states.
constexpr std::uint32_t kEngaged = 1;
constexpr std::uint32_t kAwaiting = 2;

constexpr std::size_t kWelcomeSize = 20;
constexpr std::size_t kCommandsSize = 16;
constexpr std::size_t kStatesSize = 32;

/// Writer of numbers and texts, one after the other, into a buffer that is large enough.
class Writer
{
public:
  explicit Writer(std::vector<char> & buffer)
  : buffer_(buffer) {}

  void bytes(const void * from, std::size_t count)
  {
    if (count > buffer_.size() - size_) {
      throw LinkError("too many joints and states for one packet");
    }
    std::memcpy(buffer_.data() + size_, from, count);
    size_ += count;
  }

  template<typename Number>
  void number(Number value) {bytes(&value, sizeof(value));}

  void text(const std::string & words)
  {
    const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(words.size(), 60000));
    number(length);
    bytes(words.data(), length);
  }

  std::size_t size() const {return size_;}

private:
  std::vector<char> & buffer_;
  std::size_t size_ = 0;
};

template<typename Number>
Number number_at(const std::vector<char> & packet, std::size_t place)
{
  Number value;
  std::memcpy(&value, packet.data() + place, sizeof(value));
  return value;
}

std::string text_at(const std::vector<char> & packet, std::size_t size, std::size_t place)
{
  if (place + 2 > size) {
    return "";
  }
  const std::size_t length = number_at<std::uint16_t>(packet, place);
  return std::string(packet.data() + place + 2, std::min(length, size - place - 2));
}

std::string seconds(Link::Patience time)
{
  auto text = std::to_string(time.count());
  text.erase(text.find_last_not_of('0') + 1);
  return (text.back() == '.' ? text.substr(0, text.size() - 1) : text) + " s";
}

}  // namespace

/// Time of a wait.
class Link::Wait
{
public:
  Patience waited() const {return Clock::now() - begun_;}

  /// Whether to tell of it: after a second, and every five from then on.
  bool is_news()
  {
    const bool due = waited() >= next_;
    if (due) {
      next_ = waited() + Patience(5.0);
    }
    return due;
  }

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point begun_ = Clock::now();
  Patience next_{1.0};
};

Link::Link(Request request, Patience start, Patience silence, GoOn go_on)
: request_(std::move(request)), silence_(start), go_on_(std::move(go_on)),
  packet_(kMostBytes), states_(request_.states.size()), claimed_(request_.joints.size())
{
  try {
    connect(start);
    greet();  // a simulator that is being built has its socket already, and answers once it is
    silence_ = silence;
  } catch (...) {
    if (socket_ >= 0) {
      ::close(socket_);
    }
    throw;
  }
}

Link::~Link()
{
  ::close(socket_);
}

void Link::engage(bool engaged)
{
  Writer out(packet_);
  out.number(kEngage);
  out.number<std::uint32_t>(engaged);
  send(out.size());
  const auto done = [this, engaged] {return ((flags_ & kEngaged) != 0) == engaged;};
  if (!await(engaged ? "leave to drive" : "leave to go", done)) {
    fail("was left before it answered");
  }
  engaged_ = engaged;
  answered_ = false;
}

bool Link::read()
{
  while (receive()) {
  }
  return await("the simulator's next state", [this] {return is_fresh();});
}

void Link::write(const std::vector<double> & commands)
{
  if (commands.size() != claimed_.size()) {
    throw LinkError(
            std::to_string(commands.size()) + " commands for " + std::to_string(claimed_.size()) +
            " joints");
  }
  // A cycle of several ticks answers all states before the next one that it reads. Half a tick is
  // far from both, however stamps are rounded.
  answered_until_ = stamp_ + request_.cycle - tick_ / 2;
  answered_epoch_ = epoch_;
  Writer out(packet_);
  out.number(kCommands);
  out.number(answered_epoch_);
  out.number(answered_until_);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    out.number(claimed_[i] ? commands[i] : std::nan(""));
  }
  send(out.size());
  answered_ = true;
}

/// Connect to the socket, as soon as there is one.
void Link::connect(Patience start)
{
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (request_.socket.empty() || request_.socket.size() >= sizeof(address.sun_path)) {
    fail("can not be: a path of a socket has 1 to " +
      std::to_string(sizeof(address.sun_path) - 1) + " bytes");
  }
  request_.socket.copy(address.sun_path, request_.socket.size());
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket_ < 0) {
    fail(std::string("can not be: ") + std::strerror(errno));
  }
  Wait wait;
  while (::connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0) {
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN) {
      fail(std::string("can not be reached: ") + std::strerror(errno));
    }
    if (wait.waited() > start) {
      fail("is not there after " + seconds(start) +
        ": start it with its parameter ros2_control_socket");
    }
    if (!go_on_(wait.is_news() ? "waiting for the simulator at " + request_.socket : "")) {
      fail("was left before it was there");
    }
    std::this_thread::sleep_for(kLook);
  }
}

/// Say who wants what, and wait for the first state.
void Link::greet()
{
  Writer out(packet_);
  out.number(kHello);
  out.bytes(kMagic, sizeof(kMagic));
  out.number(kVersion);
  out.number(static_cast<std::uint32_t>(request_.joints.size()));
  out.number<std::int64_t>(request_.cycle);
  out.text(request_.client);
  out.text(request_.crane);
  for (const auto & joint : request_.joints) {
    out.number(static_cast<std::uint32_t>(joint.command));
    out.text(joint.name);
  }
  out.number(static_cast<std::uint32_t>(request_.states.size()));
  for (const auto & state : request_.states) {
    out.text(state);
  }
  send(out.size());
  if (!await("the simulator's welcome", [this] {return received_ > 0 && tick_ > 0;})) {
    fail("was left before it answered");
  }
}

/// Whether the newest state is one that this end has to answer next.
bool Link::is_fresh() const
{
  if (!engaged_ || !answered_ || (flags_ & kEngaged) == 0) {
    return true;
  }
  return (flags_ & kAwaiting) != 0 && (epoch_ != answered_epoch_ || stamp_ > answered_until_);
}

/// Receive packets until something is done; false if `go_on` ended that.
///
/// Silence counts in looks that found nothing. By the clock a simulator would be silent that was
/// not looked at, because this process had not run.
bool Link::await(const char * what, const std::function<bool()> & done)
{
  Wait wait;
  Patience silent{0.0};
  while (!done()) {
    pollfd look{socket_, POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(kLook.count()));
    if (ready > 0 && receive()) {
      silent = Patience(0.0);
    } else if (ready == 0 && (silent += kLook) > silence_) {
      fail("has been silent for " + seconds(silence_));
    }
    if (!done() && !go_on_(wait.is_news() ? news_of(what) : "")) {
      return false;
    }
  }
  return true;
}

/// What is awaited, and the simulated time of the newest state.
std::string Link::news_of(const char * what) const
{
  return "waiting for " + std::string(what) + "; the newest is of " +
         seconds(std::chrono::nanoseconds(stamp_));
}

/// Take a packet if there is one.
bool Link::receive()
{
  const auto size = ::recv(socket_, packet_.data(), packet_.size(), MSG_DONTWAIT);
  if (size > 0) {
    take(static_cast<std::size_t>(size));
    return true;
  }
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return false;
  }
  fail("has ended");
}

/// Take a packet that was received.
void Link::take(std::size_t size)
{
  const auto kind = size < 4 ? 0 : number_at<std::uint32_t>(packet_, 0);
  if (kind == kGoodbye) {
    fail("says: " + text_at(packet_, size, 4));
  }
  if (kind == kStates) {
    take_states(size);
  } else if (kind == kWelcome && size >= kWelcomeSize) {
    const auto version = number_at<std::uint32_t>(packet_, 4);
    if (version != kVersion) {
      fail("has version " + std::to_string(version) + " of the protocol, and this component " +
        std::to_string(kVersion) + "; build both from one checkout");
    }
    tick_ = number_at<std::int64_t>(packet_, 12);
  } else {
    fail("sent a packet of the unknown kind " + std::to_string(kind) + ", of " +
      std::to_string(size) + " bytes");
  }
}

/// Take a state.
void Link::take_states(std::size_t size)
{
  const auto due = kStatesSize + states_.size() * sizeof(double);
  if (size != due || number_at<std::uint32_t>(packet_, 12) != states_.size()) {
    fail("sent a state of " + std::to_string(size) + " bytes, where " + std::to_string(due) +
      " were due");
  }
  flags_ = number_at<std::uint32_t>(packet_, 4);
  epoch_ = number_at<std::uint32_t>(packet_, 8);
  stamp_ = number_at<std::int64_t>(packet_, 16);
  time_ = number_at<double>(packet_, 24);
  std::memcpy(states_.data(), packet_.data() + kStatesSize, states_.size() * sizeof(double));
  ++received_;
}

/// Send what was written into the packet.
void Link::send(std::size_t size)
{
  if (::send(socket_, packet_.data(), size, MSG_NOSIGNAL) == static_cast<ssize_t>(size)) {
    return;
  }
  const std::string reason = std::strerror(errno);
  while (receive()) {  // a last packet tells why the simulator left
  }
  fail("does not take a packet: " + reason);
}

void Link::fail(const std::string & reason) const
{
  throw LinkError("the simulator at " + request_.socket + " " + reason);
}

}  // namespace cable_sim_ros2_control
