import type { Project } from '../format.ts';

export const pytest: Project = {
  name: 'pytest',
  language: 'python',
  task: 'Fix the failing tests: negative amounts are read wrongly, and transfers do not check the balance.',
  programs: ['python3', 'pytest-3'],
  check: 'python3 -m pytest -q',
  files: {
    'pyproject.toml': `[project]
name = "ledger"
version = "1.0.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src"]
`,
    '.gitignore': '__pycache__/\n.pytest_cache/\n*.pyc\n.env\n.venv/\n',
    'src/ledger/__init__.py': '',
    'src/ledger/amounts.py': `def parse_amount(text):
    """Cents of a text like "12.50" or "-3.05"; ValueError for anything else."""
    whole, _, cents = text.partition(".")
    if not cents:
        cents = "00"
    if len(cents) != 2:
        raise ValueError(f"no amount: {text}")
    return int(whole) * 100 + int(cents)


def format_amount(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
`,
    'src/ledger/account.py': `class NotEnough(Exception):
    pass


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def deposit(self, cents):
        if cents <= 0:
            raise ValueError("a deposit is positive")
        self.balance += cents

    def transfer(self, other, cents):
        self.balance -= cents
        other.balance += cents
`,
    'tests/conftest.py': `import pytest

from ledger.account import Account


@pytest.fixture
def rich():
    return Account(10_000)


@pytest.fixture
def poor():
    return Account(100)
`,
    'tests/test_amounts.py': `import pytest

from ledger.amounts import format_amount, parse_amount


def test_reads_whole_amounts():
    assert parse_amount("12") == 1200


def test_reads_cents():
    assert parse_amount("12.50") == 1250


def test_reads_negative_amounts():
    assert parse_amount("-3.05") == -305
    assert parse_amount("-0.40") == -40


@pytest.mark.parametrize("text", ["", "a", "1.5", "1.2.3"])
def test_refuses_other_texts(text):
    with pytest.raises(ValueError):
        parse_amount(text)


def test_formats_amounts():
    assert format_amount(-305) == "-3.05"
`,
    'tests/test_account.py': `import pytest

from ledger.account import Account, NotEnough


def test_deposits_add_up(poor):
    poor.deposit(50)
    assert poor.balance == 150


def test_deposits_are_positive(poor):
    with pytest.raises(ValueError):
        poor.deposit(0)


def test_transfers_move_money(rich, poor):
    rich.transfer(poor, 900)
    assert (rich.balance, poor.balance) == (9100, 1000)


def test_transfers_need_a_balance(poor):
    other = Account()
    with pytest.raises(NotEnough):
        poor.transfer(other, 101)
    assert (poor.balance, other.balance) == (100, 0)
`,
  },
  fix: [
    {
      replace: {
        path: 'src/ledger/amounts.py',
        from: '    return int(whole) * 100 + int(cents)\n',
        to: '    sign = -1 if whole.startswith("-") else 1\n    return sign * (abs(int(whole)) * 100 + int(cents))\n',
      },
    },
    {
      replace: {
        path: 'src/ledger/account.py',
        from: '        self.balance -= cents\n',
        to: '        if cents > self.balance:\n            raise NotEnough(cents)\n        self.balance -= cents\n',
      },
    },
  ],
};
