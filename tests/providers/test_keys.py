import pytest

from triptych.errors import UsageError
from triptych.providers.keys import Secret, find_key, need_key


def test_a_key_does_not_show_itself():
    key = Secret("sk-123456")
    assert "123456" not in f"{key} {key!r}"
    assert key.reveal() == "sk-123456"
    assert key.scrub("wrong key sk-123456!") == "wrong key …!"


def test_the_environment_wins_over_the_file(tmp_path):
    file = tmp_path / "key"
    file.write_text("from-file\n")
    file.chmod(0o600)
    env = {"A_KEY_FILE": str(file)}
    assert find_key(("A_KEY",), env).reveal() == "from-file"
    assert find_key(("A_KEY",), env | {"A_KEY": " from-env "}).reveal() == "from-env"
    assert find_key(("A_KEY",), {}) is None


def test_a_key_file_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "key"
    file.write_text("secret")
    file.chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        find_key(("A_KEY",), {"A_KEY_FILE": str(file)})


def test_a_key_file_that_is_not_there_or_empty_is_said_so(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        find_key(("A_KEY",), {"A_KEY_FILE": str(tmp_path / "none")})
    (tmp_path / "empty").touch(mode=0o600)
    with pytest.raises(UsageError, match="is empty"):
        find_key(("A_KEY",), {"A_KEY_FILE": str(tmp_path / "empty")})


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown():
    with pytest.raises(UsageError) as caught:
        need_key(("A_KEY",), {"A_KEY": "sk-geheim\nX: y"}, vendor="A")
    assert "geheim" not in str(caught.value)
