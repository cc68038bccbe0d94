"""What a hostile server tries from a box, each of it refused: network, kernel, mounts, processes, descriptors."""

import asyncio
import json
import os
import socket
import sys

import pytest

from tests.isolated import full, python, ran, shell, some

pytestmark = some

LEVELS = [pytest.param(True, marks=full, id="full"), pytest.param(False, id="network")]


@pytest.mark.parametrize("overlay", LEVELS)
def test_there_is_no_network_but_loopback(overlay, tmp_path):
    code = (
        "import socket, json, os\n"
        "names = [name for _, name in socket.if_nameindex()]\n"
        "def tried(address):\n"
        "    try: socket.create_connection(address, 5)\n"
        "    except OSError as error: return error.errno\n"
        "print(json.dumps([names, tried(('93.184.216.34', 80)), tried(('2606:4700::1111', 443))]))\n"
    )
    names, four, six = json.loads(python(code, tmp_path, overlay=overlay).out)
    assert names == ["lo"]
    assert (four, six) == (111, 111)  # refused at once, by an address that is local


OPENED = """
import os, json
found = []
for folder, folders, files in os.walk("/proc"):
    if folder == "/proc":
        folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self")]
    for name in files:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            continue
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))  # opened only: nothing is ever written
        except OSError:
            continue
        found.append(path)
for folder, folders, files in os.walk("/sys"):
    for name in files:
        try:
            os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        found.append(os.path.join(folder, name))
print(json.dumps(found))
"""


@pytest.mark.parametrize("overlay", LEVELS)
def test_no_setting_of_the_kernel_can_be_opened_for_writing(overlay, tmp_path):
    found = python(OPENED, tmp_path, overlay=overlay)
    assert found.err == ""
    assert json.loads(found.out) == []


CALLS = """
import ctypes, json, os, socket, signal
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *given):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*given) < 0 else 0
def tried(act, *given):
    try: act(*given)
    except OSError as error: return error.errno
    return 0
print(json.dumps({
    "mount": call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "umount": call("umount2", b"/proc", 2),
    "remount": call("mount", None, b"/proc", None, 32 | 4096, None),
    "mknod": tried(os.mknod, "/tmp/disk", 0o60666, os.makedev(8, 0)),
    "raw socket": tried(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "packet socket": tried(socket.socket, socket.AF_PACKET, socket.SOCK_RAW, 3),
    "reboot": call("reboot", 0),
    "sethostname": call("sethostname", b"x", 1),
    "set clock": call("settimeofday", ctypes.byref((ctypes.c_long * 2)(0, 0)), None),
    "kill the first": tried(os.kill, 1, signal.SIGKILL),
    "parent": os.getppid(),
}))
print(sum(1 for name in os.listdir("/proc") if name.isdigit()))
print(sorted(int(name) for name in os.listdir("/proc/self/fd")))
"""


@pytest.mark.parametrize("overlay", LEVELS)
def test_calls_that_need_privileges_are_refused(overlay, tmp_path):
    found = python(CALLS, tmp_path, overlay=overlay)
    assert found.err == ""
    answers, processes, descriptors = found.out.splitlines()
    told = json.loads(answers)
    assert told.pop("parent") == 1
    assert {name for name, error in told.items() if error == 0} <= {"kill the first"}  # it is spared by the kernel
    assert found.ended.exit_code == 0
    assert int(processes) == 2
    assert json.loads(descriptors)[:3] == [0, 1, 2]
    assert len(json.loads(descriptors)) == 4  # the fourth is the listing's own


@full
def test_processes_outside_cannot_be_seen_or_signalled(tmp_path):
    code = (
        f"import os\ntry: os.kill({os.getpid()}, 0)\nexcept OSError as e: print(e.errno)\n"
        f"print(os.path.exists('/proc/{os.getpid()}'))"
    )
    if os.getpid() > 4:
        assert python(code, tmp_path).out.split() == ["3", "False"]


@full
def test_the_first_process_keeps_its_secrets(tmp_path):
    code = (
        "import os\n"
        "for read, name in ((open, 'environ'), (open, 'mem'), (os.readlink, 'fd/0'), (os.listdir, 'root')):\n"
        "    try: read('/proc/1/' + name); print(name)\n"
        "    except OSError: pass\n"
    )
    assert python(code, tmp_path).out == ""


@full
def test_a_socket_of_the_machine_cannot_be_reached_by_its_path(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as abstract:
        listening.bind(str(path))
        listening.listen()
        abstract.bind("\0sealmark-test")
        abstract.listen()
        code = (
            "import socket\nfor name in (%r, '\\0sealmark-test'):\n"
            "    try: socket.socket(socket.AF_UNIX).connect(name); print('in')\n    except OSError as e: print(e.errno)"
        )
        assert python(code % str(path), inside).out.split() == ["111", "111"]


@full
def test_a_link_in_the_shared_directory_leads_into_the_overlay(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "out").symlink_to(tmp_path / "real")
    (tmp_path / "real").write_text("old")
    found = shell("echo new > out; echo x > ../made", inside)
    assert (tmp_path / "real").read_text() == "old"
    assert not (tmp_path / "made").exists()
    assert found.change(tmp_path / "real") == "modified"


@full
def test_signals_to_everybody_spare_the_harness(tmp_path):
    found = shell("kill -TERM -1; kill -KILL -1; echo still", tmp_path)
    assert found.ended.exit_code in (0, -15, -9)


@full
def test_names_of_files_are_shown_whatever_they_hold(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    code = f"import os; open(os.fsencode('{tmp_path}') + b'/\\xff\\x1b[31m', 'w').close()"
    found = asyncio.run(ran(sys.executable, "-I", "-S", "-c", code, cwd=inside))
    assert [change.how for change in found.changes] == ["created"]
