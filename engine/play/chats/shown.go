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

// Shown is a message as regex scripts show it. By holds the names of the scripts that changed it.
type Shown struct {
	Content  string   `json:"content"`
	Thinking string   `json:"thinking,omitempty"`
	By       []string `json:"by"`
}

// Text returns the message's text for the screen.
func (m Message) Text() string {
	if m.Shown != nil {
		return m.Shown.Content
	}
	return m.Content
}

// Thoughts returns the message's thinking for the screen.
func (m Message) Thoughts() string {
	if m.Shown != nil {
		return m.Shown.Thinking
	}
	return m.Thinking
}

// ScriptRunner runs the regex scripts of a chat at one stage, over the texts of one prompt or one
// screen. It is for one goroutine.
type ScriptRunner struct {
	stage   regex.Stage
	scripts []RegexView
	env     func(char string) regex.Env
	kept    *regex.Cache
	passes  map[string]*regex.Pass
	// Windowed is the number of newest messages whose depth matters to the scripts, 0 if depth does
	// not matter.
	Windowed int
}

// Runner returns the scripts that run in a chat at a stage, nil for none.
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

// envsOf returns a function from the value of {{char}} to the macros of scripts in a chat; "" is
// the chat's character.
func envsOf(tx *storage.Tx, c *core.Core, chat storage.Chat) func(char string) regex.Env {
	var who storage.Character
	if chat.Character != "" {
		who, _ = storage.Characters.Get(tx, chat.Character)
	}
	persona, err := storage.Personas.Get(tx, chat.Persona)
	if err != nil {
		persona = DefaultPersona(tx)
	}
	chat.Overrides.Apply(&who.Card)
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

// Run returns a text after the scripts, and the indexes of the scripts that changed it. char is the
// speaker, "" for nobody in particular.
func (a *ScriptRunner) Run(t regex.Text, char string) (string, []int) {
	p := a.passes[char]
	if p == nil {
		if len(a.passes) > 100 { // too many names for speakers
			char = ""
		}
		p = a.set(char).Pass(a.stage)
		a.passes[char] = p
	}
	return p.Run(t)
}

// Message returns a message's text after the scripts, and the indexes of the scripts that changed
// it.
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

// PlaceOf returns the kind of text that a message is for scripts, "" if no script applies to it. A
// narrator's line was inserted by a command; in a prompt it counts as a reply.
func PlaceOf(n *storage.Node, stage regex.Stage) storage.RegexPlace {
	switch n.Role {
	case storage.User:
		return storage.RegexUser
	case storage.Assistant:
		return storage.RegexReply
	case storage.Narrator:
		if stage == regex.Prompt {
			return storage.RegexReply
		}
		return storage.RegexCommand
	}
	return ""
}

// Scripts returns the scripts in running order.
func (a *ScriptRunner) Scripts() []RegexView { return a.scripts }

// Faults returns which scripts were cut off or do nothing, and why, one line per script.
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

// Label returns a script's name for use in a sentence.
func (v *RegexView) Label() string {
	if v.Of != "" {
		return fmt.Sprintf("the regex script %q of %s", v.Name, v.Of)
	}
	return fmt.Sprintf("the regex script %q", v.Name)
}

// Rewrites reports whether regex scripts may change what a chat shows.
func (svc *Service) Rewrites(chat storage.ChatID) (yes bool) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		yes = err == nil && tx.AnyRegex() && svc.Regex.Runner(tx, c, regex.Display) != nil
		return err
	})
	return yes
}

// ApplyDisplayScripts applies the display scripts to messages of a chat. It returns the number of
// newest messages whose depth matters to the scripts, 0 if depth does not matter.
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
		if a = svc.Regex.Runner(tx, c, regex.Display); a != nil && a.Windowed > 0 {
			for p := range tx.PathInfos(chat, c.Head) {
				if p.InStory() {
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
	for i := len(msgs) - 1; i >= 0; i-- { // newest first: if scripts are too slow, the newest are shown correctly
		depth, near := depths[msgs[i].ID]
		if !near {
			depth = a.Windowed + 1
		}
		a.apply(&msgs[i], depth)
	}
	svc.Regex.tell(a)
	return a.Windowed
}

// makeReadable replaces HTML in a message's shown text with plain text.
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

// tell emits a notice about each script that was cut off, once per script.
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

// ApplyRegex applies a script to the newest stored messages of the head's path: at most last, or
// all if last is 0. It returns the number of changed messages. Undo restores each text. Only
// ApplyRegex lets a script change stored text.
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
		for p := range tx.PathInfos(chat, c.Head) {
			if !p.InStory() {
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
			return failure.Refusef("nothing was changed: %s", faults[0])
		}
		if len(all) > maxChanges || bytes > maxChangeBytes {
			return failure.Refusef("it would change %d messages, but only %d (or %d KB) can be undone: apply it to "+
				"the newest ones, with --last", len(all), maxChanges, maxChangeBytes>>10)
		}
		for _, m := range slices.Backward(all) {
			if strings.TrimSpace(m.text) == "" {
				return failure.Refusef("message %s would be empty: delete it instead", m.node.ID)
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
