"""Reach of network addresses: loopback or beyond this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return True if a host can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
