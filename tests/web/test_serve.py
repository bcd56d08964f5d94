"""`tutor serve` as a browser meets it: the real server, a real socket, Chromium where there is one."""

import asyncio
import base64
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What a running `tutor serve` printed."""
    home = tmp_path_factory.mktemp("serve")
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "tutor", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TUTOR_HOME": str(home)},
    )
    assert server.stdout is not None
    yield server.stdout.readline().removeprefix("Serving on ").strip()
    server.terminate()
    server.wait(10)


def asked(url: str, **headers: str) -> int:
    """The status of one request."""

    async def ask() -> int:
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, headers=headers, allow_redirects=False) as reply,
        ):
            return int(reply.status)

    return asyncio.run(ask())


def socket_of(address: str) -> str:
    return address.replace("http://", "ws://").replace("/?", "/ws?")


def opened(url: str, origin: str | None) -> bytes | int:
    """What the application sends first through a WebSocket, or the status that refuses it."""

    async def talk() -> bytes | int:
        headers = {"Origin": origin} if origin else {}
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(url, headers=headers) as socket,
            ):
                data = b""
                while b"tutor" not in data:
                    data += await asyncio.wait_for(socket.receive_bytes(), 30)
                return data
        except aiohttp.WSServerHandshakeError as refused:
            return int(refused.status)

    return asyncio.run(talk())


def test_the_address_is_this_machines_and_holds_a_token(address):
    parts = urlsplit(address)
    assert parts.hostname == "127.0.0.1"
    assert len(parts.query.removeprefix("token=")) >= 43  # 32 random bytes


def test_the_page_trades_the_token_for_a_cookie(address):
    async def visit() -> tuple[str, str, str]:
        jar = aiohttp.CookieJar(unsafe=True)  # a cookie of an IP address
        async with (
            aiohttp.ClientSession(cookie_jar=jar) as session,
            session.get(address) as reply,
        ):
            return str(reply.url), await reply.text(), reply.headers["Content-Security-Policy"]

    url, page, policy = asyncio.run(visit())
    assert "token" not in url
    assert "data-session-websocket-url" in page
    assert "http://" not in page.replace("http://127.0.0.1", "")  # nothing from elsewhere
    assert "https://" not in page
    assert "frame-ancestors 'none'" in policy


@pytest.mark.slow
def test_the_application_is_there_for_its_own_page(address):
    origin = address.partition("/?")[0]
    sent = opened(socket_of(address) + "&width=80&height=24", origin)
    assert isinstance(sent, bytes)
    assert b"tutor" in sent


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", None])
def test_another_pages_websocket_is_refused(address, origin):
    assert opened(socket_of(address), origin) == 403


def test_a_websocket_without_the_token_is_refused(address):
    origin = address.partition("/?")[0]
    assert opened(socket_of(address).partition("?")[0], origin) == 403
    assert opened(socket_of(address)[:-1], origin) == 403


def test_a_request_without_the_token_or_by_another_name_is_refused(address):
    base = address.partition("?")[0]
    assert asked(base) == 403
    assert asked(base + "static/js/textual.js") == 403
    assert asked(address, Host="rebound.example") == 403
    assert asked(address, Origin="http://evil.example") == 403


def test_a_new_token_wins_over_the_cookie_of_an_earlier_start(address):
    """A browser gives 127.0.0.1's cookies to every port, and keeps them while it is open."""
    port = urlsplit(address).port
    assert asked(address, Cookie=f"tutor-token=old; tutor-token-{port}=stale") == 302
    assert asked(address.partition("?")[0], Cookie=f"tutor-token-{port}=stale") == 403


