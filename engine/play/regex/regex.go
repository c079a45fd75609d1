// Package regex is what regex scripts make of texts: of those that are shown, of those
// that a model is told, and of stored ones, where the user wants that. It reads no store:
// scripts and texts come in, texts go out, with the scripts that changed them.
//
// It does what public/scripts/extensions/regex/engine.js of SillyTavern 1.13 does (which
// scripts act where, depths, macros in patterns, groups, {{match}}, texts that are taken
// out), and how its regexFromString of public/scripts/utils.js reads a pattern. It differs
// where the user's words are at stake: a script that names neither what is shown nor what
// is sent changes both, and nothing that is stored.
package regex

import (
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Stage is what becomes of a text.
type Stage string

const (
	Shown  Stage = "shown"  // the user reads it
	Sent   Stage = "sent"   // a model is told it
	Stored Stage = "stored" // it is kept
)

// AnyDepth is the depth of a text that is not in line with others.
const AnyDepth = -1 << 20

// Text is a text that scripts may act on. Depth is how many messages stand behind it, -1
// that of a message that is to be continued. Edited tells that the user has rewritten it,
// Foreign that another program stored it.
type Text struct {
	Text            string
	Place           storage.RegexPlace
	Depth           int
	Edited, Foreign bool
}

// Env is what macros of scripts stand for. Names must be all that Macros takes from the
// chat beside its clock and variables, so that what was made once need not be made again.
type Env struct {
	Names  string
	Macros func() prompts.Env
}

// Set is the scripts of a chat, made ready. It is safe for concurrent use.
type Set struct {
	list []ready
	env  Env
	kept *Cache
}

// ready is a script that is on.
type ready struct {
	storage.RegexScript
	sign    uint64 // tells it from every script that does something else
	pattern *pattern
	fault   string
	html    bool // what it puts in has elements of HTML
	plain   bool // there are no macros but names in it
}

// New makes scripts ready, in the order in which they act. Those that are off do not act,
// but keep their places in what is told of them.
func New(scripts []storage.RegexScript, env Env, kept *Cache) *Set {
	s := &Set{list: make([]ready, len(scripts)), env: env, kept: kept}
	for i, script := range scripts {
		r := ready{RegexScript: script}
		find := script.Find
		if script.Macros != storage.RegexAsWritten && strings.Contains(find, "{{") ||
			script.Macros != storage.RegexAsWritten && strings.Contains(find, "<") {
			find = inPattern(find, env.Macros(), script.Macros == storage.RegexEscaped)
		}
		r.pattern, r.fault = kept.pattern(find)
		r.html = hasElements(script.Replace)
		r.plain = onlyNames(script.Replace)
		var h maphash.Hash
		h.SetSeed(kept.seed)
		for _, part := range append([]string{find, script.Replace, env.Names}, script.Trim...) {
			_, _ = fmt.Fprintf(&h, "%d %s", len(part), part)
			r.plain = r.plain && onlyNames(part)
		}
		r.sign = h.Sum64()
		s.list[i] = r
	}
	return s
}

// Faults returns why scripts cannot act, by their places.
func (s *Set) Faults() map[int]string {
	out := map[int]string{}
	for i := range s.list {
		if r := &s.list[i]; r.fault != "" && !r.Off {
			out[i] = r.fault
		}
	}
	return out
}

// Window returns how far back the depth of a message decides what happens to it at a stage, 0
// where it does not.
func (s *Set) Window(stage Stage) (n int) {
	for i := range s.list {
		r := &s.list[i]
		if r.Off || !r.at(stage) {
			continue
		}
		if r.MinDepth != nil {
			n = max(n, *r.MinDepth)
		}
		if r.MaxDepth != nil {
			n = max(n, *r.MaxDepth+1)
		}
	}
	return n
}

// Any reports whether a script may act on texts of a place at a stage.
func (s *Set) Any(stage Stage, place storage.RegexPlace) bool {
	return slices.ContainsFunc(s.list, func(r ready) bool {
		return !r.Off && r.pattern != nil && r.at(stage) && r.Acts(place)
	})
}

// at reports whether a script has anything to do at a stage.
func (r *ready) at(stage Stage) bool {
	switch stage {
	case Shown:
		return r.OnlyShown || r.Neither()
	case Sent:
		return r.OnlySent || r.Neither()
	}
	return true
}

// takes reports whether a script acts on a text.
func (r *ready) takes(stage Stage, t *Text) bool {
	if r.Off || r.pattern == nil || !r.at(stage) || !r.Acts(t.Place) {
		return false
	}
	if stage != Stored && r.Neither() && (t.Foreign || t.Edited && !r.OnEdit) {
		return false
	}
	if t.Depth != AnyDepth {
		if r.MinDepth != nil && *r.MinDepth >= -1 && t.Depth < *r.MinDepth ||
			r.MaxDepth != nil && *r.MaxDepth >= 0 && t.Depth > *r.MaxDepth {
			return false
		}
	}
	return true
}

// passLimit is how long the scripts of one pass may take together.
const passLimit = time.Second

// Pass runs the scripts of a set over the texts of one prompt, or of what is shown at
// once. A script that took too long for one of them leaves the others alone. It is for one
// goroutine.
type Pass struct {
	set   *Set
	stage Stage
	spent time.Duration
	cut   map[int]string
	// Limit is how long a script may take for one text.
	limit time.Duration
}

// Pass begins one.
func (s *Set) Pass(stage Stage) *Pass {
	return &Pass{set: s, stage: stage, cut: map[int]string{}, limit: s.kept.limit}
}

// Cut returns why scripts were cut off, by their places.
func (p *Pass) Cut() map[int]string { return p.cut }

// Run returns what the scripts make of a text, and the places of those that changed it.
func (p *Pass) Run(t Text) (out string, by []int) {
	out = t.Text
	for i := range p.set.list {
		r := &p.set.list[i]
		if out == "" || !r.takes(p.stage, &t) || p.cut[i] != "" {
			continue
		}
		if why := p.set.kept.resting(r.sign); why != "" {
			p.cut[i] = why
			continue
		}
		made, err := p.one(r, out)
		if err != nil {
			p.cut[i] = err.Error()
			continue
		}
		if made != out {
			out, by = made, append(by, i)
		}
	}
	return out, by
}

// one runs a script over a text, or finds what it made of it before.
func (p *Pass) one(r *ready, text string) (string, error) {
	k := p.set.kept
	shown := p.stage == Shown && (r.html || hasElements(text))
	key := k.key(r.sign, shown, text)
	if made, ok := k.made(key, text); ok {
		return made, nil
	}
	if p.spent > passLimit {
		return "", fmt.Errorf("skipped: all scripts together took more than %v", passLimit)
	}
	began := time.Now()
	made, lasting, err := r.replace(text, p.set.env, shown, p.limit)
	p.spent += time.Since(began)
	if err != nil {
		k.strike(r.sign, err.Error())
		return "", err
	}
	if lasting && r.plain {
		k.keep(key, text, made)
	}
	return made, nil
}

// MaxMade is how much longer than its text, in bytes, what a script makes of it may be.
const MaxMade = 1 << 20

// replace returns what a script makes of a text, shown what a reader sees of it where there are
// elements of HTML. lasting tells that it is always the same.
func (r *ready) replace(text string, env Env, shown bool, limit time.Duration) (made string, lasting bool, err error) {
	defer func() {
		if x := recover(); x != nil { // another's engine on a stranger's pattern
			made, err = "", fmt.Errorf("the regex failed: %v", x)
		}
	}()
	began, lasting := time.Now(), true
	re := r.pattern.re
	var out seams
	at := 0
	m, err := re.FindStringMatch(text)
	for m != nil && err == nil {
		from, n := m.ByteRange()
		out.write(text[at:from])
		put, names := r.put(m, env, text)
		lasting = lasting && names
		switch {
		case shown && r.html:
			out.element(withoutElements(put, m.String()))
		case shown:
			out.removed(m.String(), put)
		default:
			out.write(put)
		}
		at = from + n
		if len(out.text) > len(text)+MaxMade {
			return "", false, fmt.Errorf("the replacement is longer than %d KB", MaxMade>>10)
		}
		if time.Since(began) > limit {
			return "", false, fmt.Errorf("the regex was stopped after %v: too slow", limit)
		}
		if !r.pattern.all {
			break
		}
		m, err = re.FindNextMatch(m)
	}
	if err != nil {
		return "", false, ecmascript.TimeoutError(err, limit)
	}
	if len(out.text) == 0 && at == 0 {
		return text, true, nil
	}
	out.write(text[at:])
	return string(out.text), lasting, nil
}

// isDrawing returns where chance of a macro comes from: the script and the text, so that a text is
// made the same each time.
func isDrawing(script, text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return fmt.Sprintf("regex/%s/%x", script, h.Sum64())
}
