package chats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Shown is what regex scripts make of a message where it is shown. By names them.
type Shown struct {
	Content  string   `json:"content"`
	Thinking string   `json:"thinking,omitempty"`
	By       []string `json:"by"`
}

// Text returns what a message says where it is shown.
func (m Message) Text() string {
	if m.Shown != nil {
		return m.Shown.Content
	}
	return m.Content
}

// Thoughts returns what was thought before a message, where that is shown.
func (m Message) Thoughts() string {
	if m.Shown != nil {
		return m.Shown.Thinking
	}
	return m.Thinking
}

// ScriptRunner are the regex scripts that act in a chat at a stage, over the texts of one prompt
// or of what is shown at once. It is for one goroutine.
type ScriptRunner struct {
	stage   regex.Stage
	scripts []RegexView
	env     func(char string) regex.Env
	kept    *regex.Cache
	passes  map[string]*regex.Pass
	// Windowed is how far back it matters how deep a message is, 0 for nowhere.
	Windowed int
}

// Runner returns the scripts that act in a chat at a stage, nil for none.
func (r *Regex) Runner(tx *storage.Tx, c storage.Chat, stage regex.Stage) *ScriptRunner {
	if !tx.AnyRegex() {
		return nil
	}
	all := ownScripts(tx)
	for _, id := range append([]storage.CharacterID{c.Character}, CastOf(c)...) {
		if said, err := storage.CardRegexes.Get(tx, id); err != nil || !said.On {
			continue
		}
		who, err := storage.Characters.Get(tx, id)
		if err == nil && !slices.ContainsFunc(all, func(v RegexView) bool { return v.Character == id }) {
			all = append(all, cardScripts(tx, &who)...)
		}
	}
	return r.newRunner(tx, c, stage, slices.DeleteFunc(all, func(v RegexView) bool { return !v.On }))
}

func (r *Regex) newRunner(tx *storage.Tx, c storage.Chat, stage regex.Stage, scripts []RegexView) *ScriptRunner {
	if len(scripts) == 0 {
		return nil
	}
	a := &ScriptRunner{stage: stage, scripts: scripts, env: envsOf(tx, r.core, c), kept: r.kept,
		passes: map[string]*regex.Pass{}}
	a.Windowed = a.set("").Window(stage)
	return a
}

// envsOf returns the macros of scripts in a chat, by the name that {{char}} stands for, "" for
// the character of the chat.
func envsOf(tx *storage.Tx, c *core.Core, chat storage.Chat) func(char string) regex.Env {
	var who storage.Character
	if chat.Character != "" {
		who, _ = storage.Characters.Get(tx, chat.Character)
	}
	persona, err := storage.Personas.Get(tx, chat.Persona)
	if err != nil {
		persona = DefaultPersona(tx)
	}
	chat.Over.Apply(&who.Card)
	base := EnvOf(who.Card, persona)
	base.Seed, base.Frozen = string(chat.ID), true
	return func(char string) regex.Env {
		env := base
		if char != "" {
			env.Char = char
		}
		return regex.Env{Names: env.User + "\n" + env.Char, Macros: func() prompts.Env {
			e := env
			e.Now, e.Vars = c.Config.Now(), prompts.VarsOf(chat.Variables)
			return e
		}}
	}
}

func (a *ScriptRunner) set(char string) *regex.Set {
	scripts := make([]storage.RegexScript, len(a.scripts))
	for i, v := range a.scripts {
		scripts[i] = v.RegexScript
	}
	return regex.New(scripts, a.env(char), a.kept)
}

// Run returns what the scripts make of a text, and the places of those that changed it. char is
// who says it, "" for nobody in particular.
func (a *ScriptRunner) Run(t regex.Text, char string) (string, []int) {
	p := a.passes[char]
	if p == nil {
		if len(a.passes) > 100 { // names, not speakers
			char = ""
		}
		p = a.set(char).Pass(a.stage)
		a.passes[char] = p
	}
	return p.Run(t)
}

// Message returns what the scripts make of what a message says.
func (a *ScriptRunner) Message(n *storage.Node, depth int) (string, []int) {
	place := PlaceOf(n, a.stage)
	if place == "" {
		return n.Content, nil
	}
	char := ""
	if n.Role == storage.Assistant {
		char = n.Name
	}
	return a.Run(regex.Text{Text: n.Content, Place: place, Depth: depth, Edited: !n.EditedAt.IsZero(),
		Foreign: len(n.Extra) > 0}, char)
}

// PlaceOf returns what kind of text a message is for scripts, "" for one on which none acts. A
// narrator's line was put there by a command; to a model it is told as others are.
func PlaceOf(n *storage.Node, stage regex.Stage) storage.RegexPlace {
	switch n.Role {
	case storage.User:
		return storage.RegexUser
	case storage.Assistant:
		return storage.RegexReply
	case storage.Narrator:
		if stage == regex.Sent {
			return storage.RegexReply
		}
		return storage.RegexCommand
	}
	return ""
}

// Scripts returns the scripts, in the order in which they act.
func (a *ScriptRunner) Scripts() []RegexView { return a.scripts }

// Faults say which scripts were cut off or do nothing, and why, each once.
func (a *ScriptRunner) Faults() (words []string) {
	for i, v := range a.scripts {
		why := v.Fault
		for _, p := range a.passes {
			if cut := p.Cut()[i]; cut != "" {
				why = cut
			}
		}
		if why != "" {
			words = append(words, v.Label()+": "+why)
		}
	}
	return words
}

