package formats

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

// ChatFile is a chat in SillyTavern's format, one JSON object per line. Header is the first line
// (nil if the file had none) and Metadata its chat_metadata. UserName and CharacterName are those
// of the header, or else those of the first messages. A chat of another program is converted to
// that format; Format is the name of the program, for display, "" for SillyTavern. Title is its
// title in the other program, Lorebook the chat's own lorebook, and More are the other chats of
// the same file.
type ChatFile struct {
	UserName, CharacterName string
	Header                  json.RawMessage
	Metadata                json.RawMessage
	NoHeader                bool // it had no header
	Messages                []ChatMessage
	Warnings                []string
	Format                  string
	Title                   string
	Lorebook                *ImportedBook
	More                    []ChatFile
	Long                    *LongChat // set for a long file, whose messages are read with All
}

// ChatMessage is one line. Content is the text that the line shows; if it differs from the chosen
// swipe it was edited later and wins (see Variants). Extra is the line's object without the
// contents of mes, swipes and swipe_info; when it is passed to WriteChat, nothing of the line is
// lost. CreatedAt is zero if the line has no readable time. Hidden messages are not sent to the
// model. Scene is nil unless a scene ends with the message. ID is the message's ID in Ghostlight,
// "" for other programs; it is untrusted.
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

// Swipe is one of the alternatives of a message. Extra is its swipe_info, ID is as in ChatMessage.
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

// ReadChat reads a chat line by line, or as a whole one of another program: RisuAI, Agnai,
// text-generation-webui, Character.AI, KoboldAI Lite and Backyard. Unreadable lines are skipped
// and listed in Warnings. Errors wrap ErrNotChat or ErrTooLarge, or come from r; what was read
// before the error is returned.
func ReadChat(r io.Reader) (ChatFile, error) {
	f, err := readChatFrom(r, nil)
	if err != nil {
		return f, fmt.Errorf("read chat: %w", err)
	}
	return f, nil
}

// readChatFrom reads a chat. If long is not nil, only the summary is kept.
func readChatFrom(r io.Reader, long *LongChat) (ChatFile, error) {
	head := make([]byte, detectHead)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		r = errorReader{err} // once what came before it is read
	}
	if Detect("", head[:n]) == KindArchive {
		return ChatFile{}, wrapf(ErrNotChat, "%s", kindAdvice[KindArchive])
	}
	if isForeign(head[:n]) {
		data, err := readLimited(io.MultiReader(bytes.NewReader(head[:n]), r), maxForeignChat)
		if err != nil {
			return ChatFile{}, err
		}
		return readForeign(data)
	}
	p := chatReader{in: bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head[:n]), r), detectHead)}
	p.summaryOnly = long != nil
	err = p.read(head[:n])
	p.finish()
	if err == nil && p.summary.Count == 0 {
		err = p.noMessagesReason()
	}
	if long != nil {
		long.summary, p.file.Messages, p.file.Long = p.summary, nil, long
	}
	return p.file, err
}

// noMessagesReason returns why a file without a message is not a chat.
func (p *chatReader) noMessagesReason() error {
	switch {
	case p.file.Header == nil:
		return wrapf(ErrNotChat,
			"no line of the file is a message of a chat: choose a .jsonl file that was exported from a chat")
	case len(p.file.Warnings) > 0:
		return wrapf(ErrNotChat, "the file has the first line of a chat, and no message that can be read (%s): "+
			"export it again", p.file.Warnings[0])
	}
	return wrapf(ErrNotChat, "the file has the first line of a chat and no message: there is nothing to import")
}

// errorReader is a reader that returns an error.
type errorReader struct{ err error }

func (f errorReader) Read([]byte) (int, error) { return 0, f.err }

type chatReader struct {
	in          *bufio.Reader
	line        []byte // the current line; reused for the next
	compacted   []byte
	number      int
	total       int64
	swipes      int
	file        ChatFile
	notes       warningList
	times       int // messages with an unreadable time
	summary     ChatSummary
	summaryOnly bool                    // only the summary is needed
	each        func(*ChatMessage) bool // receives the messages; nil stores them in file
	stopped     bool                    // each wants no more
}

