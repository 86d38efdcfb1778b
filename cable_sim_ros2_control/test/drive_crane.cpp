// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Drives a simulator over its socket without ROS, and prints what it reads.
//
//     drive_crane SOCKET CRANE CYCLE_NS CYCLES PATIENCE JOINT... [SENSOR/INTERFACE...]
//
// Each cycle prints a line: stamp [ns], simulated time, then position, velocity and effort of each
// joint, and the numbers of sensors, in hexadecimal, which loses no bit. The speed of joint i is
// 0.05 (i + 1) - 0.2 position + velocity / 3, so that each depends on all that was read; in every
// seventh cycle it is NaN, no command. CYCLES of 0 go on without end. Then all joints are released,
// and as many cycles repeat the last commands, as a controller manager does. PATIENCE [s] is that
// for a simulator that is not there, or silent. Errors and news go to standard error.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cable_sim_ros2_control/link.hpp"

using cable_sim_ros2_control::Command;
using cable_sim_ros2_control::Link;

namespace
{

void print(const Link & link)
{
  std::printf("%jd %a", static_cast<std::intmax_t>(link.stamp()), link.time());
  for (const double state : link.states()) {
    std::printf(" %a", state);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void drive(
  const cable_sim_ros2_control::Request & request, std::int64_t cycles, Link::Patience patience)
{
  const auto go_on = [](const std::string & news) {
      if (!news.empty()) {
        std::fprintf(stderr, "%s\n", news.c_str());
      }
      return true;
    };
  Link link(request, patience, patience, go_on);
  link.engage(true);
  for (std::size_t i = 0; i < request.joints.size(); ++i) {
    link.claim(i, true);
  }
  std::vector<double> commands(request.joints.size());
  for (std::int64_t cycle = 0; cycles == 0 || cycle < cycles; ++cycle) {
    link.read();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const double position = link.states()[3 * i];
      const double velocity = link.states()[3 * i + 1];
      commands[i] = 0.05 * static_cast<double>(i + 1) - 0.2 * position + velocity / 3.0;
      if (cycle % 7 == 6) {
        commands[i] = std::nan("");
      }
    }
    link.write(commands);
    print(link);
  }
  for (std::size_t i = 0; i < request.joints.size(); ++i) {
    link.claim(i, false);
  }
  for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
    link.read();
    link.write(commands);
    print(link);
  }
  link.read();
  print(link);
  link.engage(false);
}

}  // namespace

int main(int count, char ** words)
{
  if (count < 7) {
    std::fprintf(
      stderr,
      "drive_crane SOCKET CRANE CYCLE_NS CYCLES PATIENCE JOINT... [SENSOR/INTERFACE...]\n");
    return 2;
  }
  cable_sim_ros2_control::Request request;
  request.socket = words[1];
  request.client = "drive_crane";
  request.crane = words[2];
  request.cycle = std::atoll(words[3]);
  for (int i = 6; i < count; ++i) {
    const std::string name = words[i];
    if (name.find('/') != std::string::npos) {
      request.states.push_back(name);
      continue;
    }
    request.joints.push_back({name, Command::velocity});
    for (const char * state : {"/position", "/velocity", "/effort"}) {
      request.states.push_back(name + state);
    }
  }
  try {
    drive(request, std::atol(words[4]), Link::Patience(std::atof(words[5])));
  } catch (const cable_sim_ros2_control::LinkError & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
