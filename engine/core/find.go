package core

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Named is an object that a user can name in a command.
type Named struct {
	ID, Name string
	Short    string // another name, "" for none
}

// Resolve returns the object that ref names: by ID, by name (in any case), or by the beginning of
// an ID.
func Resolve(kind, ref string, all []Named) (string, error) {
	var byName, byPrefix []Named
	for _, n := range all {
		switch {
		case strings.EqualFold(n.ID, ref):
			return n.ID, nil
		case ref != "" && strings.EqualFold(n.Name, ref), n.Short != "" && strings.EqualFold(n.Short, ref):
			byName = append(byName, n)
		case ref != "" && len(ref) <= len(n.ID) && strings.EqualFold(n.ID[:len(ref)], ref):
			byPrefix = append(byPrefix, n)
		}
	}
	hits := byName
	if len(hits) == 0 {
		hits = byPrefix
	}
	switch len(hits) {
	case 1:
		return hits[0].ID, nil
	case 0:
		return "", &failure.Missing{Kind: kind, Ref: ref}
	}
	var list []string
	for _, h := range hits[:min(5, len(hits))] {
		list = append(list, fmt.Sprintf("%s (%s)", h.ID, h.Name))
	}
	return "", &failure.Ambiguous{Kind: kind, Ref: ref, Hits: list}
}

// Find resolves a reference among the records of a table.
func Find[K ~string, V any](svc *Core, kind, ref string, t storage.Table[K, V],
	name func(V) (name, short string)) (V, error) {
	var v V
	err := svc.Store.View(func(tx *storage.Tx) error {
		var all []Named
		for id, r := range t.All(tx) {
			long, short := name(r)
			all = append(all, Named{string(id), long, short})
		}
		id, err := Resolve(kind, ref, all)
		if err != nil {
			return err
		}
		v, err = t.Get(tx, K(id))
		return err
	})
	return v, err
}

// All returns the records of a table.
func All[K ~string, V any](svc *Core, what string, t storage.Table[K, V]) ([]V, error) {
	out := []V{}
	err := svc.Store.View(func(tx *storage.Tx) error {
		for _, v := range t.All(tx) {
			out = append(out, v)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("list "+what, err)
	}
	return out, nil
}

// Snippet returns the text around n bytes at an index, on one line.
func Snippet(s string, at, n int) string {
	from, to := max(0, min(at, len(s))-40), min(len(s), at+n+60)
	return strings.ToValidUTF8(strings.ReplaceAll(s[from:to], "\n", " "), "")
}
