package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The Markdown format is the texts as they are, with HTML comments between them
// that say what each is. A comment stands on a line of its own:
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
// Where a bullet came from stands behind it: "- fact <!-- from ID ID -->", so
// that it stays with the bullet when that is edited.
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

// versionHead is a version without its texts.
type versionHead struct {
	Version
	Current bool `json:"current,omitempty"`
}

type loreHead struct {
	Name          string   `json:"name"`
	Type          string   `json:"type,omitempty"`
	Keywords      []string `json:"keywords,omitempty"`
	SecondaryKeys []string `json:"secondaryKeys,omitempty"`
	UID           string   `json:"uid,omitempty"`
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
		data, err := json.Marshal(head) // escapes what could end the comment
		if err != nil {
			data = []byte("{}") // only times that tidy leaves none of
		}
		b.WriteByte(' ')
		b.Write(data)
	}
	b.WriteString(" -->\n")
}

func writeVersion(b *bytes.Buffer, tag string, v Version, current bool) {
	b.WriteByte('\n')
	head := versionHead{v, current}
	head.Text, head.Original, head.Atmosphere, head.EmotionalBeats, head.Lorebooks, head.Sources = "", "", "", "", nil, nil
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
	for _, part := range []struct{ tag, text string }{{tagAtmosphere, v.Atmosphere}, {tagBeats, v.EmotionalBeats}, {tagOriginal, v.Original}} {
		if part.text != "" {
			writeTag(b, part.tag, nil)
			writeText(b, part.text, nil)
		}
	}
	for _, c := range v.Lorebooks {
		writeTag(b, tagLore, loreHead{Name: c.Name, Type: c.Type, Keywords: c.Keywords, SecondaryKeys: c.SecondaryKeys, UID: c.UID})
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

// isEscapable reports whether a line is a tag, or one that was escaped.
func isEscapable(l string) bool {
	tag, _ := readTag(strings.TrimLeft(l, " \t\\"))
	return tag != ""
}

// readTag reads a line as a tag; tag is "" where it is none.
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

// reader reads the Markdown format line by line.
type reader struct {
	f       File
	line    int // from 1
	known   bool
	scene   *FileScene
	named   bool     // the scene's heading has been read
	version *Version // that the text belongs to
	current int
	into    func(lines []string) // takes the text that is being collected
	text    []string
}

func readMarkdown(data string) (File, error) {
	var r reader
	data = strings.ReplaceAll(strings.ReplaceAll(data, "\r\n", "\n"), "\r", "\n")
	for l := range strings.Lines(data) {
		r.line++
		if err := r.read(strings.TrimSuffix(l, "\n")); err != nil {
			return File{}, fmt.Errorf("recap file: line %d: %w", r.line, err)
		}
	}
	r.endScene()
	if !r.known {
		return File{}, fmt.Errorf("recap file: line 1: %w", errForeign)
	}
	r.f.tidy()
	return r.f, nil
}

func (r *reader) read(l string) error {
	if tag, head := readTag(l); tag != "" {
		r.endText()
		return r.tag(tag, head)
	}
	switch {
	case r.into != nil:
		if strings.HasPrefix(l, "\\") && isEscapable(l) {
			l = l[1:]
		}
		r.text = append(r.text, l)
	case strings.TrimSpace(l) == "" || r.scene == nil && len(r.f.Running) == 0:
	case r.scene != nil && !r.named && strings.HasPrefix(l, "#"):
		r.scene.Name, r.named = sceneName(l), true
	default:
		return fmt.Errorf("text that belongs to no version: %q", clip(l, 60))
	}
	return nil
}

// sceneName reads "# Scene 3: its name".
func sceneName(l string) string {
	l = strings.TrimSpace(strings.TrimLeft(l, "#"))
	rest, ok := strings.CutPrefix(l, "Scene ")
	if !ok {
		return l
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	rest = rest[digits:]
	if digits == 0 || rest != "" && rest[0] != ':' {
		return l
	}
	return strings.TrimSpace(strings.TrimPrefix(rest, ":"))
}

func (r *reader) tag(tag, head string) error {
	if !r.known && tag != tagFile {
		return errForeign
	}
	switch tag {
	case tagFile:
		return r.file(head)
	case tagScene:
		return r.newScene(head)
	case tagVersion, tagRunning:
		return r.newVersion(tag, head)
	}
	if r.version == nil {
		return fmt.Errorf("<!-- %s --> belongs to no version", tag)
	}
	v := r.version
	switch tag {
	case tagAtmosphere:
		r.into = func(lines []string) { v.Atmosphere = joinText(lines, nil) }
	case tagBeats:
		r.into = func(lines []string) { v.EmotionalBeats = joinText(lines, nil) }
	case tagOriginal:
		r.into = func(lines []string) { v.Original = joinText(lines, nil) }
	case tagLore:
		var h loreHead
		if err := decodeHead(head, &h); err != nil {
			return err
		}
		c := storage.LoreCandidate{Name: h.Name, Type: h.Type, Keywords: h.Keywords, SecondaryKeys: h.SecondaryKeys, UID: h.UID}
		r.into = func(lines []string) {
			c.Content = joinText(lines, nil)
			v.Lorebooks = append(v.Lorebooks, c)
		}
	case tagSource:
		var s storage.Source
		if err := decodeHead(head, &s); err != nil {
			return err
		}
		v.Sources = append(v.Sources, s)
	}
	return nil
}

func (r *reader) file(head string) error {
	var h fileHead
	if err := decodeHead(head, &h); err != nil {
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

func (r *reader) newScene(head string) error {
	var h sceneHead
	if err := decodeHead(head, &h); err != nil {
		return err
	}
	r.endScene()
	r.scene = &FileScene{Number: h.Number, First: h.First, Last: h.Last, Running: h.Running}
	r.named, r.current = false, 0
	return nil
}

func (r *reader) newVersion(tag, head string) error {
	var h versionHead
	if err := decodeHead(head, &h); err != nil {
		return err
	}
	list := &r.f.Running
	if tag == tagVersion {
		if r.scene == nil {
			return fmt.Errorf("<!-- version --> belongs to no scene")
		}
		list = &r.scene.Versions
		if h.Current {
			r.scene.Current = len(*list)
		}
	} else {
		r.endScene()
	}
	*list = append(*list, h.Version)
	at := len(*list) - 1
	r.version = &(*list)[at]
	r.into = func(lines []string) {
		v := &(*list)[at]
		v.Text = joinText(lines, v)
	}
	return nil
}

func decodeHead(head string, into any) error {
	if head == "" {
		return fmt.Errorf("the comment lacks its {…}")
	}
	if err := json.Unmarshal([]byte(head), into); err != nil {
		return fmt.Errorf("the comment is damaged: %w", err)
	}
	return nil
}

func (r *reader) endText() {
	if r.into != nil {
		r.into(r.text)
	}
	r.into, r.text = nil, nil
}

func (r *reader) endScene() {
	r.endText()
	if r.scene != nil {
		r.f.Scenes = append(r.f.Scenes, *r.scene)
	}
	r.scene, r.version = nil, nil
}

// joinText puts lines together again. What stands behind them about their
// sources goes to v, where there is one.
func joinText(lines []string, v *Version) string {
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
