"""Replies: a line said on a packet, scored, judged, overruled, remembered."""
