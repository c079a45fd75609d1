package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// said returns changes in short: a mark for the first, the kind, layer and source.
func said(changes []Change) (all []string) {
	for _, c := range changes {
		mark := ""
		if c.First {
			mark = "! "
		}
		source, _, _ := strings.Cut(c.Source, " (")
		all = append(all, fmt.Sprintf("%s%s %s: %s", mark, c.Kind, c.Layer, source))
	}
	return all
}

// turned returns the snapshot of the turn after s, of which p was made.
func turned(s Snapshot, p Prompt) Snapshot {
	n := len(s.History)
	s.History = append(slices.Clone(s.History), message(n, storage.Assistant, "reply"), message(n+1, storage.User, "next"))
	s.Window, s.Lore = p.Window, onward(s.Lore, p.Lore)
	return s
}

func TestCompare(t *testing.T) {
	base := func() Snapshot {
		s := snapshot()
		s.Set = bare(t)
		s.Actor = storage.Actor{Goal: "Sleep.", Tone: "Dry."}
		s.Lore = []LoreItem{stood("a", 1, true), staying(LayerMemories, "About them", "m", 1, true), staying(LayerMemories, "About them", "n", 1, true)}
		return s
	}
	for _, c := range []struct {
		name   string
		before func(*Snapshot) // the turn or request after that is compared with it
		change func(s *Snapshot, p Prompt)
		want   []string
		broke  string // layer and tokens
	}{
		{name: "nothing"},
		{name: "a turn", change: func(s *Snapshot, p Prompt) { *s = turned(*s, p) }, want: []string{"added history: 2 messages m00004 to m00005"}},
		{name: "a turn with a tail", before: func(s *Snapshot) { s.AuthorNote = "Note." }, change: func(s *Snapshot, p Prompt) { *s = turned(*s, p) },
			want: []string{"added history: 2 messages m00004 to m00005", "added note: author's note"}},
		{name: "a turn with what is new", change: func(s *Snapshot, p Prompt) {
			*s = turned(*s, p)
			s.Lore = append(s.Lore, staying(LayerHooks, "", "h", -1, true))
		}, want: []string{"added history: message m00004", "added hooks: hooks h", "added history: message m00005"}},
		{name: "a job after the reply", before: func(s *Snapshot) { s.AuthorNote = "Note." }, change: func(s *Snapshot, p Prompt) {
			s.History = append(s.History, message(4, storage.Assistant, "reply"))
			s.Appended = "Job."
		}, want: []string{"added history: message m00004", "added appended: this request"}},
		{name: "the turn after a job", before: func(s *Snapshot) {
			s.History = append(s.History, message(4, storage.Assistant, "reply"))
			s.Appended, s.AuthorNote = "Job.", "Note."
		}, change: func(s *Snapshot, p Prompt) {
			s.Appended = ""
			s.History = append(s.History, message(5, storage.User, "next"))
		}, want: []string{"added history: 2 messages m00004 to m00005", "added note: author's note"}},
		{name: "the note is edited", before: func(s *Snapshot) { s.AuthorNote = "Note." }, change: func(s *Snapshot, p Prompt) { s.AuthorNote = "Other." },
			want: []string{"changed note: author's note"}},
		{name: "one more for the same message", change: func(s *Snapshot, p Prompt) { s.Lore = append(s.Lore, staying(LayerHooks, "", "h", -1, true)) },
			want: []string{"added hooks: hooks h"}},
		{name: "a card field", change: func(s *Snapshot, p Prompt) { s.Card.Personality = "Dry, loud." }, want: []string{"! changed personality: card: Ada"}, broke: "personality"},
		{name: "two layers", change: func(s *Snapshot, p Prompt) { s.Card.Personality, s.Persona.Description = "Loud.", "Young." },
			want: []string{"! changed persona: persona: Ben", "changed personality: card: Ada"}, broke: "persona"},
		{name: "another name for the card", change: func(s *Snapshot, p Prompt) { s.Card.CharacterVersion = "2"; s.Actor.Goal = "Wake." },
			want: []string{"! changed actor: character: Ada"}, broke: "actor"},
		{name: "a note of the actor's is new", change: func(s *Snapshot, p Prompt) { s.Actor.Boundaries = "No." }, want: []string{"! added actor: character: Ada"}, broke: "actor"},
		{name: "the first of them goes", change: func(s *Snapshot, p Prompt) { s.Actor.Goal = "" },
			want: []string{"! removed actor: character: Ada", "changed actor: character: Ada"}, broke: "actor"},
		{name: "a memory goes", change: func(s *Snapshot, p Prompt) { s.Lore = s.Lore[:2] }, want: []string{"! removed memories: memories n"}, broke: "memories"},
		{name: "an entry moves", change: func(s *Snapshot, p Prompt) { s.Lore[0].At = id(2) }, want: []string{"! moved lore: lorebook Harbour: a"}, broke: "lore"},
		{name: "a depth prompt", before: func(s *Snapshot) { s.Card.DepthPrompt, s.Card.DepthPromptDepth = "Salt.", 2 }, change: func(s *Snapshot, p Prompt) { *s = turned(*s, p) },
			want: []string{"! moved depth_prompt: card: Ada", "added history: 2 messages m00004 to m00005"}, broke: "depth_prompt"},
		{name: "an older message is edited", change: func(s *Snapshot, p Prompt) { s.History[1].Content = "Otherwise." }, want: []string{"! changed history: message m00001"}, broke: "history"},
		{name: "the newest message is edited", change: func(s *Snapshot, p Prompt) { s.History[3].Content = "Otherwise." }, want: []string{"changed history: message m00003"}},
		{name: "the newest messages are deleted", change: func(s *Snapshot, p Prompt) { s.History = s.History[:2] }, want: []string{"removed history: 2 messages m00002 to m00003"}},
		{name: "an older message is deleted", change: func(s *Snapshot, p Prompt) { s.History[0].Deleted = true }, want: []string{"! removed history: message m00000"}, broke: "history"},
		{name: "a recap", before: func(s *Snapshot) { s.Recap = covering(-1, 9); s.Recap.Text = "One." }, change: func(s *Snapshot, p Prompt) {
			*s = turned(*s, p)
			s.Recap = covering(0, 9)
			s.Recap.Text, s.Recap.Source = "Two.", "running recap v9"
		}, want: []string{"! changed memory: running recap v9", "added history: 2 messages m00004 to m00005"}, broke: "memory"},
		{name: "a fold", before: func(s *Snapshot) {
			s.Recap = covering(-1, 0)
			s.Recap.Text = "One."
			s.History = sized(s.History, 2000)
			s.History[0].Content = text("t0", 5000)
		}, change: func(s *Snapshot, p Prompt) {
			*s = turned(*s, p)
			s.Recap = covering(1, 0)
			s.Recap.Text = "Two."
		}, want: []string{"! changed memory: running recap v3", "removed history: message m00000", "removed memories: memories m",
			"removed memories: memories n", "added history: 2 messages m00004 to m00005"}, broke: "history: the history was trimmed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base()
			if c.before != nil {
				c.before(&s)
			}
			p := compile(t, s)
			s.Lore = slices.Clone(s.Lore)
			s.History = slices.Clone(s.History)
			if c.change != nil {
				c.change(&s, p)
			}
			q := compile(t, s)
			if diff := cmp.Diff(c.want, said(Compare(&p, &q))); diff != "" {
				t.Errorf("want - got +\n%s", diff)
			}
			b, broke := FindCacheMiss(&p, &q, words)
			got := b.Layer
			if b.Fold {
				got += ": " + b.What
			}
			if broke != (c.broke != "") || got != c.broke {
				t.Errorf("%v %+v, want %q", broke, b, c.broke)
			}
			if most := Reread(p.Messages, q.Messages, words); broke && (b.Tokens < 1 || b.Tokens > most+messageTokens || b.What == "" || b.Source == "") {
				t.Errorf("%+v, where %d tokens are read", b, most)
			}
		})
	}
}

