"""People with accounts: who they are, what they may, and what they did."""
