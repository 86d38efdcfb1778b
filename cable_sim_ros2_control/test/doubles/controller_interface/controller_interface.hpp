// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Double of ros2_control's class of controllers: as much of it as the example needs, without ROS.

#ifndef CONTROLLER_INTERFACE__CONTROLLER_INTERFACE_HPP_
#define CONTROLLER_INTERFACE__CONTROLLER_INTERFACE_HPP_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/time.hpp"
#include "std_msgs/msg/float64.hpp"

namespace rclcpp_lifecycle
{

class State
{
};

}  // namespace rclcpp_lifecycle

namespace controller_interface
{

enum class CallbackReturn {SUCCESS, FAILURE, ERROR};
enum class return_type {OK, ERROR};
enum class interface_configuration_type {ALL, INDIVIDUAL, NONE};

struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names;
};

/// A loaned interface of either kind.
struct Interface
{
  std::string name;
  double value;

  const std::string & get_name() const {return name;}
  std::optional<double> get_optional() const {return value;}
  bool set_value(double wanted)
  {
    value = wanted;
    return true;
  }
};

struct Parameter
{
  double number;
  std::string text;

  double as_double() const {return number;}
  const std::string & as_string() const {return text;}
};

struct Node
{
  using Target = std_msgs::msg::Float64;

  std::map<std::string, Parameter> parameters;
  std::function<void(const Target &)> heard;

  const Parameter & get_parameter(const std::string & name) const {return parameters.at(name);}
  int get_logger() const {return 0;}

  template<typename Message, typename Callback>
  std::shared_ptr<rclcpp::Subscription<Message>> create_subscription(
    const std::string &, int, Callback callback)
  {
    heard = callback;
    return nullptr;
  }
};

class ControllerInterface
{
public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State & state) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State & state) = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) = 0;

  Node * get_node() const {return node_.get();}
  unsigned int get_update_rate() const {return update_rate;}

  unsigned int update_rate = 100;
  std::vector<Interface> command_interfaces_;
  std::vector<Interface> state_interfaces_;

protected:
  template<typename Value>
  void auto_declare(const std::string & name, const Value & otherwise)
  {
    if constexpr (std::is_same_v<Value, double>) {
      node_->parameters.insert({name, {otherwise, ""}});
    } else {
      node_->parameters.insert({name, {0.0, otherwise}});
    }
  }

private:
  std::unique_ptr<Node> node_ = std::make_unique<Node>();
};

}  // namespace controller_interface

#endif  // CONTROLLER_INTERFACE__CONTROLLER_INTERFACE_HPP_
