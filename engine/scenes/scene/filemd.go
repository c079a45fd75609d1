package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The Markdown format has the texts unchanged, with an HTML comment before each that says what it
// is. A comment has a line of its own:
//
//	<!-- ghostlight-recaps {"version":1,"chat":"…"} -->
//	<!-- scene {"number":1,"first":"…","last":"…"} -->
//	# Scene 1: its name
//	<!-- version {"id":"…","current":true} -->
//	text
//	<!-- atmosphere -->
//	<!-- emotional beats -->
//	<!-- original -->
//	<!-- lore {"name":"…"} -->
//	<!-- source {"bullet":"…","messages":["…"]} -->
//	<!-- running {"id":"…"} -->
//
// The sources of a bullet are behind it: "- fact <!-- from ID ID -->", so that they stay with the
// bullet when it is edited.
const (
	tagFile       = formatName
	tagScene      = "scene"
	tagVersion    = "version"
	tagAtmosphere = "atmosphere"
	tagBeats      = "emotional beats"
	tagOriginal   = "original"
	tagLore       = "lore"
	tagSource     = "source"
	tagRunning    = "running"
	tagFrom       = "from"
)

var tags = []string{tagFile, tagScene, tagVersion, tagAtmosphere, tagBeats, tagOriginal, tagLore, tagSource, tagRunning}

const intro = `The texts below may be edited; the lines between <!-- and --> say what belongs where and must stay.`

type fileHead struct {
	Version int    `json:"version"`
	Chat    string `json:"chat"`
}

type sceneHead struct {
	Number  int             `json:"number"`
	First   storage.NodeID  `json:"first,omitempty"`
	Last    storage.NodeID  `json:"last,omitempty"`
	Running storage.RecapID `json:"running,omitempty"`
}

