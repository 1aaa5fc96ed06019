"""What words mean to one another."""
