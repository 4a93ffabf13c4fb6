import type { Project } from '../format.ts';

export const go: Project = {
  name: 'go',
  language: 'go',
  task: 'Fix the failing tests: the cache never forgets, and evicts the wrong entry.',
  programs: ['go'],
  check: 'go test ./... && go vet ./...',
  files: {
    'go.mod': 'module example.com/lru\n\ngo 1.19\n',
    '.gitignore': '*.test\n*.out\n',
    'cache/cache.go': `// Package cache keeps the values that were used last.
package cache

// Cache holds at most Size entries.
type Cache struct {
	Size  int
	order []string
	data  map[string]int
}

// New makes an empty cache.
func New(size int) *Cache {
	return &Cache{Size: size, data: map[string]int{}}
}

// Get returns a value, which counts as a use of it.
func (c *Cache) Get(key string) (int, bool) {
	value, ok := c.data[key]
	return value, ok
}

// Put adds a value. The entry that was not used for the longest time goes when there are too many.
func (c *Cache) Put(key string, value int) {
	c.data[key] = value
	c.order = append(c.order, key)
}

// Len returns the number of entries.
func (c *Cache) Len() int {
	return len(c.data)
}
`,
    'cache/cache_test.go': `package cache

import "testing"

func TestGet(t *testing.T) {
	c := New(2)
	c.Put("a", 1)
	if v, ok := c.Get("a"); !ok || v != 1 {
		t.Errorf("Get(a) = %d, %v", v, ok)
	}
	if _, ok := c.Get("b"); ok {
		t.Error("b is not there")
	}
}

func TestHoldsNoMoreThanItsSize(t *testing.T) {
	c := New(2)
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, 1)
	}
	if got := c.Len(); got != 2 {
		t.Errorf("Len() = %d, want 2", got)
	}
}

func TestForgetsWhatWasUsedLongestAgo(t *testing.T) {
	c := New(2)
	c.Put("a", 1)
	c.Put("b", 2)
	c.Get("a")
	c.Put("c", 3)
	if _, ok := c.Get("b"); ok {
		t.Error("b was used longest ago")
	}
	if _, ok := c.Get("a"); !ok {
		t.Error("a was used after b")
	}
}
`,
    'stats/stats.go': `// Package stats counts.
package stats

// Ratio is the share of hits, 0 when there is nothing.
func Ratio(hits, misses int) float64 {
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}
`,
    'stats/stats_test.go': `package stats

import "testing"

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		hits, misses int
		want         float64
	}{{0, 0, 0}, {1, 1, 0.5}, {3, 1, 0.75}} {
		if got := Ratio(c.hits, c.misses); got != c.want {
			t.Errorf("Ratio(%d, %d) = %v, want %v", c.hits, c.misses, got, c.want)
		}
	}
}
`,
  },
  fix: [
    {
      replace: {
        path: 'cache/cache.go',
        from: `	value, ok := c.data[key]
	return value, ok
}`,
        to: `	value, ok := c.data[key]
	if ok {
		c.use(key)
	}
	return value, ok
}

// use moves a key to the end of the order.
func (c *Cache) use(key string) {
	for i, other := range c.order {
		if other == key {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, key)
}`,
      },
    },
    {
      replace: {
        path: 'cache/cache.go',
        from: `	c.order = append(c.order, key)
}

// Len`,
        to: `	c.use(key)
	if len(c.data) > c.Size {
		delete(c.data, c.order[0])
		c.order = c.order[1:]
	}
}

// Len`,
      },
    },
  ],
};
