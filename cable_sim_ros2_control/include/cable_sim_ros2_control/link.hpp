// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Link to a simulator of cable_sim by its local socket, in lockstep. Needs no ROS.
// The protocol stands in docs/reference/ros2_control_protocol.md of cable_sim.

#ifndef CABLE_SIM_ROS2_CONTROL__LINK_HPP_
#define CABLE_SIM_ROS2_CONTROL__LINK_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cable_sim_ros2_control
{

/// Command of a joint, as the protocol numbers it.
enum class Command : std::uint32_t {none = 0, velocity = 1, position = 2, effort = 3};

/// Joint by its name in the description, and the command that it takes.
struct Joint
{
  std::string name;
  Command command = Command::none;
};

/// What a component tells of itself.
struct Request
{
  std::string socket;           ///< path of the simulator's socket
  std::string client;           ///< name of the component
  std::string crane;            ///< name of the crane in the description; empty is any
  std::vector<Joint> joints;
  std::vector<std::string> states;  ///< state interfaces to read, such as "hoist/position"
  std::int64_t cycle = 0;       ///< time between two cycles of read and write [ns]
};

/// Failure of the link; its text is a sentence for the user.
class LinkError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Connection to a simulator. Not for several threads at once.
///
/// After `engage(true)` a cycle is `read`, which waits for the state that the commands before led
/// to, and `write`. Before the first `write` the simulator runs by itself, and `read` takes its
/// newest state.
/// `read` and `write` allocate no memory but for texts: of an error, or of a wait of a second.
class Link
{
public:
  /// Asked ten times a second while the link waits; false ends the wait. After a second, and
  /// every five from then on, the text tells what is awaited; else it is empty.
  using GoOn = std::function<bool (const std::string & news)>;
  using Patience = std::chrono::duration<double>;

  /// Connect, within `start` of wall time. Later a simulator may be silent for `silence` at most.
  /// Throws LinkError if there is no simulator, or if it does not take the request.
  Link(Request request, Patience start, Patience silence, GoOn go_on);
  ~Link();
  Link(const Link &) = delete;
  Link & operator=(const Link &) = delete;

  /// Have each tick wait for commands, or no longer. Throws LinkError.
  void engage(bool engaged);

  /// Take the state that is due; false if `go_on` ended the wait. Throws LinkError.
  bool read();

  /// Let the commands of a joint count from now on, or no longer. At first none count.
  void claim(std::size_t joint, bool claimed) {claimed_.at(joint) = claimed;}

  /// Send a command for each joint; NaN is none, as is that of a joint that nobody claims.
  /// Throws LinkError.
  void write(const std::vector<double> & commands);

  /// Numbers of the state interfaces, in the order of the request; NaN is no reading.
  const std::vector<double> & states() const {return states_;}

  /// ROS time of that state [ns].
  std::int64_t stamp() const {return stamp_;}

  /// Simulated time of that state since the start or the last reset [s].
  double time() const {return time_;}

  /// Time of one tick of the simulator [ns].
  std::int64_t tick() const {return tick_;}

private:
  class Wait;

  void connect(Patience start);
  void greet();
  bool is_fresh() const;
  bool await(const char * what, const std::function<bool()> & done);
  std::string news_of(const char * what) const;
  bool receive();
  void take(std::size_t size);
  void take_states(std::size_t size);
  void send(std::size_t size);
  [[noreturn]] void fail(const std::string & reason) const;

  Request request_;
  Patience silence_;
  GoOn go_on_;
  int socket_ = -1;
  std::vector<char> packet_;
  std::vector<double> states_;
  std::vector<bool> claimed_;
  std::int64_t tick_ = 0;
  std::int64_t stamp_ = 0;
  double time_ = 0.0;
  std::uint32_t flags_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t received_ = 0;      // number of states
  bool engaged_ = false;
  bool answered_ = false;           // whether commands were sent since the link was engaged
  std::int64_t answered_until_ = 0;
  std::uint32_t answered_epoch_ = 0;
};

}  // namespace cable_sim_ros2_control

#endif  // CABLE_SIM_ROS2_CONTROL__LINK_HPP_
