// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#include <cstdio>

#define RCLCPP_ERROR(logger, ...) \
  (static_cast<void>(logger), std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr))
