// Package voicebench measures how much of a misbehaving model's output reaches the user: banned
// phrases, lines for the user, sentences that break off; and what watching costs.
//
//	go run ./cmd/tinyollama -- go test ./engine/voicebench -run VoiceBench -v -replies 500
//
// Without cmd/tinyollama the rows of a real server are missing.
package voicebench

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var (
	replies = flag.Int("replies", 60, "so many replies are played")
	perChat = 10
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// judge finds what is banned in a text, by other means than the program's.
type judge struct {
	plain   []string
	regexes []*regexp.Regexp
}

func newJudge(rules []string) (j judge) {
	for _, r := range rules {
		if strings.HasPrefix(r, "/") {
			j.regexes = append(j.regexes, regexp.MustCompile("(?i)"+strings.Trim(r, "/")))
			continue
		}
		j.plain = append(j.plain, strings.ToLower(r))
	}
	return j
}

// normalize returns a text without markup, in small letters, with single blanks.
func normalize(text string) string {
	text = strings.NewReplacer("*", "", "_", "").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}

func (j judge) find(text string) (what string) {
	text = normalize(text)
	for _, p := range j.plain {
		if strings.Contains(text, p) {
			return p
		}
	}
	for _, re := range j.regexes {
		if m := re.FindString(text); m != "" {
			return m
		}
	}
	return ""
}

// results are what a run has shown.
type results struct {
	quiet                                                     bool // what is shown is expected
	replies, shown, midSentence, forUser, let, rejected, cuts int
	gaps                                                      []time.Duration
}

// playReply plays one reply and judges everything that stands on a screen meanwhile.
func (f *results) playReply(t *testing.T, s *enginetest.Harness, finds func(text string) string, user, line string) {
	t.Helper()
	if _, err := s.Play.SendLine(s.Chat, play.Line{Text: line, Responder: s.View().Chat.Character}); err != nil {
		t.Fatal(err)
	}
	text, bad, mine := "", false, false
	var last time.Time
	for {
		ev, err := s.Feed.Next(s.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case play.ReplyDelta:
			text += ev.Content
			if now := time.Now(); !last.IsZero() {
				f.gaps = append(f.gaps, now.Sub(last))
				last = now
			} else {
				last = now
			}
		case play.ReplyCut:
			text = text[:ev.At]
		case play.ReplyEnded:
			if ev.Err != nil {
				t.Fatal(ev.Err)
			}
			f.addReply(ev.Message.Node, bad, mine)
			return
		default:
			continue
		}
		if what := finds(text); what != "" && !bad {
			if bad = true; !f.quiet {
				t.Logf("shown: %q in %q", what, text)
			}
		}
		mine = mine || strings.Contains(text, user+":")
	}
}

func (f *results) addReply(n storage.Node, bad, mine bool) {
	f.replies++
	if bad {
		f.shown++
	}
	if mine {
		f.forUser++
	}
	if end := strings.TrimRightFunc(n.Content, unicode.IsSpace); points.MatchString(end[strings.LastIndexByte(end, '\n')+1:]) {
		// a list has no full stops
	} else if end == "" || !strings.ContainsAny(end[len(end)-1:], ".!?\"*") {
		f.midSentence++
	}
	for _, r := range n.Rejected {
		f.rejected++
		if r.Allowed {
			f.let++
		}
	}
	f.cuts += n.Usage.Backtracks
}

func p95(gaps []time.Duration) time.Duration {
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)*95/100]
}

func TestVoiceBench(t *testing.T) {
	rules, says := lists()
	m, j := model{says: says, user: "Robin"}, newJudge(rules)
	s := enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Voice = config.Voice{Backtrack: true, Ends: true, User: true, Phrases: rules}
		o.Cfg.Sampling.NumPredict = 90 // every reply is near its limit
		o.Servers.Script = m.write
		o.Servers.Record = false
	})
	var f results
	for f.replies < *replies {
		if f.replies > 0 && f.replies%perChat == 0 {
			c, err := s.Chats.New(s.View().Chat.Character, "")
			if err != nil {
				t.Fatal(err)
			}
			s.Chat = c.ID
		}
		f.playReply(t, s, j.find, m.user, fmt.Sprintf("And then, for the %d. time?", f.replies))
	}
	var watched, free []time.Duration
	for range 3 { // in turns, since the machine may do more at one time than at another
		watched = append(watched, plainGaps(t, config.Voice{Backtrack: true, Ends: true, User: true, Phrases: rules})...)
		free = append(free, plainGaps(t, config.Voice{})...)
	}
	loud, quiet := p95(watched), p95(free)
	cpu := watchCost(t)
	t.Logf("\n%s", table([][2]string{
		{"replies played", fmt.Sprint(f.replies)},
		{"replies in which banned text was shown", fmt.Sprint(f.shown)},
		{"replies in which a line for the user was shown", fmt.Sprint(f.forUser)},
		{"replies that end in mid-sentence", fmt.Sprint(f.midSentence)},
		{"cuts, and records of them", fmt.Sprintf("%d, %d", f.cuts, f.rejected)},
		{"let through after five tries", fmt.Sprint(f.let)},
		{"time between ordinary pieces at p95, watched", loud.Round(10 * time.Microsecond).String()},
		{"the same, not watched", quiet.Round(10 * time.Microsecond).String()},
		{"CPU for 2,000 tokens with 10,000 phrases", fmt.Sprintf("%s, %.2f %% of the 20 s in which they come", cpu.Round(10*time.Microsecond), 100*cpu.Seconds()/20)},
	}))
	if f.shown > f.let || f.forUser > 0 || f.midSentence > 0 {
		t.Errorf("shown %d (%d let through), for the user %d, in mid-sentence %d", f.shown, f.let, f.forUser, f.midSentence)
	}
	if f.cuts < f.replies {
		t.Errorf("the model was cut %d times in %d replies: it does not misbehave", f.cuts, f.replies)
	}
}

// plainGaps returns the times between two pieces of replies in which nothing is banned.
func plainGaps(t *testing.T, v config.Voice) []time.Duration {
	s := enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Voice = v
		o.Servers.TokenDelay = 8 * time.Millisecond
		o.Servers.Script = func([]storage.Node, int) string {
			return strings.Repeat("The lamp stands by the door and the rope is quiet. Nobody asks who has put it there. ", 6)
		}
	})
	var f results
	for i := range 2 {
		f.playReply(t, s, judge{}.find, "Robin", fmt.Sprint("And? ", i))
	}
	return f.gaps
}

// watchCost returns what watching a reply of 2,000 tokens takes of the processor.
func watchCost(t *testing.T) time.Duration {
	var rules []voice.Rule
	for i := range 10_000 {
		rules = append(rules, voice.Rule{Text: fmt.Sprintf("%s the %s of her %s", word(i), word(i*3+1), word(i*5+2))})
	}
	set, _ := voice.Compile(rules, nil)
	text := strings.Repeat("The lamp stands by the door and the rope is quiet. Nobody asks who has put it there. ", 2000)
	w := voice.New(voice.Rules{Set: set, User: []string{"Robin"}, Acts: []string{"Robin"}, Items: 20, Scripts: voice.Scripts(text[:2000])}, "")
	pieces := strings.SplitAfter(text, " ")[:2000]
	began := time.Now()
	for _, p := range pieces {
		if w.Add(p) != nil {
			t.Fatal("something was found")
		}
		_, _, _ = w.Show(), w.Certain(), w.Final()
	}
	return time.Since(began)
}

func table(rows [][2]string) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "| %-50s | %s |\n", r[0], r[1])
	}
	return b.String()
}
