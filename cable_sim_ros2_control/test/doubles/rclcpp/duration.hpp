// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#include "rclcpp/time.hpp"
