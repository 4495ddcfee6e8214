"""Clients that speak a wire to a vendor or a server. Opened by name through ``providers.registry``."""
