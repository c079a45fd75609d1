package memory

import (
	"slices"

	"ghostlight/storage"
)

// JoinTold puts tellings together, each place once.
func JoinTold(a, b []storage.Told) []storage.Told {
	out := slices.Clone(a)
	for _, at := range b {
		if !slices.ContainsFunc(out, func(x storage.Told) bool { return x.Chat == at.Chat && x.Node == at.Node }) {
			out = append(out, at)
		}
	}
	return out
}
