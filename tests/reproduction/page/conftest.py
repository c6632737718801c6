"""A browser's page, for the tests of what readers see."""

import pytest


@pytest.fixture
def opened(browser):
    """Return a function that opens a page; errors of the page and requests to a network fail."""
    windows = []
    problems = []

    def visit(path, width=1200, **options):
        # A page that still scrolls smoothly moves away from under a click.
        options = {"reduced_motion": "reduce", **options}
        window = browser.new_context(viewport={"width": width, "height": 900}, **options)
        windows.append(window)
        page = window.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: asked(request.url))
        page.goto(path.as_uri())
        return page

    def asked(address):
        if not address.startswith(("file:", "data:")):
            problems.append(address)

    yield visit
    for window in windows:
        window.close()
    assert not problems
