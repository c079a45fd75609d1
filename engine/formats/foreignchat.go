package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	maxForeignChat = 128 << 20 // bytes of a chat that is one document
	maxChats       = 10_000    // chats in one file
	maxInserted    = 40        // bytes of a name that replaces a macro, because it may occur often
	maxCarried     = 256 << 10 // bytes of the rest of a chat or a message
)

// foreignMessage is a message of a chat of another program. rest holds the program's other data
// about it, an object that is kept under the program's name.
type foreignMessage struct {
	role     storage.Role
	name     string
	text     string
	thinking string
	model    string
	at       time.Time
	hidden   bool
	swipes   []Swipe
	chosen   int
	rest     object
}

// foreignChat builds a chat of another program in SillyTavern's format.
type foreignChat struct {
	file    ChatFile
	program string
	meta    object // chat_metadata
	rest    object // what else the program says about the chat
	notes   warningList
	swipes  int
}

func newForeignChat(program string) *foreignChat {
	return &foreignChat{program: program, file: ChatFile{Format: program}}
}

// carriedKey returns the name of the member that holds the rest.
func carriedKey(program string) string {
	return strings.ReplaceAll(strings.ToLower(program), " ", "_")
}

// addMessage adds a message as the line that SillyTavern would have written.
func (b *foreignChat) addMessage(s foreignMessage) error {
	if len(s.text) > MaxChatLine {
		b.notes.add("message %d was left out: it is longer than %s", len(b.file.Messages)+1, formatSize(MaxChatLine))
		return nil
	}
	if len(b.file.Messages) == MaxMessages {
		return wrapf(ErrTooLarge, "the chat has more than %d messages: split it", MaxMessages)
	}
	if b.swipes += len(s.swipes); b.swipes > MaxMessages || len(s.swipes) > maxSwipes {
		return wrapf(ErrTooLarge, "the chat has more than %d swipes, or one message more than %d: split it",
			MaxMessages, maxSwipes)
	}
	if len(s.name) > maxName {
		s.name = ""
	}
	if s.name == "" && s.role == storage.User {
		s.name = "User"
	}
	m := ChatMessage{Role: s.role, Name: s.name, Content: s.text, Thinking: s.thinking, Model: s.model,
		CreatedAt: s.at.Truncate(time.Millisecond), Hidden: s.hidden, Swipes: s.swipes}
	if len(s.swipes) > 0 {
		m.Chosen = max(0, min(s.chosen, len(s.swipes)-1))
		m.Content = s.swipes[m.Chosen].Content
	}
	var line, extra object
	if b.limitRest(&s.rest); len(s.rest.members) > 0 {
		extra.set(carriedKey(b.program), s.rest.encode())
	}
	line.set("extra", extra.encode())
	m.Extra = line.encode()
	b.file.Messages = append(b.file.Messages, m)
	return nil
}

// chatFile returns the chat as a file. Its header has the names and the rest.
func (b *foreignChat) chatFile() ChatFile {
	f := &b.file
	var header object
	f.Metadata = b.meta.encode()
	header.set("chat_metadata", f.Metadata)
	var none object
	user, character := chatNames(&none, f.Messages)
	if f.UserName == "" {
		f.UserName = user
	}
	if f.CharacterName == "" {
		f.CharacterName = character
	}
	header.set("user_name", quote(f.UserName))
	header.set("character_name", quote(f.CharacterName))
	if len(f.Title) > maxName || !utf8String(f.Title) {
		f.Title = ""
	}
	if b.limitRest(&b.rest); len(b.rest.members) > 0 {
		header.set(carriedKey(b.program), b.rest.encode())
	}
	f.Header = header.encode()
	f.Warnings = b.notes.lines()
	return *f
}

// limitRest drops members that are too large, such as pictures in settings, and adds a warning.
func (b *foreignChat) limitRest(o *object) {
	var large []string
	total := 0
	for _, m := range o.members {
		if total += len(m.raw); total > maxCarried {
			large, total = append(large, m.key), total-len(m.raw)
			b.notes.add("the field %s has %s and was left out", quoteShort(m.key), formatSize(len(m.raw)))
		}
	}
	if len(large) > 0 {
		o.remove(large...)
	}
}

// without returns a copy of an object without some of its members.
func (o *object) without(keys ...string) object {
	out := object{members: o.members}
	out.remove(keys...)
	own, _ := parseObject(out.encode())
	return own
}

