package activation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// decorators are the @@ lines before an entry's content: what its author wants beyond the fields of
// the format. Nil pointers were not given.
//
// Supported are those decorators of Character Card V3 that make sense for a program without its own
// user interface for cards, and SillyTavern's probability, constant, match_full_word and
// match_partial_word. keep_activate_after_match and dont_activate_after_match are an endless sticky
// and cooldown, so they belong to a place in the story like all timed effects. Decorators that need
// to know how full the context is, count tokens of text or ask for a user's icon are treated as
// unknown, so that their fallback is used: ignore_on_max_context, instruct_depth,
// instruct_scan_depth, reverse_depth, reverse_instruct_depth, is_user_icon and disable_ui_prompt.
type decorators struct {
	activate, never bool
	constant        bool
	keep, once      bool // forever active, or never again, after it triggered
	depth           *int
	position        *storage.LorePosition
	role            *storage.Role
	scanDepth       *int
	after, every    *int
	greeting        *int
	probability     *float64
	whole           *bool
	additional      []string // one of them has to match as well
	exclude         []string // none of them may match
}

// parseDecorators splits content into its decorators, nil for none, and the rest.
func parseDecorators(content string) (*decorators, string) {
	if !strings.HasPrefix(strings.TrimLeft(content, "\r\n"), "@@") {
		return nil, content
	}
	d := &decorators{}
	seen := map[string]bool{}
	settled := true                           // the chain of this decorator and its fallbacks is decided
	first := strings.HasPrefix(content, "@@") // nothing but decorators so far
	heeded := first                           // there is one that counts in this place
	rest := content
	for rest != "" {
		written, after, _ := strings.Cut(rest, "\n")
		line := strings.TrimLeft(strings.TrimRight(written, " \t\r"), "\r")
		if line == "" {
			rest, first = after, false
			continue
		}
		body, ok := strings.CutPrefix(line, "@@")
		if !ok {
			break
		}
		rest = after
		body, fallback := strings.CutPrefix(body, "@")
		if fallback && settled {
			continue
		}
		name, value, _ := strings.Cut(body, " ")
		if seen[name] {
			settled = true // only the first of a name counts
			continue
		}
		if name == "activate" || name == "dont_activate" {
			// SillyTavern's own two count only as they are spelled there.
			settled = true
			if first && strings.TrimLeft(written, "@") == name {
				d.parse(name, "")
			}
		} else {
			settled = d.parse(name, strings.TrimSpace(value))
			heeded = heeded || settled
		}
		seen[name] = settled
	}
	if !heeded {
		return nil, content
	}
	if d.position != nil {
		d.depth = nil
	}
	return d, rest
}

// parse stores a decorator; it returns false if the decorator is unknown or its value is invalid.
func (d *decorators) parse(name, value string) bool {
	number := func(p **int, least int) bool {
		n, err := strconv.Atoi(value)
		if err != nil {
			return false
		}
		n = max(n, least)
		*p = &n
		return true
	}
	switch name {
	case "activate":
		d.activate = true
	case "dont_activate":
		d.never = true
	case "constant":
		d.constant = value != "false"
	case "keep_activate_after_match":
		d.keep = true
	case "dont_activate_after_match":
		d.once = true
	case "match_full_word", "match_partial_word":
		whole := name == "match_full_word"
		if d.whole == nil {
			d.whole = &whole
		}
	case "depth":
		return number(&d.depth, 0)
	case "scan_depth":
		return number(&d.scanDepth, 0)
	case "activate_only_after":
		return number(&d.after, 0)
	case "activate_only_every":
		return number(&d.every, 1)
	case "is_greeting":
		return number(&d.greeting, -1)
	case "probability":
		p, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return false
		}
		d.probability = &p
	case "role":
		role := storage.Role(strings.ToLower(value))
		if !slices.Contains([]storage.Role{storage.System, storage.User, storage.Assistant}, role) {
			return false
		}
		d.role = &role
	case "position":
		p, ok := map[string]storage.LorePosition{"before_desc": storage.BeforeChar,
			"after_desc": storage.AfterChar}[value]
		if !ok {
			return false
		}
		d.position = &p
	case "additional_keys":
		d.additional = splitDecoratorKeys(value)
		return len(d.additional) > 0
	case "exclude_keys":
		d.exclude = splitDecoratorKeys(value)
		return len(d.exclude) > 0
	default:
		return false
	}
	return true
}

func splitDecoratorKeys(value string) []string { return keysOf(strings.Split(value, ",")) }
