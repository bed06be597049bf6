"""A warehouse: stock, orders, ways and prices."""