// versionHead is a version without the texts below it.
type versionHead struct {
	storage.Recap
	Text    string `json:"text,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// loreHead is a fact for the lorebook without its text.
type loreHead struct {
	storage.LoreCandidate
	Content string `json:"content,omitempty"`
}

// ExportMarkdown writes a file as Markdown, made for reading and editing.
// ReadFile reads it back without loss.
func ExportMarkdown(f File) []byte {
	f.tidy()
	var b bytes.Buffer
	b.WriteString("# Recaps: " + f.Chat + "\n\n" + intro + "\n\n")
	writeTag(&b, tagFile, fileHead{Version: formatVersion, Chat: f.Chat})
	for _, s := range f.Scenes {
		b.WriteByte('\n')
		writeTag(&b, tagScene, sceneHead{Number: s.Number, First: s.First, Last: s.Last, Running: s.Running})
		b.WriteString("# Scene " + strconv.Itoa(s.Number))
		if s.Name != "" {
			b.WriteString(": " + s.Name)
		}
		b.WriteByte('\n')
		for i, v := range s.Versions {
			writeVersion(&b, tagVersion, v, i == s.Current)
		}
	}
	for _, v := range f.Running {
		writeVersion(&b, tagRunning, v, false)
	}
	return b.Bytes()
}

func writeTag(b *bytes.Buffer, tag string, head any) {
	b.WriteString("<!-- " + tag)
	if head != nil {
		data, err := json.Marshal(head) // escapes characters that could end the comment
		if err != nil {
			data = []byte("{}") // only years beyond 9999, which no file has
		}
		b.WriteByte(' ')
		b.Write(data)
	}
	b.WriteString(" -->\n")
}

func writeVersion(b *bytes.Buffer, tag string, v storage.Recap, current bool) {
	b.WriteByte('\n')
	head := versionHead{Recap: v, Current: current}
	head.Original, head.Atmosphere, head.EmotionalBeats, head.Lorebooks, head.Sources = "", "", "", nil, nil
	writeTag(b, tag, head)
	of := map[string][]storage.NodeID{}
	for _, s := range v.Sources {
		of[s.Bullet] = s.Messages
	}
	from := map[int][]storage.NodeID{}
	for _, bullet := range Bullets(v.Text) {
		if ids, ok := of[bullet.Text]; ok {
			from[bullet.Line] = ids
			delete(of, bullet.Text)
		}
	}
	writeText(b, v.Text, from)
	for _, below := range []struct{ tag, text string }{
		{tagAtmosphere, v.Atmosphere}, {tagBeats, v.EmotionalBeats}, {tagOriginal, v.Original},
	} {
		if below.text != "" {
			writeTag(b, below.tag, nil)
			writeText(b, below.text, nil)
		}
	}
	for _, c := range v.Lorebooks {
		writeTag(b, tagLore, loreHead{LoreCandidate: c})
		writeText(b, c.Content, nil)
	}
	for _, s := range v.Sources {
		if _, left := of[s.Bullet]; left {
			writeTag(b, tagSource, s)
		}
	}
}

// writeText writes text so that no line of it can be taken for a tag.
func writeText(b *bytes.Buffer, text string, from map[int][]storage.NodeID) {
	for i, l := range strings.Split(text, "\n") {
		_, _, has := cutFrom(l)
		if ids := from[i]; len(ids) > 0 || has {
			l += " <!-- " + tagFrom
			for _, id := range ids {
				l += " " + string(id)
			}
			l += " -->"
		}
		if isEscapable(l) {
			b.WriteByte('\\')
		}
		b.WriteString(l + "\n")
	}
}

// isEscapable reports whether a line is a tag or an escaped tag.
func isEscapable(l string) bool {
	tag, _ := readTag(strings.TrimLeft(l, " \t\\"))
	return tag != ""
}

// readTag reads a line as a tag; tag is "" if it is none.
func readTag(l string) (tag, head string) {
	l = strings.TrimSpace(l)
	inner, ok := strings.CutPrefix(l, "<!--")
	if !ok {
		return "", ""
	}
	if inner, ok = strings.CutSuffix(inner, "-->"); !ok {
		return "", ""
	}
	inner = strings.TrimSpace(inner)
	for _, t := range tags {
		if rest, ok := strings.CutPrefix(inner, t); ok && (rest == "" || rest[0] == ' ' || rest[0] == '{') {
			return t, strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// cutFrom takes "<!-- from ID -->" off the end of a line.
func cutFrom(l string) (rest string, ids []storage.NodeID, ok bool) {
	l = strings.TrimRight(l, " \t\r")
	head, ok := strings.CutSuffix(l, "-->")
	if !ok {
		return l, nil, false
	}
	i := strings.LastIndex(head, "<!-- "+tagFrom)
	if i < 0 {
		return l, nil, false
	}
	inner := head[i+len("<!-- "+tagFrom):]
	if strings.ContainsAny(inner, "<>") || inner != "" && inner[0] != ' ' {
		return l, nil, false
	}
	for _, id := range strings.Fields(inner) {
		ids = append(ids, storage.NodeID(id))
	}
	return strings.TrimRight(l[:i], " \t"), ids, true
}

// block is a comment of the format and the lines below it.
type block struct {
	tag, head string
	line      int // of the comment, from 1
	text      []string
}

// blocksOf cuts a file at its comments. The text above the first is left out.
func blocksOf(data string) (list []block) {
	for i, l := range strings.Split(data, "\n") {
		if tag, head := readTag(l); tag != "" {
			list = append(list, block{tag: tag, head: head, line: i + 1})
			continue
		}
		if strings.HasPrefix(l, "\\") && isEscapable(l) {
			l = l[1:]
		}
		if n := len(list); n > 0 {
			list[n-1].text = append(list[n-1].text, l)
		}
	}
	return list
}

// stray returns an error if there is text below a comment, and moves the block's line to it.
func (b *block) stray() error {
	for i, l := range b.text {
		if strings.TrimSpace(l) != "" {
			b.line += i + 1
			return fmt.Errorf("text that belongs to no version: %q", clip(l, 60))
		}
	}
	return nil
}

// decode reads the JSON of a comment.
func (b *block) decode(into any) error {
	if b.head == "" {
		return fmt.Errorf("the comment lacks its {…}")
	}
	if err := json.Unmarshal([]byte(b.head), into); err != nil {
		return fmt.Errorf("the comment is damaged: %w", err)
	}
	return nil
}

// reader builds a file from its blocks.
type reader struct {
	f       File
	known   bool
	scene   *FileScene     // that versions belong to
	version *storage.Recap // that texts belong to
}

func readMarkdown(data string) (File, error) {
	var r reader
	for _, b := range blocksOf(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)) {
		if err := r.read(&b); err != nil {
			return File{}, fmt.Errorf("recap file: line %d: %w", b.line, err)
		}
	}
	if !r.known {
		return File{}, fmt.Errorf("recap file: line 1: %w", errForeign)
	}
	r.f.tidy()
	return r.f, nil
}

func (r *reader) read(b *block) (err error) {
	switch {
	case !r.known && b.tag != tagFile:
		return errForeign
	case b.tag == tagFile:
		return r.file(b)
	case b.tag == tagScene:
		return r.newScene(b)
	case b.tag == tagVersion || b.tag == tagRunning:
		return r.newVersion(b)
	case r.version == nil:
		return fmt.Errorf("<!-- %s --> belongs to no version", b.tag)
	}
	v := r.version
	switch b.tag {
	case tagAtmosphere:
		v.Atmosphere = joinText(b.text, nil)
	case tagBeats:
		v.EmotionalBeats = joinText(b.text, nil)
	case tagOriginal:
		v.Original = joinText(b.text, nil)
	case tagLore:
		var h loreHead
		err = b.decode(&h)
		h.LoreCandidate.Content = joinText(b.text, nil)
		v.Lorebooks = append(v.Lorebooks, h.LoreCandidate)
	case tagSource:
		var s storage.Source
		if err = b.decode(&s); err == nil {
			err = b.stray()
		}
		v.Sources = append(v.Sources, s)
	}
	return err
}

func (r *reader) file(b *block) error {
	var h fileHead
	if err := b.decode(&h); err != nil {
		return err
	}
	if h.Version > formatVersion {
		return fmt.Errorf("written by a newer version of Ghostlight (format %d)", h.Version)
	}
	if r.known {
		return fmt.Errorf("a second beginning of a recap file")
	}
	r.known, r.f.Chat = true, h.Chat
	return nil
}

// sceneTitle is a scene's heading, as "# Scene 3: its name".
var sceneTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^#+[ \t]*(?:Scene \d+(?::|\s*$))?(.*)$`)
})

