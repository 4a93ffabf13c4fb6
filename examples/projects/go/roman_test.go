package roman

import "testing"

func TestSums(t *testing.T) {
	if got := Write(17); got != "XVII" {
		t.Errorf("17 is %s", got)
	}
}

func TestDifferences(t *testing.T) {
	if got := Write(14); got != "XIV" {
		t.Errorf("14 is %s", got)
	}
}
