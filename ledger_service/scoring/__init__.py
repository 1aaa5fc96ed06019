"""A packet and a reply in, five verdicts and a fault out."""
