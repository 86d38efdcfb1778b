// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Runs the example controller over the simulator's socket without ROS, on doubles of its classes.
//
//     damp_sway SOCKET CYCLE_NS CYCLES START TARGET HOIST_WAY HOIST_SPEED HOIST_ACCELERATION
//               [PARAMETER=VALUE...]
//
// In the cycle of number START the trolley gets its target; the hoist then goes its way by ramps.
// Each cycle prints a line: simulated time, what the controller reads, and the speed that it
// commands next, in hexadecimal, which loses no bit.

#include "../src/anti_sway_controller.cpp"  // NOLINT(build/include)

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cable_sim_ros2_control/link.hpp"

namespace
{

using cable_sim_ros2_control::AntiSwayController;
using cable_sim_ros2_control::Command;
using cable_sim_ros2_control::Link;
using cable_sim_ros2_control::Ramps;
using controller_interface::return_type;

std::string owner_of(const std::string & interface)
{
  return interface.substr(0, interface.find('/'));
}

bool set_parameters(AntiSwayController & controller, int count, char ** words)
{
  controller.on_init();
  for (int i = 9; i < count; ++i) {
    const std::string word = words[i];
    const auto equals = word.find('=');
    auto & parameter = controller.get_node()->parameters.at(word.substr(0, equals));
    parameter.text = word.substr(equals + 1);
    parameter.number = std::atof(parameter.text.c_str());
  }
  return controller.on_configure({}) == controller_interface::CallbackReturn::SUCCESS;
}

void drive(AntiSwayController & controller, char ** words)
{
  const auto number = [words](int i) {return std::atof(words[i]);};
  const auto reads = controller.state_interface_configuration().names;
  const auto moved = controller.command_interface_configuration().names[0];
  cable_sim_ros2_control::Request request;
  request.socket = words[1];
  request.client = "damp_sway";
  request.cycle = std::atoll(words[2]);
  request.joints = {
    {owner_of(moved), Command::velocity}, {controller.get_node()->get_parameter("hoist").text,
      Command::velocity}};
  request.states = reads;
  const Link::Patience patience(60.0);
  Link link(request, patience, patience, [](const std::string &) {return true;});
  link.engage(true);
  link.claim(0, true);
  link.claim(1, true);
  controller.command_interfaces_ = {{moved, 0.0}};
  controller.on_activate({});
  Ramps hoist;
  for (std::int64_t cycle = 0; cycle < std::atol(words[3]); ++cycle) {
    link.read();
    const double now = link.time();
    controller.state_interfaces_.clear();
    for (std::size_t i = 0; i < reads.size(); ++i) {
      controller.state_interfaces_.push_back({reads[i], link.states()[i]});
    }
    if (cycle == std::atol(words[4])) {
      controller.get_node()->heard({number(5)});
      hoist = {number(6), number(7), number(8), now};
    }
    if (controller.update({now}, {}) != return_type::OK) {
      throw cable_sim_ros2_control::LinkError("the controller has failed");
    }
    const double speed = controller.command_interfaces_[0].value;
    link.write({speed, hoist.at(now + 0.5e-9 * static_cast<double>(request.cycle)).speed});
    std::printf("%a", now);
    for (const double state : link.states()) {
      std::printf(" %a", state);
    }
    std::printf(" %a\n", speed);
    std::fflush(stdout);
  }
  link.read();
  link.engage(false);
}

}  // namespace

int main(int count, char ** words)
{
  if (count < 9) {
    std::fprintf(stderr, "damp_sway takes 8 words and parameters, see the head of its file\n");
    return 2;
  }
  try {
    AntiSwayController controller;
    if (!set_parameters(controller, count, words)) {
      return 1;
    }
    drive(controller, words);
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