func TestCacheMiss_SaysItsCost(t *testing.T) {
	s := snapshot()
	s.Card.Description = text("desc", 100)
	p := compile(t, s)
	s.Card.Description += " end"
	q := turned(s, p)
	next := compile(t, q)
	b, ok := FindCacheMiss(&p, &next, words)
	// A turn reads this anyway: the reply, and the message after it.
	turn := words("reply") + words("next") + 2*messageTokens
	if want := Reread(p.Messages, next.Messages, words) - turn; !ok || b.Tokens < want-messageTokens || b.Tokens > want+messageTokens {
		t.Errorf("%+v, want about %d", b, want)
	}
	if b, ok := FindCacheMiss(&p, &p, nil); ok {
		t.Errorf("the same prompt: %+v", b)
	}
	for _, c := range [][2]*Prompt{{nil, &p}, {&p, nil}, {&Prompt{}, &p}, {nil, nil}} {
		if _, ok := FindCacheMiss(c[0], c[1], nil); ok || Compare(c[0], c[1]) != nil {
			t.Error("half a pair differs")
		}
	}
}

func TestOneChangedPartIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		p, err := Compile(s)
		if err != nil {
			t.Skip("too long")
		}
		same, err := Compile(s)
		if err != nil || Compare(&p, &same) != nil {
			t.Fatalf("the same snapshot: %v, %v", err, Compare(&p, &same))
		}
		s.Lore = append(onward(s.Lore, p.Lore), LoreItem{ID: "extra", Source: "extra", Text: "new", Place: LoreBefore, Active: true})
		s.Window = p.Window
		for i := range s.Lore {
			s.Lore[i].Active = true
		}
		q, err := Compile(s)
		if err != nil {
			t.Skip("too long")
		}
		changes := Compare(&p, &q)
		i := slices.IndexFunc(changes, func(c Change) bool { return c.Source == "extra" })
		if i < 0 || changes[i].Kind != Added || changes[i].Layer != LayerLore {
			t.Fatalf("%+v", changes)
		}
	})
}

