"""The record: every table, row and transaction."""
