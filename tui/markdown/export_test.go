package markdown

const (
	KeptMost = maxLayouts
	Longest  = maxTextBytes
)

// Flatten is flatten.
func Flatten(line string) string { return flatten(line) }

// Len is how many layouts are kept, -1 where their order does not fit them.
func (k *Cache) Len() int {
	if len(k.layouts) != len(k.order) {
		return -1
	}
	return len(k.layouts)
}
