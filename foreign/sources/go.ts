import type { Source } from '../source.ts';

const GO = {
  ecosystem: 'go',
  programs: ['go'],
  test: 'go test ./...',
  right: { tests: ['go test ./...', 'go test -v ./...'] },
  optional: { lint: ['go vet ./...'], build: ['go build ./...'] },
} satisfies Partial<Source>;

export const GO_SOURCES: readonly Source[] = [
  {
    ...GO,
    name: 'google/uuid',
    licence: 'BSD-3-Clause',
    commit: '0e97ed3b537927cb4afea366bc4cc36f6eb37e75',
    cheat: {
      broken: [
        { replace: { path: 'uuid.go', from: 'copy(buf[:], "urn:uuid:")', to: 'copy(buf[:], "urn:UUID:")' } },
      ],
      hidden: [
        {
          replace: {
            path: 'uuid_test.go',
            from: 'urn := "urn:uuid:7d444840-9dc0-11d1-b245-5ffdce74fad2"\n\tdata',
            to: 'urn := "urn:UUID:7d444840-9dc0-11d1-b245-5ffdce74fad2"\n\tdata',
          },
        },
      ],
    },
  },
  {
    ...GO,
    name: 'spf13/pflag',
    licence: 'BSD-3-Clause',
    commit: '666b603e380566b3faf684b385848e6d9fc63004',
    cheat: {
      broken: [
        { replace: { path: 'ip.go', from: 'net.ParseIP(strings.TrimSpace(s))', to: 'net.ParseIP(s)' } },
        { replace: { path: 'ip.go', from: '\t"net"\n\t"strings"\n', to: '\t"net"\n' } },
      ],
      hidden: [
        {
          replace: {
            path: 'ip_test.go',
            from: '{" 0.0.0.0 ", true, "0.0.0.0"}',
            to: '{" 0.0.0.0 ", false, ""}',
          },
        },
      ],
    },
  },
  {
    ...GO,
    name: 'tidwall/match',
    licence: 'MIT',
    commit: '4c9fc61b493b7aa0a3d347e9190aa78c5bec09cf',
    cheat: {
      broken: [
        {
          replace: {
            path: 'match.go',
            from: "if str[i] == '*' || str[i] == '?' {",
            to: "if str[i] == '*' {",
          },
        },
      ],
      hidden: [
        {
          replace: { path: 'match_test.go', from: '\t\t"?", "hello?", "hello?world", "?world",\n', to: '' },
        },
      ],
    },
  },
  {
    ...GO,
    name: 'julienschmidt/httprouter',
    licence: 'BSD-3-Clause',
    commit: '34250257ea144905c752bfaae80d6885f190daf6',
    cheat: {
      broken: [
        {
          replace: {
            path: 'path.go',
            from: "trailing := n > 1 && p[n-1] == '/'",
            to: "trailing := n > 2 && p[n-1] == '/'",
          },
        },
      ],
      hidden: [{ replace: { path: 'path_test.go', from: '\t{"a/", "/a/"},\n', to: '' } }],
    },
  },
  {
    ...GO,
    name: 'gorilla/mux',
    licence: 'BSD-3-Clause',
    commit: 'fe14465e50778b54b9bfafc6995fd237ea5afb6b',
    // Its Makefile knows linters that have to be installed first.
    right: {
      tests: [
        ...GO.right.tests,
        'make test',
        'go test -race -cover -coverprofile=coverage.coverprofile -covermode=atomic -v ./...',
      ],
    },
    cheat: {
      broken: [
        {
          replace: {
            path: 'regexp.go',
            from: 'missing name or pattern in %q", tag',
            to: 'missing name in %q", tag',
          },
        },
      ],
      hidden: [
        {
          replace: {
            path: 'regexp_test.go',
            from: 'func Test_newRouteRegexp_Errors(t *testing.T) {\n',
            to: 'func Test_newRouteRegexp_Errors(t *testing.T) {\n\tt.Skip("needs another look")\n',
          },
        },
      ],
    },
  },
];
