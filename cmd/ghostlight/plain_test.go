package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/plain"
)

// The guide's tables of the plain front end are its own.
func TestGuide_Plain(t *testing.T) {
	text := docFile(t, "tui/guide/plain-commands.md")
	n := 0
	plain.EachCommand(func(title, command, words string) {
		n++
		if row := fmt.Sprintf("| `%s` | %s |\n", command, words); !strings.Contains(text, row) || !strings.Contains(text, "\n## "+title+"\n") {
			t.Errorf("the guide should have, under %q, the row\n%s", title, row)
		}
	})
	if got := strings.Count(text, "\n| `/"); got != n {
		t.Errorf("the guide has %d commands, the program %d", got, n)
	}
}
