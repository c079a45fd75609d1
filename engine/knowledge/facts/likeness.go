package facts

import "slices"

// Alike, Same and Covers compare texts by their words, for the callers that still ask for it.

// Alike reports whether two statements share most of their words.
func Alike(a, b Words) bool {
	least := min(len(a.All), len(b.All))
	return least > 1 && a.Shared(b)*4 >= least*3
}

// Same reports whether two statements that rest on one message share most of their words, and not
// each has a word of the message that the other lacks.
func Same(a, b, said Words) bool {
	lacks := func(x, y Words) bool { return slices.ContainsFunc(x.Without(y), said.has) }
	return len(said.All) > 0 && Alike(a, b) && !(lacks(a, b) && lacks(b, a))
}

// Covers reports whether a line has nearly all the words of a statement.
func Covers(line, statement Words) bool {
	return len(statement.All) > 1 && len(statement.Without(line))*6 <= len(statement.All)
}
