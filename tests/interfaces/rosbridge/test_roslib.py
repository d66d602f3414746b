"""roslib (roslibjs) at home with a cell, in Node and in a browser: the same script in both."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.rosbridge.conftest import Bridge

HERE = Path(__file__).parent
WEB = HERE.parents[2] / "web"
ROSLIB = WEB / "node_modules" / "roslib" / "dist" / "RosLib.js"
ESBUILD = WEB / "node_modules" / ".bin" / "esbuild"
CHROMIUM = "/usr/bin/chromium"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
    pytest.mark.skipif(not ROSLIB.is_file(), reason="the page's libraries are not installed (make page)"),
]


def check(saw: dict[str, Any]) -> None:
    assert {"/joint_states", "/tf"} <= set(saw["topics"]) and "/power" in saw["services"] and "/armillary" in saw["nodes"]
    assert saw["type"] == "sensor_msgs/JointState" and saw["action_servers"] == ["/follow_joint_trajectory"]
    joints = [f"joint_{k}" for k in range(1, 7)]
    assert saw["joints"]["name"] == joints and saw["throttled"] == joints
    for values in saw["compressed"].values():
        assert values == pytest.approx(saw["joints"]["position"], abs=1e-6)
    assert saw["raw"].startswith("Header header\nstring[] name\n") and "\nMSG: std_msgs/Header\nuint32 seq\n" in saw["raw"]
    assert len(saw["in_fragments"]) > 500 and saw["in_fragments"].startswith(saw["described"])
    assert saw["counted"] == [[0]] and saw["count"] == {"sequence": [0, 1, 2]}, "an action that a page serves"
    assert saw["described"].startswith("<robot") and saw["own"] == {"a": [1, 2.5, "x"]} and "/roslib/mine" not in saw["names"]
    assert saw["power"] == {"success": True, "message": "ready"} and saw["greeted"]["message"] == "from a page"
    assert "nobody provides the service /nobody" in saw["refused"]
    assert saw["result"]["error_code"] == 0 and saw["feedback"] > 0 and saw["later"]["error_code"] == 0
    assert saw["back"]["position"] == pytest.approx(saw["joints"]["position"], abs=1e-6)
    assert any("joint_names" in status for status in saw["statuses"]), "a wrong message is told of, and the connection lives"


def test_in_node(bridge: Bridge) -> None:
    code = (
        f"import({json.dumps(ROSLIB.as_uri())}).then(async (roslib) => {{"
        f"const {{ useRoslib }} = await import({json.dumps((HERE / 'roslib_client.js').as_uri())});"
        f"console.log(JSON.stringify(await useRoslib(roslib, {json.dumps(bridge.address)}))); process.exit(0); }});"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code], capture_output=True, text=True, timeout=90, check=False, cwd=WEB
    )
    assert done.returncode == 0, done.stderr[-2000:]
    check(json.loads(done.stdout.splitlines()[-1]))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_request(self, *_: Any) -> None:
        pass


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """A page with roslib in it, served from this machine."""
    (tmp_path / "both.js").write_text(
        f"import * as ROSLIB from {json.dumps(str(ROSLIB))};\n"
        f"import {{ useRoslib }} from {json.dumps(str(HERE / 'roslib_client.js'))};\n"
        "window.useRoslib = (url) => useRoslib(ROSLIB, url);\n"
    )
    subprocess.run(
        [str(ESBUILD), "both.js", "--bundle", "--outfile=page.js", "--platform=browser"], cwd=tmp_path, check=True, timeout=60,
        capture_output=True,
    )  # fmt: skip
    (tmp_path / "index.html").write_text("<!doctype html><script src=page.js></script>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="Chromium is not installed (make peers)")
@pytest.mark.skipif(not ESBUILD.exists(), reason="the page's libraries are not installed (make page)")
def test_in_a_browser(bridge: Bridge, page: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install armillary[dev])")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--headless=new"])
        try:
            opened = browser.new_page()
            opened.goto(page)
            check(opened.evaluate(f"useRoslib({json.dumps(bridge.address)})"))
        finally:
            browser.close()
