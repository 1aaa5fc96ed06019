"""A page as a PDF, by whatever Chromium is installed; it loads nothing but the page."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ledger_service.cli.run import write_whole
from ledger_service.domain.errors import SettingError

BROWSERS: Final = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chromium-headless-shell",
)  # fmt: skip
SECONDS: Final = 90


def print_to_pdf(html: str, target: Path) -> None:
    """Write a page as a PDF, whole or not at all.

    Raises:
        SettingError: no browser is installed, or it does not print.
        MalformedError: nothing can be written there.
    """
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    cure = "install Chromium (`apt-get install chromium`), or ask for --html and print that from your own browser"
    if browser is None:
        raise SettingError("--pdf", "there is no browser here that could print it", cure=cure)
    with tempfile.TemporaryDirectory(prefix="continuity-") as folder:
        page, printed = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SettingError("--pdf", f"{browser} does not print: {error}", cure=cure) from error
        if not printed.is_file():
            last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no word why"])[-1]
            raise SettingError("--pdf", f"{browser} did not print it: {last}", cure=cure)
        write_whole(target, printed.read_bytes())
