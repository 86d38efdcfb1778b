#include "rclcpp/time.hpp"
