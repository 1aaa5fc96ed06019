"""What people look at and decide: ledgers, packets, playthroughs, boards and the digest."""
