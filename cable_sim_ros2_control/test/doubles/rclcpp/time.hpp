// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
// Double of the times of rclcpp, in seconds, and of a subscription.

#ifndef RCLCPP__TIME_HPP_
#define RCLCPP__TIME_HPP_

#include <memory>

namespace rclcpp
{

struct Duration
{
  double time = 0.0;

  double seconds() const {return time;}
};

struct Time
{
  double time = 0.0;

  Duration operator-(const Time & other) const {return {time - other.time};}
};

template<typename Message>
struct Subscription
{
  using SharedPtr = std::shared_ptr<Subscription<Message>>;
};

}  // namespace rclcpp

#endif  // RCLCPP__TIME_HPP_
