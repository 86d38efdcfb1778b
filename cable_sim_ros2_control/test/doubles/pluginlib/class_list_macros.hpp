// Copyright 2026 the cable_sim authors; Apache-2.0, see LICENSE.
#define PLUGINLIB_EXPORT_CLASS(derived, base)