// firstText returns the first of some members that is a non-empty text.
func (o *object) firstText(keys ...string) string {
	for _, key := range keys {
		if s, ok := text(o.get(key)); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// readLimited reads a file that is one document, up to a limit.
func readLimited(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = wrapf(ErrTooLarge, "the file has more than %s, which no chat of this kind has: split it",
			formatSize(limit))
	}
	return data, err
}

// isForeign reports whether a file that begins with head is read as a whole, as a chat of another
// program: one document, an archive, or a picture with a chat in it.
func isForeign(head []byte) bool {
	switch sniff(head) {
	case "ZIP", "PNG", "WebP", "JPEG":
		return true
	case "":
		t := headTraits(head)
		return t.kind() == KindChat && (t.list || t.program(KindChat) != "") ||
			t.kind() == KindCard && t.program(KindCard) == programBackyard
	}
	return false
}

// readForeign reads the chats of another program. Those after the first are in More.
func readForeign(data []byte) (ChatFile, error) {
	list, err := foreignChats(data)
	if err != nil {
		return ChatFile{}, err
	}
	if len(list) > maxChats {
		return ChatFile{}, wrapf(ErrTooLarge, "the file has more than %d chats: split it", maxChats)
	}
	if len(list) == 0 {
		return ChatFile{}, wrapf(ErrNotChat, "the file is shaped like a chat, but has no messages")
	}
	f := list[0]
	f.More = list[1:]
	return f, nil
}

func foreignChats(data []byte) ([]ChatFile, error) {
	switch kind := sniff(data); kind {
	case "ZIP":
		return chatsOfArchive(data)
	case "PNG", "WebP", "JPEG":
		return chatsOfPicture(kind, data)
	}
	source, err := compact(data)
	if err != nil {
		return nil, err
	}
	if source[0] == '[' {
		return chatsOfList(source)
	}
	root, ok := parseObject(source)
	if !ok {
		return nil, wrapf(ErrTooLarge, "the document has more than %d fields at its top, which no chat has", maxMembers)
	}
	return chatsOfObject(&root)
}

func chatsOfObject(root *object) ([]ChatFile, error) {
	t := root.traits()
	var list []ChatFile
	var err error
	switch t.program(KindChat) {
	case programRisu:
		list, err = risuChats(root)
	case programAgnai:
		list, err = singleChat(agnaiLog(root))
	case programTextGen:
		list, err = singleChat(textGenLog(root))
	case programCAI:
		list, err = caiChats(root)
	case programKobold:
		list, err = singleChat(koboldStory(root))
	case programBackyard:
		chat, _ := parseObject(root.get("chat"))
		list, err = singleChat(backyardLog(&chat, root.firstText("name"), "", ""))
	default:
		if t.program(KindCard) == programBackyard { // some of its cards contain chats
			if list, err := backyardCardChats(root); err != nil || len(list) > 0 {
				return list, err
			}
		}
		if words := t.description(); words != "" {
			return nil, wrapf(ErrNotChat, "%s", words)
		}
		return nil, wrapf(ErrNotChat, "the document has no messages of a chat: choose another file")
	}
	return list, err
}

// singleChat returns the list of one chat, or an empty list for a chat without messages.
func singleChat(f ChatFile, err error) ([]ChatFile, error) {
	if err != nil || len(f.Messages) == 0 {
		return nil, err
	}
	return []ChatFile{f}, nil
}

// chatsOfList reads lists: of messages, of lists of messages, or of SillyTavern's lines.
func chatsOfList(source json.RawMessage) ([]ChatFile, error) {
	raws, ok := elements(source, MaxMessages)
	if !ok {
		return nil, wrapf(ErrTooLarge, "the list has more than %d messages: split it", MaxMessages)
	}
	if len(raws) > 0 && raws[0][0] == '[' {
		if len(raws) > maxChats {
			return nil, wrapf(ErrTooLarge, "the file has more than %d chats: split it", maxChats)
		}
		var out []ChatFile
		for _, raw := range raws {
			list, err := singleChat(caiMessages(raw))
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return out, nil
	}
	if len(raws) > 0 {
		if first, ok := parseObject(raws[0]); ok &&
			(first.has("mes") || first.has("user_name") || first.has("chat_metadata")) {
			f, err := ReadChat(bytes.NewReader(bytes.Join(rawLines(raws), []byte{'\n'})))
			if err != nil {
				return nil, err
			}
			return []ChatFile{f}, nil
		}
	}
	return singleChat(caiMessages(source))
}

func rawLines(raws []json.RawMessage) [][]byte {
	out := make([][]byte, len(raws))
	for i, raw := range raws {
		out[i] = raw
	}
	return out
}

// chatsOfPicture reads the chats of a Backyard card.
func chatsOfPicture(kind string, data []byte) ([]ChatFile, error) {
	for _, doc := range pictureTexts(kind, data) {
		source, err := compact(doc)
		if err != nil {
			continue
		}
		if root, ok := parseObject(source); ok && root.traits().program(KindCard) == programBackyard {
			if list, err := backyardCardChats(&root); err != nil || len(list) > 0 {
				return list, err
			}
		}
	}
	return nil, wrongKind(ErrNotChat, "", data, "choose a chat (.jsonl)")
}

// chatsOfArchive reads the chats of a Backyard archive, or the story of a KoboldAI United archive.
func chatsOfArchive(data []byte) ([]ChatFile, error) {
	files, err := openArchive(data)
	if err != nil {
		return nil, err
	}
	switch {
	case files[byafManifest] != nil && files[charxDocument] == nil:
		b, err := openBYAF(files)
		if err != nil {
			return nil, err
		}
		return b.chats()
	case files["story.json"] != nil:
		doc, err := unpack(files["story.json"], maxForeignChat)
		if err != nil {
			return nil, fmt.Errorf("story.json: %w", err)
		}
		source, err := compact(doc)
		if err != nil {
			return nil, fmt.Errorf("story.json: %w", err)
		}
		root, ok := parseObject(source)
		if !ok {
			return nil, wrapf(ErrNotChat, "story.json holds no story")
		}
		return singleChat(koboldStory(&root))
	case files[charxDocument] != nil:
		return nil, wrapf(ErrNotChat, "%s", kindAdvice[KindCard])
	}
	return nil, wrapf(ErrNotChat, "this is an archive, without a known chat: if it is a backup, import it with move-in")
}
