package prompts

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// Limits of {{roll}}.
const (
	maxDice  = 1000
	maxSides = 1_000_000
)

// chance handles random, pick and roll. The results are derived from the seeds in Env, so the same
// prompt always has the same bytes.
func (x *expander) chance(n *node, args []string) bool {
	switch n.name {
	case "random":
		x.met("random")
		x.draws++
		if list := choices(args); len(list) > 0 {
			x.write(list[x.draw(uint64(len(list)), "random", x.env.Turn, x.draws)])
		}
	case "pick":
		if list := choices(args); len(list) > 0 {
			x.write(list[x.draw(uint64(len(list)), "pick", x.place, n.pos)])
		}
	case "roll":
		x.met("roll")
		count, sides, plus, ok := dice(strings.Join(args, ""))
		if !ok {
			return true
		}
		total := plus
		for range count {
			x.draws++
			total += 1 + int(x.draw(uint64(sides), "roll", x.env.Turn, x.draws))
		}
		x.number(total)
	default:
		return false
	}
	return true
}

// draw returns a number below n that depends only on the arguments and Env's seeds.
func (x *expander) draw(n uint64, kind, key string, at int) uint64 {
	h := fnv.New64a()
	for _, s := range []string{kind, x.env.Seed, x.env.Place, key, strconv.Itoa(at)} {
		_, _ = h.Write([]byte(s))
		_, _ = h.Write([]byte{0})
	}
	// FNV leaves its low bits poorly mixed; this finish spreads them.
	v := h.Sum64()
	v ^= v >> 33
	v *= 0xff51afd7ed558ccd
	v ^= v >> 33
	v *= 0xc4ceb9fe1a85ec53
	v ^= v >> 33
	return v % n
}

// choices returns the arguments. A single argument is split at "::", or else at its commas; "\," is
// a comma that does not split.
func choices(args []string) []string {
	if len(args) != 1 {
		return args
	}
	const held = "\x00"
	text, sep := args[0], "::"
	if !strings.Contains(text, sep) {
		text, sep = strings.ReplaceAll(text, `\,`, held), ","
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	list := strings.Split(text, sep)
	for i := range list {
		list[i] = strings.ReplaceAll(strings.TrimSpace(list[i]), held, ",")
	}
	return list
}

// dice reads "6", "d6", "2d6", "2d6+1" or "2d6-1".
func dice(s string) (count, sides, plus int, ok bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	count = 1
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		n, err := strconv.Atoi(s[i:])
		if err != nil {
			return 0, 0, 0, false
		}
		plus, s = n, s[:i]
	}
	if before, after, has := strings.Cut(s, "d"); has {
		s = after
		if before != "" {
			n, err := strconv.Atoi(before)
			if err != nil {
				return 0, 0, 0, false
			}
			count = n
		}
	}
	sides, err := strconv.Atoi(s)
	if err != nil || count < 1 || count > maxDice || sides < 1 || sides > maxSides || plus > maxSides ||
		plus < -maxSides {
		return 0, 0, 0, false
	}
	return count, sides, plus, true
}
