"""Hypothesis profiles: up to 500 cases for a rule in the normal run, 10,000 and more for each in the nightly one."""

import os

from hypothesis import HealthCheck, settings

collect_ignore = ["sample_studio"]
"""A repository of its own, run by tests/e2e/test_studio.py."""

os.environ.pop("COLUMNS", None)
"""Set to 80 for a process of several that run tests, it would hold for every console that is opened from now on."""

IS_NIGHTLY = os.environ.get("CONTINUITY_PROFILE") == "nightly"
settings.register_profile("normal", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CONTINUITY_PROFILE", "normal"))

RULE_EXAMPLES = 10_000 if IS_NIGHTLY else 500
HISTORY_EXAMPLES = 5_000 if IS_NIGHTLY else 50
"""A whole history takes long, so at least two tests of histories show a rule, or one with twice as many."""
