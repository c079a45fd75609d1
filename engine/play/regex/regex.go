// Package regex applies regex scripts to texts: to shown texts, to texts of a prompt, and to stored
// texts if the user wants that. It reads no store: scripts and texts come in, and texts go out with
// the scripts that changed them.
//
// It follows public/scripts/extensions/regex/engine.js of SillyTavern 1.13 (which scripts run
// where, depths, macros in patterns, groups, {{match}}, trimmed texts), and regexFromString of
// public/scripts/utils.js for the syntax of patterns. It differs to protect the user's text: a
// script that selects neither display nor prompt changes both, and nothing that is stored.
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

// Stage is the use of a text.
type Stage string

const (
	Display Stage = "shown"  // the user reads it
	Prompt  Stage = "sent"   // a model reads it
	Stored  Stage = "stored" // it is kept
)

// AnyDepth is the depth of a text that is not part of a sequence.
const AnyDepth = -1 << 20

// Text is a text for scripts. Depth is the number of messages after it, and -1 for a message that
// is being continued. Edited reports that the user has rewritten it, Foreign that another program
// stored it.
type Text struct {
	Text            string
	Place           storage.RegexPlace
	Depth           int
	Edited, Foreign bool
}

// Env holds the macro values for scripts. Names must contain everything that Macros takes from the
// chat, except clock and variables: it is part of the key of cached results.
type Env struct {
	Names  string
	Macros func() prompts.Env
}

// Set holds the compiled scripts of a chat. It is safe for concurrent use.
type Set struct {
	list []ready
	env  Env
	kept *Cache
}

// ready is a compiled script.
type ready struct {
	storage.RegexScript
	sign    uint64 // hash of everything that affects its result
	pattern *pattern
	fault   string
	html    bool // its replacement has HTML elements
	plain   bool // it has no macros except names
}

// New compiles scripts, given in running order. Scripts that are off do not run, but keep their
// indexes in results.
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

// Faults returns why scripts cannot run, by their indexes.
func (s *Set) Faults() map[int]string {
	out := map[int]string{}
	for i := range s.list {
		if r := &s.list[i]; r.fault != "" && !r.Off {
			out[i] = r.fault
		}
	}
	return out
}

// Window returns the number of newest messages whose depth matters at a stage, 0 if depth does not
// matter.
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
	case Display:
		return r.DisplayOnly || r.Neither()
	case Prompt:
		return r.PromptOnly || r.Neither()
	}
	return true
}

// takes reports whether a script applies to a text.
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

// passLimit is the time that the scripts of one pass may take together.
const passLimit = time.Second

// Pass runs the scripts of a set over the texts of one prompt or one screen. A script that took too
// long for one text is skipped for the others. It is for one goroutine.
type Pass struct {
	set   *Set
	stage Stage
	spent time.Duration
	cut   map[int]string
	// limit is the time that a script may take for one text.
	limit time.Duration
}

// Pass returns a new Pass for a stage.
func (s *Set) Pass(stage Stage) *Pass {
	return &Pass{set: s, stage: stage, cut: map[int]string{}, limit: s.kept.limit}
}

// Cut returns why scripts were cut off, by their indexes.
func (p *Pass) Cut() map[int]string { return p.cut }

// Run returns a text after the scripts, and the indexes of the scripts that changed it.
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

// one runs a script over a text, or returns the cached result.
func (p *Pass) one(r *ready, text string) (string, error) {
	k := p.set.kept
	shown := p.stage == Display && (r.html || hasElements(text))
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

// MaxMade is the most bytes by which a script may lengthen a text.
const MaxMade = 1 << 20

// replace returns a text after a script. With shown it returns the visible text of HTML elements.
// lasting reports that the result is always the same.
func (r *ready) replace(text string, env Env, shown bool, limit time.Duration) (made string, lasting bool, err error) {
	defer func() {
		if x := recover(); x != nil { // a third-party engine runs an untrusted pattern
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

// isDrawing returns the seed for random macros: the script and a hash of the text, so that the
// result for a text is always the same.
func isDrawing(script, text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return fmt.Sprintf("regex/%s/%x", script, h.Sum64())
}
