package movein

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// putPreset stores a preset or a set of quick replies. An older version stays beside it, because
// the user may have changed its profile and texts.
func (m *mover) putPreset(tx *storage.Tx, l *loaded) (putResult, error) {
	p, err := m.svc.library.AddPreset(tx, l.value.(formats.Preset))
	if err != nil {
		return putResult{}, err
	}
	remarks := p.Remarks
	if l.newer {
		remarks = append(slices.Clone(remarks), "the newer version was added separately")
	}
	return putResult{record: string(p.ID), stamp: p.CreatedAt, remarks: remarks}, nil
}

// putRegex adds scripts for all chats after the existing ones, in their order.
func (m *mover) putRegex(tx *storage.Tx, l *loaded) (got putResult, err error) {
	f := l.value.(formats.RegexFile)
	got.remarks = f.Remarks
	for i, s := range f.Scripts {
		v, _, err := m.svc.chats.Regex.AddWithin(tx, s)
		if err != nil {
			return putResult{}, err
		}
		if i == 0 {
			got.record, got.stamp = v.ID, v.UpdatedAt
		}
		if v.Unstable != "" {
			got.remarks = append(got.remarks,
				fmt.Sprintf("%s changes prompts from turn to turn: %s", v.Label(), v.Unstable))
		}
	}
	return got, nil
}

// renewRegex replaces a script that was not changed here. Further scripts of the same file are
// added.
func (m *mover) renewRegex(tx *storage.Tx, l *loaded, was storage.MovedRecord) (putResult, error) {
	f := l.value.(formats.RegexFile)
	if len(f.Scripts) > 1 {
		return m.putRegex(tx, l)
	}
	have, err := storage.RegexScripts.Get(tx, storage.RegexID(was.Record))
	if err != nil {
		return putResult{}, err
	}
	if !normalizeTime(have.UpdatedAt).Equal(was.Stamp) {
		return putResult{}, errors.New(
			"newer in the folder, but also changed here: import the file separately to have both")
	}
	s := f.Scripts[0]
	s.ID, s.Order, s.CreatedAt, s.UpdatedAt = have.ID, have.Order, have.CreatedAt, m.svc.core.Config.Now()
	return putResult{record: string(s.ID), stamp: s.UpdatedAt, remarks: f.Remarks},
		storage.RegexScripts.Put(tx, s.ID, s)
}

// allowScripts allows the regex scripts of a card if they were allowed in the other program, and
// returns remarks about the others.
func (m *mover) allowScripts(tx *storage.Tx, l *loaded, who storage.Character) ([]string, error) {
	words := library.RegexSummary(who.Source)
	if words == "" || !slices.Contains(m.user(l.UserDir).settings.AllowedRegex, path.Base(l.Place)) {
		if words != "" {
			return []string{words}, nil
		}
		return nil, nil
	}
	n, err := m.svc.chats.Regex.AllowWithin(tx, who.ID, true)
	words = fmt.Sprintf("its %d regex scripts were allowed there and are allowed here", n)
	if n == 1 {
		words = "its regex script was allowed there and is allowed here"
	}
	return []string{words + "; ghostlight regex forbid disables them"}, err
}

// scriptKey returns a key that is equal for scripts that do the same, enabled or not.
func scriptKey(s storage.RegexScript) string {
	s.ID, s.Order, s.Off, s.Source = "", 0, false, nil
	s.CreatedAt, s.UpdatedAt = storage.RegexScript{}.CreatedAt, storage.RegexScript{}.UpdatedAt
	data, _ := json.Marshal(s) // cannot fail
	return string(data)
}

// findRecord returns the existing record that equals a value, "" for none.
func (k *storeIndex) findRecord(value any) string {
	switch v := value.(type) {
	case formats.ImportedCard:
		return string(k.cards[sha256.Sum256(v.Source)])
	case folder.UserPersona:
		return string(k.personas[personaKey{v.Name, v.Description}])
	case formats.Preset:
		return string(k.presets[sha256.Sum256(v.Source)])
	case formats.RegexFile:
		first := storage.RegexID("")
		for i, s := range v.Scripts {
			id, here := k.scripts[scriptKey(s)]
			if !here {
				return ""
			}
			if i == 0 {
				first = id
			}
		}
		return string(first)
	}
	return ""
}
