"""The CEL library without its own command line, which its package loads too, and a terminal toolkit with it."""

import sys
from types import ModuleType
from typing import Final

_COMMAND_LINE: Final = "cel.cli"
_is_loaded = _COMMAND_LINE in sys.modules
sys.modules.setdefault(_COMMAND_LINE, ModuleType(_COMMAND_LINE))

from cel import Context, Program, compile  # noqa: A004, E402

if not _is_loaded:
    del sys.modules[_COMMAND_LINE]  # whoever does want it can still load it

__all__ = ["Context", "Program", "compile"]
