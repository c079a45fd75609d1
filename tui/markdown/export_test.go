package markdown

const (
	KeptMost = keptMost
	Longest  = longest
)

// Flatten is flatten.
func Flatten(line string) string { return flatten(line) }

// Len is how many layouts are kept, -1 where their order does not fit them.
func (k *Kept) Len() int {
	if len(k.kept) != len(k.order) {
		return -1
	}
	return len(k.kept)
}
