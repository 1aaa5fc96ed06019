"""What happens: events recorded in a batch or not at all, with all that they end, settle and contradict."""
