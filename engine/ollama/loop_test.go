package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the passage and the pieces that it comes in: a loop is noticed within 4 KiB.
func TestLoopWatch_NoticesALoopWithin4KiB(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before := rapid.StringN(0, 300, 3000).Draw(rt, "before")
		passage := rapid.StringN(1, 200, loopPeriod).Draw(rt, "passage")
		var w loopWatch
		w.add(before)
		text := strings.Repeat(passage, 4096/len(passage)+2)
		for at := 0; at < 4096; {
			n := min(rapid.IntRange(1, 40).Draw(rt, "piece"), len(text)-at)
			if w.add(text[at : at+n]) {
				return
			}
			at += n
		}
		rt.Fatalf("%d bytes again and again were not noticed", len(passage))
	})
}

func TestLoopWatch_LeavesWritersAlone(t *testing.T) {
	var list, refrain strings.Builder
	for i := range 400 {
		fmt.Fprintf(&list, "%d. I will not talk in class.\n", i)
		if fmt.Fprintf(&refrain, "And the rain went on, and on, and on, over the harbour. "); i%30 == 29 {
			fmt.Fprintf(&refrain, "It was night %d. ", i)
		}
	}
	for name, text := range map[string]string{
		"a numbered list":  list.String(),
		"a refrain":        refrain.String(),
		"a long scream":    "A" + strings.Repeat("a", 3000) + "! she cried.",
		"a punishment":     strings.Repeat("I will not talk in class. ", 130),
		"nothing":          "",
		"a ruler of marks": strings.Repeat("-", 2000) + "\n" + strings.Repeat("=", 2000),
	} {
		var w loopWatch
		for at := 0; at < len(text); at += 3 {
			if w.add(text[at:min(len(text), at+3)]) {
				t.Errorf("%s counts as a loop after %d of %d bytes", name, at, len(text))
				break
			}
		}
	}
}

// A server that never ends is left, with the reason, and what it wrote is kept.
func TestChat_ForEver(t *testing.T) {
	forEver := func(piece func(int) (content, thinking string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for i := 0; r.Context().Err() == nil; i++ {
				c, th := piece(i)
				line, _ := json.Marshal(map[string]any{"model": "m", "message": map[string]string{"role": "assistant", "content": c, "thinking": th}})
				if _, err := w.Write(append(line, '\n')); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
	written := func(i int) (string, string) { return fmt.Sprint("word ", i, " "), "" }
	thought := func(i int) (string, string) { return "", fmt.Sprint("thought ", i, " ") }
	for _, tt := range []struct {
		name   string
		piece  func(int) (string, string)
		giveUp time.Duration
		ending Ending
		fault  string
		most   int // bytes of content
	}{
		{"writes beyond its limit", written, 0, EndLength, "limit of 256 tokens", 1 << 14},
		{"thinks beyond its limit", thought, 0, EndThinkingOnly, "limit of 256 tokens", 0},
		{"thinks", thought, 20 * time.Millisecond, EndThinkingOnly, "ollama.give_up_after", 0},
		{"writes, then thinks", func(i int) (string, string) {
			if i < 3 {
				return written(i)
			}
			return thought(i)
		}, 20 * time.Millisecond, EndDied, "ollama.give_up_after", 1 << 10},
		{"loops", func(i int) (string, string) { return []string{"and so ", "it went on, "}[i%2], "" }, -1, EndRepeat, "repeated the same passage", 4 << 10},
		{"loops in its thoughts", func(i int) (string, string) { return "", []string{"wait, ", "no, "}[i%2] }, 0, EndThinkingOnly, "repeated the same passage", 0},
	} {
		req := request()
		req.Options.NumPredict = 1 << 20
		if strings.Contains(tt.fault, "256") {
			req.Options.NumPredict = 256
		}
		c := serve(t, forEver(tt.piece), WithGiveUp(tt.giveUp))
		res, err := c.Chat(context.Background(), req, nil)
		if err != nil || res.Ending != tt.ending || !strings.Contains(res.Fault, tt.fault) || len(res.Content) > tt.most || (tt.most > 0) != (res.Content != "") {
			t.Errorf("one that %s: %v, %s %q with %d bytes", tt.name, err, res.Ending, res.Fault, len(res.Content))
		}
	}
}

func BenchmarkLoopWatch(b *testing.B) {
	text := strings.Repeat("The rain went on over the harbour, and nobody spoke. Then she laughed. ", 40)
	var w loopWatch
	b.SetBytes(4)
	for i := 0; b.Loop(); i++ {
		at := i * 4 % (len(text) - 4)
		if i%97 == 0 {
			w.add(fmt.Sprint(i))
		}
		w.add(text[at : at+4])
	}
}
