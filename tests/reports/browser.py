"""A headless Chromium for tests; absent, the tests that need it are skipped and say so."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ABSENT = (
    "BROWSER ABSENT: {what}; install it to run this test (apt-get install chromium chromium-driver)"
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A driver with a profile of its own that is gone afterwards."""
    webdriver = pytest.importorskip("selenium.webdriver", reason=ABSENT.format(what="selenium"))
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    driver_program = shutil.which("chromedriver")
    if program is None or driver_program is None:
        pytest.skip(ABSENT.format(what="no chromium or no chromedriver on the path"))
    with tempfile.TemporaryDirectory(prefix="voirdire-browser-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for switch in (
            "headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
            "disable-background-networking", "disable-component-update", "disable-sync",
            "disable-dev-shm-usage", "hide-scrollbars", "run-all-compositor-stages-before-draw",
            f"user-data-dir={profile}",
        ):  # fmt: skip
            options.add_argument(f"--{switch}")
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        driver = webdriver.Chrome(
            options=options, service=service.Service(executable_path=driver_program)
        )
        try:
            yield driver
        finally:
            driver.quit()


def show(driver: Any, page: Path, *, width: int = 1100, scheme: str = "light") -> None:
    """Open a page at a width in a colour scheme."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    driver.get(page.resolve().as_uri())


def picture(driver: Any, path: Path) -> None:
    """The whole page as a PNG."""
    import base64

    found = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True}
    )
    path.write_bytes(base64.b64decode(found["data"]))


def paper(driver: Any, path: Path) -> None:
    """The page as an A4 PDF."""
    import base64

    found = driver.execute_cdp_cmd(
        "Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
    )
    path.write_bytes(base64.b64decode(found["data"]))
