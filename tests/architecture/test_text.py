"""No file of the tree depends on, or points to, one machine or one registry of packages."""

from __future__ import annotations

import re

from tests.architecture.tree import ROOT, tracked_files

HOSTS = ("py" + "pi.org", "pythonhosted" + ".org", "npmjs" + ".org", "crates" + ".io", "debian" + ".org")
FORBIDDEN = {
    "a package registry's host": re.compile("|".join(re.escape(host) for host in HOSTS), re.IGNORECASE),
    "an absolute path of one machine": re.compile(r"(?<![\w./-])/(work|root|home)" + r"/\w"),
    "a folder outside the repository": re.compile(
        r"(?<![\w-])\.\./shared" + "|" + r"(?<![\w/-])shared" + r"/\w"
    ),
}


def test_no_file_names_a_registry_or_a_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}"
        for path in tracked_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="ignore").splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]

    assert [] == found
