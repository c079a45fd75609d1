package ecosystem

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatFile is a chat in SillyTavern's format, one JSON object per line. Header
// is the whole first line (nil when the file had none) and Metadata what it
// calls chat_metadata. UserName and CharacterName are those of the header, or,
// where that says nothing, of the first messages. A chat of another program is
// put into that format; Format says whose it was, for display, "" for SillyTavern's
// own lines, Title what the chat is called there, Lorebook the lorebook that it has to
// itself, and More the other chats of the same file.
type ChatFile struct {
	UserName, CharacterName string
	Header                  json.RawMessage
	Metadata                json.RawMessage
	Bare                    bool // it had no header
	Messages                []ChatMessage
	Warnings                []string
	Format                  string
	Title                   string
	Lorebook                *ImportedBook
	More                    []ChatFile
	Long                    *LongChat // nil but for a long file, which has its messages there: see Each
}

// ChatMessage is one line. Content is what the line shows; where it differs from
// the chosen swipe it was edited later and wins (see Variants). Extra is the
// line's object without what mes, swipes and swipe_info say: give it back to
// WriteChat, and nothing of the line is lost. CreatedAt is zero when the line
// has no time that can be read. Hidden messages are not for the model. Scene is
// nil unless a scene ends with the message, or has recaps there. ID is the one that the
// message has in Ghostlight, "" for the lines of other programs; it is untrusted.
type ChatMessage struct {
	ID        string
	Role      storage.Role
	Name      string
	Content   string
	Thinking  string
	Model     string
	CreatedAt time.Time
	Hidden    bool
	Swipes    []Swipe
	Chosen    int // index in Swipes; 0 when there are none
	Scene     *SceneMark
	Extra     json.RawMessage
}

// Swipe is one of the alternatives of a message. Extra is its swipe_info, ID as in ChatMessage.
type Swipe struct {
	ID        string
	Content   string
	Thinking  string
	Model     string
	CreatedAt time.Time
	Extra     json.RawMessage
}

// Variants returns all texts of the message, at least one, and which of them is
// shown. The one that is shown has the message's own Content, Thinking, Model
// and CreatedAt.
func (m ChatMessage) Variants() (all []Swipe, chosen int) {
	own := Swipe{ID: m.ID, Content: m.Content, Thinking: m.Thinking, Model: m.Model, CreatedAt: m.CreatedAt}
	if len(m.Swipes) == 0 {
		return []Swipe{own}, 0
	}
	chosen = max(0, min(m.Chosen, len(m.Swipes)-1))
	all = append(all, m.Swipes...)
	own.Extra = all[chosen].Extra
	own.ID = cmp.Or(own.ID, all[chosen].ID)
	all[chosen] = own
	return all, chosen
}

// ReadChat reads a chat line by line, or that of another program as a whole: RisuAI,
// Agnai, text-generation-webui, Character.AI, KoboldAI Lite and Backyard. Lines that cannot
// be read are left out and named in Warnings. Errors wrap ErrNotChat or ErrTooLarge, or come from r; what
// was read up to there is returned with them.
func ReadChat(r io.Reader) (ChatFile, error) {
	f, err := chatFrom(r, nil)
	if err != nil {
		return f, fmt.Errorf("read chat: %w", err)
	}
	return f, nil
}

// chatFrom reads a chat, of which long, if it is not nil, takes the gist alone.
func chatFrom(r io.Reader, long *LongChat) (ChatFile, error) {
	head := make([]byte, detectHead)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		r = failing{err} // once what came before it is read
	}
	if Detect("", head[:n]) == KindArchive {
		return ChatFile{}, fault(ErrNotChat, "%s", kindWords[KindArchive])
	}
	if isForeign(head[:n]) {
		data, err := readWhole(io.MultiReader(bytes.NewReader(head[:n]), r), maxForeignChat)
		if err != nil {
			return ChatFile{}, err
		}
		return readForeign(data)
	}
	p := chatReader{in: bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head[:n]), r), detectHead)}
	p.brief = long != nil
	err = p.read(head[:n])
	p.finish()
	if err == nil && p.gist.Count == 0 {
		err = p.nothing()
	}
	if long != nil {
		long.gist, p.file.Messages, p.file.Long = p.gist, nil, long
	}
	return p.file, err
}

// nothing says why a file without a message is no chat to be brought in.
func (p *chatReader) nothing() error {
	switch {
	case p.file.Header == nil:
		return fault(ErrNotChat, "no line of the file is a message of a chat: choose a .jsonl file that was exported from a chat")
	case len(p.file.Warnings) > 0:
		return fault(ErrNotChat, "the file has the first line of a chat, and no message that can be read (%s): export it again", p.file.Warnings[0])
	}
	return fault(ErrNotChat, "the file has the first line of a chat and no message: there is nothing to import")
}

// failing is a reader that only has an error to give.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type chatReader struct {
	in     *bufio.Reader
	line   []byte // the current line; used again for the next
	packed []byte
	number int
	total  int64
	swipes int
	file   ChatFile
	notes  notes
	times  int // messages whose time could not be read
	gist   Gist
	brief  bool                    // the gist is enough
	each   func(*ChatMessage) bool // takes the messages; nil: file does
	over   bool                    // each wants no more
}

