package studiobench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// model plays the server's model. It reads the request as a reader would, does what its
// order says in words of its own, and is careless at a rate: then it writes what it
// always writes, forgets somebody, or says nothing of how they look. Of the program it
// knows the prompts and the schemas, and nothing of what checks its answers.
type model struct {
	mu       sync.Mutex
	r        *rand.Rand
	careless float64
	asked    int
	again    int
}

// mine are the words that this model has for what orders say.
var mine = map[string]string{
	"extreme wide shot, the figures small in their surroundings": "An extreme wide shot: two small figures in a great space",
	"wide shot, whole figures and the room around them":          "A wide shot that takes in the whole room",
	"full shot, figures from head to foot":                       "A full-length shot, nothing of the figures cut off",
	"medium shot, figures from the waist up":                     "A medium shot, framed from the waist up",
	"medium close-up, head and shoulders":                        "A medium close-up",
	"close-up of the face":                                       "A tight close-up",
	"extreme close-up of a single detail":                        "An extreme close-up, a single detail filling all there is",
	"camera at eye level":                                        "the camera stays at eye level",
	"low angle, looking up":                                      "seen from below, a low angle",
	"high angle, looking down":                                   "seen from above, a high angle",
	"seen from straight above":                                   "a top-down view",
	"camera close to the floor":                                  "shot from ground level, the camera near the floor",
	"tilted horizon, Dutch angle":                                "a canted frame, the horizon tilted",
	"over-the-shoulder view":                                     "an over-the-shoulder shot",
	"seen in profile":                                            "a profile view",
	"seen from behind":                                           "a view from behind, seen from the back",
	"flickering candlelight, warm faces out of the dark":         "Candles burn low and warm the faces; candlelight is all there is",
	"pale moonlight, deep blue shadows":                          "Pale moonlight lies on everything",
	"hard overhead midday sun":                                   "The midday sun stands straight overhead and bleaches the scene",
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
	last := messages[len(messages)-1].Content
	again := strings.Contains(last, "breaks the rules") || strings.Contains(last, "cannot be used")
	text := ""
	for _, n := range messages {
		if n.Role != storage.Assistant {
			text += n.Content + "\n"
		}
	}
	switch {
	case strings.Contains(string(format), `"views"`):
		return m.views(text), true
	case !strings.Contains(string(format), `"negative_prompt"`):
		return "", false
	}
	m.asked++
	rate := m.careless
	if again {
		m.again++
		rate /= 2 // told what was wrong, it listens more often, and not always
	}
	data, err := json.Marshal(map[string]any{"reasoning": "The newest message decides.", "prompt": m.describe(text, rate), "negative_prompt": "blur"})
	return string(data), err == nil
}

// look is what an order decides, by the names of its lines.
func look(text string) map[string]string {
	out := map[string]string{}
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		for _, name := range []string{"Shot", "Angle", "Lens", "Light", "Composition", "Mood", "Place", "What is seen", "Subject"} {
			if v, ok := strings.CutPrefix(l, "- "+name+": "); ok {
				v, _, _ = strings.Cut(v, " (")
				v, _, _ = strings.Cut(v, ". The only")
				v, _, _ = strings.Cut(v, ". It takes")
				out[name] = v
			}
		}
	}
	return out
}

func said(phrase string) string {
	if own, ok := mine[phrase]; ok {
		return own
	}
	return phrase
}

func framed(l map[string]string) string {
	var parts []string
	for _, name := range []string{"Shot", "Angle", "Lens", "Composition"} {
		if l[name] != "" {
			parts = append(parts, said(l[name]))
		}
	}
	if len(parts) == 0 {
		return "A quiet view of the moment."
	}
	s := strings.Join(parts, ", ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func lit(l map[string]string) string {
	if l["Light"] == "" {
		return ""
	}
	s := said(l["Light"]) + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

type person struct{ name, looks, clothes string }

func peopleIn(text string) (out []person) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if v, ok := strings.CutPrefix(l, "Name: "); ok && !strings.Contains(v, "perhaps") {
			out = append(out, person{name: v})
		}
		if v, ok := strings.CutPrefix(l, "Appearance: "); ok && len(out) > 0 {
			out[len(out)-1].looks = v
		}
		if v, ok := strings.CutPrefix(l, "Clothes: "); ok && len(out) > 0 {
			out[len(out)-1].clothes = v
		}
	}
	return out
}

func (m *model) describe(text string, rate float64) string {
	_, order, _ := strings.Cut(text, "That was the newest message.")
	l := look(order)
	var out []string
	if m.r.Float64() < rate {
		out = append(out, habits[m.r.IntN(len(habits))])
	} else {
		out = append(out, framed(l), lit(l))
	}
	if l["What is seen"] != "" {
		out = append(out, l["What is seen"])
	}
	does := []string{"stands near the table and does not look away", "leans on the wall behind, arms crossed, and waits", "kneels on the boards with one hand on the rope", "sits on the step"}
	for i, p := range peopleIn(text) {
		switch {
		case i > 0 && m.r.Float64() < rate: // forgotten
		case m.r.Float64() < rate:
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
func (m *model) views(text string) string {
	_, text, _ = strings.Cut(text, "The sentences:")
	told, orders, _ := strings.Cut(text, "The cameras:")
	var list []map[string]any
	for i, order := range strings.Split(orders, "Camera ")[1:] {
		l := look(order)
		var sentences []map[string]any
		for line := range strings.Lines(told) {
			number, s, ok := strings.Cut(strings.TrimSpace(line), ". ")
			n, err := strconv.Atoi(number)
			if !ok || err != nil {
				continue
			}
			if n == 1 && m.r.Float64() >= m.careless {
				s = framed(l)
			}
			sentences = append(sentences, map[string]any{"n": n, "text": s})
		}
		list = append(list, map[string]any{"camera": i + 1, "sentences": sentences})
	}
	data, err := json.Marshal(map[string]any{"views": list})
	if err != nil {
		return ""
	}
	return string(data)
}
