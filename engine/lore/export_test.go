package lore

// What the tests of this room look at from within.
const LongestLore = longestLore
const OpLoreCompact = opLoreCompact
const OpLoreLookup = opLoreLookup
const OpLoreMerge = opLoreMerge
const OpLoreResolve = opLoreResolve

func LoreReadOf(svc *Service) *reader { return &svc.read }

type LoreReader = reader
type Trail = trail

var AddLore = (*Service).queue
var ChangeIn = changeIn
var ChatBook = chatBook
var EntryAt = entryAt
var LoreParamsOf = loreParamsOf
var Propose = (*Service).propose
var PutState = (*Service).putState
var TouchBook = (*Service).touchBook
var UidFor = uidFor
