"""Who can reach a server on an address."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
