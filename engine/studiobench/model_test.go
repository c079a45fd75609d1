package studiobench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// model plays the server's model. It reads the request as a reader would (see
// reader_test.go), does what its order says in words of its own, and is careless at a rate:
// then it writes what it always writes, forgets somebody, or says nothing of how they look.
// Of the program it knows what a camera can be set to, and nothing of what checks its
// answers.
type model struct {
	mu       sync.Mutex
	r        *rand.Rand
	careless float64
	asked    int
	again    int
}

// mine are the words that this model has for choices of the camera.
var mine = map[string]string{
	"shot extreme-wide": "An extreme wide shot: two small figures in a great space",
	"shot wide":         "A wide shot that takes in the whole room",
	"shot full":         "A full-length shot, nothing of the figures cut off",
	"shot medium":       "A medium shot, framed from the waist up",
	"shot medium-close": "A medium close-up",
	"shot close":        "A tight close-up",
	"shot detail":       "An extreme close-up, a single detail filling all there is",
	"angle eye":         "the camera stays at eye level",
	"angle low":         "seen from below, a low angle",
	"angle high":        "seen from above, a high angle",
	"angle overhead":    "a top-down view",
	"angle ground":      "shot from ground level, the camera near the floor",
	"angle dutch":       "a canted frame, the horizon tilted",
	"angle shoulder":    "an over-the-shoulder shot",
	"angle profile":     "a profile view",
	"angle behind":      "a view from behind, seen from the back",
	"lighting candle":   "Candles burn low and warm the faces; candlelight is all there is",
	"lighting moon":     "Pale moonlight lies on everything",
	"lighting noon":     "The midday sun stands straight overhead and bleaches the scene",
}

// habits are what it writes when it does not listen.
var habits = []string{
	"Medium shot from slightly below eye level. Late morning light falls through a tall window.",
	"A wide shot, the camera looking down from a high angle, golden hour outside.",
	"Close-up, seen in profile, lit by a single candle.",
	"Medium wide shot at eye level; a lamp on the table is the only source of light.",
}

func (m *model) Answer(format json.RawMessage, messages []storage.Node) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s struct {
		Properties map[string]struct{ MaxItems int }
	}
	if json.Unmarshal(format, &s) != nil {
		return "", false
	}
	if list, ok := s.Properties["views"]; ok {
		return m.views(newReading(messages), list.MaxItems), true
	}
	if _, ok := s.Properties["negative_prompt"]; !ok {
		return "", false
	}
	m.asked++
	rate := m.careless
	if repeated(messages) {
		m.again++
		rate /= 2 // told what was wrong, it listens more often, and not always
	}
	prompt := m.describe(newReading(messages), rate)
	data, err := json.Marshal(map[string]any{"reasoning": "The newest message decides.", "prompt": prompt, "negative_prompt": "blur"})
	return string(data), err == nil
}

// said are the model's words for a choice.
func said(control string, c chosen) string {
	if own, ok := mine[control+" "+c.key]; ok {
		return own
	}
	return c.phrase
}

func framed(l map[string]chosen) string {
	var parts []string
	for _, name := range []string{"shot", "angle", "lens", "composition"} {
		if c, ok := l[name]; ok {
			parts = append(parts, said(name, c))
		}
	}
	if len(parts) == 0 {
		return "A quiet view of the moment."
	}
	s := strings.Join(parts, ", ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func lit(l map[string]chosen) string {
	c, ok := l["lighting"]
	if !ok {
		return ""
	}
	s := said("lighting", c) + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func (m *model) describe(r reading, rate float64) string {
	l := choices(r.order)
	var out []string
	if m.r.Float64() < rate {
		out = append(out, habits[m.r.IntN(len(habits))])
	} else {
		out = append(out, framed(l), lit(l))
	}
	if r.action != "" {
		out = append(out, r.action)
	}
	does := []string{"stands near the table and does not look away", "leans on the wall behind, arms crossed, and waits", "kneels on the boards with one hand on the rope", "sits on the step"}
	for i, p := range r.people {
		switch {
		case i > 0 && m.r.Float64() < rate: // forgotten
		case m.r.Float64() < rate || p.looks == "":
			out = append(out, p.name+" "+does[i%4]+".")
		default:
			short, _, _ := strings.Cut(p.looks, ". ")
			out = append(out, fmt.Sprintf("%s, %s, %s.", p.name, strings.TrimRight(short, "."), does[i%4]))
		}
	}
	out = append(out, "The boards are worn and the dust lies thick along the edge of the table.", "A rope hangs down on the left, its end frayed, and behind it the bare wall shows its bricks.",
		"Hands, sleeves and the grain of the wood are drawn with care, while everything farther away loses its edges.", "The palette keeps to umber, grey and one spot of faded red, and the paper shows through where nothing is drawn.",
		"Nothing moves but a thread of smoke that nobody looks at, and the moment holds as a breath does before an answer comes.")
	if rate > 0 && m.r.Float64() < rate {
		out = append(out, "Late morning light warms the far corner.")
	}
	return strings.Join(out, " ")
}

// views writes sentences anew for several cameras; carelessly, it leaves one as it is.
func (m *model) views(r reading, cameras int) string {
	var list []map[string]any
	for i, order := range r.cameras(cameras) {
		l := choices(order)
		var sentences []map[string]any
		for _, s := range r.sentences {
			text := s.text
			if s.n == 1 && m.r.Float64() >= m.careless {
				text = framed(l)
			}
			sentences = append(sentences, map[string]any{"n": s.n, "text": text})
		}
		list = append(list, map[string]any{"camera": i + 1, "sentences": sentences})
	}
	data, err := json.Marshal(map[string]any{"views": list})
	if err != nil {
		return ""
	}
	return string(data)
}
