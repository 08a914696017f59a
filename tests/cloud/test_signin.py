from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import bcrypt
import pytest
import time_machine
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.core.cache.backends.locmem import LocMemCache
from django.test import Client
from django.utils import timezone
from django_ratelimit.core import _split_rate

from dashboard import throttle
from tests.cloud.people import JSON, sign_in, text_of
from tests.sides import PASSWORD

pytestmark = pytest.mark.django_db

# What PHP's password_hash("secret", PASSWORD_BCRYPT) and password_hash("ลับ", PASSWORD_ARGON2ID) made.
PHP_BCRYPT = "$2y$04$Rv7pLmz2b16e.Kj027rW8uV4pVgWdeOY0k73iYhS4grRhNb.6E3Ui"
PHP_ARGON2 = "$argon2id$v=19$m=65536,t=4,p=1$UU9QeEJiOHBpNFpFQWNmYg$nHJ71+KmdIrErSon1+9loznxAdxBfYhsyNu77/yRZ1o"


@pytest.fixture
def stranger() -> Client:
    """A browser that never signed in, with Django's CSRF check on."""
    return Client(enforce_csrf_checks=True)


def is_in(client: Client) -> bool:
    return bool(client.get("/att-sync/api").status_code != 401)


def test_the_right_password_leads_to_the_page_with_303(client: Client) -> None:
    answer = sign_in(client)

    assert (answer.status_code, answer.headers["Location"]) == (303, "/att-sync/")
    assert is_in(client)


def test_the_right_password_answers_json_to_a_script(client: Client) -> None:
    answer = sign_in(client, headers=JSON)

    assert answer.json() == {"ok": True}


def test_a_wrong_password_shows_the_form_again_with_401(client: Client) -> None:
    answer = sign_in(client, "wrong")

    assert answer.status_code == 401
    assert "รหัสผ่านไม่ถูกต้อง ลองใหม่ได้อีก 9 ครั้งในนาทีนี้" in text_of(answer)


