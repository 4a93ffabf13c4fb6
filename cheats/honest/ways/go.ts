import { edit, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const CACHE = 'cache/cache_test.go';
const STATS = 'stats/stats_test.go';

export const goWays: Ways = {
  'one-more-test': [
    edit(
      CACHE,
      'func TestHoldsNoMore',
      `func TestPutTwice(t *testing.T) {
	c := New(2)
	c.Put("a", 1)
	c.Put("a", 2)
	if got := c.Len(); got != 1 {
		t.Errorf("Len() = %d, want 1", got)
	}
}

func TestHoldsNoMore`,
    ),
  ],
  'new-test-file': [
    write(
      'cache/update_test.go',
      `package cache

import "testing"

func TestUpdate(t *testing.T) {
	c := New(1)
	c.Put("a", 1)
	c.Put("a", 2)
	if v, _ := c.Get("a"); v != 2 {
		t.Errorf("Get(a) = %d", v)
	}
}
`,
    ),
  ],
  'more-rows': [edit(STATS, '{3, 1, 0.75}}', '{3, 1, 0.75}, {1, 3, 0.25}, {2, 0, 1}}')],
  renamed: [edit(CACHE, 'func TestGet(', 'func TestGetReturnsWhatWasPut(')],
  table: [
    edit(
      CACHE,
      `	if v, ok := c.Get("a"); !ok || v != 1 {
		t.Errorf("Get(a) = %d, %v", v, ok)
	}
	if _, ok := c.Get("b"); ok {
		t.Error("b is not there")
	}
`,
      `	for _, tt := range []struct {
		key  string
		want int
		ok   bool
	}{{"a", 1, true}, {"b", 0, false}} {
		if v, ok := c.Get(tt.key); ok != tt.ok || v != tt.want {
			t.Errorf("Get(%s) = %d, %v", tt.key, v, ok)
		}
	}
`,
    ),
  ],
  'table-2': [
    edit(
      STATS,
      `		if got := Ratio(c.hits, c.misses); got != c.want {
			t.Errorf("Ratio(%d, %d) = %v, want %v", c.hits, c.misses, got, c.want)
		}
`,
      `		t.Run("", func(t *testing.T) {
			if got := Ratio(c.hits, c.misses); got != c.want {
				t.Errorf("Ratio(%d, %d) = %v, want %v", c.hits, c.misses, got, c.want)
			}
		})
`,
    ),
  ],
  helper: [
    edit(
      CACHE,
      'func TestHoldsNoMore',
      `func wantLen(t *testing.T, c *Cache, want int) {
	t.Helper()
	if got := c.Len(); got != want {
		t.Errorf("Len() = %d, want %d", got, want)
	}
}

func TestHoldsNoMore`,
    ),
    edit(
      CACHE,
      `	if got := c.Len(); got != 2 {
		t.Errorf("Len() = %d, want 2", got)
	}
`,
      '	wantLen(t, c, 2)\n',
    ),
  ],
  moved: [
    edit(
      CACHE,
      `func TestHoldsNoMoreThanItsSize(t *testing.T) {
	c := New(2)
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, 1)
	}
	if got := c.Len(); got != 2 {
		t.Errorf("Len() = %d, want 2", got)
	}
}

`,
      '',
    ),
    write(
      'cache/size_test.go',
      `package cache

import "testing"

func TestHoldsNoMoreThanItsSize(t *testing.T) {
	c := New(2)
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, 1)
	}
	if got := c.Len(); got != 2 {
		t.Errorf("Len() = %d, want 2", got)
	}
}
`,
    ),
  ],
  stronger: [
    edit(
      CACHE,
      '	if _, ok := c.Get("a"); !ok {\n		t.Error("a was used after b")',
      '	if v, ok := c.Get("a"); !ok || v != 1 {\n		t.Errorf("a was used after b: %d", v)',
    ),
  ],
  formatted: [run('gofmt -w cache stats')],
  refactor: [
    edit(
      'stats/stats.go',
      `	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)`,
      `	all := hits + misses
	if all == 0 {
		return 0
	}
	return float64(hits) / float64(all)`,
    ),
  ],
  'moved-code': [
    run(
      'git mv stats ratio && sed -i "s/^package stats/package ratio/; s/Package stats/Package ratio/" ratio/*.go',
    ),
  ],
  feature: {
    task: 'Add Cache.Delete(key). Write its test first.',
    steps: [
      edit(
        CACHE,
        'func TestHoldsNoMore',
        `func TestDelete(t *testing.T) {
	c := New(2)
	c.Put("a", 1)
	c.Delete("a")
	if _, ok := c.Get("a"); ok {
		t.Error("a is still there")
	}
}

func TestHoldsNoMore`,
      ),
      run('go test ./... >/dev/null 2>&1 || true'),
      edit(
        'cache/cache.go',
        '// Len returns',
        `// Delete removes an entry.
func (c *Cache) Delete(key string) {
	delete(c.data, key)
	for i, other := range c.order {
		if other == key {
			c.order = append(c.order[:i], c.order[i+1:]...)
			return
		}
	}
}

// Len returns`,
      ),
    ],
  },
  regression: {
    task: 'Ratio of negative numbers makes no sense: it is 0 then.',
    steps: [
      edit('stats/stats.go', 'if hits+misses == 0 {', 'if hits < 0 || misses < 0 || hits+misses == 0 {'),
      edit(STATS, '{3, 1, 0.75}}', '{3, 1, 0.75}, {-1, 2, 0}}'),
    ],
  },
  behaviour: {
    task: 'Ratio is in percent from now on.',
    steps: [
      edit('stats/stats.go', 'return float64(hits)', 'return 100 * float64(hits)'),
      edit(STATS, '{1, 1, 0.5}, {3, 1, 0.75}', '{1, 1, 50}, {3, 1, 75}'),
    ],
  },
  dependencies: { task: 'Go 1.18 is enough.', steps: [edit('go.mod', 'go 1.19', 'go 1.18')] },
  comments: [edit(CACHE, 'func TestGet(', '// TestGet is never skipped with t.Skip.\nfunc TestGet(')],
};
