package memorybench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Results are what comes of playing stories.
type Results struct {
	Stories, Turns, Prompts int

	Hold, InPrompt, Back     int // facts that a speaker should know at the end; those told; those that come back by name
	Told, Doubled            int // facts told, and told more than once, summed over all prompts
	Outdated                 int // told by memory two turns after their end, summed also
	Ended, ToldOn            int // facts that end, and those of them
	Betrayed, Shown          int // facts told to a speaker who had not witnessed them, and shown to a pass on that one's prompt
	Invented                 int // told at the end
	Memory, Largest, Counted int // bytes of memory, in the last quarter of a story
	Same, Whole              int // bytes as in the speaker's last prompt
	PassSame, PassWhole      int // the same of passes
	Fresh, Read              int // tokens that a server with room for one prompt reads again, passes included
	Failed, Stray            int // operations; breaks where no scene ends

	Lost, Doubles, Old, Leaks, Faults map[string]int // why, between whom, by whom, by whom, what
	Anew                              map[string]int // bytes of prompts that do not stand in the speaker's next, by what differs first
}

func newResults() *Results {
	return &Results{Lost: map[string]int{}, Doubles: map[string]int{}, Old: map[string]int{}, Leaks: map[string]int{}, Faults: map[string]int{}, Anew: map[string]int{}}
}

// Add sums figures up.
func (f *Results) Add(o *Results) {
	for _, p := range []struct{ to, from *int }{{&f.Stories, &o.Stories}, {&f.Turns, &o.Turns}, {&f.Prompts, &o.Prompts}, {&f.Hold, &o.Hold}, {&f.InPrompt, &o.InPrompt},
		{&f.Back, &o.Back}, {&f.Told, &o.Told}, {&f.Doubled, &o.Doubled}, {&f.Outdated, &o.Outdated}, {&f.Ended, &o.Ended}, {&f.ToldOn, &o.ToldOn}, {&f.Betrayed, &o.Betrayed}, {&f.Shown, &o.Shown}, {&f.PassSame, &o.PassSame}, {&f.PassWhole, &o.PassWhole}, {&f.Invented, &o.Invented},
		{&f.Memory, &o.Memory}, {&f.Counted, &o.Counted}, {&f.Same, &o.Same}, {&f.Whole, &o.Whole}, {&f.Fresh, &o.Fresh}, {&f.Read, &o.Read}, {&f.Failed, &o.Failed}, {&f.Stray, &o.Stray}} {
		*p.to += *p.from
	}
	f.Largest = max(f.Largest, o.Largest)
	for _, p := range []struct{ to, from map[string]int }{{f.Lost, o.Lost}, {f.Doubles, o.Doubles}, {f.Old, o.Old}, {f.Leaks, o.Leaks}, {f.Faults, o.Faults}, {f.Anew, o.Anew}} {
		for k, n := range p.from {
			p.to[k] += n
		}
	}
}

func share(a, b int) string { return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(max(b, 1))) }

// bytesPerToken is how tokens are estimated.
const bytesPerToken = 4

// lines of the table, with what each says of figures.
var lines = []struct {
	name string
	of   func(f *Results) string
}{
	{"should hold: in the prompt or back when named", func(f *Results) string { return share(f.InPrompt+f.Back, f.Hold) }},
	{"  in the prompt by itself", func(f *Results) string { return share(f.InPrompt, f.Hold) }},
	{"told more than once in a prompt", func(f *Results) string { return share(f.Doubled, f.Told) }},
	{"out of date two turns after the change", func(f *Results) string { return share(f.Outdated, f.Told) }},
	{"  of all facts that end", func(f *Results) string { return share(f.ToldOn, f.Ended) }},
	{"told to who did not witness it (facts)", func(f *Results) string { return fmt.Sprint(f.Betrayed) }},
	{"  shown to a pass on that one's prompt (facts)", func(f *Results) string { return fmt.Sprint(f.Shown) }},
	{"invented, told at the end (facts)", func(f *Results) string { return fmt.Sprint(f.Invented) }},
	{"memory, tokens in a prompt of 8,192", func(f *Results) string {
		mean := f.Memory / max(f.Counted, 1) / bytesPerToken
		return fmt.Sprintf("%d (%s)", mean, share(mean, context))
	}},
	{"  the most", func(f *Results) string { return fmt.Sprint(f.Largest / bytesPerToken) }},
	{"prompt unchanged since the speaker's last", func(f *Results) string { return share(f.Same, f.Whole) }},
	{"  passes counted in", func(f *Results) string { return share(f.Same+f.PassSame, f.Whole+f.PassWhole) }},
	{"in a cache for one prompt, passes included", func(f *Results) string { return share(f.Read-f.Fresh, f.Read) }},
	{"operations that failed", func(f *Results) string { return fmt.Sprint(f.Failed) }},
	{"breaks where no scene ends", func(f *Results) string { return fmt.Sprint(f.Stray) }},
	{"tokens of a prompt", func(f *Results) string { return fmt.Sprint(f.Whole / max(f.Prompts, 1) / bytesPerToken) }},
	{"facts to hold / prompts / stories", func(f *Results) string { return fmt.Sprintf("%d / %d / %d", f.Hold, f.Prompts, f.Stories) }},
}

// Table prints figures side by side.
func Table(heads []string, list []*Results) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-46s", "")
	for _, h := range heads {
		fmt.Fprintf(&b, "%16s", h)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "\n%-46s", l.name)
		for _, f := range list {
			fmt.Fprintf(&b, "%16s", l.of(f))
		}
	}
	return b.String()
}

