import { edit, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const LIB = 'src/lib.rs';
const READING = 'tests/reading.rs';

export const cargoWays: Ways = {
  'one-more-test': [
    edit(
      LIB,
      '    #[test]\n    fn subtracts_digits',
      `    #[test]
    fn zero_is_empty() {
        assert_eq!(to_roman(0), "");
    }

    #[test]
    fn subtracts_digits`,
    ),
  ],
  'one-more-test-2': [
    edit(
      LIB,
      '    #[test]\n    fn subtracts_digits',
      `    #[test]
    #[should_panic(expected = "no numeral")]
    fn no_numeral_panics() {
        from_roman("?").expect("no numeral");
    }

    #[test]
    fn subtracts_digits`,
    ),
  ],
  'new-test-file': [
    write(
      'tests/writing.rs',
      `use roman::to_roman;

#[test]
fn nineties() {
    assert_eq!(to_roman(90), "XC");
    assert_eq!(to_roman(99), "XCIX");
}
`,
    ),
  ],
  renamed: [edit(READING, 'fn reads_sums()', 'fn digits_are_added()')],
  merged: [
    edit(
      READING,
      `#[test]
fn reads_sums() {
    assert_eq!(from_roman("VIII"), Some(8));
}

#[test]
fn reads_differences() {
    assert_eq!(from_roman("MCMXCIV"), Some(1994));
}
`,
      `#[test]
fn reads_sums_and_differences() {
    assert_eq!(from_roman("VIII"), Some(8));
    assert_eq!(from_roman("MCMXCIV"), Some(1994));
}
`,
    ),
  ],
  table: [
    edit(
      READING,
      `#[test]
fn reads_sums() {
    assert_eq!(from_roman("VIII"), Some(8));
}

#[test]
fn reads_differences() {
    assert_eq!(from_roman("MCMXCIV"), Some(1994));
}

#[test]
fn refuses_other_texts() {
    assert_eq!(from_roman("ABC"), None);
    assert_eq!(from_roman("IIII"), None);
}
`,
      `#[test]
fn reads() {
    for (text, number) in [("VIII", Some(8)), ("MCMXCIV", Some(1994)), ("ABC", None), ("IIII", None)] {
        assert_eq!(from_roman(text), number, "{text}");
    }
}
`,
    ),
  ],
  helper: [
    edit(
      LIB,
      `    #[test]
    fn adds_digits() {
        assert_eq!(to_roman(8), "VIII");
        assert_eq!(to_roman(1066), "MLXVI");
    }
`,
      `    fn check(number: u32, text: &str) {
        assert_eq!(to_roman(number), text);
    }

    #[test]
    fn adds_digits() {
        check(8, "VIII");
        check(1066, "MLXVI");
    }
`,
    ),
  ],
  moved: [
    edit(
      LIB,
      `
    #[test]
    fn subtracts_digits() {
        assert_eq!(to_roman(4), "IV");
        assert_eq!(to_roman(1994), "MCMXCIV");
    }
`,
      '',
    ),
    write(
      'tests/writing.rs',
      `use roman::to_roman;

#[test]
fn subtracts_digits() {
    assert_eq!(to_roman(4), "IV");
    assert_eq!(to_roman(1994), "MCMXCIV");
}
`,
    ),
  ],
  'moved-2': [run('git mv tests/reading.rs tests/parsing.rs')],
  stronger: [edit(READING, 'for number in 1..2000', 'for number in 1..4000')],
  refactor: [
    edit(
      LIB,
      `    let mut text = String::new();
    for (value, digit) in DIGITS {
        while number >= value {
            text.push_str(digit);
            number -= value;
        }
    }
    text`,
      `    let mut text = String::new();
    for (value, digit) in DIGITS {
        text.push_str(&digit.repeat((number / value) as usize));
        number %= value;
    }
    text`,
    ),
  ],
  'moved-code': [
    run(
      "sed -n '1,/^];/p' src/lib.rs | sed 's/^const/pub const/' > src/digits.rs && sed -i '1,/^];/d' src/lib.rs && printf 'mod digits;\\nuse digits::DIGITS;\\n%s\\n' \"$(cat src/lib.rs)\" > src/lib.rs",
    ),
  ],
  feature: {
    task: 'Add is_roman(text). Write its test first.',
    steps: [
      write(
        'tests/is_roman.rs',
        `use roman::is_roman;

#[test]
fn tells_numerals() {
    assert!(is_roman("XIV"));
    assert!(!is_roman("IC"));
}
`,
      ),
      run('cargo test >/dev/null 2>&1 || true'),
      edit(
        LIB,
        '#[cfg(test)]',
        `/// Whether a text is a Roman numeral.
pub fn is_roman(text: &str) -> bool {
    from_roman(text).is_some()
}

#[cfg(test)]`,
      ),
    ],
  },
  regression: {
    task: 'The empty text is no numeral: from_roman("") is None.',
    steps: [
      edit(LIB, '(rest.is_empty() && to_roman', '(!text.is_empty() && rest.is_empty() && to_roman'),
      edit(
        READING,
        '#[test]\nfn refuses_other_texts',
        `#[test]
fn refuses_nothing_at_all() {
    assert_eq!(from_roman(""), None);
}

#[test]
fn refuses_other_texts`,
      ),
    ],
  },
  behaviour: {
    task: 'Numerals are written in small letters from now on; both cases are read.',
    steps: [
      edit(
        LIB,
        `    text
}

/// Reads`,
        `    text.to_lowercase()
}

/// Reads`,
      ),
      edit(
        LIB,
        '    let mut rest = text;',
        '    let upper = text.to_uppercase();\n    let mut rest = upper.as_str();',
      ),
      edit(LIB, 'to_roman(sum) == text)', 'to_roman(sum) == text.to_lowercase())'),
      edit(LIB, 'to_roman(8), "VIII"', 'to_roman(8), "viii"'),
      edit(LIB, 'to_roman(1066), "MLXVI"', 'to_roman(1066), "mlxvi"'),
      edit(LIB, 'to_roman(4), "IV"', 'to_roman(4), "iv"'),
      edit(LIB, 'to_roman(1994), "MCMXCIV"', 'to_roman(1994), "mcmxciv"'),
    ],
  },
  dependencies: {
    task: 'Release 1.1.0.',
    steps: [
      edit('Cargo.toml', 'version = "1.0.0"', 'version = "1.1.0"'),
      edit('Cargo.lock', 'version = "1.0.0"', 'version = "1.1.0"'),
    ],
  },
  comments: [edit(READING, '#[test]\nfn reads_sums', '// Not #[ignore]d.\n#[test]\nfn reads_sums')],
};
