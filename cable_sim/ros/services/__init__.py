"""Services of simulation_interfaces."""
