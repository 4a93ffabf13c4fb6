"""Titles as parts of addresses."""

import re


def slug(title: str) -> str:
    """Makes "Hello, World!" into "hello-world"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower())
