package widget

import (
	"fmt"
	"strconv"
	"strings"
)

// OffOn are the options of a field that is off or on.
var OffOn = []string{"no", "yes"}

// ParseInt returns a whole number that was typed. An error says what it must be.
func ParseInt(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a whole number from %d to %d", least, most)
	}
	return n, nil
}
