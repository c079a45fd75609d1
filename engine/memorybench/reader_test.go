package memorybench

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The reader of the prompts that the model gets. It knows their form and none of their
// words: tags, lines that begin with a number or a label, the roles of messages. So the
// texts of prompts can be rewritten without a change here.

// item is a numbered or labelled line of a prompt with the lines below it.
type item struct {
	letter string // "M" of M2, "" of a number
	n      int    // 0 for text that has no number
	text   string
	ended  bool // its tag says that it no longer holds
}

// block is a part of a message: what stands between two tags, or outside of tags.
type block struct {
	tag     string // lower case, with hyphens for underscores, "" outside of tags
	message int    // index of the message
	before  string // what stands before the first item
	items   []item
}

// reading is a prompt as its job sees it.
type reading struct {
	items    []item // what the answer can cite by number, in its order
	labelled []item // what it can cite by label
	begins   []int  // numbers that blocks of items begin with
	tags     []string
	known    []item // what is told beside the items, without numbers
	below    string // text outside of tags that follows the items in their message
}

var (
	tagMark   = regexp.MustCompile(`</?([A-Za-z][\w-]*)[^<>\n]*>`)
	bracketed = regexp.MustCompile(`^\s*(?:[-*•]\s+)?\[([A-Z]?)(\d{1,4})\](?:\s+(.*))?$`)
	dotted    = regexp.MustCompile(`^\s*(?:[-*•]\s+)?([A-Z]?)(\d{1,4})[.):]\s+(.*)$`)
	remark    = regexp.MustCompile(`\S\s+\([^()\d]+\)$`)
	quoted    = regexp.MustCompile(`[“"]([^“”"]+)[”"]`)
	digits    = regexp.MustCompile(`\d+`)
)

// What the names of tags say of the text in them.
var (
	knownTag   = regexp.MustCompile(`known|notes|recap|record|memor|earlier|before|previous|lore|registry|context|facts`)
	exampleTag = regexp.MustCompile(`example|sample|form$|format|schema`)
	endedTag   = regexp.MustCompile(`\b(over|ended|outdated|past|settled)\b`)
	olderTag   = regexp.MustCompile(`\b(earlier|older|late|missed)\b`)
)

// blocks splits messages by their tags. The assistant's messages are left out.
func blocks(messages []storage.Node) []block {
	var out []block
	for i, msg := range messages {
		if msg.Role == storage.Assistant {
			continue
		}
		at, open := 0, []string{""}
		add := func(end int) {
			if text := msg.Content[at:end]; strings.TrimSpace(text) != "" {
				out = append(out, split(open[len(open)-1], i, text)...)
			}
		}
		for _, m := range tagMark.FindAllStringSubmatchIndex(msg.Content, -1) {
			name, closes := tagName(msg.Content[m[2]:m[3]]), msg.Content[m[0]+1] == '/'
			switch {
			case closes && open[len(open)-1] == name:
				add(m[0])
				open = open[:len(open)-1]
			case !closes && strings.Contains(tagName(msg.Content[m[1]:]), "</"+name+">"):
				add(m[0])
				open = append(open, name)
			default:
				continue
			}
			at = m[1]
		}
		add(len(msg.Content))
	}
	return slices.DeleteFunc(out, func(b block) bool { return exampleTag.MatchString(b.tag) })
}

func tagName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// split splits a text into its items and the rest. In a tag an item ends where the next one
// begins, outside of tags at a heading as well, and there the next block begins.
func split(tag string, message int, text string) []block {
	out := []block{{tag: tag, message: message}}
	var form *regexp.Regexp // of the block's first item, and so of all others
	blank, last := false, map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		it, used := labelled(line, form)
		b := &out[len(out)-1]
		switch {
		case used != nil && (tag == "" || it.n > last[it.letter]):
			form, last[it.letter] = used, it.n
			it.ended = endedTag.MatchString(tag)
			b.items = append(b.items, it)
		case len(b.items) > 0 && tag == "" && blank && heading(line):
			out, form = append(out, block{tag: tag, message: message, before: line + "\n"}), nil
		case len(b.items) > 0:
			b.items[len(b.items)-1].text += "\n" + line
		default:
			b.before += line + "\n"
		}
		blank = line == ""
	}
	return out
}

// text returns what follows the last item's number, or the whole block without items.
func (b block) text() string {
	if len(b.items) == 0 {
		return b.before
	}
	return b.items[len(b.items)-1].text
}

