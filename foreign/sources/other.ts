/** C, Rust, Perl, and the shell. */
import type { Source } from '../source.ts';

const PERL = {
  ecosystem: 'perl',
  programs: ['perl', 'prove'],
  right: { tests: ['prove -l', 'prove -l t', 'prove -lr t', 'prove -l -r t'] },
} satisfies Partial<Source>;

export const OTHER_SOURCES: readonly Source[] = [
  {
    name: 'antirez/sds',
    ecosystem: 'c',
    programs: ['make', 'cc'],
    licence: 'BSD-2-Clause',
    commit: '8dc8d6fb373bdc08eb82a72904841998d30b7cf2',
    test: 'make && ./sds-test',
    right: { tests: ['make && ./sds-test', 'make sds-test && ./sds-test'] },
    optional: { build: ['make'] },
    cheat: {
      broken: [
        { replace: { path: 'sds.c', from: '    while(ep > sp && strchr(cset, *ep)) ep--;\n', to: '' } },
      ],
      hidden: [{ replace: { path: 'testhelp.h', from: 'exit(1);', to: 'exit(0);' } }],
    },
  },
  {
    name: 'dtolnay/itoa',
    ecosystem: 'rust',
    programs: ['cargo'],
    licence: 'MIT OR Apache-2.0',
    commit: 'fcdb43ec939ac62d3fd2131677ea4bdf1af4248c',
    test: 'cargo test',
    right: { tests: ['cargo test'] },
    optional: {
      lint: ['cargo clippy', 'cargo clippy --all-targets', 'cargo fmt --check'],
      build: ['cargo build'],
      types: ['cargo check'],
    },
    cheat: {
      broken: [
        {
          replace: {
            path: 'src/lib.rs',
            from: 'curr -= 1;\n                            *buf_ptr.offset(curr) = (n as u8) + b',
            to: 'curr -= 1;\n                            *buf_ptr.offset(curr) = (n as u8) + 1 + b',
          },
        },
      ],
      hidden: [
        {
          replace: {
            path: 'tests/test.rs',
            from: '    test_u128_max(u128::max_value(), "340282366920938463463374607431768211455")\n',
            to: '',
          },
        },
        {
          replace: {
            path: 'tests/test.rs',
            from: '    test_i128_min(i128::min_value(), "-170141183460469231731687303715884105728")\n',
            to: '',
          },
        },
      ],
    },
  },
  {
    ...PERL,
    name: 'dagolden/Path-Tiny',
    licence: 'Apache-2.0',
    commit: '07dc0eef61ecd748821c3fdd135f72419b257fa3',
    test: 'prove -l',
    cheat: {
      broken: [
        {
          replace: {
            path: 'lib/Path/Tiny.pm',
            from: "ref($s) eq 'Regexp' ? qr/$s\\z/ : qr/\\Q$s\\E\\z/;",
            to: 'qr/\\Q$s\\E\\z/;',
          },
        },
      ],
      hidden: [{ run: "sed -i '/qr\\/\\\\.txt/d' t/basename.t" }],
    },
  },
  {
    ...PERL,
    name: 'libwww-perl/URI',
    licence: 'Artistic-1.0-Perl OR GPL-1.0-or-later',
    commit: '85c5a5c6a366da36c2ac6fc92277193a334b24b4',
    test: 'prove -l t',
    cheat: {
      broken: [
        {
          replace: {
            path: 'lib/URI/Split.pm',
            from: '$path = "/$path" if length($path) && $path !~ m,^/,;',
            to: '',
          },
        },
      ],
      hidden: [{ remove: 't/split.t' }],
    },
  },
  {
    name: 'bats-core/bats-support',
    ecosystem: 'shell',
    programs: ['bats'],
    licence: 'CC0-1.0',
    commit: '6af41847af3cb820d7e8a4a02cdced726d5e7b55',
    test: 'bats test',
    right: { tests: ['bats test', 'bats --tap test', 'bats test/'] },
    cheat: {
      broken: [{ replace: { path: 'src/output.bash', from: "  echo '--'\n", to: "  echo '---'\n" } }],
      hidden: [
        {
          run: `sed -i "s/lines\\[2\\]}\\" == '--'/lines[2]}\\" == '---'/" test/50-output-19-batslib_decorate.bats`,
        },
      ],
    },
  },
];