func (r *reader) newScene(b *block) error {
	var h sceneHead
	if err := b.decode(&h); err != nil {
		return err
	}
	s := FileScene{Number: h.Number, First: h.First, Last: h.Last, Running: h.Running}
	named := slices.IndexFunc(b.text, func(l string) bool { return strings.TrimSpace(l) != "" })
	if named >= 0 {
		if m := sceneTitle().FindStringSubmatch(b.text[named]); m != nil {
			s.Name = m[1]
			b.text[named] = ""
		}
	}
	r.f.Scenes = append(r.f.Scenes, s)
	r.scene, r.version = &r.f.Scenes[len(r.f.Scenes)-1], nil
	return b.stray()
}

func (r *reader) newVersion(b *block) error {
	var h versionHead
	if err := b.decode(&h); err != nil {
		return err
	}
	list := &r.f.Running
	switch {
	case b.tag == tagRunning:
		r.scene = nil
	case r.scene == nil:
		return fmt.Errorf("<!-- version --> belongs to no scene")
	default:
		list = &r.scene.Versions
		if h.Current {
			r.scene.Current = len(*list)
		}
	}
	h.Recap.Text = joinText(b.text, &h.Recap)
	*list = append(*list, h.Recap)
	r.version = &(*list)[len(*list)-1]
	return nil
}

// joinText joins lines. Sources behind the lines are removed and added to v, which may be nil.
func joinText(lines []string, v *storage.Recap) string {
	from := map[int][]storage.NodeID{}
	var kept []string
	for _, l := range lines {
		rest, ids, _ := cutFrom(l)
		if len(kept) == 0 && prompts.OneLine(rest) == "" {
			continue
		}
		from[len(kept)] = ids
		kept = append(kept, rest)
	}
	text := paragraphs(strings.Join(kept, "\n"))
	if v != nil {
		for _, b := range Bullets(text) {
			if ids := from[b.Line]; len(ids) > 0 {
				v.Sources = append(v.Sources, storage.Source{Bullet: b.Text, Messages: ids})
			}
		}
	}
	return text
}