def test_a_wrong_password_is_said_in_json_to_a_script(client: Client) -> None:
    answer = sign_in(client, "wrong", headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (401, "wrong_password")


@pytest.mark.parametrize("guess", ["", " ", "\0", "x" * 100_000, PASSWORD.upper(), f"{PASSWORD} "])
def test_nothing_but_the_password_opens(client: Client, guess: str) -> None:
    assert sign_in(client, guess).status_code == 401


def test_half_a_surrogate_pair_in_json_is_a_wrong_password(client: Client) -> None:
    answer = client.post("/att-sync/login", rb'{"password": "\ud800"}', content_type="application/json", headers=JSON)

    assert answer.status_code == 401


def test_without_a_password_set_nobody_gets_in(client: Client, settings: Any) -> None:
    settings.ATTSYNC_PASSWORD = ""

    assert [sign_in(client, guess).status_code for guess in ("", "None", PASSWORD)] == [401, 401, 401]


def test_a_hash_wins_over_a_plain_password(client: Client, settings: Any) -> None:
    settings.ATTSYNC_PASSWORD_HASH = make_password("ของใหม่", hasher="pbkdf2_sha256")

    assert sign_in(client, PASSWORD).status_code == 401
    assert sign_in(client, "ของใหม่").status_code == 303


@pytest.mark.parametrize("kind", ["argon2", "bcrypt_sha256", "scrypt"])
def test_each_of_djangos_hash_formats_works(client: Client, settings: Any, kind: str) -> None:
    settings.ATTSYNC_PASSWORD_HASH = make_password("ลับ", hasher=kind)

    assert sign_in(client, "ลับ").status_code == 303


@pytest.mark.parametrize(("stored", "password"), [("bcrypt$" + PHP_BCRYPT, "secret"), ("argon2" + PHP_ARGON2, "ลับ")])
def test_a_hash_made_by_php_works(client: Client, settings: Any, stored: str, password: str) -> None:
    settings.ATTSYNC_PASSWORD_HASH = stored

    assert sign_in(client, "wrong").status_code == 401
    assert sign_in(client, password).status_code == 303


def test_a_thai_password_longer_than_bcrypt_reads_works_as_it_did_in_php(client: Client, settings: Any) -> None:
    long = "รหัสผ่านที่ยาวมากจนเกินเจ็ดสิบสองไบต์"
    hashed = bcrypt.hashpw(long.encode()[:72], bcrypt.gensalt(4)).decode()
    settings.ATTSYNC_PASSWORD_HASH = f"bcrypt${hashed}"

    assert sign_in(client, long).status_code == 303


@pytest.mark.parametrize("stored", ["plain", "pbkdf2_sha256$abc$salt$hash", "$2y$10$short", "bcrypt$$2y$10$x", "!"])
def test_a_malformed_hash_lets_nobody_in_and_breaks_nothing(client: Client, settings: Any, stored: str) -> None:
    settings.ATTSYNC_PASSWORD_HASH = stored

    assert sign_in(client, PASSWORD).status_code == 401


def test_changing_the_password_ends_every_open_session_at_once(client: Client, settings: Any) -> None:
    sign_in(client)
    settings.ATTSYNC_PASSWORD = "another one"

    assert not is_in(client)


def test_changing_the_secret_key_ends_every_open_session(client: Client, settings: Any) -> None:
    sign_in(client)
    settings.SECRET_KEY = "k" * 60

    assert not is_in(client)


def test_signing_in_makes_a_new_session(client: Client) -> None:
    client.session.save()
    before = client.session.session_key
    sign_in(client)

    assert client.session.session_key != before
    assert not Session.objects.filter(session_key=before).exists()


def test_signing_out_revokes_a_copied_cookie(client: Client) -> None:
    sign_in(client)
    copied = Client()
    copied.cookies["sessionid"] = client.cookies["sessionid"].value
    assert is_in(copied)

    assert client.post("/att-sync/logout").status_code == 303
    assert not is_in(copied)


def test_signing_out_takes_a_post(client: Client) -> None:
    sign_in(client)

    assert client.get("/att-sync/logout").status_code == 405
    assert is_in(client)


def test_a_session_ends_on_the_server_even_if_the_cookie_is_kept(client: Client, settings: Any) -> None:
    sign_in(client)

    with time_machine.travel(timezone.now() + timedelta(days=settings.ATTSYNC_REMEMBER_DAYS, seconds=1)):
        assert not is_in(client)


def test_using_the_page_does_not_stretch_a_session(client: Client, settings: Any) -> None:
    sign_in(client)
    session = client.session
    session.set_expiry(timedelta(days=1000))
    session.save()

    with time_machine.travel(timezone.now() + timedelta(days=settings.ATTSYNC_REMEMBER_DAYS, seconds=1)):
        assert not is_in(client)


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(client: Client) -> None:
    sign_in(client)
    cookie = client.cookies["sessionid"]

    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


@pytest.mark.parametrize("route", ["login", "logout", "mark"])
def test_a_form_without_its_token_is_refused_in_json_and_in_thai(stranger: Client, route: str) -> None:
    as_json = stranger.post(f"/att-sync/{route}", {"password": PASSWORD}, headers=JSON)
    as_page = stranger.post(f"/att-sync/{route}", {"password": PASSWORD})

    assert (as_json.status_code, as_json.json()["code"]) == (403, "csrf")
    assert as_page.status_code == 403
    assert "เปิดหน้านี้ใหม่อีกครั้ง" in text_of(as_page)


@pytest.mark.parametrize(
    "target", ["//evil.example", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "/admin/", "x", ""]
)
def test_a_sign_in_never_leads_elsewhere(client: Client, target: str) -> None:
    answer = client.post("/att-sync/login", {"password": PASSWORD, "next": target})

    assert answer.headers["Location"] == "/att-sync/"


@pytest.mark.parametrize("target", ["/att-sync/month?m=2026-07", "/att-sync/?date=2026-07-21&open=g1#g1-0012"])
def test_a_sign_in_leads_back_to_the_page_wanted(client: Client, target: str) -> None:
    answer = client.post("/att-sync/login", {"password": PASSWORD, "next": target})

    assert answer.headers["Location"] == target


def test_a_page_wanted_before_signing_in_is_remembered(client: Client) -> None:
    answer = client.get("/att-sync/month?m=2026-07", follow=True)

    assert 'name="next" value="/att-sync/month?m=2026-07"' in text_of(answer)


# --- guessing -------------------------------------------------------------------------------------------------------


def guesses(client: Client, number: int, **where: Any) -> list[int]:
    return [sign_in(client, "wrong", **where).status_code for _ in range(number)]


@pytest.fixture
def one_minute() -> Iterator[None]:
    """The clock stands, so that no window ends in the middle of a test."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


@pytest.mark.usefixtures("one_minute")
def test_the_eleventh_guess_of_an_address_is_not_even_looked_at(client: Client) -> None:
    assert guesses(client, 10) == [401] * 10

    answer = sign_in(client, PASSWORD)
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


@pytest.mark.usefixtures("one_minute")
def test_too_many_guesses_are_said_in_json_to_a_script(client: Client) -> None:
    guesses(client, 10)

    answer = sign_in(client, headers=JSON)
    assert (answer.status_code, answer.json()["ok"]) == (429, False)


@pytest.mark.usefixtures("one_minute")
def test_strangers_from_many_addresses_share_a_limit(client: Client) -> None:
    codes = [guesses(Client(), 1, REMOTE_ADDR=f"198.51.100.{n}")[0] for n in range(40)]

    assert codes == [401] * 30 + [429] * 10


@pytest.mark.usefixtures("one_minute")
def test_one_address_cannot_use_up_the_limit_that_strangers_share(client: Client) -> None:
    guesses(client, 200, REMOTE_ADDR="198.51.100.1")

    assert sign_in(Client(), REMOTE_ADDR="198.51.100.2").status_code == 303


@pytest.mark.usefixtures("one_minute")
def test_strangers_cannot_lock_out_a_browser_that_signed_in_before(client: Client) -> None:
    sign_in(client)
    client.post("/att-sync/logout")
    for n in range(40):
        guesses(Client(), 1, REMOTE_ADDR=f"198.51.100.{n}")
    guesses(Client(), 15)

    assert sign_in(client).status_code == 303


@pytest.mark.usefixtures("one_minute")
def test_a_known_browser_has_a_limit_of_its_own(client: Client) -> None:
    sign_in(client)

    assert guesses(client, 12) == [401] * 10 + [429] * 2


@pytest.mark.usefixtures("one_minute")
def test_a_forged_device_cookie_makes_nobody_known(client: Client) -> None:
    guesses(client, 10)
    client.cookies["attsync_device"] = "owner:forged:signature"

    assert sign_in(client).status_code == 429


def test_a_limit_lasts_a_minute_not_a_second(client: Client) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        guesses(client, 10)
    with time_machine.travel(now + timedelta(seconds=61), tick=False):
        assert sign_in(client).status_code == 303


def test_with_the_cache_away_signing_in_answers_503_and_the_rest_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(client)

    def away(*_args: object, **_kwargs: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(LocMemCache, "add", away)
    answer = sign_in(Client())

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert is_in(client)


def test_the_limits_are_read_as_they_are_meant() -> None:
    rates = (throttle.GUESSES, throttle.GUESSES_OF_STRANGERS, throttle.TAPS)
    assert [_split_rate(rate) for rate in rates] == [(10, 60), (30, 60), (120, 60)]
