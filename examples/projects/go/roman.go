// Package roman writes numbers as the Romans did.
package roman

import "strings"

var signs = []struct {
	value int
	sign  string
}{{10, "X"}, {5, "V"}, {1, "I"}}

// Write returns a number from 1 to 39 in Roman signs.
func Write(number int) string {
	var out strings.Builder
	for _, s := range signs {
		for number >= s.value {
			out.WriteString(s.sign)
			number -= s.value
		}
	}
	return out.String()
}
