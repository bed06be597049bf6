"""Running code in isolation. So far: the jail that a process locks itself into before candidate code runs."""
