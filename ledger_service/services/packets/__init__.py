"""Packets: what a speaker may draw on, built before the prompt, and read by a reviewer."""
