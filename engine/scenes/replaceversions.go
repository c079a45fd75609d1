package scenes

import "github.com/ghostlight-theatre/ghostlight/storage"

// Lineage returns the versions that a running recap was made from and that a prompt may still
// contain, itself first.
func Lineage(tx *storage.Tx, chat storage.ChatID, r storage.Recap) (out []storage.Recap) {
	lineageIn(tx, chat).walk(r, func(v storage.Recap) bool {
		out = append(out, v)
		return len(out) < maxOlderVersions
	})
	return out
}

// MergedScenes returns the breaks of the scenes that are merged into a running recap.
func MergedScenes(tx *storage.Tx, chat storage.ChatID, r storage.Recap) map[storage.NodeID]bool {
	return lineageIn(tx, chat).Parts(&r)
}

// PreviousVersion is a version of a recap as it was before it was mended, and the hash of its text
// since.
type PreviousVersion struct {
	storage.Recap
	Now string `json:"now"`
}

// ReplaceVersions replaces recap versions with versions that the user has corrected. If fresh
// reports so, running recaps that were made of a replaced version stay as up to date as they were.
func (svc *Service) ReplaceVersions(tx *storage.Tx, chat storage.ChatID, list []storage.Recap,
	fresh bool) (was []PreviousVersion, err error) {
	before, now := map[storage.RecapID]string{}, map[storage.RecapID]string{} // hashes of texts
	for _, r := range list {
		_, old, err := RecapTable(tx, chat, r.ID)
		if err != nil {
			return nil, err
		}
		if r.Original == "" && r.Text != old.Text {
			r.Original = old.Text
		}
		r.EditedAt, r.RecallTest = svc.core.Config.Now(), nil
		if err := svc.putVersion(tx, chat, r); err != nil {
			return nil, err
		}
		before[r.ID], now[r.ID] = TextHash(old.Text), TextHash(r.Text)
		was = append(was, PreviousVersion{old, now[r.ID]})
	}
	if !fresh || len(now) == 0 {
		return was, nil
	}
	for _, r := range storage.RunningRecaps.All(tx, chat) {
		old, changed := r, false
		if r.BaseTextHash != "" && r.BaseTextHash == before[r.Base] {
			r.BaseTextHash, changed = now[r.Base], true
		}
		if r.Part != nil && r.Part.TextHash == before[r.Part.Recap] {
			part := *r.Part
			part.TextHash = now[part.Recap]
			r.Part, changed = &part, true
		}
		if !changed {
			continue
		}
		if err := storage.RunningRecaps.Put(tx, chat, r); err != nil {
			return nil, err
		}
		was = append(was, PreviousVersion{old, TextHash(r.Text)})
	}
	return was, nil
}

// RestoreVersions undoes ReplaceVersions and returns the number of versions that were changed since
// and are left unchanged.
func (svc *Service) RestoreVersions(tx *storage.Tx, chat storage.ChatID, list []PreviousVersion) (left int, err error) {
	for i := len(list) - 1; i >= 0; i-- {
		w := list[i]
		_, r, err := RecapTable(tx, chat, w.ID)
		if err != nil || TextHash(r.Text) != w.Now {
			left++
			continue
		}
		r.Text, r.Original, r.EditedAt, r.Sources, r.InputsHash, r.BaseTextHash, r.Part,
			r.RecallTest = w.Text, w.Original,
			w.EditedAt, w.Sources, w.InputsHash, w.BaseTextHash, w.Part, w.RecallTest
		if err := svc.putVersion(tx, chat, r); err != nil {
			return left, err
		}
	}
	return left, nil
}

// Refresh marks recaps as up to date with the messages of their scenes and returns the previous
// state.
func Refresh(tx *storage.Tx, chat storage.ChatID, list []storage.RecapID) (was []PreviousVersion, err error) {
	for _, id := range list {
		r, err := storage.Recaps.Get(tx, chat, id)
		if err != nil {
			return nil, err
		}
		b, err := VisibleBreak(tx, chat, r.Node)
		if err != nil || r.InputsHash == b.InputsHash || r.InputsHash == "" {
			continue
		}
		was = append(was, PreviousVersion{r, TextHash(r.Text)})
		r.InputsHash = b.InputsHash
		if err := storage.Recaps.Put(tx, chat, r); err != nil {
			return nil, err
		}
	}
	return was, nil
}

// IsCurrent reports whether a scene's recap was made from its current messages.
func IsCurrent(tx *storage.Tx, chat storage.ChatID, r storage.Recap) bool {
	b, err := VisibleBreak(tx, chat, r.Node)
	return err == nil && !StaleFor(r, b.InputsHash)
}

// outdated reports whether an input of a merge has changed since.
func (m *mergeInput) outdated(tx *storage.Tx) bool {
	if part, err := storage.Recaps.Get(tx, m.Chat, m.part.Recap); err == nil && TextHash(part.Text) != m.part.TextHash {
		return true
	}
	if m.base == nil {
		return false
	}
	base, err := storage.RunningRecaps.Get(tx, m.Chat, m.base.ID)
	return err == nil && TextHash(base.Text) != TextHash(m.base.Text)
}
