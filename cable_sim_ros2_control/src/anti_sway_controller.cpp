// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Example of a controller of ros2_control: it sends a trolley to places without sway of the load.
//
// It reads the sway from a sensor of cable_sim_ros2_control/CraneSystem. Copy it for a law of your
// own: the law itself needs no ROS, see energy_law.hpp.

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/time.hpp"
#include "std_msgs/msg/float64.hpp"

#include "cable_sim_ros2_control/energy_law.hpp"

namespace cable_sim_ros2_control
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

/// Trolley that goes to the newest `~/target` (std_msgs/Float64) [m], once a move before has ended.
/// Activate it while the trolley stands.
///
/// Parameters: `trolley` and `hoist`, names of joints; `sway`, the state interface of the angle
/// [rad]; `max_speed` [m/s], `max_acceleration` [m/s^2] and `lag` [s] of the trolley's drive;
/// `length_at_zero` [m] and `length_slope` [-], the length of the pendulum where the hoist's
/// coordinate is zero, and its change with it; `damping` and `settling` [-] of the law.
class AntiSwayController : public controller_interface::ControllerInterface
{
public:
  CallbackReturn on_init() override
  {
    for (const char * name : {"trolley", "hoist"}) {
      auto_declare<std::string>(name, name);
    }
    auto_declare<std::string>("sway", "sway/radial");
    for (const char * name : {"max_speed", "max_acceleration", "lag", "length_at_zero"}) {
      auto_declare<double>(name, 0.0);
    }
    auto_declare<double>("length_slope", 1.0);
    auto_declare<double>("damping", set_.damping);
    auto_declare<double>("settling", set_.settling);
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    set_.max_speed = number("max_speed");
    set_.max_acceleration = number("max_acceleration");
    set_.lag = number("lag");
    set_.damping = number("damping");
    set_.settling = number("settling");
    for (const double value :
      {set_.max_speed, set_.max_acceleration, set_.damping, set_.settling})
    {
      if (!(value > 0.0)) {
        RCLCPP_ERROR(
          get_node()->get_logger(),
          "max_speed, max_acceleration, damping and settling must be above 0, not %g", value);
        return CallbackReturn::FAILURE;
      }
    }
    length_at_zero_ = number("length_at_zero");
    length_slope_ = number("length_slope");
    set_.period = 1.0 / get_update_rate();
    targets_ = get_node()->create_subscription<std_msgs::msg::Float64>(
      "~/target", 1, [this](const std_msgs::msg::Float64 & message) {target_ = message.data;});
    return CallbackReturn::SUCCESS;
  }

  InterfaceConfiguration command_interface_configuration() const override
  {
    return {controller_interface::interface_configuration_type::INDIVIDUAL,
      {text("trolley") + "/velocity"}};
  }

  InterfaceConfiguration state_interface_configuration() const override
  {
    const auto trolley = text("trolley");
    const auto hoist = text("hoist");
    return {controller_interface::interface_configuration_type::INDIVIDUAL,
      {trolley + "/position", trolley + "/velocity", hoist + "/position", hoist + "/velocity",
        text("sway")}};
  }

  CallbackReturn on_activate(const rclcpp_lifecycle::State &) override
  {
    law_.reset();  // begins at the first state
    target_ = kNone;
    return CallbackReturn::SUCCESS;
  }

  return_type update(const rclcpp::Time & time, const rclcpp::Duration &) override
  {
    double states[5];
    for (std::size_t i = 0; i < 5; ++i) {
      states[i] = state_interfaces_[i].get_optional().value_or(kNone);
      if (!std::isfinite(states[i])) {
        RCLCPP_ERROR(
          get_node()->get_logger(), "%s has no reading", state_interfaces_[i].get_name().c_str());
        return return_type::ERROR;
      }
    }
    const double length = length_at_zero_ + length_slope_ * states[2];
    if (length <= 0.0) {
      RCLCPP_ERROR(get_node()->get_logger(), "the pendulum has a length of %g m", length);
      return return_type::ERROR;
    }
    if (!law_) {
      begun_ = time;
      law_.emplace(set_, states[0]);
    }
    const double now = (time - begun_).seconds();
    if (law_->has_arrived(now)) {
      const double target = target_.exchange(kNone);
      if (std::isfinite(target)) {
        law_->move_to(target, now);
      }
    }
    const double speed = law_->command({now, states[0], states[1], length, states[3], states[4]});
    return command_interfaces_[0].set_value(speed) ? return_type::OK : return_type::ERROR;
  }

private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double number(const std::string & name) const
  {
    return get_node()->get_parameter(name).as_double();
  }

  std::string text(const std::string & name) const
  {
    return get_node()->get_parameter(name).as_string();
  }

  EnergySettings set_;
  double length_at_zero_ = 0.0;
  double length_slope_ = 1.0;
  std::optional<EnergyLaw> law_;
  rclcpp::Time begun_;
  std::atomic<double> target_{kNone};
  rclcpp::Subscription<std_msgs::msg::Float64>::SharedPtr targets_;
};

}  // namespace cable_sim_ros2_control

PLUGINLIB_EXPORT_CLASS(
  cable_sim_ros2_control::AntiSwayController, controller_interface::ControllerInterface)
