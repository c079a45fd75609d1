package enginetest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// WriteLongChat writes a chat of n messages of some 130 letters each, as SillyTavern does.
func WriteLongChat(tb testing.TB, path string, n int) {
	tb.Helper()
	f, err := os.Create(path)
	Must(tb, err)
	w := bufio.NewWriter(f)
	names := strings.Fields("lamp sea harbour keeper rope tide gull stair lantern salt glass letter coat window " +
		"storm ferry oil brass wick log book hand voice step door kettle night wind rain shore")
	r := rand.New(rand.NewPCG(1, 2))
	_, _ = w.WriteString(`{"chat_metadata":{},"user_name":"Robin","character_name":"Mara Quill"}` + "\n")
	for i := range n {
		_,
			_ = fmt.Fprintf(w,
			`{"name":%q,"is_user":%t,"is_system":false,"send_date":"2024-11-02T10:11:12.000Z","mes":"%d`,
			[]string{"Robin", "Mara Quill"}[i%2], i%2 == 0, i)
		for range 24 {
			_, _ = w.WriteString(" " + names[r.IntN(len(names))])
		}
		_, _ = w.WriteString(`","extra":{}}` + "\n")
	}
	Must(tb, w.Flush())
	Must(tb, f.Close())
}
