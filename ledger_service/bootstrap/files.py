"""Shipped and own stories, and where reports and baselines go."""

import re
from importlib.resources import files
from pathlib import Path

from ledger_service.settings import Settings
from ledger_service.stores.probe_files import ProbeFiles, Story


def find_shipped(name: str) -> Path:
    """Return a shipped folder such as `probes`: inside the wheel, else of the checkout."""
    shipped = Path(str(files("ledger_service") / "shipped" / name))
    return shipped if shipped.is_dir() else Path(str(files("ledger_service"))).parent / name


def load_story(name: str, *, matrix: str = "matrix.yaml") -> Story:
    """Read a shipped story: its world, history and one of its matrices.

    Raises:
        StoryFileError: with file, line and path.
    """
    return ProbeFiles(find_shipped("probes")).load(name, matrix=matrix)


def shipped_matrices() -> dict[str, tuple[str, ...]]:
    """Return the files of the matrices that are shipped, by story."""
    return ProbeFiles(find_shipped("probes")).list_matrices()


def find_story(name: str) -> Story:
    """Read a shipped story by its name, or one of your own by its folder.

    Raises:
        StoryFileError: with file, line and path.
    """
    folder = Path(name)
    return ProbeFiles(folder.parent).load(folder.name) if "/" in name else load_story(name)


def baseline_file(settings: Settings, story: str, subject: str) -> Path:
    """Return where the baseline of a story and subject is kept."""
    folder = reports_folder(settings).parent / "baselines"
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", subject)
    return folder / f"{story}.{safe}.json"


def reports_folder(settings: Settings) -> Path:
    """Return where reports go: `reports/runs` of a checkout, else under the home."""
    checkout = Path(str(files("ledger_service"))).parent
    inside = (checkout / "pyproject.toml").exists() and (checkout / "reports").is_dir()
    return (checkout if inside else settings.home) / "reports" / "runs"
