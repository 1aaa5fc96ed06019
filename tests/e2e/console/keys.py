"""A page worked with the keyboard alone, as somebody without a mouse does."""

from playwright.sync_api import Locator, Page

MOST_TABS = 600


class Keys:
    """Whoever presses them goes from one thing to the next by Tab, and touches nothing that Tab does not reach."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def reach(self, target: Locator) -> None:
        """Go on by Tab until the target has the focus."""
        wanted = target.element_handle()
        for _ in range(MOST_TABS):
            if wanted.evaluate("one => one === document.activeElement"):
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"{target} is not reached by Tab")

    def press(self, target: Locator, key: str = "Enter") -> None:
        """Reach something, and press it."""
        self.reach(target)
        self._page.keyboard.press(key)

    def type(self, target: Locator, text: str) -> None:
        """Reach a field, and write over what it holds."""
        self.reach(target)
        self._page.keyboard.press("ControlOrMeta+a")
        self._page.keyboard.type(text)

    def choose(self, target: Locator, value: str) -> None:
        """Reach a list, and go down it to an option."""
        self.reach(target)
        self._page.keyboard.press("Home")
        for _ in range(target.locator("option").count()):
            if target.input_value() == value:
                return
            self._page.keyboard.press("ArrowDown")
        raise AssertionError(f"{target} has no {value!r}")
