"""What a confined server's environment holds, and what it does not."""

import pytest

from sealmark.bench.launch import CACHES, Launch

VALUES = {"sandbox": "/box/sandbox"}
OWN = {"HOME": "/box/home", "SEALMARK_CANARY": "c"}


def environment(launch, environ):
    return launch.environment(VALUES, environ, OWN)


def test_a_confined_server_gets_few_variables_and_its_own_home(tmp_path):
    launch = Launch(("x",), env={"ROOT": "{sandbox}/data"}, inherit=("PATH", "LC_*"))
    found = environment(launch, {"PATH": "/bin", "LC_ALL": "C", "AWS_SECRET": "s", "HOME": str(tmp_path)})
    assert found["HOME"] == "/box/home"
    assert found["PATH"] == "/bin"
    assert found["LC_ALL"] == "C"
    assert found["ROOT"] == "/box/sandbox/data"
    assert "AWS_SECRET" not in found


def test_caches_are_named_before_they_exist_and_settings_only_where_they_do(tmp_path):
    found = environment(Launch(("x",)), {"HOME": str(tmp_path)})
    assert {name: str(tmp_path / below) for name, below in CACHES.items()}.items() <= found.items()
    assert "npm_config_userconfig" not in found
    (tmp_path / ".npmrc").write_text("")
    assert environment(Launch(("x",)), {"HOME": str(tmp_path)})["npm_config_userconfig"] == str(tmp_path / ".npmrc")


def test_a_cache_that_the_user_chose_stays(tmp_path):
    launch = Launch(("x",), inherit=("UV_CACHE_DIR",))
    assert environment(launch, {"HOME": str(tmp_path), "UV_CACHE_DIR": "/cache"})["UV_CACHE_DIR"] == "/cache"


def test_without_a_sandbox_everything_is_inherited_and_nothing_is_invented():
    found = environment(Launch(("x",), confined=False), {"AWS_SECRET": "s", "HOME": "/root"})
    assert found["AWS_SECRET"] == "s"
    assert "npm_config_cache" not in found


def test_placeholders_are_those_of_command_environment_and_directory():
    launch = Launch(("x", "{sandbox}/a", "{=canary}"), env={"A": "{sandbox_home}"}, cwd="{outside}")
    assert launch.placeholders == {"sandbox", "sandbox_home", "outside"}


@pytest.mark.parametrize("name", CACHES)
def test_a_home_that_is_not_set_names_no_cache(name):
    assert name not in environment(Launch(("x",)), {})
