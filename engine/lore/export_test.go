package lore

import "github.com/ghostlight-theatre/ghostlight/storage"

// Exported for the tests of this package.
const LongestLore = maxLore
const OpLoreCompact = opLoreCompact
const OpLoreLookup = opLoreLookup
const OpLoreMerge = opLoreMerge
const OpLoreResolve = opLoreResolve

// ReadEntries reads a book's entries as they are on a path, as the service does.
func ReadEntries(svc *Service, tx *storage.Tx, b storage.Lorebook, t *trail) ([]storage.LoreEntry, error) {
	return svc.cache.entries(tx, b, t)
}

func (r *entryCache) Follow(t *trail) { r.extendTrail(t) }

// At returns the next message of a trail; Known reports whether its whole path is known.
func (t *trail) At() storage.NodeID { return t.at }
func (t *trail) Known() bool        { return t.path != nil }

type LoreReader = entryCache
type Trail = trail

var AddLore = (*Service).queue
var ChangeIn = findChange
var ChatBook = chatBook
var EntryAt = entryAt
var LoreParamsOf = paramsOf
var Propose = (*Service).propose
var PutState = (*Service).putState
var TouchBook = (*Service).touchBook
var UidFor = uidFor
