#define PLUGINLIB_EXPORT_CLASS(derived, base)
