package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func Write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// LongChat returns a chat file with a number of lines, every seventh with three swipes.
func LongChat(lines int) string {
	var b strings.Builder
	b.WriteString(`{"user_name":"Robin","character_name":"Tove","chat_metadata":{}}` + "\n")
	for i := range lines {
		swipes := ""
		if i%7 == 0 {
			swipes = fmt.Sprintf(`,"swipes":["one %d","two %d","line %d, said under the lamp"],"swipe_id":2`, i, i, i)
		}
		fmt.Fprintf(&b,
			`{"name":"%s","is_user":%t,"send_date":"2024-11-02T10:20:00.000Z","mes":"line %d, said under the `+
				`lamp"%s,"extra":{}}`+"\n",
			[]string{"Tove", "Robin"}[i%2], i%2 == 1, i, swipes)
	}
	return b.String()
}
