// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#ifndef STD_MSGS__MSG__FLOAT64_HPP_
#define STD_MSGS__MSG__FLOAT64_HPP_

namespace std_msgs::msg
{

struct Float64
{
  double data = 0.0;
};

}  // namespace std_msgs::msg

#endif  // STD_MSGS__MSG__FLOAT64_HPP_
