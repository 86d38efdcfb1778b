"""Plants: a crane in lockstep with its controller, in this process or over Modbus/TCP."""