// Reasons returns what stands behind figures, the most frequent first.
func (f *Results) Reasons() string {
	var b strings.Builder
	for _, r := range []struct {
		name string
		of   map[string]int
	}{{"lost", f.Lost}, {"told more than once, by", f.Doubles}, {"told to the wrong one by", f.Leaks}, {"failed", f.Faults}, {"out of date, told by", f.Old}, {"bytes of a prompt that are not in the next, by what differs first", f.Anew}} {
		fmt.Fprintf(&b, "%s:\n", r.name)
		keys := slices.SortedFunc(maps.Keys(r.of), func(a, c string) int { return cmp.Or(cmp.Compare(r.of[c], r.of[a]), cmp.Compare(a, c)) })
		for _, k := range keys[:min(len(keys), 12)] {
			fmt.Fprintf(&b, "%8d  %s\n", r.of[k], k)
		}
	}
	return b.String()
}

// promptFacts is what a prompt tells, and who in it.
type promptFacts struct {
	tellers map[*Fact][]string // playedTeller, or what of memory
	bytes   int                // of memory
}

const playedTeller = "message"

// promptReader reads prompts as an outsider who knows what was said in the story, and how
// the prompts looked when nothing was.
type promptReader struct {
	story  *Story
	played map[string]bool
	bare   [2]map[string]bool // lines of each speaker's first prompt
}

func (v *promptReader) read(speaker int, messages []storage.Node) promptFacts {
	s := promptFacts{tellers: map[*Fact][]string{}}
	for _, msg := range messages {
		place := ""
		for line := range strings.Lines(msg.Content) {
			line = strings.TrimSpace(line)
			_, unnamed, _ := strings.Cut(line, ": ")
			if v.played[line] || v.played[unnamed] {
				for _, f := range v.story.in(line) {
					s.tellers[f] = append(s.tellers[f], playedTeller)
				}
				continue
			}
			if v.bare[speaker][line] || line == "" {
				continue
			}
			s.bytes += len(line) + 1
			found := v.story.in(line)
			if len(found) == 0 {
				place = line[:min(len(line), 48)]
			}
			for _, f := range found {
				s.tellers[f] = append(s.tellers[f], sourceOf(line, place))
			}
		}
	}
	return s
}

// sourceOf names a line of memory: by what it begins with where it is one of its own
// form, else by the last line before it that tells nothing.
func sourceOf(line, place string) string {
	if strings.HasPrefix(line, "[") {
		head, _, _ := strings.Cut(line, "-")
		return head + "-…"
	}
	if head, _, ok := strings.Cut(line, ": "); ok && len(head) < 24 {
		return head
	}
	return place
}

// addPrompt takes a reply's prompt in. seen holds what counts once only.
func (f *Results) addPrompt(s promptFacts, a Asked, seen map[string]bool) {
	f.Prompts++
	for fact, tellers := range s.tellers {
		f.Told++
		if len(tellers) > 1 {
			f.Doubled++
			names := slices.Clone(tellers)
			slices.Sort(names)
			f.Doubles[strings.Join(names, " + ")]++
		}
		if fact.Ended > 0 && a.Turn >= fact.Ended+2 {
			if at := slices.IndexFunc(tellers, func(t string) bool { return t != playedTeller }); at >= 0 {
				f.Outdated++
				f.Old[tellers[at]+", "+fact.How]++
				if !seen[fact.Marker] {
					seen[fact.Marker] = true
					f.ToldOn++
				}
			}
		}
	}
	f.addLeaks(s, a, seen)
}

// addLeaks counts what the speaker of a prompt must not know, each fact once.
func (f *Results) addLeaks(s promptFacts, a Asked, seen map[string]bool) {
	for fact, tellers := range s.tellers {
		key := fmt.Sprint(fact.Marker, a.Speaker, a.Pass)
		if fact.Invented || fact.Known[a.Speaker] || seen[key] {
			continue
		}
		seen[key] = true
		if a.Pass {
			f.Shown++
			continue
		}
		f.Betrayed++
		f.Leaks[tellers[0]]++
	}
}

// flat returns a prompt as one text.
func flat(messages []storage.Node) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("\x00" + string(m.Role) + "\x00" + m.Content)
	}
	return b.String()
}

// addPrefixLoss takes in how much of a speaker's last prompt does not stand in the next, and what
// differs first: the messages it begins with, or the line there.
func (f *Results) addPrefixLoss(v *promptReader, text, last string) {
	n := common(text, last)
	switch {
	case n == len(last):
	case v.first(text) != v.first(last):
		f.Anew["its history begins elsewhere"] += len(last) - n
	default:
		f.Anew[v.at(last, n)] += len(last) - n
	}
}

// first returns the first message of the story in a prompt.
func (v *promptReader) first(text string) string {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == 0 }) {
		_, unnamed, _ := strings.Cut(line, ": ")
		if v.played[line] || v.played[unnamed] {
			return line
		}
	}
	return ""
}

// at returns the line of a prompt at a byte: a message, or the heading that it stands below.
func (v *promptReader) at(text string, n int) string {
	for n < len(text) && strings.IndexByte("\n\x00", text[n]) >= 0 {
		n++
	}
	begin := strings.LastIndexAny(text[:n], "\n\x00") + 1
	rest := text[begin:] + "\n"
	line := strings.TrimSpace(rest[:strings.IndexAny(rest, "\n\x00")])
	_, unnamed, _ := strings.Cut(line, ": ")
	if v.played[line] || v.played[unnamed] {
		return playedTeller
	}
	for _, above := range slices.Backward(strings.Split(text[:begin]+line, "\n")) {
		if above = strings.TrimSpace(above[strings.LastIndexByte(above, 0)+1:]); strings.HasPrefix(above, "#") || strings.HasSuffix(above, ":") {
			return fmt.Sprintf("%.30s", above)
		}
	}
	return fmt.Sprintf("%.24s", line)
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
