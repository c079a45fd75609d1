package tui

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// memoryKinds are the types of memories as the form offers them.
func memoryKinds() []string {
	out := make([]string, len(storage.MemoryTypes))
	for i, t := range storage.MemoryTypes {
		out[i] = string(t) + ": " + memoryHeads[i]
	}
	return out
}

var errNeedsContent = errors.New("what is to be remembered is needed")

// openForm opens the form of a memory; nil is for a new one.
func (v *memoryList) openForm(old *memory.View, a *app) tea.Cmd {
	m, title := storage.Memory{Type: storage.FactMemory}, "New memory"
	if old != nil {
		m, title = old.Memory, "Edit a memory"
		if old.Removed {
			return a.Say(event.Info, "it is removed; bring it back first")
		}
	}
	if words := desk.TooLong(m.Content); words != "" {
		return a.Say(event.Warning, words)
	}
	kinds := memoryKinds()
	at := memoryHead(m.Type)
	if at == len(kinds) {
		kinds = append(kinds, look.Within(string(m.Type), 40))
	}
	found := "0 to 1; empty: as found"
	if old != nil && old.Weight == nil {
		found = "0 to 1; empty: as found (" + importance(old.Importance) + ")"
	}
	weight := ""
	if m.Weight != nil {
		weight = strconv.FormatFloat(*m.Weight, 'g', 4, 64)
	}
	f := widget.Form{Title: title, Fields: []*widget.Field{widget.PickField("About", kinds[at], kinds), widget.TextField(a.lk, "What is remembered", m.Content, 4), widget.LineField(a.lk, "Importance", weight, found)}}
	desk.EditorKey(a, &f, f.Fields[1].Input)
	f.Foot = "tab next · ←→ choose · ^S save · alt+e $EDITOR · esc close"
	eng, scope := a.eng, v.p.whose
	k := desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, changed, err := takeMemory(f, m)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			if !changed {
				return nil, nil
			}
			got, err := eng.Memory.Save(scope, n)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				v.Wish = string(got.ID)
				if m.ID == "" && !got.CreatedAt.Equal(got.UpdatedAt) {
					return v.p.ChangedBy("that is remembered already: “"+look.Within(got.Content, 30)+"”", nil)
				}
				return v.p.ChangedBy("“"+look.Within(got.Content, 30)+"” saved", undoMemory(eng, scope, m, got.ID))
			}, nil
		}, nil
	})
	k.Focus(1)
	a.dialogs.Open(k)
	return nil
}

// undoMemory takes back that a memory was saved: old is how it was before, without
// an id for a new one.
func undoMemory(eng *engine.Engine, scope storage.ScopeID, old storage.Memory, id storage.MemoryID) func() error {
	return func() error {
		if old.ID == "" {
			_, err := eng.Memory.Act(scope, []storage.MemoryID{id}, memory.Remove)
			return err
		}
		_, err := eng.Memory.Save(scope, old)
		return err
	}
}

// takeMemory is a memory with what the fields of its form say, and whether that
// is anything new.
func takeMemory(f *widget.Form, m storage.Memory) (storage.Memory, bool, error) {
	n := m
	if i := f.Fields[0].Chosen; i < len(storage.MemoryTypes) {
		n.Type = storage.MemoryTypes[i]
	}
	if in := f.Fields[1].Input; in.Changed() {
		n.Content = strings.TrimSpace(in.Value())
	}
	if look.Blank(n.Content) {
		f.Focus(1)
		return n, false, errNeedsContent
	}
	if in := f.Fields[2].Input; in.Changed() {
		w, err := parseWeight(in.Value())
		if err != nil {
			f.Focus(2)
			return n, false, err
		}
		n.Weight = w
	}
	same := n.Type == m.Type && n.Content == m.Content && (n.Weight == m.Weight || n.Weight != nil && m.Weight != nil && *n.Weight == *m.Weight)
	return n, !same || m.ID == "", nil
}

var errWeight = errors.New("the importance is a number from 0 to 1 such as 0.8, or 80 %; empty for as found")

// parseWeight reads how important something is, nil for as found.
func parseWeight(text string) (*float64, error) {
	text = strings.TrimSpace(text)
	if text == "" || slices.Contains([]string{"as found", "auto"}, strings.ToLower(text)) {
		return nil, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	w, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(number), ",", ".", 1), 64)
	if percent {
		w /= 100
	}
	if err != nil || !(w >= 0 && w <= 1) { // not a number is neither
		return nil, errWeight
	}
	return &w, nil
}
