"""Parts that families share: drums, buffers, levers, instruments, devices."""
