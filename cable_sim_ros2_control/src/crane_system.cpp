// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#include "cable_sim_ros2_control/crane_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/utilities.hpp"

namespace cable_sim_ros2_control
{

namespace
{

using hardware_interface::CallbackReturn;
using hardware_interface::HW_IF_EFFORT;
using hardware_interface::HW_IF_POSITION;
using hardware_interface::HW_IF_VELOCITY;
using hardware_interface::return_type;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Command command_of(const std::string & joint, const std::string & interface)
{
  if (interface == HW_IF_VELOCITY) {
    return Command::velocity;
  }
  if (interface == HW_IF_POSITION) {
    return Command::position;
  }
  if (interface == HW_IF_EFFORT) {
    return Command::effort;
  }
  throw std::runtime_error(
          "joint '" + joint + "': no command interface '" + interface +
          "'; known are velocity, position, effort");
}

}  // namespace

CallbackReturn CraneSystem::on_init(
  const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  try {
    request_.socket = parameter("socket", "");
    if (request_.socket.empty()) {
      throw std::runtime_error("the tag <hardware> has no parameter 'socket'");
    }
    request_.crane = parameter("crane", "");
    request_.client = info_.name;
    request_.cycle = info_.rw_rate ? std::llround(1e9 / info_.rw_rate) : 0;
    start_ = seconds("connect_timeout", "180.0");
    silence_ = seconds("timeout", "5.0");
    request_.joints.clear();
    request_.states.clear();
    for (const auto & joint : info_.joints) {
      request_.joints.push_back(joint_of(joint));
    }
    for (const auto * parts : {&info_.joints, &info_.sensors}) {
      for (const auto & part : *parts) {
        for (const auto & state : part.state_interfaces) {
          request_.states.push_back(part.name + "/" + state.name);
        }
      }
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  commands_.assign(request_.joints.size(), kNone);
  return CallbackReturn::SUCCESS;
}

CallbackReturn CraneSystem::on_configure(const rclcpp_lifecycle::State &)
{
  const auto go_on = [this](const std::string & news) {
      if (!news.empty()) {
        RCLCPP_INFO(get_logger(), "%s", news.c_str());
      }
      return rclcpp::ok();
    };
  try {
    find_interfaces();
    link_ = std::make_unique<Link>(request_, start_, silence_, go_on);
    show_states();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn CraneSystem::on_cleanup(const rclcpp_lifecycle::State &)
{
  link_.reset();
  return CallbackReturn::SUCCESS;
}

CallbackReturn CraneSystem::on_activate(const rclcpp_lifecycle::State &)
{
  try {
    // No command of an earlier activity moves the crane.
    for (const auto & command : command_handles_) {
      if (command) {
        set_command(command, kNone, true);
      }
    }
    link_->engage(true);
    show_states();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn CraneSystem::on_deactivate(const rclcpp_lifecycle::State &)
{
  try {
    link_->engage(false);
  } catch (const LinkError & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn CraneSystem::on_shutdown(const rclcpp_lifecycle::State & state)
{
  return on_cleanup(state);
}

/// Leave the simulator; the component can then be configured anew.
CallbackReturn CraneSystem::on_error(const rclcpp_lifecycle::State & state)
{
  return on_cleanup(state);
}

/// Release the interfaces that a controller leaves. ros2_control keeps their last values, with
/// which the crane would drive on; nor does an earlier one move it before the next one's first.
return_type CraneSystem::perform_command_mode_switch(
  const std::vector<std::string> & start, const std::vector<std::string> & stop)
{
  for (std::size_t i = 0; link_ && i < command_handles_.size(); ++i) {
    const auto & command = command_handles_[i];
    const auto holds = [&command](const std::vector<std::string> & names) {
        return std::find(names.begin(), names.end(), command->get_name()) != names.end();
      };
    if (!command || !(holds(start) || holds(stop))) {
      continue;
    }
    set_command(command, kNone, true);
    link_->claim(i, holds(start));
  }
  return return_type::OK;
}

return_type CraneSystem::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  try {
    if (link_ && link_->read()) {
      show_states();
    }
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return return_type::ERROR;
  }
  return return_type::OK;
}

return_type CraneSystem::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  try {
    for (std::size_t i = 0; i < command_handles_.size(); ++i) {
      if (command_handles_[i]) {
        get_command(command_handles_[i], commands_[i], true);
      }
    }
    link_->write(commands_);
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return return_type::ERROR;
  }
  return return_type::OK;
}

/// The joint of a description. Throws for commands that a crane does not have.
Joint CraneSystem::joint_of(const hardware_interface::ComponentInfo & info) const
{
  if (info.command_interfaces.size() > 1) {
    throw std::runtime_error(
            "joint '" + info.name + "': " + std::to_string(info.command_interfaces.size()) +
            " command interfaces; give it one of velocity, position, effort");
  }
  Joint joint{info.name, Command::none};
  for (const auto & command : info.command_interfaces) {
    joint.command = command_of(info.name, command.name);
  }
  return joint;
}

std::string CraneSystem::parameter(const std::string & name, const std::string & otherwise) const
{
  const auto found = info_.hardware_parameters.find(name);
  return found == info_.hardware_parameters.end() ? otherwise : found->second;
}

Link::Patience CraneSystem::seconds(const std::string & name, const std::string & otherwise) const
{
  const auto text = parameter(name, otherwise);
  try {
    const double value = std::stod(text);
    if (value > 0.0 && std::isfinite(value)) {
      return Link::Patience(value);
    }
  } catch (const std::logic_error &) {
  }
  throw std::runtime_error("parameter '" + name + "': '" + text + "' is no time above 0 [s]");
}

void CraneSystem::find_interfaces()
{
  state_handles_.clear();
  command_handles_.assign(info_.joints.size(), nullptr);
  for (const auto & name : request_.states) {
    state_handles_.push_back(get_state_interface_handle(name));
  }
  for (std::size_t i = 0; i < info_.joints.size(); ++i) {
    for (const auto & command : info_.joints[i].command_interfaces) {
      command_handles_[i] = get_command_interface_handle(info_.joints[i].name + "/" + command.name);
    }
  }
}

void CraneSystem::show_states()
{
  for (std::size_t i = 0; i < state_handles_.size(); ++i) {
    set_state(state_handles_[i], link_->states()[i], true);
  }
}

}  // namespace cable_sim_ros2_control

PLUGINLIB_EXPORT_CLASS(
  cable_sim_ros2_control::CraneSystem, hardware_interface::SystemInterface)