def processes_of(home: Path) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if (
                folder.name.isdecimal()
                and f"TUTOR_HOME={home}\0" in (folder / "environ").read_text()
            ):
                found.append((folder / "cmdline").read_text())
        except (OSError, UnicodeDecodeError):
            continue
    return [each for each in found if each]


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_and_the_token_stands_in_no_command_line(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In a folder with a json.py, with a tab whose application is busy with a paste."""
    (tmp_path / "json.py").write_text("raise SystemExit('the working folder is on the path')")
    browser = tmp_path / "bin" / "xdg-open"
    browser.parent.mkdir()
    seen = tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o755)
    safely = (
        "import sys; sys.path[:] = filter(None, sys.path); from tutor.__main__ import main; main()"
    )
    server = subprocess.Popen(
        [sys.executable, "-u", "-c", safely, "serve", "--open"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "TUTOR_HOME": str(tmp_path / "home"),
            "PATH": f"{browser.parent}:{os.environ['PATH']}",
        },
    )
    request.addfinalizer(server.kill)
    assert server.stdout is not None
    address = server.stdout.readline().removeprefix("Serving on ").strip()
    deadline = time.monotonic() + 30
    while not seen.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    given = seen.read_text()
    assert "token" not in given
    page = Path(given.strip())
    assert page.stat().st_mode & 0o777 == 0o600
    assert address in page.read_text()

    async def paste_and_stop() -> None:
        origin = address.partition("/?")[0]
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(socket_of(address), headers={"Origin": origin}) as socket,
        ):
            data = b""
            while b"tutor" not in data:
                data += await asyncio.wait_for(socket.receive_bytes(), 60)
            for senseless in ("x", "{}", "[]", '["stdin", 5]', '["resize", {"width": 1e9}]'):
                await socket.send_str(senseless)
            await socket.send_json(["stdin", "a" * 200_000])
            await asyncio.sleep(0.5)
            server.send_signal(signal.SIGINT)
            while server.poll() is None:
                await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(paste_and_stop(), 60))
    assert not page.exists()
    deadline = time.monotonic() + 60  # a process that has just begun asks for its parent first
    while (left := those_beside_the_keeper(tmp_path / "home")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def those_beside_the_keeper(home: Path) -> list[str]:
    """The keeper rests a while for the next start, as it should."""
    return [each for each in processes_of(home) if "keeper" not in each]


def test_a_port_in_use_is_said_in_one_line(address):
    port = str(urlsplit(address).port)
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "serve", "--port", port],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 3
    assert done.stderr == f"tutor: port {port} cannot be used: Address already in use\n"


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_chromium_shows_home(address, tmp_path: Path):
    picture = pytest.importorskip("PIL.Image")
    file = tmp_path / "home.png"
    complaints, focused = asyncio.run(photographed(address, tmp_path / "profile", file))
    assert "xterm-helper-textarea" in focused  # keys work without a click
    assert [said for said in complaints if "Content Security Policy" in said] == []
    image = picture.open(file).convert("RGB")
    colours = {colour: count for count, colour in image.getcolors(1 << 24)}
    assert max(colours, key=colours.__getitem__) == (
        0x15,
        0x17,
        0x1B,
    )  # the dark theme's background
    rows = [
        y
        for y in range(image.height)
        if any(image.getpixel((x, y)) == (0x5C, 0xC2, 0xB3) for x in range(image.width))
    ]  # its own colour
    assert max(rows) - min(rows) > image.height // 2  # from the title to the keys in the footer


async def photographed(address: str, profile: Path, file: Path) -> tuple[list[str], str]:
    """A screenshot once the application has drawn; what the page complained of; what has the keyboard.

    Chromium is driven
    through its DevTools protocol."""
    browser = await asyncio.create_subprocess_exec(
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={profile}",
        "--window-size=1200,800",
        "--remote-debugging-port=0",
        "about:blank",
        stderr=asyncio.subprocess.PIPE,
    )
    assert browser.stderr is not None
    try:
        while b"DevTools listening on" not in (line := await browser.stderr.readline()):
            assert line, "Chromium did not start"
        port = urlsplit(line.split()[-1].decode()).port
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as reply:
                pages = [p for p in await reply.json() if p["type"] == "page"]
            async with session.ws_connect(
                pages[0]["webSocketDebuggerUrl"], max_msg_size=1 << 26
            ) as socket:
                return await _photograph(socket, address, file)
    finally:
        browser.kill()
        await browser.communicate()  # reads the rest of its stderr, so that the pipe is closed


async def _photograph(socket, address: str, file: Path) -> tuple[list[str], str]:
    complaints: list[str] = []

    async def ask(method: str, **params: object) -> dict:
        await socket.send_json({"id": 1, "method": method, "params": params})
        while (message := await socket.receive_json()).get("id") != 1:
            if message["method"] == "Log.entryAdded":
                complaints.append(message["params"]["entry"]["text"])
        return message["result"]

    await ask("Log.enable")
    await ask("Page.navigate", url=address)
    for _ in range(120):  # a minute, for a machine with other work
        drawn = await ask(
            "Runtime.evaluate", expression="document.body.classList.contains('-first-byte')"
        )
        if drawn["result"].get("value"):
            break
        await asyncio.sleep(0.5)
    await asyncio.sleep(3)  # the terminal fades in, and home fills
    shot = await ask("Page.captureScreenshot")
    file.write_bytes(base64.b64decode(shot["data"]))
    active = await ask("Runtime.evaluate", expression="document.activeElement.className")
    return complaints, str(active["result"].get("value"))