// Label names a script in a sentence.
func (v *RegexView) Label() string {
	if v.Of != "" {
		return fmt.Sprintf("the regex script %q of %s", v.Name, v.Of)
	}
	return fmt.Sprintf("the regex script %q", v.Name)
}

// Rewrites reports whether regex scripts may make something else of what is shown of a chat.
func (svc *Service) Rewrites(chat storage.ChatID) (yes bool) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		yes = err == nil && tx.AnyRegex() && svc.Regex.Runner(tx, c, regex.Shown) != nil
		return err
	})
	return yes
}

// ApplyDisplayScripts gives messages of a chat what regex scripts make of them where they are shown. It
// tells how far back it matters for that how deep a message is, 0 where it does not.
func (svc *Service) ApplyDisplayScripts(chat storage.ChatID, msgs []Message) (windowed int) {
	if len(msgs) == 0 {
		return 0
	}
	var a *ScriptRunner
	depths := map[storage.NodeID]int{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if !tx.AnyRegex() {
			return nil
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if a = svc.Regex.Runner(tx, c, regex.Shown); a != nil && a.Windowed > 0 {
			for p := range tx.PathPlaces(chat, c.Head) {
				if p.Said() {
					depths[p.ID] = len(depths)
				}
				if len(depths) > a.Windowed {
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		svc.core.Log.Warn("reading regex scripts failed", "chat", chat, "err", err)
	}
	defer func() {
		for i := range msgs {
			msgs[i].makeReadable()
		}
	}()
	if a == nil {
		return 0
	}
	for i := len(msgs) - 1; i >= 0; i-- { // where they are too slow, the newest are shown as they should be
		depth, near := depths[msgs[i].ID]
		if !near {
			depth = a.Windowed + 1
		}
		a.apply(&msgs[i], depth)
	}
	svc.Regex.tell(a)
	return a.Windowed
}

// makeReadable makes text of the HTML that a message is shown with.
func (m *Message) makeReadable() {
	if m.Deleted || m.State == storage.Draft {
		return
	}
	text := m.Content
	if m.Shown != nil {
		text = m.Shown.Content
	}
	seen := regex.Readable(text)
	switch {
	case seen == text:
	case m.Shown != nil:
		m.Shown.Content = seen
	default:
		m.Shown = &Shown{Content: seen, Thinking: m.Thinking}
	}
}

func (a *ScriptRunner) apply(m *Message, depth int) {
	if m.Deleted || m.State == storage.Draft {
		return
	}
	s := Shown{Thinking: m.Thinking}
	var by, also []int
	s.Content, by = a.Message(&m.Node, depth)
	if m.Thinking != "" && m.Role == storage.Assistant {
		s.Thinking, also = a.Run(regex.Text{Text: m.Thinking, Place: storage.RegexThinking, Depth: depth,
			Edited: !m.EditedAt.IsZero(), Foreign: len(m.Extra) > 0}, m.Name)
	}
	if len(by)+len(also) == 0 {
		return
	}
	for i, v := range a.scripts {
		if slices.Contains(by, i) || slices.Contains(also, i) {
			s.By = append(s.By, v.Name)
		}
	}
	m.Shown = &s
}

// tell says once of a script that it was cut off.
func (r *Regex) tell(a *ScriptRunner) {
	for i, v := range a.scripts {
		for _, p := range a.passes {
			why := p.Cut()[i]
			if why == "" {
				continue
			}
			r.mu.Lock()
			told := r.told[v.ID]
			r.told[v.ID] = true
			r.mu.Unlock()
			if !told {
				r.core.Emit(event.Notice{Level: event.Warning,
					Text: strings.ToUpper(v.Label()[:1]) + v.Label()[1:] + ": " + why})
			}
			break
		}
	}
}

// ApplyRegex rewrites stored messages of the head's path as a script makes them, those of
// the newest last messages, all for 0, and tells how many. Undo gives each back what it said.
// It is the only way in which a script changes what is stored.
func (svc *Service) ApplyRegex(chat storage.ChatID, v RegexView, last int) (changed int, err error) {
	const op = "apply regex script"
	var faults []string
	err = svc.Rewrite(chat, op, func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		v.Off = false
		a := svc.Regex.newRunner(tx, c, regex.Stored, []RegexView{v})
		type made struct {
			node storage.Node
			text string
		}
		var all []made
		depth, bytes := 0, 0
		for p := range tx.PathPlaces(chat, c.Head) {
			if !p.Said() {
				continue
			}
			if last > 0 && depth == last {
				break
			}
			n, err := tx.Node(chat, p.ID)
			if err != nil {
				return err
			}
			if text, by := a.Message(&n, depth); len(by) > 0 {
				all = append(all, made{n, text})
				bytes += len(text) + len(n.Content)
			}
			depth++
		}
		if faults = a.Faults(); len(faults) > 0 {
			return failure.Refuse("nothing was changed: %s", faults[0])
		}
		if len(all) > maxChanges || bytes > maxChangeBytes {
			return failure.Refuse("it would change %d messages, but only %d (or %d KB) can be undone: apply it to "+
				"the newest ones, with --last", len(all), maxChanges, maxChangeBytes>>10)
		}
		for _, m := range slices.Backward(all) {
			if strings.TrimSpace(m.text) == "" {
				return failure.Refuse("message %s would be empty: delete it instead", m.node.ID)
			}
			if err := svc.reword(tx, m.node, m.text, storage.ChangeEdit); err != nil {
				return err
			}
		}
		changed = len(all)
		return nil
	})
	return changed, err
}
