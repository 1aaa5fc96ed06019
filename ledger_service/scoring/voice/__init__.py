"""Whether it is still this speaker."""
