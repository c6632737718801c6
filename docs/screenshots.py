"""Take the screenshots of README.md and docs/page.md, in Debian's chromium driven by Playwright.

`make all` comes first, since one of the two pages is the demo's:

    $ python -m docs.screenshots
"""

import io
import shutil
import subprocess
import tempfile
from pathlib import Path

import skimage
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent / "images"
REPORT = Path(__file__).parents[1] / "results/demo/report/index.html"
DESKTOP = (1280, 1000)
PHONE = (390, 844)
# scikit-image's photographs, and some of its other pictures.
PHOTOS = [
    "astronaut.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "horse.png",
    "hubble_deep_field.jpg",
    "moon.png",
    "motorcycle_left.png",
    "page.png",
    "retina.jpg",
    "rocket.jpg",
]
QUERIES = ("A man takes a photograph.", "An animal looks at the camera.")


def main() -> None:
    """Write the images to docs/images."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        screenshot(browser, search(Path(folder)), "search", (1000, 650))
        screenshot(browser, REPORT, "page-desktop", DESKTOP)
        screenshot(browser, REPORT, "page-phone", PHONE)
        screenshot(browser, REPORT, "page-dark", DESKTOP, section="gallery", dark=True)


def search(folder: Path) -> Path:
    """Search in pictures of scikit-image, and return the page of the results."""
    photos = folder / "photos"
    photos.mkdir()
    for name in PHOTOS:
        shutil.copy(Path(skimage.__file__).parent / "data" / name, photos)
    command = ["groundvec", "search", "photos", *QUERIES, "--best", "4", "--output", "best.html"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "best.html"


def screenshot(
    browser: Browser,
    page: Path,
    name: str,
    size: tuple[int, int],
    section: str = "",
    dark: bool = False,
) -> None:
    """Write a WebP file of a page, from the top of one of its sections."""
    width, height = size
    tab = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",  # no smooth scrolling
    )
    tab.goto(f"{page.as_uri()}#{section}")
    image = Image.open(io.BytesIO(tab.screenshot()))
    image.save(IMAGES / f"{name}.webp", quality=80)
    tab.close()


if __name__ == "__main__":
    main()
