package widget

import (
	"fmt"
	"strconv"
	"strings"
)

// OffOn are the options of an on/off field.
var OffOn = []string{"no", "yes"}

// ParseInt parses a whole number. The error says what it must be.
func ParseInt(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a whole number from %d to %d", least, most)
	}
	return n, nil
}
