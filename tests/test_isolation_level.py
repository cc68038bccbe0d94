"""Where isolation is not to be had, the reason is told and the run goes on without; each lack is brought about here."""

import json
import platform
import shutil
import subprocess
import sys
import textwrap

import pytest

from sealmark.bench.isolation import Level, chosen
from sealmark.errors import HarnessError
from tests.isolated import LEVEL, full, python, some

pytestmark = some

ASK = "import json; from sealmark.bench.isolation import level; print(json.dumps(level()))"
FILTERED = textwrap.dedent("""
    import ctypes, struct, sys
    number = {"x86_64": 272, "aarch64": 97}[sys.argv[1]]  # unshare
    rows = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
""")


def asked(*command: str) -> Level:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return Level(*json.loads(done.stdout))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="the filter knows the call by its number")
def test_a_filter_of_system_calls_is_named():
    found = asked(sys.executable, "-c", FILTERED + ASK, platform.machine())
    assert found.name == "none"
    assert "Operation not permitted" in found.reason
    assert "system call filter" in found.reason


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare(1) makes the namespace in which the limit is set")
def test_a_limit_of_the_kernel_is_named():
    inner = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1"'
    command = ("unshare", "-Ur", "sh", "-c", inner, sys.executable, ASK)
    if subprocess.run(("unshare", "-Ur", "true"), capture_output=True).returncode:
        pytest.skip("unshare(1) is refused here")
    found = asked(*command)
    assert found.name == "none"
    assert "max_user_namespaces is 0" in found.reason


@full
def test_a_box_in_a_box_says_what_it_can_do(tmp_path):
    code = f"import sys; sys.path[:0] = {sys.path!r}; {ASK}"
    found = Level(*json.loads(python(code, tmp_path).out))
    assert found.name in ("full", "network")
    assert found.name == "full" or found.reason


def test_what_is_asked_for_by_its_name_and_cannot_be_had_ends_the_run():
    with pytest.raises(HarnessError, match="full cannot be had here: a server behind a URL"):
        chosen("full", (), behind_url=True)
    (isolation,) = chosen("auto", (), behind_url=True)
    assert isolation.facts()["isolation"]["level"] == "none"
    assert chosen("none", (), behind_url=False) == ()


def test_less_than_can_be_had_may_be_asked_for():
    (isolation,) = chosen("network", (), behind_url=False)
    assert isolation.facts()["isolation"] == {"wanted": "network", "level": "network", "reason": LEVEL.reason}
