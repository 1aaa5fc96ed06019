"""Broken on purpose: speakers and memories with one defect each, to show that each is caught for what it is."""