func (p *chatReader) read(head []byte) error {
	kind := Detect("", head)
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return wrapf(ErrNotChat, "this is UTF-16 text, and chats are UTF-8: save it as UTF-8")
	case sniff(head) == "ZIP" && kind != KindCard:
		return wrapf(ErrNotChat, "this is an archive, perhaps the backup of a whole program: import it with move-in, "+
			"or unpack it and import its chats")
	case kind != KindChat && kindAdvice[kind] != "":
		return wrapf(ErrNotChat, "%s", kindAdvice[kind])
	}
	for {
		ok, err := p.nextLine()
		if err != nil {
			return err
		}
		if !ok || p.stopped {
			return nil
		}
		if err := p.readLine(); err != nil {
			return err
		}
	}
}

// nextLine reads a line into p.line. A line beyond the limit is skipped with a warning and never
// held in memory.
func (p *chatReader) nextLine() (bool, error) {
	p.line = p.line[:0]
	p.number++
	long := false
	for {
		part, err := p.in.ReadSlice('\n')
		if p.total += int64(len(part)); p.total > MaxChatFile {
			return false, wrapf(ErrTooLarge, "the chat has more than %s: split it", formatSize(MaxChatFile))
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
			p.notes.add("line %d was left out: it is longer than %s", p.number, formatSize(MaxChatLine))
		}
		return err == nil, err
	}
}

// readLine parses the current line.
func (p *chatReader) readLine() error {
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
		if p.file.Header != nil || p.summary.Count > 0 {
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
	if p.summary.Count == MaxMessages {
		return wrapf(ErrTooLarge, "the chat has more than %d messages: split it", MaxMessages)
	}
	if p.swipes += len(m.Swipes); p.swipes > MaxMessages {
		return wrapf(ErrTooLarge, "the chat has more than %d swipes: split it", MaxMessages)
	}
	p.summary.add(&m, avatarOf(&obj, m.Role))
	if p.summaryOnly {
		p.noteNames(&m)
		return nil
	}
	removeKnown(&obj, &m)
	m.Extra = obj.encode()
	if p.each == nil {
		p.file.Messages = append(p.file.Messages, m)
	} else {
		p.stopped = !p.each(&m)
	}
	return nil
}

// noteNames stores the first named message of the user and the character, for finish.
func (p *chatReader) noteNames(m *ChatMessage) {
	if len(p.file.Messages) < 2 && m.Name != "" && (m.Role == storage.User || m.Role == storage.Assistant) &&
		(len(p.file.Messages) == 0 || p.file.Messages[0].Role != m.Role) {
		p.file.Messages = append(p.file.Messages, *m)
	}
}

// parse returns the object of a line, or adds a warning. The object aliases p.compacted and is
// valid until the next line.
func (p *chatReader) parse(line []byte) (object, bool) {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		p.notes.add("line %d holds bytes that are not UTF-8; they were replaced", p.number)
	}
	var err error
	if p.compacted, err = jsontext.AppendFormat(p.compacted[:0], line, lenient); err != nil {
		p.notes.add("line %d was left out: it is %s", p.number,
			strings.ReplaceAll(syntaxFault(line, err), "line 1, ", ""))
		return object{}, false
	}
	obj, ok := parseObject(p.compacted)
	if !ok {
		p.notes.add("line %d was left out: it is not an object with the fields of a message", p.number)
	}
	return obj, ok
}

// finish sets what depends on the whole file.
func (p *chatReader) finish() {
	f := &p.file
	if f.Header == nil && p.summary.Count > 0 {
		p.notes.add("the file has no header line; the names were taken from the messages")
	}
	f.NoHeader = f.Header == nil
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

// chatNames returns the names in the header. Newer files say "unused"; then the names come from
// the first messages.
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