func (p *chatReader) read(head []byte) error {
	kind := Detect("", head)
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fault(ErrNotChat, "this is UTF-16 text, and chats are UTF-8: save it as UTF-8")
	case sniff(head) == "ZIP" && kind != KindCard:
		return fault(ErrNotChat, "this is an archive, perhaps the backup of a whole program: import it with move-in, or unpack it and import its chats")
	case kind != KindChat && kindWords[kind] != "":
		return fault(ErrNotChat, "%s", kindWords[kind])
	}
	for {
		ok, err := p.next()
		if err != nil {
			return err
		}
		if !ok || p.over {
			return nil
		}
		if err := p.take(); err != nil {
			return err
		}
	}
}

// next reads a line into p.line. A line beyond the limit is skipped with a
// warning, without being held.
func (p *chatReader) next() (bool, error) {
	p.line = p.line[:0]
	p.number++
	long := false
	for {
		part, err := p.in.ReadSlice('\n')
		if p.total += int64(len(part)); p.total > MaxChatFile {
			return false, fault(ErrTooLarge, "the chat has more than %s: split it", size(MaxChatFile))
		}
		if long = long || len(p.line)+len(part) > MaxChatLine; long {
			p.line = p.line[:0]
		} else {
			p.line = append(p.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			err = nil
			if len(part) == 0 && len(p.line) == 0 && !long {
				return false, nil
			}
		}
		if long {
			p.notes.add("line %d was left out: it is longer than %s", p.number, size(MaxChatLine))
		}
		return err == nil, err
	}
}

// take reads the current line.
func (p *chatReader) take() error {
	line := bytes.TrimSpace(bytes.TrimPrefix(p.line, []byte(bom)))
	if len(line) == 0 {
		return nil
	}
	obj, ok := p.parse(line)
	if !ok {
		return nil
	}
	switch {
	case !obj.has("mes") && (obj.has("chat_metadata") || obj.has("user_name") || obj.has("character_name")):
		if p.file.Header != nil || p.gist.Count > 0 {
			p.notes.add("line %d was left out: it is another header", p.number)
			return nil
		}
		p.file.Header = obj.encode()
		return nil
	case !obj.has("mes") && !obj.has("name"):
		p.notes.add("line %d was left out: it has neither a name nor a text", p.number)
		return nil
	}
	m, odd := readMessage(&obj)
	if odd != "" {
		p.notes.add("line %d: %s", p.number, odd)
	}
	if obj.has("send_date") && m.CreatedAt.IsZero() {
		p.times++
	}
	if p.gist.Count == MaxMessages {
		return fault(ErrTooLarge, "the chat has more than %d messages: split it", MaxMessages)
	}
	if p.swipes += len(m.Swipes); p.swipes > MaxMessages {
		return fault(ErrTooLarge, "the chat has more than %d swipes: split it", MaxMessages)
	}
	p.gist.add(&m, avatarOf(&obj, m.Role))
	if p.brief {
		p.name(&m)
		return nil
	}
	strip(&obj, &m)
	m.Extra = obj.encode()
	if p.each == nil {
		p.file.Messages = append(p.file.Messages, m)
	} else {
		p.over = !p.each(&m)
	}
	return nil
}

// name keeps the first message of either side that has a name, for finish.
func (p *chatReader) name(m *ChatMessage) {
	if len(p.file.Messages) < 2 && m.Name != "" && (m.Role == storage.User || m.Role == storage.Assistant) &&
		(len(p.file.Messages) == 0 || p.file.Messages[0].Role != m.Role) {
		p.file.Messages = append(p.file.Messages, *m)
	}
}

// parse makes an object of a line, and a warning when it is none. The object
// aliases p.packed and lives until the next line.
func (p *chatReader) parse(line []byte) (object, bool) {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		p.notes.add("line %d holds bytes that are not UTF-8; they were replaced", p.number)
	}
	var err error
	if p.packed, err = jsontext.AppendFormat(p.packed[:0], line, lenient); err != nil {
		p.notes.add("line %d was left out: it is %s", p.number, strings.ReplaceAll(syntaxFault(line, err), "line 1, ", ""))
		return object{}, false
	}
	obj, ok := parseObject(p.packed)
	if !ok {
		p.notes.add("line %d was left out: it is not an object with the fields of a message", p.number)
	}
	return obj, ok
}

// finish fills in what follows from the whole file.
func (p *chatReader) finish() {
	f := &p.file
	if f.Header == nil && p.gist.Count > 0 {
		p.notes.add("the file has no header line; the names were taken from the messages")
	}
	f.Bare = f.Header == nil
	header, _ := parseObject(f.Header)
	if raw := header.get("chat_metadata"); raw != nil {
		f.Metadata = bytes.Clone(raw)
	}
	f.UserName, f.CharacterName = chatNames(&header, f.Messages)
	if p.times > 0 {
		p.notes.add("%d messages have a time that could not be read", p.times)
	}
	f.Warnings = p.notes.lines()
}

// chatNames are those of the header. "unused" is what newer files say in their
// place: then they come from the first message of either side.
func chatNames(header *object, messages []ChatMessage) (user, character string) {
	user, _ = text(header.get("user_name"))
	character, _ = text(header.get("character_name"))
	if user == "unused" {
		user = ""
	}
	if character == "unused" {
		character = ""
	}
	for i := 0; i < len(messages) && (user == "" || character == ""); i++ {
		switch m := &messages[i]; {
		case user == "" && m.Role == storage.User:
			user = m.Name
		case character == "" && m.Role == storage.Assistant:
			character = m.Name
		}
	}
	return user, character
}
