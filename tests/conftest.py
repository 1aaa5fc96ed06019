"""Hypothesis profiles: 500 cases for a rule in the normal run, 10,000 in the nightly one."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("normal", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CONTINUITY_PROFILE", "normal"))

RULE_EXAMPLES = 10_000 if os.environ.get("CONTINUITY_PROFILE") == "nightly" else 500
