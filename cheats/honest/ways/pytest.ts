import { edit, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const AMOUNTS = 'tests/test_amounts.py';
const ACCOUNT = 'tests/test_account.py';

export const pytestWays: Ways = {
  'one-more-test': [
    edit(
      AMOUNTS,
      'def test_formats_amounts',
      `def test_reads_zero():
    assert parse_amount("0.00") == 0


def test_formats_amounts`,
    ),
  ],
  'new-test-file': [
    write(
      'tests/test_round_trip.py',
      `import pytest

from ledger.amounts import format_amount, parse_amount


@pytest.mark.parametrize("cents", [0, 5, -40, 1250, -305])
def test_round_trip(cents):
    assert parse_amount(format_amount(cents)) == cents
`,
    ),
  ],
  'more-rows': [edit(AMOUNTS, '["", "a", "1.5", "1.2.3"]', '["", "a", "1.5", "1.2.3", "1.234", "."]')],
  renamed: [
    edit(ACCOUNT, 'def test_deposits_add_up', 'def test_a_deposit_raises_the_balance'),
    edit(AMOUNTS, 'def test_reads_cents', 'def test_reads_two_digits_of_cents'),
  ],
  merged: [
    edit(
      AMOUNTS,
      `def test_reads_whole_amounts():
    assert parse_amount("12") == 1200


def test_reads_cents():
    assert parse_amount("12.50") == 1250
`,
      `def test_reads_amounts():
    assert parse_amount("12") == 1200
    assert parse_amount("12.50") == 1250
`,
    ),
  ],
  table: [
    edit(
      AMOUNTS,
      `def test_reads_whole_amounts():
    assert parse_amount("12") == 1200


def test_reads_cents():
    assert parse_amount("12.50") == 1250


def test_reads_negative_amounts():
    assert parse_amount("-3.05") == -305
    assert parse_amount("-0.40") == -40
`,
      `@pytest.mark.parametrize(
    "text, cents", [("12", 1200), ("12.50", 1250), ("-3.05", -305), ("-0.40", -40)]
)
def test_reads_amounts(text, cents):
    assert parse_amount(text) == cents
`,
    ),
  ],
  helper: [
    edit(
      ACCOUNT,
      'def test_deposits_add_up',
      `def assert_balances(one, other, balances):
    assert (one.balance, other.balance) == balances


def test_deposits_add_up`,
    ),
    edit(
      ACCOUNT,
      '    assert (rich.balance, poor.balance) == (9100, 1000)',
      '    assert_balances(rich, poor, (9100, 1000))',
    ),
    edit(
      ACCOUNT,
      '    assert (poor.balance, other.balance) == (100, 0)',
      '    assert_balances(poor, other, (100, 0))',
    ),
  ],
  moved: [
    edit(
      AMOUNTS,
      `

def test_formats_amounts():
    assert format_amount(-305) == "-3.05"
`,
      '\n',
    ),
    edit(AMOUNTS, 'import format_amount, parse_amount', 'import parse_amount'),
    write(
      'tests/test_format.py',
      `from ledger.amounts import format_amount


def test_formats_amounts():
    assert format_amount(-305) == "-3.05"
`,
    ),
  ],
  'moved-2': [run('mkdir -p tests/unit && git mv tests/test_amounts.py tests/unit/test_amounts.py')],
  stronger: [
    edit(
      AMOUNTS,
      '    with pytest.raises(ValueError):\n        parse_amount(text)',
      '    with pytest.raises(ValueError) as raised:\n        parse_amount(text)\n    assert str(raised.value)',
    ),
  ],
  formatted: [run("sed -i 's/\\\"/'\\''/g' tests/test_account.py")],
  refactor: [
    edit(
      'src/ledger/amounts.py',
      '    sign = "-" if cents < 0 else ""\n    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"',
      '    whole, rest = divmod(abs(cents), 100)\n    sign = "-" if cents < 0 else ""\n    return f"{sign}{whole}.{rest:02d}"',
    ),
  ],
  'moved-code': [
    write('src/ledger/errors.py', 'class NotEnough(Exception):\n    pass\n'),
    edit(
      'src/ledger/account.py',
      'class NotEnough(Exception):\n    pass\n',
      'from .errors import NotEnough\n',
    ),
    edit(
      ACCOUNT,
      'from ledger.account import Account, NotEnough',
      'from ledger.account import Account\nfrom ledger.errors import NotEnough',
    ),
  ],
  feature: {
    task: 'Add Account.withdraw(cents), which raises NotEnough. Write its test first.',
    steps: [
      write(
        'tests/test_withdraw.py',
        `import pytest

from ledger.account import NotEnough


def test_withdraw(rich):
    rich.withdraw(1)
    assert rich.balance == 9999


def test_not_enough(poor):
    with pytest.raises(NotEnough):
        poor.withdraw(101)
`,
      ),
      run('python3 -m pytest -q >/dev/null 2>&1 || true'),
      edit(
        'src/ledger/account.py',
        '    def transfer',
        `    def withdraw(self, cents):
        if cents > self.balance:
            raise NotEnough(cents)
        self.balance -= cents

    def transfer`,
      ),
    ],
  },
  regression: {
    task: 'A transfer of a negative amount takes money from the other. Refuse it with a ValueError.',
    steps: [
      edit(
        'src/ledger/account.py',
        '        if cents > self.balance:',
        '        if cents <= 0:\n            raise ValueError("a transfer is positive")\n        if cents > self.balance:',
      ),
      edit(
        ACCOUNT,
        'def test_transfers_need_a_balance',
        `def test_transfers_are_positive(rich, poor):
    with pytest.raises(ValueError):
        rich.transfer(poor, -5)


def test_transfers_need_a_balance`,
      ),
    ],
  },
  comments: [
    edit(
      ACCOUNT,
      'def test_deposits_add_up(poor):',
      'def test_deposits_add_up(poor):\n    """Is not skipped, and not marked as xfail."""',
    ),
    edit('src/ledger/account.py', 'class Account:', 'class Account:\n    """Money in cents."""\n'),
  ],
  behaviour: {
    task: 'Amounts are formatted with a currency from now on: "-3.05 EUR".',
    steps: [
      edit('src/ledger/amounts.py', ':02d}"', ':02d} EUR"'),
      edit(AMOUNTS, '== "-3.05"', '== "-3.05 EUR"'),
    ],
  },
  removed: {
    task: 'format_amount is used nowhere. Remove it, and its test.',
    steps: [
      edit(
        AMOUNTS,
        `

def test_formats_amounts():
    assert format_amount(-305) == "-3.05"
`,
        '\n',
      ),
      edit(AMOUNTS, 'import format_amount, parse_amount', 'import parse_amount'),
      edit(
        'src/ledger/amounts.py',
        `

def format_amount(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
`,
        '\n',
      ),
    ],
    answers: [['allow', 'removed:tests/test_amounts.py:test_formats_amounts']],
  },
  flaky: {
    person: [
      write(
        'src/ledger/clock.py',
        `import threading


def later(done):
    timer = threading.Timer(0.01, done)
    timer.start()
    return timer
`,
      ),
      write(
        'tests/test_clock.py',
        `import time

from ledger.clock import later


def test_later():
    seen = []
    later(lambda: seen.append(1))
    time.sleep(0.3)
    assert seen == [1]
`,
      ),
    ],
    steps: [
      write(
        'tests/test_clock.py',
        `from ledger.clock import later


def test_later():
    seen = []
    later(lambda: seen.append(1)).join(timeout=5)
    assert seen == [1]
`,
      ),
    ],
  },
  settings: [
    edit(
      'pyproject.toml',
      'pythonpath = ["src"]\n',
      `pythonpath = ["src"]
addopts = "--strict-markers"

[tool.coverage.run]
branch = true

[tool.coverage.report]
fail_under = 80
`,
    ),
  ],
  dependencies: {
    task: 'The version is 1.1.0, and Python 3.9 is needed.',
    steps: [edit('pyproject.toml', 'version = "1.0.0"', 'version = "1.1.0"\nrequires-python = ">=3.9"')],
  },
};