// labelled reads "[3] text", "3. text", "[M2] text" and "M2: text". A form other than nil
// is the only one that counts; without an item it returns nil.
func labelled(line string, form *regexp.Regexp) (item, *regexp.Regexp) {
	for _, f := range []*regexp.Regexp{bracketed, dotted} {
		if form != nil && form != f {
			continue
		}
		if m := f.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			return item{letter: m[1], n: n, text: m[3]}, f
		}
	}
	return item{}, nil
}

// heading reports whether a line outside of tags is a heading.
func heading(line string) bool { return strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":") }

// series are items whose numbers count on, in one block or several of a message.
type series struct {
	blocks []int
	items  []item
	begins []int
	tags   []string
}

// counted joins the numbered items of blocks to series, in their order.
func counted(list []block) []series {
	var out []series
	for i, b := range list {
		fresh := true
		for _, it := range b.items {
			if it.letter != "" {
				continue
			}
			if at := len(out) - 1; at < 0 || list[out[at].blocks[0]].message != b.message ||
				(out[at].tags[0] == "") != (b.tag == "") || it.n <= out[at].items[len(out[at].items)-1].n {
				out, fresh = append(out, series{}), true
			}
			s := &out[len(out)-1]
			if fresh {
				s.blocks, s.begins, s.tags, fresh = append(s.blocks, i), append(s.begins, it.n), append(s.tags, b.tag), false
			}
			s.items = append(s.items, it)
		}
	}
	return out
}

// newReading finds the material of a job, the items that an answer cites by number: the
// last series. Tagged ones go before those outside of tags, one in a tag that is called as
// a field of the schema before all others, and those in tags of what is known come last.
func newReading(messages []storage.Node, fields []string) reading {
	list := blocks(messages)
	can := counted(list)
	prefer := func(fits func(tag string) bool) {
		some := slices.DeleteFunc(slices.Clone(can), func(s series) bool { return !slices.ContainsFunc(s.tags, fits) })
		if len(some) > 0 {
			can = some
		}
	}
	prefer(func(tag string) bool { return tag != "" })
	prefer(func(tag string) bool { return slices.Contains(fields, tag) })
	prefer(func(tag string) bool { return !knownTag.MatchString(tag) })
	if len(can) == 0 {
		can = []series{{blocks: []int{len(list)}}}
	}
	of := can[len(can)-1]
	r := reading{items: of.items, begins: of.begins, tags: of.tags}
	in := len(messages) - 1
	if len(of.items) > 0 {
		in = list[of.blocks[0]].message
	}
	for i, b := range list {
		mine := slices.Contains(of.blocks, i)
		if b.message == in && b.tag == "" && i >= of.blocks[len(of.blocks)-1] {
			r.below += b.text()
		}
		if b.message == in || messages[b.message].Role == storage.System {
			r.take(b, mine, i > of.blocks[0])
		}
	}
	r.items = whole(r.items, messages[:max(in, 0)])
	return r
}

// take takes from a block what is told beside the material. What stands below the material
// outside of tags tells nothing: it says what to do.
func (r *reading) take(b block, mine, below bool) {
	text := b.before
	for _, it := range b.items {
		switch {
		case it.letter != "":
			r.labelled = append(r.labelled, it)
		case !mine:
			text += it.text + "\n"
		}
	}
	if b.tag != "" || !below {
		r.known = append(r.known, item{text: text, ended: endedTag.MatchString(b.tag)})
	}
}

// whole puts in place of items that quote how a message begins the message itself, where it
// stands in the prompt.
func whole(items []item, above []storage.Node) []item {
	out := slices.Clone(items)
	for i, it := range out {
		m := quoted.FindStringSubmatch(it.text)
		if m == nil {
			continue
		}
		begins := strings.TrimRight(m[1], "….")
		for _, msg := range above {
			if msg.Role != storage.System && strings.Contains(msg.Content, begins) {
				out[i].text = msg.Content
			}
		}
	}
	return out
}

// older reports whether the last block of items is older than what stands before it: by its
// tag, or because an answer is asked for with its numbers alone. least is the smallest
// number that the schema lets through.
func (r reading) older(least int) bool {
	if len(r.begins) < 2 {
		return false
	}
	from := r.begins[len(r.begins)-1]
	if least == from || olderTag.MatchString(r.tags[len(r.tags)-1]) {
		return true
	}
	named := digits.FindAllString(r.below, -1)
	for i, word := range named[min(1, len(named)):] {
		if word == strconv.Itoa(r.items[len(r.items)-1].n) && named[i] == strconv.Itoa(from) {
			return true
		}
	}
	return false
}
