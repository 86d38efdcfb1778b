// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Hardware component of ros2_control: a crane of cable_sim, one tick per read and write.

#ifndef CABLE_SIM_ROS2_CONTROL__CRANE_SYSTEM_HPP_
#define CABLE_SIM_ROS2_CONTROL__CRANE_SYSTEM_HPP_

#include <memory>
#include <string>
#include <vector>

#include "hardware_interface/system_interface.hpp"
#include "hardware_interface/types/hardware_component_interface_params.hpp"
#include "hardware_interface/types/hardware_interface_return_values.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp_lifecycle/state.hpp"

#include "cable_sim_ros2_control/link.hpp"

namespace cable_sim_ros2_control
{

/// Joints and sensors of a simulated crane.
///
/// Parameters of the tag `<hardware>`: `socket`, the path of the simulator's socket; `crane`, its
/// name, which the simulator compares with its own; `connect_timeout` and `timeout` [s, wall time],
/// how long to wait for a simulator that is not there yet, and for one that is silent.
/// A joint has at most one command interface: velocity, position or effort. Of the state interfaces
/// of its joints and sensors the simulator knows the names, and refuses others.
class CraneSystem : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;
  hardware_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State & state) override;
  hardware_interface::CallbackReturn on_cleanup(const rclcpp_lifecycle::State & state) override;
  hardware_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State & state) override;
  hardware_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State & state) override;
  hardware_interface::CallbackReturn on_shutdown(const rclcpp_lifecycle::State & state) override;
  hardware_interface::CallbackReturn on_error(const rclcpp_lifecycle::State & state) override;
  hardware_interface::return_type perform_command_mode_switch(
    const std::vector<std::string> & start, const std::vector<std::string> & stop) override;
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  Joint joint_of(const hardware_interface::ComponentInfo & info) const;
  std::string parameter(const std::string & name, const std::string & otherwise) const;
  Link::Patience seconds(const std::string & name, const std::string & otherwise) const;
  void find_interfaces();
  void show_states();

  Request request_;
  Link::Patience start_{};
  Link::Patience silence_{};
  std::unique_ptr<Link> link_;
  std::vector<hardware_interface::StateInterface::SharedPtr> state_handles_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> command_handles_;  // null for none
  std::vector<double> commands_;
};

}  // namespace cable_sim_ros2_control

#endif  // CABLE_SIM_ROS2_CONTROL__CRANE_SYSTEM_HPP_
