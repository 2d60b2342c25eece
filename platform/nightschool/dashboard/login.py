"""Who may look: Streamlit's own login with an identity provider (OpenID Connect), where it is configured.

It is configured by `[auth]` in Streamlit's `secrets.toml`, and demanded by ``Settings.login``. Whatever is
wrong with the configuration shuts the door and never opens it. Knows nothing about pages; neither shows nor
logs a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import streamlit as st

from nightschool.core.errors import ConfigurationMissing, InvalidInput
from nightschool.settings import Settings

__all__ = ["is_let_in", "logged_in_as", "show_account"]

_NEEDED: Final = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_SHORTEST_SECRET: Final = 32
"""Characters of the secret that signs cookies: whoever guesses it is anybody."""


def is_let_in(settings: Settings) -> bool:
    """Return whether the pages may be drawn; if not, what is drawn instead leads to the login.

    Raises:
        ConfigurationMissing: a login is demanded, and nothing says with whom.
        InvalidInput: the configuration cannot be used.
    """
    auth = _auth()
    if auth is None:
        if settings.login:
            raise ConfigurationMissing(
                "a login is demanded (NIGHTSCHOOL_LOGIN), but no secrets.toml has a section [auth];"
                " docs/how-to/let-others-look.md shows one"
            )
        return True
    _check(auth)
    if not st.user.is_logged_in:
        _ask(auth)
        return False
    if not _is_allowed():
        _refuse()
        return False
    return True


def logged_in_as() -> str | None:
    """Return who is logged in, as words recorded in the log name them; None where there is no login."""
    return _person() if _auth() is not None else None


def show_account() -> None:
    """Say who is logged in, with a way out; nothing where there is no login."""
    if (person := logged_in_as()) is not None:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
            st.text(person)
            st.button("Log out", on_click=st.logout, type="tertiary", icon=":material/logout:")


def _auth() -> Mapping[str, Any] | None:
    if st.secrets.load_if_toml_exists():
        return st.secrets.get("auth")
    if broken := [path for path in st.get_option("secrets.files") if Path(path).exists()]:
        raise InvalidInput(f"nobody is let in: {broken[0]} cannot be read as TOML")
    return None


def _check(auth: Mapping[str, Any]) -> None:
    if find_spec("authlib") is None:
        raise ConfigurationMissing(
            "nobody is let in: a login needs Authlib; see docs/how-to/let-others-look.md"
        )
    if missing := [name for name in _NEEDED if not auth.get(name)]:
        raise InvalidInput(f"nobody is let in: [auth] in secrets.toml has no {', '.join(missing)}")
    if len(str(auth["cookie_secret"])) < _SHORTEST_SECRET:
        raise InvalidInput(
            f"nobody is let in: cookie_secret in secrets.toml needs {_SHORTEST_SECRET} characters or more"
        )


def _ask(auth: Mapping[str, Any]) -> None:
    st.subheader("Log in to look at this data folder", anchor=False)
    account = auth.get("name") or "your account"
    st.button(f"Log in with {account}", on_click=st.login, type="primary", icon=":material/login:")


def _refuse() -> None:
    st.subheader("This account is not let in", anchor=False)
    st.text(f"{_person()} is not among the people listed in secrets.toml.")
    st.button("Log out", on_click=st.logout, icon=":material/logout:")


def _is_allowed() -> bool:
    people = st.secrets.get("nightschool", {}).get("people")
    if people is None:
        return True
    address = str(st.user.get("email") or "").casefold()
    return _is_own_address() and address in {str(person).casefold() for person in people}


def _is_own_address() -> bool:
    # An address that the provider has not checked may be anybody's.
    return st.user.get("email_verified") is not False


def _person() -> str:
    named = (st.user.get(name) for name in ("email", "preferred_username", "name", "sub"))
    return next((str(name) for name in named if name), "unknown")