// Without a part marked as first, the next prompt begins with everything before the tail of the
// last one; with such a part it does not.
func TestTheFirstChangeIsWhereTheBytesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		p, err := Compile(s)
		if err != nil {
			t.Skip("too long")
		}
		next := s
		if rapid.Bool().Draw(t, "a turn later") {
			next = turned(s, p)
		}
		switch rapid.IntRange(0, 5).Draw(t, "what changes") {
		case 0:
			next.Card.Description += "!"
		case 1:
			next.Actor.Tone = "other"
		case 2:
			next.Lore = someLore(t, len(s.History))
		case 3:
			next.Recap = covering(min(3, len(s.History)-1), 1)
		case 4:
			next.Limits.Context = rapid.IntRange(300, 3000).Draw(t, "other context")
		}
		q, err := Compile(next)
		if err != nil {
			t.Skip("too long")
		}
		changes := Compare(&p, &q)
		firsts := 0
		for _, c := range changes {
			if c.First {
				firsts++
			}
			if c.Kind == "" || c.Layer == "" {
				t.Fatalf("%+v", c)
			}
		}
		b, broke := FindCacheMiss(&p, &q, words)
		if firsts > 1 || broke != (firsts == 1) {
			t.Fatalf("%d are first, break %v: %+v", firsts, broke, changes)
		}
		if broke && (b.Tokens < 0 || b.Tokens > q.Tokens) {
			t.Fatalf("%+v of %d tokens", b, q.Tokens)
		}
		if broke {
			return
		}
		if sharedBelow(&p, &q) == 0 {
			return // nothing that a turn would leave alone could be read again
		}
		// Both are the same up to the newest message.
		stop := min(headEnd(&p), headEnd(&q))
		for i := range stop {
			if p.Messages[i] != q.Messages[i] {
				t.Fatalf("message %d of %d differs:\n%s\n%+v", i, stop, cmp.Diff(p.Messages[i], q.Messages[i]), changes)
			}
		}
	})
}

// sharedBelow returns the number of history messages of p's head that are also in q's, without the
// newest.
func sharedBelow(p, q *Prompt) (n int) {
	in := map[string]bool{}
	for _, u := range p.keyed()[:p.head] {
		in[u.key] = u.layer == LayerHistory
	}
	d := difference{nextHead: q.keyed()[:q.head]}
	for _, u := range d.nextHead[:min(d.grows(), len(d.nextHead))] {
		if in[u.key] {
			n++
		}
	}
	return n
}

// headEnd returns the number of messages before the place where a turn adds text.
func headEnd(p *Prompt) int {
	d := difference{nextHead: p.keyed()[:p.head]}
	if i := d.grows(); i < len(d.nextHead) {
		return d.nextHead[i].message
	}
	return 0
}
