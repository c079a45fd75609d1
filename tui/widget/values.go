package widget

import (
	"fmt"
	"strconv"
	"strings"
)

// NoYes are the options of a field that is off or on.
var NoYes = []string{"no", "yes"}

// WholeIn is a whole number that was typed. An error says what it must be.
func WholeIn(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a whole number from %d to %d", least, most)
	}
	return n, nil
}
