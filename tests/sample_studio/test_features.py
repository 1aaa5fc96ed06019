"""Binds the features."""

from pytest_bdd import scenarios

scenarios("keeper.feature", "talk.feature")
